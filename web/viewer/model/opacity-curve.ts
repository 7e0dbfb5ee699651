/** The opacity of voxels by their value: straight lines between points. */

/** Shares of the range in ascending order, with their opacities; both 0 to 1. */
export type OpacityCurve = readonly (readonly [share: number, opacity: number])[];

/** Maximum number of points. */
export const maxCurvePoints = 16;

export const isOpacityCurve = (value: unknown): value is OpacityCurve =>
  Array.isArray(value) &&
  value.length >= 2 &&
  value.length <= maxCurvePoints &&
  value.every(
    (point: unknown, i) =>
      Array.isArray(point) &&
      point.length === 2 &&
      point.every((at) => typeof at === "number" && at >= 0 && at <= 1) &&
      (i === 0 || point[0] > value[i - 1][0]),
  );

/** "0/0;0.5/0.1;1/1". */
export const curveText = (curve: OpacityCurve): string =>
  curve.map((point) => point.map((at) => Number(at.toFixed(3))).join("/")).join(";");

export const readCurve = (text: string): unknown =>
  text.split(";").map((point) => point.split("/").map((at) => (at.trim() === "" ? Number.NaN : Number(at))));

/** The default is the square of the share. The ends of a curve extend to both sides. */
export function opacityAt(curve: OpacityCurve | undefined, share: number): number {
  const at = Math.min(Math.max(share, 0), 1);
  if (!curve) return at * at;
  const after = curve.findIndex(([end]) => end > at);
  if (after === 0) return curve[0]![1];
  const [from, low] = curve.at(after < 0 ? -1 : after - 1)!;
  const [to, high] = curve.at(after)!;
  return after < 0 ? low : low + ((high - low) * (at - from)) / (to - from);
}
