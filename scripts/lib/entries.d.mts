/** An entry of a package that is a program. */
export interface ProgramEntry {
  name: string;
  subpath: string;
  /** Absolute path of the compiled module that the entry is bundled from. */
  module: string;
  /** The files of each condition, as in package.json. */
  targets: Record<string, string>;
}

export const programEntries: readonly ProgramEntry[];
export const viewerEntries: readonly ProgramEntry[];
export declare function typedEntries(): {
  report: string;
  folder: string;
  subpath: string;
  targets: Record<string, string>;
}[];
