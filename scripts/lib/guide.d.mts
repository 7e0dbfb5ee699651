/** A guide: a page, or a section of it. */
export interface Guide {
  readonly page: string;
  readonly section?: string;
  /** The name that its toy adds. */
  readonly toy: string;
  /** Filters of Vitest. */
  readonly tests: readonly string[];
}
/** A file that a guide names. */
export interface GuideFile {
  readonly file: string;
  readonly isNew: boolean;
  /** The command that writes the file. */
  readonly command: string | undefined;
}
export const guides: Readonly<Record<"codec" | "store" | "convention" | "command", Guide>>;
export function filesOfGuide(guide: Guide): GuideFile[];
export function editsOfGuide(guide: Guide): Readonly<Record<string, (content: string) => string>>;
