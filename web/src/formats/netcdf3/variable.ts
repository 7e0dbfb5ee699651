/** Variables of NetCDF-3 files as arrays. */

import { limitExceeded } from "../../util/errors.js";
import { badFile } from "../file/cursor.js";
import { type ArrayParts, bytesCodec, contiguousChunks, named } from "../file/documents.js";
import type { FileArray, FileChunk, FileContext } from "../file/model.js";
import type { Variable } from "./header.js";
import { attributesOf, fillOf } from "./values.js";

/** The records of a file: each holds a slice of every variable with the dimension of records. */
export interface Records {
  readonly count: number;
  /** Distance between records, in bytes. */
  readonly stride: number;
}

/** How the elements of a variable are stored. */
interface Layout {
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  readonly itemBytes: number;
  /** Distance in bytes of neighbours along each dimension. */
  readonly strides: readonly number[];
  /** Size of a slice along the first dimension if slices are apart from one another and read together. */
  readonly gathered: number | undefined;
}

/** Maximum length of fixed strings: longer arrays of characters stay arrays. */
const maxString = 2 ** 16;
/** Slices of at most this size are read together with the bytes between them, instead of one by one. */
const maxGathered = 64;
const maxGatheredStride = 2 ** 16;
/** Size of a range that is read for slices. */
const gatheredBytes = 2 ** 20;

/** Returns a variable as an array. @throws LimitExceeded, InvalidMetadata ("bad-file"). */
export function variableArray(context: FileContext, variable: Variable, records: Records): FileArray {
  const { name, dimensions, attributes, type } = variable;
  const { rank } = context.limits;
  if (dimensions.length > rank)
    throw limitExceeded(`"${name}" has ${dimensions.length} dimensions, more than the limit of ${rank}`);
  const layout = layoutOf(variable, records);
  const { shape, chunks, strides, itemBytes, gathered } = layout;
  if (!Number.isSafeInteger(shape.reduce((product, length) => product * length, itemBytes)))
    throw badFile(`${context.name}: the variable "${name}" is too large`);
  const isText = type.name === "char";
  const parts: ArrayParts = {
    shape,
    dataType: isText ? named("null_terminated_bytes", { length_bytes: itemBytes }) : type.name,
    chunks,
    fillValue: fillOf(attributes, type),
    codecs: [bytesCodec(false, type.bytes)],
    dimensionNames: dimensions.slice(0, shape.length).map((dimension) => dimension.name),
    attributes: attributesOf(attributes, type),
  };
  const length = chunks.reduce((product, count) => product * count, itemBytes);
  return {
    kind: "array",
    describe: () => parts,
    chunk(at, signal) {
      const start = (sum: number, index: number, axis: number) =>
        sum + index * chunks[axis]! * strides[axis]!;
      const offset = at.reduce(start, variable.offset);
      if (gathered !== undefined) {
        const slices = Math.min(chunks[0]!, records.count - at[0]! * chunks[0]!);
        return gather(context, { offset, slices, stride: records.stride, size: gathered, length }, signal);
      }
      context.blocks.check(offset, length);
      return { offset, length };
    },
  };
}

interface Slices {
  readonly offset: number;
  readonly slices: number;
  /** Distance between slices, and size of each. */
  readonly stride: number;
  readonly size: number;
  /** Size of the chunk. */
  readonly length: number;
}

/** Reads slices of several records. The last chunk is filled up with zeros. */
async function gather(
  { blocks }: FileContext,
  { offset, slices, stride, size, length }: Slices,
  signal: AbortSignal | undefined,
): Promise<FileChunk> {
  const span = (slices - 1) * stride + size;
  const found = await blocks.readChunk(offset, span, { signal, maxBytes: span });
  const bytes = new Uint8Array(length);
  for (let i = 0; i < slices; i++) bytes.set(found.subarray(i * stride, i * stride + size), i * size);
  return { bytes };
}

function layoutOf({ dimensions, type }: Variable, records: Records): Layout {
  const isRecord = dimensions[0]?.length === 0;
  const last = dimensions.at(-1);
  const isText = type.name === "char" && last !== undefined && last.length > 0 && last.length <= maxString;
  const itemBytes = isText ? last.length : type.bytes;
  const shape = dimensions.map(({ length }) => length || records.count);
  if (isText) shape.pop();
  const strides: number[] = [];
  let size = itemBytes;
  for (let axis = shape.length - 1; axis >= (isRecord ? 1 : 0); axis--) {
    strides.unshift(size);
    size *= shape[axis]!;
  }
  if (!isRecord)
    return { shape, chunks: contiguousChunks(shape, itemBytes), itemBytes, strides, gathered: undefined };
  strides.unshift(records.stride);
  const layout = { shape, itemBytes, strides };
  // The only variable with records: they follow one another without gaps.
  if (size === records.stride)
    return { ...layout, chunks: contiguousChunks(shape, itemBytes), gathered: undefined };
  const rest = shape.slice(1);
  if (size > maxGathered || records.stride > maxGatheredStride)
    return { ...layout, chunks: [1, ...contiguousChunks(rest, itemBytes)], gathered: undefined };
  const together = Math.min(Math.floor(gatheredBytes / records.stride), records.count);
  return { ...layout, chunks: [Math.max(1, together), ...rest], gathered: size };
}
