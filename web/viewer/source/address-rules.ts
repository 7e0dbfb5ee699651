/** Types of address rules. */

/** Explains in one or two sentences why an address cannot be opened, and what to do instead. */
export interface NoAddress {
  readonly refused: string;
}

/** One rewriting step: the new text, and the reason. */
export interface Rewritten {
  readonly text: string;
  readonly path?: string | undefined;
  readonly isArchive?: boolean | undefined;
  /** Adapters of a URL pipeline that the library opens, such as `|icechunk://branch.main/`. */
  readonly adapters?: string | undefined;
  /** Without capital and full stop; steps without a reason are not reported. */
  readonly why?: string | undefined;
}

/** A rule returns undefined for text that it does not recognise. */
export type Rule = (text: string) => Rewritten | NoAddress | undefined;
