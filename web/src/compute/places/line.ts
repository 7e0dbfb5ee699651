/** Samples of lines. */

import { limitExceeded } from "../../util/errors.js";
import { type GridPart, splitValues } from "./grid-part.js";
import { distanceOf } from "./points.js";

/** Mean radius of the earth, in metres. */
const earthRadius = 6_371_008.8;
const maxSamples = 2 ** 20;

/** Places along a line. */
export interface LineSamples {
  /** Values of the coordinates of each place. */
  readonly places: readonly (readonly number[])[];
  /** Distances from the start of the line. */
  readonly distances: readonly number[];
  readonly units: "m" | undefined;
}

/**
 * Returns the vertices of a line and places between them, on straight lines between their coordinates; longitudes take the
 * shorter way. Distances are metres along great circles, or in the units of the coordinates.
 * @param vertices two values each, in the order of the parts.
 * @throws LimitExceeded.
 */
export function sampleLine(
  parts: readonly GridPart[],
  vertices: readonly (readonly number[])[],
): LineSamples {
  const longitudes = parts.flatMap(({ longitude, names }) => names.map((_, i) => i === longitude));
  const x = longitudes[1] ? 1 : 0;
  const areDegrees = longitudes.includes(true);
  const length = (a: readonly number[], b: readonly number[]) => {
    const far = distanceOf(areDegrees, a[x]!, a[1 - x]!, b[x]!, b[1 - x]!);
    return areDegrees ? (far * Math.PI * earthRadius) / 180 : far;
  };
  const places = [vertices[0]!];
  const distances = [0];
  for (const [i, to] of vertices.slice(1).entries()) {
    const from = vertices[i]!;
    const by = to.map((value, n) => {
      const change = value - from[n]!;
      return longitudes[n] && Math.abs(change) > 180 ? change - 360 * Math.round(change / 360) : change;
    });
    const at = (fraction: number) => by.map((change, n) => from[n]! + fraction * change);
    const count = Math.max(1, Math.ceil(cellsBetween(parts, from, at(1))));
    if (!(places.length + count <= maxSamples))
      throw limitExceeded(`the line crosses more cells than the limit of ${maxSamples}`);
    for (let step = 1; step <= count; step++) {
      const place = at(step / count);
      distances.push(distances.at(-1)! + length(places.at(-1)!, place));
      places.push(place);
    }
  }
  return { places, distances, units: areDegrees ? "m" : undefined };
}

/** Returns the number of cells between two places, rounded down a little. */
function cellsBetween(parts: readonly GridPart[], from: readonly number[], to: readonly number[]): number {
  const [starts, ends] = [splitValues(parts, from), splitValues(parts, to)];
  return Math.max(...parts.map((part, i) => part.cellsBetween(starts[i]!, ends[i]!))) * (1 - 1e-9);
}
