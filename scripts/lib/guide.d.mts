/** A file that docs/adding-a-codec.md names. */
export interface GuideFile {
  readonly file: string;
  readonly isNew: boolean;
  readonly isWritten: boolean;
}
export function filesOfGuide(): GuideFile[];
export const toyEdits: Readonly<Record<string, (content: string) => string>>;
