/** Returns `; did you mean "info"?`, or "" without a suggestion. */
export const didYouMean = (meant: string | undefined, quote = '"'): string =>
  meant === undefined ? "" : `; did you mean ${quote}${meant}${quote}?`;
