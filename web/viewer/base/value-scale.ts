/** How values between the limits of a range are spread over its colours. */

export const valueScales = ["linear", "log", "symlog"] as const;
export type ValueScale = (typeof valueScales)[number];

/** Share of the largest absolute limit below which a symmetric logarithmic scale is about linear. */
const linearShare = 1e-3;

/** A scale as a shader computes it: position = (bend(value) − start) · factor, from 0 to 256. */
export interface Curve {
  readonly start: number;
  readonly factor: number;
  /** Values much smaller than this are spread linearly; for "symlog". */
  readonly threshold: number;
}

export function scaleCurve(scale: ValueScale, low: number, high: number): Curve {
  const threshold = linearShare * Math.max(Math.abs(low), Math.abs(high)) || 1;
  const [start, end] = [low, high].map((value) => bent(scale, value, threshold)) as [number, number];
  return { start, factor: 256 / (end - start), threshold };
}

/** The inverse of {@link bent}. */
export function unbent(scale: ValueScale, at: number, threshold: number): number {
  if (scale === "log") return Math.exp(at);
  return scale === "symlog" ? Math.sign(at) * threshold * Math.expm1(Math.abs(at)) : at;
}

/** −∞ for values that the scale does not have. */
export function bent(scale: ValueScale, value: number, threshold: number): number {
  if (scale === "log")
    return value > 0 ? Math.log(value) : value <= 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  return scale === "symlog" ? Math.sign(value) * Math.log1p(Math.abs(value) / threshold) : value;
}
