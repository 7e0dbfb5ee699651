/**
 * Reads stored transformations as mappings of points, and checks each against its number of input axes. Spec:
 * OME-Zarr 0.6rc0, "Transformation types".
 */

import { get } from "../../../hierarchy/get.js";
import { ownProperty } from "../../../util/arguments.js";
import { unsupported, type ZarrError } from "../../../util/errors.js";
import { determinant, diagonalRows, makeRows, productRows, type Rows } from "../../../util/matrix.js";
import { countOf, stridesOf } from "../../../util/shapes.js";
import { badAttribute, finiteNumber } from "../../shared/attributes.js";
import { multiscales, readPath } from "../ome.js";
import {
  type AxesPart,
  bijection,
  byAxes,
  type Context,
  chain,
  identity,
  linear,
  type Mapping,
  notInvertible,
  selecting,
} from "./mapping.js";

/** Maximum number of axes of a coordinate system. */
export const maxRank = 32;
/** Maximum nesting depth of transformations. */
const maxDepth = 16;
/** Maximum number of parts of a sequence or a byDimension. */
const maxParts = 256;
/** Tolerance for the rows of a rotation to be orthonormal: metadata is written with few digits. */
const rotationTolerance = 1e-3;

type Reader = (json: unknown, inputs: number, context: Context, depth: number) => Mapping | Promise<Mapping>;

const readers: Readonly<Record<string, Reader>> = {
  identity: (_json, inputs) => identity(inputs),
  scale: readScale,
  translation: readTranslation,
  mapAxis: readMapAxis,
  projectAxis: readProjectAxis,
  affine: readAffine,
  rotation: readRotation,
  sequence: readSequence,
  bijection: readBijection,
  byDimension: readByDimension,
  displacements: (json, inputs, context) => readField("displacements", json, inputs, context),
  coordinates: (json, inputs, context) => readField("coordinates", json, inputs, context),
};

/**
 * @param inputs number of axes of the input coordinate system.
 * @throws InvalidMetadata, Unsupported, LimitExceeded; the errors of `open` and `get`.
 */
export async function readMapping(
  json: unknown,
  inputs: number,
  context: Context,
  depth = 0,
): Promise<Mapping> {
  context.count();
  const type = ownProperty(json, "type");
  if (typeof type !== "string") throw bad(context, "each transformation must have a type", json);
  if (depth > maxDepth) throw bad(context, `transformations must be nested at most ${maxDepth} deep`, type);
  if (!Object.hasOwn(readers, type))
    throw unsupported(
      `${context.where}: transformations of type ${JSON.stringify(type.slice(0, 60))} are not supported`,
      { code: "unsupported-ome" },
    );
  return readers[type]!(json, inputs, context, depth);
}

/**
 * Whether a transformation may have an inverse, without reading arrays that it refers to.
 * @param depth current nesting depth; deeper ones are invalid.
 */
export function mayHaveInverse(json: unknown, depth = 0): boolean {
  const type = ownProperty(json, "type");
  if (depth > maxDepth || typeof type !== "string" || !Object.hasOwn(readers, type)) return false;
  if (type === "displacements" || type === "coordinates") return false;
  if (type === "projectAxis") return ownProperty(json, "droppedInputs") === undefined;
  const parts = ownProperty(json, "transformations");
  if (!Array.isArray(parts) || (type !== "sequence" && type !== "byDimension")) return true;
  const inner = type === "byDimension" ? parts.map((part) => ownProperty(part, "transformation")) : parts;
  return inner.every((part) => mayHaveInverse(part, depth + 1));
}

const bad = ({ where }: Context, what: string, found: unknown): ZarrError =>
  badAttribute(`${where}: ${what}`, found);

/** Returns one finite number per axis. */
function readNumbers(list: unknown, count: number, what: string, context: Context): number[] {
  const numbers = Array.isArray(list) && list.length === count ? list.map(finiteNumber) : undefined;
  if (!numbers || numbers.includes(undefined)) throw bad(context, `${what} must have ${count} numbers`, list);
  return numbers as number[];
}

/** Returns indices of axes, each at most once. */
function readAxisIndices(list: unknown, rank: number, what: string, context: Context): number[] {
  const isAxis = (axis: unknown) =>
    Number.isInteger(axis) && (axis as number) >= 0 && (axis as number) < rank;
  if (Array.isArray(list) && list.length <= rank && list.every(isAxis) && new Set(list).size === list.length)
    return list as number[];
  throw bad(context, `${what} must be indices of ${rank} axes, each at most once`, list);
}

function readScale(json: unknown, inputs: number, context: Context): Mapping {
  const scale = readNumbers(ownProperty(json, "scale"), inputs, "a scale", context);
  const matrix = diagonalRows(inputs, scale);
  return linear(matrix, () => {
    if (scale.includes(0)) throw notInvertible("a scale of 0");
    const inverse = scale.map((factor) => 1 / factor);
    return linear(diagonalRows(inputs, inverse), () => linear(matrix));
  });
}

function readTranslation(json: unknown, inputs: number, context: Context): Mapping {
  const translation = readNumbers(ownProperty(json, "translation"), inputs, "a translation", context);
  const moving = (by: readonly number[]): Mapping =>
    linear(diagonalRows(inputs, undefined, by), () => moving(by.map((step) => 0 - step)));
  return moving(translation);
}

function readMapAxis(json: unknown, inputs: number, context: Context): Mapping {
  const axes = readAxisIndices(ownProperty(json, "mapAxis"), inputs, "mapAxis", context);
  if (axes.length !== inputs) throw bad(context, `mapAxis must have ${inputs} axes`, axes);
  return linear(selecting(inputs, axes), () =>
    linear(
      selecting(
        inputs,
        axes.map((_, i) => axes.indexOf(i)),
      ),
    ),
  );
}

function readProjectAxis(json: unknown, inputs: number, context: Context): Mapping {
  const list = (name: string) => ownProperty(json, name) ?? [];
  if (ownProperty(json, "droppedInputs") === undefined && ownProperty(json, "createdOutputs") === undefined)
    throw bad(context, "projectAxis must have droppedInputs or createdOutputs", json);
  const dropped = readAxisIndices(list("droppedInputs"), inputs, "droppedInputs", context);
  const created = list("createdOutputs");
  const outputs = inputs - dropped.length + (Array.isArray(created) ? created.length : 0);
  if (outputs < 1 || outputs > maxRank)
    throw bad(context, `projectAxis must have 1 to ${maxRank} output axes`, outputs);
  const places = readAxisIndices(created, outputs, "createdOutputs", context);
  const kept = Array.from({ length: inputs }, (_, i) => i).filter((axis) => !dropped.includes(axis));
  const sources = Array.from({ length: outputs }, (_, i) => (places.includes(i) ? undefined : kept.shift()));
  return linear(selecting(inputs, sources), () => {
    if (dropped.length > 0) throw notInvertible("a projectAxis that drops axes");
    return linear(
      selecting(
        outputs,
        sources.flatMap((axis, i) => (axis === undefined ? [] : [i])),
      ),
    );
  });
}

async function readAffine(json: unknown, inputs: number, context: Context): Promise<Mapping> {
  return linear(await readMatrix("affine", json, inputs + 1, context));
}

async function readRotation(json: unknown, inputs: number, context: Context): Promise<Mapping> {
  const matrix = await readMatrix("rotation", json, inputs, context);
  if (matrix.length !== inputs || !isRotation(matrix))
    throw bad(
      context,
      `a rotation must be ${inputs} × ${inputs} numbers, with orthonormal rows and determinant 1`,
      matrix,
    );
  return linear(matrix);
}

/** Reads a matrix from JSON or from a two-dimensional array, with the given number of columns. */
async function readMatrix(
  type: "affine" | "rotation",
  json: unknown,
  width: number,
  context: Context,
): Promise<Rows> {
  const inline = ownProperty(json, type);
  const isStored = inline === undefined && ownProperty(json, "path") !== undefined;
  const rows = isStored ? await storedRows(ownProperty(json, "path"), width, type, context) : inline;
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > maxRank)
    throw bad(context, `${type} must be a list of 1 to ${maxRank} rows`, rows);
  const numbers = rows.map((row) => readNumbers(row, width, `each row of ${type}`, context));
  const inputs = type === "affine" ? width - 1 : width;
  return makeRows(rows.length, inputs, (row, column) => numbers[row]![column] ?? 0);
}

async function storedRows(
  path: unknown,
  width: number,
  type: string,
  { group, options: { signal }, where }: Context,
): Promise<number[][]> {
  const array = await group.open(readPath(path, `${where}: ${type}`), { kind: "array", signal });
  const [rows, columns] = array.shape;
  const isFitting = array.shape.length === 2 && columns === width && rows! >= 1 && rows! <= maxRank;
  if (!isFitting || !/^(u?int(8|16|32|64)|float(16|32|64))$/.test(array.dtype.core))
    throw badAttribute(
      `${where}: the array at "/${array.path}" must be a matrix of numbers with ${width} columns`,
      `${array.dtype} of ${array.shape.join(" × ")}`,
    );
  const { data } = await get(array, null, { signal });
  const values = Array.from(data as ArrayLike<number>, Number);
  return Array.from({ length: rows! }, (_, row) => values.slice(row * width, (row + 1) * width));
}

function isRotation(matrix: Rows): boolean {
  const n = matrix.length;
  const transposed = makeRows(n, n, (row, column) => (column < n ? matrix[column]![row]! : 0));
  const square = productRows(matrix, transposed);
  const isOrthonormal = diagonalRows(n).every((row, i) =>
    row.every((value, k) => Math.abs(square[i]![k]! - value) <= rotationTolerance),
  );
  return isOrthonormal && determinant(matrix) > 0;
}

function readParts(json: unknown, context: Context): unknown[] {
  const parts = ownProperty(json, "transformations");
  if (Array.isArray(parts) && parts.length > 0 && parts.length <= maxParts) return parts;
  throw bad(context, `"transformations" must be a list of 1 to ${maxParts}`, parts);
}

async function readSequence(
  json: unknown,
  inputs: number,
  context: Context,
  depth: number,
): Promise<Mapping> {
  const parts: Mapping[] = [];
  for (const part of readParts(json, context)) {
    const before = parts.at(-1)?.outputs ?? inputs;
    parts.push(await readMapping(part, before, context, depth + 1));
  }
  return chain(parts);
}

async function readBijection(
  json: unknown,
  inputs: number,
  context: Context,
  depth: number,
): Promise<Mapping> {
  const forward = await readMapping(ownProperty(json, "forward"), inputs, context, depth + 1);
  const back = await readMapping(ownProperty(json, "inverse"), inputs, context, depth + 1);
  if (forward.outputs !== inputs || back.outputs !== inputs)
    throw bad(context, `both directions of a bijection must have ${inputs} output axes`, [
      forward.outputs,
      back.outputs,
    ]);
  return bijection(forward, back);
}

async function readByDimension(
  json: unknown,
  inputs: number,
  context: Context,
  depth: number,
): Promise<Mapping> {
  const list = readParts(json, context);
  // Drafts of 0.6 use other names.
  const axes = (part: unknown, name: "input" | "output") =>
    ownProperty(part, `${name}Axes`) ?? ownProperty(part, `${name}_axes`);
  const outputs = list.reduce<number>((sum, part) => {
    const reached = axes(part, "output");
    return sum + (Array.isArray(reached) ? reached.length : 0);
  }, 0);
  if (outputs === 0 || outputs > maxRank)
    throw bad(context, `byDimension must have 1 to ${maxRank} output axes`, outputs);
  const parts: AxesPart[] = [];
  for (const part of list) {
    const from = readAxisIndices(axes(part, "input"), inputs, "inputAxes", context);
    const to = readAxisIndices(axes(part, "output"), outputs, "outputAxes", context);
    const mapping = await readMapping(ownProperty(part, "transformation"), from.length, context, depth + 1);
    if (mapping.outputs !== to.length)
      throw bad(context, `a transformation to ${mapping.outputs} axes must have as many outputAxes`, to);
    parts.push({ mapping, from, to });
  }
  const reached = parts.flatMap(({ to }) => to);
  if (new Set(reached).size !== outputs)
    throw bad(context, "byDimension must use each output axis exactly once", reached);
  return byAxes(parts, inputs, outputs);
}

// ---- Vector fields: displacements and coordinates on a regular grid, stored as an image with one more dimension

type FieldType = "displacements" | "coordinates";

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

async function readField(
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
