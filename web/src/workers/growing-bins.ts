/**
 * Bins of histograms whose range is not known: their width is a power of two, and their edges are multiples of it. If values
 * lie outside, the width doubles, and neighbours merge, so that counts stay exact.
 */

/** Bins in use: from `first * width` up to, not including, `(last + 1) * width`. A width of 0: none. */
export interface BinPlace {
  readonly width: number;
  readonly first: number;
  readonly last: number;
}

/** Bins are at least as wide as this part of the largest value, so that their numbers are exact. */
const precision = 2 ** -50;
const minWidth = 2 ** -1000;
/** Values beyond are in no bin, as infinite ones: edges and their differences are finite. */
const largest = 2 ** 1020;
const clamp = (value: number): number => Math.max(-largest, Math.min(largest, value));

const powerBelow = (value: number): number => 2 ** Math.floor(Math.log2(value));

/** Returns the place of bins for values from `low` to `high` and for those in bins before. @param least minimum width. */
export function grownPlace(
  before: BinPlace,
  low: number,
  high: number,
  bins: number,
  least: number,
): BinPlace {
  const isFirst = before.width === 0;
  const from = clamp(isFirst ? low : Math.min(low, before.first * before.width));
  const to = clamp(isFirst ? high : Math.max(high, before.last * before.width));
  const size = Math.max(Math.abs(from), Math.abs(to));
  const finest = Math.max(minWidth, least, size === 0 ? 0 : powerBelow(size) * precision);
  let width = Math.max(finest, before.width, to > from ? powerBelow((to - from) / bins) : 0);
  while (Math.floor(to / width) - Math.floor(from / width) >= bins) width *= 2;
  return { width, first: Math.floor(from / width), last: Math.floor(to / width) };
}

/** Adds counts in one place to those in a wider one, in memory of its own. */
export function addBins(
  from: Float64Array,
  { first, width }: BinPlace,
  into: Float64Array,
  to: BinPlace,
): void {
  const scale = width / to.width;
  for (const [n, count] of from.entries())
    if (count > 0) into[Math.floor((first + n) * scale) - to.first]! += count;
}
