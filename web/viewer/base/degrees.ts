/** Round steps of latitude and longitude, the same for the ruler and the lines over a map. */

const steps = [
  ...[0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  ...[1, 2, 5, 10, 15, 30, 45, 90],
];

/** Minimum distance of two ticks or lines in CSS pixels, side by side and one below the other. */
const minDistance = { across: 72, down: 40 };

/** @param perDegree CSS pixels per degree */
export function degreeStep(perDegree: number, direction: keyof typeof minDistance): number {
  return steps.find((step) => step * perDegree >= minDistance[direction]) ?? steps.at(-1)!;
}

/** Multiples of a step, at most 1,000. */
export function multiplesBetween(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.max(0, Math.min(Math.floor(to / step + 1e-9) - first + 1, 1000));
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(9)));
}
