/** What rules of addresses are. */

/** What cannot be, and what to do instead, in a sentence or two. */
export interface NoAddress {
  readonly refused: string;
}

/** One step: what the text becomes, and why. */
export interface Rewritten {
  readonly text: string;
  readonly path?: string | undefined;
  readonly isArchive?: boolean | undefined;
  /** Without capital and full stop; a step without a reason is not worth a word. */
  readonly why?: string | undefined;
}

/** A rule leaves what it does not know alone. */
export type Rule = (text: string) => Rewritten | NoAddress | undefined;
