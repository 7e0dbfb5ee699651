/** Coordinate systems that pictures and layers share: and the matrix between their coordinates. */

import { identityMatrix, inverse, type Matrix, product } from "../base/matrix.js";
import { text } from "../language/text.js";
import { InvalidLayer } from "./features.js";

/** One row per output: a factor for each input, then an offset. */
type Rows = readonly (readonly number[])[];

export interface Spaces {
  /** By name: from coordinates of a dataset to the system, or the reason why no transformation is affine. */
  readonly systems: ReadonlyMap<string, Rows | Error>;
  /** Whether coordinate 0 is the edge of the first element, instead of its centre. */
  readonly isFromEdge: boolean;
}

/** The system that SpatialData gives to all elements. */
const common = "global";

/**
 * From coordinates x and y of a layer to coordinates of a picture; undefined if they are the same.
 * @param names of the layer's axes. @throws InvalidLayer
 */
export function toPicture(
  picture: {
    readonly spaces?: Spaces | undefined;
    readonly axes: readonly { readonly name?: string | undefined }[];
  },
  spaces: Spaces | undefined,
  names: readonly string[],
): Matrix | undefined {
  const theirs = picture.spaces?.systems ?? new Map<string, Rows | Error>();
  const own = spaces?.systems ?? new Map<string, Rows | Error>();
  const known = [common, ...own.keys()].filter((one) => own.has(one));
  // Without a shared system: the first one, but OME-Zarr has others than the intrinsic one for turned images only.
  const name =
    known.find((one) => theirs.has(one)) ??
    known.find((one) => spaces!.isFromEdge || !isPlain(own.get(one)!)) ??
    common;
  const to = planeMatrix(own.get(name), names);
  const from = planeMatrix(
    theirs.get(name),
    picture.axes.map((axis) => axis.name ?? ""),
  );
  if (from.every((value, i) => value === to[i])) return undefined;
  const back = inverse(from);
  if (!back || !inverse(to)) throw new InvalidLayer(text.layerErrors.noInverse);
  return product(back, to);
}

const isPlain = (rows: Rows | Error): boolean =>
  !(rows instanceof Error) &&
  rows.every((row, i) => row.slice(0, -1).every((value, k) => (i === k ? value > 0 : value === 0)));

/** The transformation of x and y. @throws InvalidLayer if other axes take part */
function planeMatrix(rows: Rows | Error | undefined, names: readonly string[]): Matrix {
  if (rows instanceof Error) throw rows;
  const [x, y, last] = [names.indexOf("x"), names.indexOf("y"), names.length];
  if (!rows || x < 0 || y < 0) return identityMatrix;
  const [across, down] = [rows[x]!, rows[y]!];
  if ([across, down].some((row) => row.some((value, k) => value !== 0 && ![x, y, last].includes(k))))
    throw new InvalidLayer(text.layerErrors.turned);
  return [across[x]!, down[x]!, across[y]!, down[y]!, across[last]!, down[last]!];
}
