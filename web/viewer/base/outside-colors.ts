/** Colours of values outside the range of a colour map: far from every colour of the map. */
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

/** CIE L*a*b* under D65. */
type Lab = readonly [lightness: number, a: number, b: number];

/** @param rgb sRGB, 0 to 255 */
export function toLab(rgb: readonly number[]): Lab {
  const [r, g, b] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const curve = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = curve(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = curve((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

/**
 * Perceived difference of two colours: CIEDE2000 (CIE 142-2001; Sharma, Wu and Dalal 2005).
 * @returns 0 for equal colours, about 1 for a difference that is just visible, 100 for black and white
 */
export function colorDifference([l1, a1, b1]: Lab, [l2, a2, b2]: Lab): number {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const stretch = 1.5 - 0.5 * Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));
  const [c1, c2] = [Math.hypot(stretch * a1, b1), Math.hypot(stretch * a2, b2)];
  const hueOf = (a: number, b: number) => ((Math.atan2(b, stretch * a) * 180) / Math.PI + 360) % 360;
  const [h1, h2] = [hueOf(a1, b1), hueOf(a2, b2)];
  const isGray = c1 * c2 === 0;
  const turn = isGray ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const hueDifference = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2));
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2];
  const h = isGray ? h1 + h2 : meanHue(h1, h2);
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63));
  const weightL = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [weightC, weightH] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const rotation =
    -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2))));
  const [dl, dc, dh] = [(l2 - l1) / weightL, (c2 - c1) / weightC, hueDifference / weightH];
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh);
}

function meanHue(a: number, b: number): number {
  if (Math.abs(a - b) <= 180) return (a + b) / 2;
  return a + b < 360 ? (a + b + 360) / 2 : (a + b - 360) / 2;
}
