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
/** Slices of at most this size are read together with what lies between them, instead of one by one. */
const maxGathered = 64;
const maxGatheredStride = 2 ** 16;
/** Size of a range that is read for slices. */
const gatheredBytes = 2 ** 20;

export class VariableArray implements FileArray {
  readonly kind = "array";
  readonly #layout: Layout;
  #parts: ArrayParts | undefined;

  constructor(
    private readonly context: FileContext,
    private readonly variable: Variable,
    private readonly records: Records,
  ) {
    const { length } = variable.dimensions;
    const { rank } = context.limits;
    if (length > rank)
      throw limitExceeded(`"${variable.name}" has ${length} dimensions, more than the limit of ${rank}`);
    this.#layout = layoutOf(variable, records);
  }

  describe(): ArrayParts {
    this.#parts ??= this.#describe();
    return this.#parts;
  }

  chunk(at: readonly number[], signal: AbortSignal | undefined): FileChunk | Promise<FileChunk> {
    const { chunks, strides, itemBytes, gathered } = this.#layout;
    const offset = at.reduce((sum, index, axis) => sum + index * chunks[axis]! * strides[axis]!, 0);
    if (gathered !== undefined) return this.#gather(at[0]!, gathered, signal);
    const length = chunks.reduce((product, count) => product * count, itemBytes);
    const range = { offset: this.variable.offset + offset, length };
    this.context.blocks.check(range.offset, length);
    return range;
  }

  #describe(): ArrayParts {
    const { dimensions, attributes, type, name } = this.variable;
    const { shape, chunks, itemBytes } = this.#layout;
    if (!Number.isSafeInteger(shape.reduce((product, length) => product * length, itemBytes)))
      throw badFile(`${this.context.name}: the variable ${name} is too large`);
    const isText = type.name === "char";
    return {
      shape,
      dataType: isText ? named("null_terminated_bytes", { length_bytes: itemBytes }) : type.name,
      chunks,
      fillValue: fillOf(attributes, type),
      codecs: [type.bytes === 1 ? named("bytes") : bytesCodec(false)],
      dimensionNames: dimensions.slice(0, shape.length).map((dimension) => dimension.name),
      attributes: attributesOf(attributes, type),
    };
  }

  /** Reads slices of several records. The last chunk is filled up with zeros. */
  async #gather(index: number, size: number, signal: AbortSignal | undefined): Promise<FileChunk> {
    const { count, stride } = this.records;
    const perChunk = this.#layout.chunks[0]!;
    const slices = Math.min(perChunk, count - index * perChunk);
    const offset = this.variable.offset + index * perChunk * stride;
    const length = (slices - 1) * stride + size;
    const { blocks, name } = this.context;
    blocks.check(offset, length);
    const found =
      blocks.cached(offset, length) ??
      (await blocks.file.read({ offset, length }, { signal, version: blocks.version, maxBytes: length }));
    if (found?.byteLength !== length) throw badFile(`${name} ends before ${length} bytes at ${offset}`);
    const bytes = new Uint8Array(perChunk * size);
    for (let i = 0; i < slices; i++) bytes.set(found.subarray(i * stride, i * stride + size), i * size);
    return { bytes };
  }
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
