/** Positions of the elements of NIfTI images: the affine matrix, and the metadata of OME-Zarr if it is exact. */

import type { Json } from "../../util/json.js";
import { badFile } from "../file/cursor.js";
import { type OmeAxis, omeAttribute } from "../file/ome.js";
import { axisNames, type Header } from "./header.js";

export type Affine = readonly (readonly number[])[];

/** Returns the matrix from indices (x, y, z) to coordinates: sform, else qform, else the sizes of elements. */
export function affineOf(name: string, header: Header): Affine {
  const last = [0, 0, 0, 1];
  if (header.number("sform_code") > 0) {
    const rows = ["srow_x", "srow_y", "srow_z"].map((row) =>
      [0, 1, 2, 3].map((column) => header.number(row, column)),
    );
    return [...rows, last];
  }
  const sizes = [1, 2, 3].map((axis) => header.number("pixdim", axis));
  if (header.number("qform_code") > 0) {
    sizes[2]! *= header.number("pixdim", 0) === -1 ? -1 : 1;
    const rows = rotation(name, header).map((row, i) => [
      ...row.map((value, axis) => value * sizes[axis]! || 0),
      header.number(`qoffset_${axisNames[i]}`),
    ]);
    return [...rows, last];
  }
  return [...sizes.map((size, i) => [0, 1, 2, 3].map((axis) => (axis === i ? size : 0))), last];
}

/** Rounding error of float32 within which the length of a quaternion counts as 1. */
const tolerance = 3 * 2 ** -23;

function rotation(name: string, header: Header): Affine {
  const [b, c, d] = ["b", "c", "d"].map((part) => header.number(`quatern_${part}`)) as [
    number,
    number,
    number,
  ];
  const rest = 1 - (b * b + c * c + d * d);
  if (rest < -tolerance) throw badFile(`${name} has a quaternion longer than 1`);
  const a = rest > tolerance ? Math.sqrt(rest) : 0;
  return [
    [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
    [2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)],
    [2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c],
  ];
}

const spaceUnits: Readonly<Record<number, string>> = { 1: "meter", 2: "millimeter", 3: "micrometer" };
const timeUnits: Readonly<Record<number, string>> = { 8: "second", 16: "millisecond", 24: "microsecond" };

/**
 * Returns the attribute `ome` of a group with the image as its level "0". Undefined if it would not be exact: for images
 * that are rotated, mirrored or sheared, of other axes than x, y, z and t, and of colors.
 */
export function omeOf(header: Header, affine: Affine): Json | undefined {
  const { lengths, type } = header;
  const rank = lengths.length;
  const spaces = Math.min(rank, 3);
  const timeCode = header.number("xyzt_units") & 0x38;
  if (rank < 2 || rank > 4 || type.samples || (rank === 4 && timeCode > 24)) return undefined;
  const isExact = affine.slice(0, 3).every((row, i) =>
    row.every((value, axis) => {
      if (axis === i) return i >= spaces || (value > 0 && Number.isFinite(value));
      return axis === 3 && i < spaces ? Number.isFinite(value) : value === 0;
    }),
  );
  const step = header.number("pixdim", 4);
  const start = rank === 4 ? header.number("toffset") : 0;
  if (!isExact || !Number.isFinite(start) || !Number.isFinite(step)) return undefined;
  const space = spaceUnits[header.number("xyzt_units") & 7];
  const unitOf = (axis: number) => (axis < 3 ? space : step > 0 ? timeUnits[timeCode] : undefined);
  const axes = lengths.map(
    (_, axis): OmeAxis => ({
      name: axisNames[axis]!,
      type: axis < 3 ? "space" : "time",
      unit: unitOf(axis),
    }),
  );
  const scale = lengths.map((_, axis) => (axis < 3 ? affine[axis]![axis]! : step > 0 ? step : 1));
  const translation = lengths.map((_, axis) => (axis < 3 ? affine[axis]![3]! : start));
  const level = { path: "0", scale: scale.reverse(), translation: translation.reverse() };
  return omeAttribute({ axes: axes.reverse(), levels: [level] });
}
