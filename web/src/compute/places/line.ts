/** Samples of lines. */

import type { Label } from "../../conventions/sel/labels.js";
import { limitExceeded } from "../../util/errors.js";
import type { GridPart } from "./grid-part.js";
import { PlaceAxis } from "./place-axis.js";
import { ConvertedCells } from "./place-grid.js";
import { distanceOf } from "./point-index.js";
import { ScatteredCells } from "./scattered-cells.js";

/** Mean radius of the earth, in metres. */
const earthRadius = 6_371_008.8;
const maxSamples = 2 ** 20;

/** A place, in the units of the coordinates. */
export interface SampledPlace {
  readonly values: readonly number[];
  /** From the start of the line. */
  readonly distance?: number;
  /** Of the distance. */
  readonly units?: "m" | undefined;
}

/**
 * Returns the vertices of a line and places between them, on straight lines between their coordinates; longitudes take the
 * shorter way. Distances are metres along great circles, or in the units of the coordinates.
 * @throws InvalidSelection for invalid labels; LimitExceeded.
 */
export function sampleLine(
  parts: readonly GridPart[],
  names: readonly string[],
  line: readonly Readonly<Record<string, Label>>[],
  spacing: number | undefined,
): SampledPlace[] {
  const partOf = (name: string) => parts.find((part) => part.names.includes(name))!;
  const vertices = line.map((place) => names.map((name) => partOf(name).valueOf(place[name], name)));
  const longitude = names.findIndex((name) => measuresDegrees(partOf(name), name));
  const areDegrees = longitude >= 0;
  const length = (a: readonly number[], b: readonly number[]) => {
    const [x, y] = longitude === 1 ? [1, 0] : [0, 1];
    const far = distanceOf(areDegrees, a[x]!, a[y]!, b[x]!, b[y]!);
    return areDegrees ? (far * Math.PI * earthRadius) / 180 : far;
  };
  const units = areDegrees ? ("m" as const) : undefined;
  const samples: SampledPlace[] = [{ values: vertices[0]!, distance: 0, units }];
  for (const [i, to] of vertices.entries()) {
    const from = vertices[i - 1];
    if (!from) continue;
    const by = to.map((value, n) => {
      const difference = value - from[n]!;
      return n === longitude && Math.abs(difference) > 180
        ? difference - 360 * Math.round(difference / 360)
        : difference;
    });
    const at = (fraction: number) => by.map((change, n) => from[n]! + fraction * change);
    const cells = Math.max(...parts.map((part) => part.cellsBetween(own(part, from), own(part, at(1)))));
    const count = Math.max(
      1,
      Math.ceil(spacing === undefined ? cells * (1 - 1e-9) : length(from, at(1)) / spacing),
    );
    if (!(samples.length + count <= maxSamples))
      throw limitExceeded(`the line has more samples than the limit of ${maxSamples}; pass a larger spacing`);
    for (let step = 1; step <= count; step++) {
      const before = samples.at(-1)!;
      const values = step === count ? at(1) : at(step / count);
      samples.push({ values, distance: before.distance! + length(before.values, values), units });
    }
  }
  return samples;

  function own(part: GridPart, values: readonly number[]): number[] {
    return part.names.map((name) => values[names.indexOf(name)]!);
  }
}

/** Whether a name is that of longitudes. */
function measuresDegrees(part: GridPart, name: string): boolean {
  if (part instanceof PlaceAxis) return part.coordinates.isLongitude;
  if (part instanceof ScatteredCells) return part.areDegrees && part.names[0] === name;
  return part instanceof ConvertedCells && /^lon/i.test(name);
}
