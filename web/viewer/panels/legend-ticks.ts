/** Values along a colour bar: edges of steps of colour, or round values of a logarithmic scale. */
import { bent, type Curve, scaleCurve, type ValueScale } from "../base/value-scale.js";
import { layerColors } from "../draw/table.js";
import type { LayerStyle } from "../model/layers.js";
import type { LegendTick } from "./legend.js";

/** Minimum distance of two values, as a share of the bar. */
const leastDistance = 0.16;

/** Values to label, from those that matter most; empty for continuous colours on a linear scale. */
export function legendTicks(
  style: LayerStyle,
  [low, high]: readonly [number, number],
  format: (value: number) => string,
): LegendTick[] {
  if (!(high > low) || style.kind === "labels" || (style.scale === "log" && !(low > 0))) return [];
  const curve = scaleCurve(style.scale, low, high);
  const share = (value: number) =>
    ((bent(style.scale, value, curve.threshold) - curve.start) * curve.factor) / 256;
  if (style.steps > 0) return spread(stepEdges(style), (at) => format(valueAt(style.scale, curve, at)));
  if (style.scale === "linear") return [];
  const values = roundPowers(style.scale, low, high, curve.threshold);
  return spread(values.map(share), (_, i) => format(values[i]!));
}

/** Shares of the bar at which the colour changes. */
function stepEdges(style: LayerStyle): number[] {
  const table = layerColors(style);
  return [...table.keys()].filter((i) => i > 0 && table[i] !== table[i - 1]).map((i) => i / 256);
}

/** The value at a share of the bar. */
function valueAt(scale: ValueScale, { start, factor, threshold }: Curve, share: number): number {
  const at = start + (256 * share) / factor;
  if (scale === "log") return Math.exp(at);
  return scale === "symlog" ? Math.sign(at) * threshold * Math.expm1(Math.abs(at)) : at;
}

/** 0 and powers of ten between the limits; their multiples by 2 and 5 if there are few of them. */
function roundPowers(scale: ValueScale, low: number, high: number, threshold: number): number[] {
  const least = scale === "log" ? low : threshold;
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const [first, last] = [Math.ceil(Math.log10(least) - 1), Math.floor(Math.log10(largest))];
  const powers = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (last - i));
  const multiples = (factors: readonly number[]) =>
    [0, ...factors.flatMap((factor) => powers.map((power) => Number((factor * power).toPrecision(3))))]
      .flatMap((value) => (scale === "symlog" && value > 0 ? [value, -value] : [value]))
      .filter((value) => value > low && value < high && (scale === "symlog" || value > 0));
  const plain = multiples([1]);
  return plain.length >= 2 ? plain : multiples([1, 2, 5]);
}

/** Leaves out values that would touch earlier ones. */
function spread(shares: readonly number[], text: (share: number, index: number) => string): LegendTick[] {
  const kept: LegendTick[] = [];
  for (const [i, share] of shares.entries())
    if (kept.every((one) => Math.abs(one.share - share) >= leastDistance))
      kept.push({ share, text: text(share, i) });
  return kept.sort((a, b) => a.share - b.share);
}
