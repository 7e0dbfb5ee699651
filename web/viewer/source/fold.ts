/**
 * Folding: arrays whose cells share one dimension are treated as planes. Along that dimension, the elements are rows of
 * a fixed number of columns, so that a tile is a rectangle: a chunk, or a part of one.
 */
import {
  type ElementData,
  type GetOptions,
  get,
  type Region,
  type Slice,
  slice,
  type ZarrArray,
} from "zarr-wasm";
import { dimensionsOf } from "zarr-wasm/conventions";
import { plainAxis } from "./coordinates.js";
import type { Dataset } from "./dataset.js";
import { type Fold, folds, storedArray, storedParts } from "./folds.js";

type Place = Omit<Fold, "array" | "get">;

/** Chunks with larger planes are read in parts of whole rows. */
const maxChunkBytes = 64 * 2 ** 20;
const columnsOfParts = 1024;

/** @param chunk number of elements along the dimension */
export function foldAlong(axis: number, length: number, chunk: number, itemBytes: number): Place {
  return { axis, length, columns: chunk * itemBytes > maxChunkBytes ? columnsOfParts : columnsOf(chunk) };
}

/** The divisor next to the square root, or all elements if they cannot be divided into similar sides. */
function columnsOf(chunk: number): number {
  for (let rows = Math.floor(Math.sqrt(chunk)); rows > 8; rows--) if (chunk % rows === 0) return chunk / rows;
  return chunk;
}

const replaced = <T>(list: readonly T[], axis: number, remove: number, ...by: readonly T[]): T[] => [
  ...list.slice(0, axis),
  ...by,
  ...list.slice(axis + remove),
];

/** Lengths along all axes for those of the array, such as its shape. */
const foldedLengths = (lengths: readonly number[], { axis, columns }: Place): number[] =>
  replaced(lengths, axis, 1, Math.ceil(lengths[axis]! / columns), columns);

/** The inverse of `foldedChunk`. */
const unfoldedChunk = (at: readonly number[], { axis }: Place): number[] => replaced(at, axis, 2, at[axis]!);

/** Coordinates of a chunk: it has all columns. */
const foldedChunk = (at: readonly number[], { axis }: Place): number[] => replaced(at, axis, 1, at[axis]!, 0);

/** Returns the array with one more axis, for the viewer's reading of chunks. */
export function foldedArray(array: ZarrArray, fold: Place): ZarrArray {
  const lengths = (list: readonly number[]) => foldedLengths(list, fold);
  const listener = (options: GetOptions = {}): GetOptions => {
    const { onMissing } = options;
    return onMissing ? { ...options, onMissing: (at) => onMissing(foldedChunk(at, fold)) } : options;
  };
  const own: { readonly [name: string]: unknown } = {
    shape: lengths(array.shape),
    chunkShape: lengths(array.chunkShape),
    shardShape: array.shardShape && lengths(array.shardShape),
    gridShape: replaced(array.gridShape, fold.axis, 1, array.gridShape[fold.axis]!, 1),
    getChunk: async (at: readonly number[], options?: GetOptions) =>
      foldedRegion(await array.getChunk(unfoldedChunk(at, fold), listener(options)), fold),
  };
  const folded = new Proxy(array, {
    get(target, name) {
      if (typeof name === "string" && Object.hasOwn(own, name)) return own[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const read = async (_: ZarrArray, selection: readonly Slice[], options?: GetOptions) => {
    const stored = storedParts(folded, selection, slice);
    const region = await get<ElementData>(array, stored, listener(options));
    return foldedRegion(region, fold);
  };
  folds.set(folded, { ...fold, array, get: read as typeof get });
  return folded;
}

/** Divides the dimension of a region, whose elements begin with a row. The last row is filled up. */
function foldedRegion(region: Region, { axis, columns }: Pick<Place, "axis" | "columns">): Region {
  const { shape, stride } = region;
  const rows = Math.ceil(shape[axis]! / columns);
  if (rows * columns !== shape[axis] && stride[axis] !== 0)
    return foldedRegion(filledUp(region, axis, rows * columns), { axis, columns });
  return {
    ...region,
    shape: replaced(shape, axis, 1, rows, columns),
    stride: replaced(stride, axis, 1, columns * stride[axis]!, stride[axis]!),
  };
}

/** A copy of a packed region that is longer along an axis. */
function filledUp(region: Region, axis: number, length: number): Region {
  const { data, shape } = region;
  const unit = data.length / shape.reduce((a, b) => a * b, 1);
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, unit);
  const outer = shape.slice(0, axis).reduce((a, b) => a * b, 1);
  const size = shape[axis]! * inner;
  const longer = new (data.constructor as new (length: number) => ElementData)(outer * length * inner);
  const [from, to] = [data as Uint8Array, longer as Uint8Array];
  for (let i = 0; i < outer; i++) to.set(from.subarray(i * size, (i + 1) * size), i * length * inner);
  const lengths = replaced(shape, axis, 1, length);
  const stride = lengths.map((_, i) => lengths.slice(i + 1).reduce((a, b) => a * b, 1));
  return { ...region, data: longer, shape: lengths, stride };
}

/** The dataset with the dimension of cells in place of its two axes. */
export function unfoldedDataset(dataset: Dataset): Dataset {
  const array = storedArray(dataset.array);
  if (!dataset.cells || array === dataset.array) return dataset;
  const { axis } = dataset.cells;
  const names = dimensionsOf(array) ?? array.dimensionNames;
  const axes = [...dataset.axes];
  axes.splice(axis, 2, plainAxis(names?.[axis] ?? undefined, array.shape[axis]!));
  const level = { factor: axes.map(() => 1), origin: axes.map(() => 0), array, open: async () => array };
  return { ...dataset, axes, array, levels: [level], cells: undefined, hints: undefined };
}
