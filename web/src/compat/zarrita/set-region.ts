/** zarrita's `set`, over this library's. */

import { toElements } from "../../dtypes/elements.js";
import type { SetValues } from "../../edit/options.js";
import { set } from "../../edit/set.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { checkObject } from "../../util/arguments.js";
import { invalidArgument } from "../../util/errors.js";
import { countOf, stridesOf } from "../../util/strides.js";
import { resolveRegion } from "../../write/region-parts.js";
import { checkFunction } from "./arguments.js";
import { cOrder, type Strided } from "./c-order.js";
import { concurrencyOf, signalOf } from "./concurrency.js";
import { dataOf } from "./elements.js";
import { likeZarrita } from "./errors.js";
import { type Entry, entriesOf } from "./indexing.js";
import { innerOf, type ZarritaArray } from "./nodes.js";
import type { Chunk, DataType, Mutable, Projection, Scalar, TypedArray } from "./types.js";
import type { SetOptions, Setter } from "./writing.js";

type Selection = readonly Entry[] | null | undefined;

/** Writes an element, or a chunk of any strides, to a selection. */
export async function setRegion<D extends DataType>(
  array: ZarritaArray<D, Mutable>,
  selection: Selection,
  value: unknown,
  options: SetOptions,
): Promise<void> {
  const inner = await innerOf(array);
  await likeZarrita(array.path, () => {
    const wanted = entriesOf(selection);
    return write(inner, wanted, isChunk(value) ? regionOf(inner, wanted, value) : value, options);
  });
}

/** Writes an element, or a chunk in another package's form, which its own functions put in C order. */
export async function setPreparedRegion<D extends DataType, Made extends Chunk<D>>(
  array: ZarritaArray<D, Mutable>,
  selection: Selection,
  value: Scalar<D> | Made,
  options: SetOptions,
  setter: Setter<D, Made>,
): Promise<void> {
  if (!isChunk(value)) return setRegion(array, selection, value, options);
  checkObject(setter, "functions for regions");
  for (const name of ["prepare", "setFromChunk"] as const) checkFunction(setter[name], name);
  const inner = await innerOf(array);
  await likeZarrita(array.path, () => {
    const wanted = entriesOf(selection);
    const shape = shapeOf(inner, wanted);
    checkShape(value, shape);
    const target = prepared(inner, shape, setter);
    // Without dimensions it is one place of one that is put there, as zarrita does it.
    const projections: Projection[] =
      shape.length === 0
        ? [{ from: null, to: 0 }]
        : shape.map((length) => ({ from: [0, length, 1], to: [0, length, 1] }));
    if (countOf(shape) > 0) setter.setFromChunk(target, value as Made, projections);
    return write(inner, wanted, { data: packed(target.data), shape }, options);
  });
}

function prepared<D extends DataType, Made extends Chunk<D>>(
  { dtype }: ZarrArray,
  selected: readonly number[],
  setter: Setter<D, Made>,
): Made {
  const shape = selected.length === 0 ? [1] : [...selected];
  const count = countOf(shape);
  const data = dtype.isVariable
    ? new Array<unknown>(count).fill(null)
    : dataOf(dtype, toElements(dtype, new Uint8Array(count * dtype.itemBytes)));
  return setter.prepare(data as TypedArray<D>, shape, stridesOf(shape));
}

/** Chunks that turn out to be all fill value are stored, as zarrita does: its stores need not have a way to delete. */
async function write(
  array: ZarrArray,
  selection: Entry[] | null,
  values: unknown,
  options: SetOptions,
): Promise<void> {
  checkObject(options, "options of set");
  const { onProgress, conflicts, writeEmptyChunks = true } = options;
  const [signal, concurrency] = [signalOf(options), concurrencyOf(options)];
  const wanted = { signal, concurrency, onProgress, conflicts, writeEmptyChunks };
  await set(array, selection, values as SetValues, wanted);
}

const isChunk = (value: unknown): value is Strided =>
  typeof value === "object" &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  "data" in value &&
  "shape" in value;

/** A chunk as this library takes regions. @throws InvalidArgument where it does not fit the selection. */
function regionOf(array: ZarrArray, selection: Entry[] | null, chunk: Strided): SetValues {
  const shape = shapeOf(array, selection);
  checkShape(chunk, shape);
  return { data: packed(cOrder(chunk).data), shape } as SetValues;
}

/** What an element has of zarrita's array-likes, as this library has it: their bytes. */
function packed(data: unknown): unknown {
  if (Array.isArray(data) || ArrayBuffer.isView(data)) return data;
  const { buffer, byteOffset, byteLength } = (data ?? {}) as Uint8Array;
  if (
    !(buffer instanceof ArrayBuffer) &&
    Object.prototype.toString.call(buffer) !== "[object SharedArrayBuffer]"
  )
    throw invalidArgument("the data of a chunk must be a typed array, one of zarrita's arrays, or a list");
  return new Uint8Array(buffer, byteOffset, byteLength);
}

const shapeOf = ({ reader }: ZarrArray, selection: Entry[] | null): readonly number[] =>
  resolveRegion(reader, selection).shape;

/** One element is one, whatever it is wrapped in. */
function checkShape({ shape: given }: { readonly shape: unknown }, shape: readonly number[]): void {
  if (!Array.isArray(given)) throw invalidArgument("the shape of a chunk must be a list of lengths");
  const isOne = shape.length === 0 && given.every((length) => length === 1);
  if (isOne || (given.length === shape.length && shape.every((length, axis) => length === given[axis])))
    return;
  throw invalidArgument(`the values have the shape [${given}], the selection has [${shape.join(", ")}]`);
}
