/** Byte ranges as RFC 9110, section 14, has them. */

/** First and last byte, the last one included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The one range that a header asks for, cut at the object's end.
 * @returns undefined for no header, several ranges and what is no range: all of it is sent then, as the standard allows;
 *   "unsatisfiable" for a range behind the end, and for one of no bytes.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  // Digits without end become Infinity, which compares as a large number does.
  if (first !== "" && last !== "" && Number(first) > Number(last)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(size - 1, Number(last));
  return start > end ? "unsatisfiable" : { start, end };
}
