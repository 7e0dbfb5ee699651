/** Colours of values outside the range of a colour map: far from every colour of the map. */
import { colorDifference, type Lab, toLab } from "./color-difference.js";
import { pixelBytes } from "./color-tables.js";
import { keptFor } from "./memo.js";

/** 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

export interface OutsideColors {
  readonly below: Rgb;
  readonly above: Rgb;
}

/** Minimum CIEDE2000 difference from each colour of the map, and of the two from each other. */
const leastDifference = 15;

/** Cold colours for values below, warm ones for those above; then neutral ones for maps of all hues. */
const cold: readonly Rgb[] = [
  [0, 150, 255],
  [110, 190, 255],
  [0, 0, 255],
  [0, 229, 255],
  [0, 255, 160],
];
const warm: readonly Rgb[] = [
  [255, 48, 32],
  [255, 0, 170],
  [255, 140, 0],
  [255, 0, 255],
  [255, 170, 190],
];
const neutral: readonly Rgb[] = [
  [255, 255, 255],
  [0, 0, 0],
  [128, 128, 128],
  [0, 110, 40],
  [120, 0, 0],
];

/** Returns the colours for a table; undefined if a map leaves none, so that its ends must do. */
export const outsideColors = keptFor((table: Uint32Array): OutsideColors | undefined => {
  const map = [...new Set(table)].map((pixel) => toLab(pixelBytes(pixel)));
  const below = farthest(cold, map) ?? farthest(neutral, map);
  if (!below) return undefined;
  const used = [...map, toLab(below)];
  const above = farthest(warm, used) ?? farthest(neutral, used);
  return above && { below, above };
});

/** The candidate that differs most from all colours; undefined if it is too similar to one of them. */
function farthest(candidates: readonly Rgb[], colors: readonly Lab[]): Rgb | undefined {
  let best: { readonly color: Rgb; readonly difference: number } | undefined;
  for (const color of candidates) {
    const lab = toLab(color);
    const difference = Math.min(...colors.map((one) => colorDifference(one, lab)));
    if (difference >= Math.max(leastDifference, best?.difference ?? 0)) best = { color, difference };
  }
  return best?.color;
}
