/**
 * Displacements and coordinates: vectors on a regular grid, stored as an OME-Zarr image with one more
 * dimension. Spec: OME-Zarr 0.6rc0, "coordinates and displacements".
 */

import { get } from "../../../hierarchy/get.js";
import { ownProperty } from "../../../util/arguments.js";
import { unsupported } from "../../../util/errors.js";
import { countOf, stridesOf } from "../../../util/shapes.js";
import { badAttribute } from "../../shared/attributes.js";
import { multiscales, readPath } from "../ome.js";
import { type Context, type Mapping, notInvertible } from "./mapping.js";

export type FieldType = "displacements" | "coordinates";

/** Maximum number of grid axes; 0.6 has at most four. */
const maxInputs = 8;

interface Grid {
  readonly lengths: readonly number[];
  /** Distance of neighbours along each axis, in elements of the vectors' array. */
  readonly strides: readonly number[];
  readonly scale: readonly number[];
  readonly translation: readonly number[];
  /** Number of components of a vector, and their distance. */
  readonly outputs: number;
  readonly stride: number;
  readonly values: Float64Array;
}

/** @throws InvalidMetadata, Unsupported, LimitExceeded; the errors of `open` and `get`. */
export async function readField(
  type: FieldType,
  transformation: unknown,
  inputs: number,
  context: Context,
): Promise<Mapping> {
  const isLinear = interpolatesLinearly(ownProperty(transformation, "interpolation"), context);
  if (inputs > maxInputs)
    throw unsupported(`vector fields of more than ${maxInputs} axes are not supported`, {
      code: "unsupported-ome",
    });
  const path = readPath(ownProperty(transformation, "path"), `${context.where}: ${type}`);
  const grid = await readGrid(type, path, inputs, context);
  const isMoving = type === "displacements";
  return {
    inputs,
    outputs: grid.outputs,
    matrix: undefined,
    point(point) {
      const vector = isLinear ? linearAt(grid, point) : nearestAt(grid, point);
      if (isMoving) for (const [i, value] of point.entries()) vector[i]! += value;
      return vector;
    },
    inverse() {
      throw notInvertible(`a field of ${type}`);
    },
  };
}

function interpolatesLinearly(said: unknown, { options }: Context): boolean {
  const wanted = options.interpolation ?? said ?? "linear";
  if (wanted === "linear" || wanted === "nearest") return wanted === "linear";
  throw unsupported(
    `interpolation ${JSON.stringify(wanted)} of vector fields is not supported; pass interpolation "linear" or "nearest"`,
    { code: "unsupported-ome" },
  );
}

async function readGrid(type: FieldType, path: string, inputs: number, context: Context): Promise<Grid> {
  const { group, options, where } = context;
  const { signal } = options;
  const holder = await group.open(path, { kind: "group", signal });
  const [image] = multiscales(holder);
  const { axes, levels } = image!;
  const vectorAxis = axes.findIndex((axis) => axis.type === type.slice(0, -1));
  const { scale, translation, open } = levels[0]!;
  const bad = (what: string, found: unknown) =>
    badAttribute(`${where}: the field at "${path}" must have ${what}`, found);
  if (vectorAxis < 0 || axes.length !== inputs + 1)
    throw bad(`${inputs} axes and one of the type "${type.slice(0, -1)}"`, axes.map(typeName));
  const grid = axes.flatMap((_, axis) => (axis === vectorAxis ? [] : [axis]));
  if (!scale || !translation || grid.some((axis) => scale[axis] === 0))
    throw bad("a non-zero scale along each axis", scale);
  const array = await open({ signal });
  if (!/^(u?int(8|16|32|64)|float(16|32|64))$/.test(array.dtype.core))
    throw bad("real numbers", String(array.dtype));
  const outputs = array.shape[vectorAxis]!;
  const isFitting = type === "displacements" ? outputs === inputs : outputs >= 1 && outputs <= 32;
  if (!isFitting || array.shape.includes(0)) throw bad("one vector per position", array.shape);
  const count = countOf(array.shape);
  context.take(count * 8, path);
  const { data } = await get(array, null, { signal });
  const strides = stridesOf(array.shape);
  const pick = <T>(list: readonly T[]) => grid.map((axis) => list[axis]!);
  return {
    lengths: pick(array.shape),
    strides: pick(strides),
    scale: pick(scale),
    translation: pick(translation),
    outputs,
    stride: strides[vectorAxis]!,
    values: Float64Array.from(data as ArrayLike<number>, Number),
  };
}

const typeName = ({ name, type }: { name: string; type: string | undefined }) => `${name}: ${type}`;

/**
 * Returns the position of a point along each axis, in elements; undefined for a point more than half an
 * element outside the grid.
 */
function gridPosition({ lengths, scale, translation }: Grid, point: Float64Array): number[] | undefined {
  const place = lengths.map((_, axis) => (point[axis]! - translation[axis]!) / scale[axis]!);
  const isInside = place.every((at, axis) => at >= -0.5 && at <= lengths[axis]! - 0.5);
  return isInside ? place.map((at, axis) => Math.min(Math.max(at, 0), lengths[axis]! - 1)) : undefined;
}

function nearestAt(grid: Grid, point: Float64Array): Float64Array {
  const result = new Float64Array(grid.outputs);
  const place = gridPosition(grid, point);
  if (!place) return result.fill(Number.NaN);
  const start = place.reduce((sum, at, axis) => sum + Math.round(at) * grid.strides[axis]!, 0);
  return result.map((_, i) => grid.values[start + i * grid.stride]!);
}

/** Interpolates linearly between the corners of the cell around the point. */
function linearAt(grid: Grid, point: Float64Array): Float64Array {
  const result = new Float64Array(grid.outputs);
  const place = gridPosition(grid, point);
  if (!place) return result.fill(Number.NaN);
  let corners = [{ start: 0, weight: 1 }];
  for (const [axis, at] of place.entries()) {
    const lower = Math.floor(at);
    const upper = at - lower;
    const stride = grid.strides[axis]!;
    corners = corners.flatMap(({ start, weight }) => [
      { start: start + lower * stride, weight: weight * (1 - upper) },
      ...(upper > 0 ? [{ start: start + (lower + 1) * stride, weight: weight * upper }] : []),
    ]);
  }
  for (const { start, weight } of corners)
    for (let i = 0; i < grid.outputs; i++) result[i]! += weight * grid.values[start + i * grid.stride]!;
  return result;
}
