/** A guide: a page, or a section of it. */
export interface Guide {
  readonly page: string;
  readonly section?: string;
  readonly toy: string;
  readonly tests: readonly string[];
}
export interface GuideFile {
  readonly file: string;
  readonly isNew: boolean;
  /** The command that writes the file. */
  readonly command: string | undefined;
}
export const guides: Readonly<Record<"codec" | "store" | "convention" | "command", Guide>>;
export function filesOfGuide(guide: Guide): GuideFile[];
export function editsOfGuide(guide: Guide): Readonly<Record<string, (content: string) => string>>;
