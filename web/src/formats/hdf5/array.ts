/** Datasets as arrays. */

import { jsonEntries, jsonObject } from "../../metadata/print.js";
import { untilAborted } from "../../util/async.js";
import type { Json, JsonObject } from "../../util/json.js";
import { countOf } from "../../util/shapes.js";
import { badFile, Cursor } from "../file/cursor.js";
import { type ArrayParts, contiguousChunks, contiguousRange } from "../file/documents.js";
import type { FileArray, FileChunk } from "../file/model.js";
import { type Attribute, attributesJson, readAttributes } from "./attributes.js";
import { type ChunkReader, chunkReader, codecsOf, encodeVariable } from "./chunks.js";
import { readDatatype } from "./datatype.js";
import { decodedType } from "./filters.js";
import { readVariable } from "./global-heap.js";
import { messageType, type ObjectHeader } from "./header.js";
import { fillJson, isBooleanEnum, type Mapping, mapDatatype } from "./mapping.js";
import { readDataspace, readFill, readFilters, readLayout, readSized } from "./messages.js";
import {
  dimensionAttributes,
  dimensionNames,
  hasNetcdfMarks,
  isScale,
  type ScaleGroup,
  type Surroundings,
  scaleAddresses,
} from "./scales.js";
import type { DatasetParts, Dataspace, Datatype } from "./types.js";
import { fixedText, integerValue } from "./values.js";

const { datatype, dataspace, layout, filters, fill, oldFill, externalFiles } = messageType;
const datasetMessages = [datatype, dataspace, layout, filters, fill, oldFill, externalFiles];

/** An array, and the parts that locate its chunks. */
interface Described {
  readonly parts: DatasetParts;
  readonly mapping: Mapping;
  readonly shape: readonly number[];
  readonly array: ArrayParts;
}

export class HdfArray implements FileArray {
  readonly kind = "array";
  #attributes: ReadonlyMap<string, Attribute> | undefined;
  #described: Described | undefined;
  #chunks: ChunkReader | undefined;

  constructor(
    readonly objects: Surroundings,
    readonly header: ObjectHeader,
    readonly name: string,
    readonly parent: ScaleGroup | undefined,
  ) {}

  async ownAttributes(): Promise<ReadonlyMap<string, Attribute>> {
    this.#attributes ??= await readAttributes(this.objects.reader, this.header);
    return this.#attributes;
  }

  async describe(signal?: AbortSignal): Promise<ArrayParts> {
    this.#described ??= await untilAborted(this.#describe(), signal);
    return this.#described.array;
  }

  async #describe(): Promise<Described> {
    const { file } = this.objects.reader;
    const parts = await this.#readParts();
    const { type, space, layout } = parts;
    const mapping = mapDatatype(file, decodedType(parts));
    const stored = space.shape ?? [0]; // a null dataspace has no elements
    const own = chunkShape(parts, stored, file.context.name);
    const shape = await this.#extended(space, stored);
    const chunks = [...own, ...mapping.shape];
    const isChunked = layout.kind === "chunked";
    const array = {
      shape: [...shape, ...mapping.shape],
      dataType: mapping.dataType,
      chunks,
      fillValue: await this.#fill(parts, mapping),
      codecs: isChunked ? codecsOf(file, parts, mapping) : [mapping.codec],
      dimensionNames: await this.#dimensions(shape.length, mapping.shape.length),
      attributes: await this.#attributesJson(mapping, type),
    };
    const described = { parts, mapping, shape, array };
    const isText = this.objects.isNetcdf && isCharacters(parts, array);
    return isText ? { ...described, array: this.#textArray(parts, array) } : described;
  }

  /** Returns the array whose elements are the characters along the last dimension, as xarray shows them. */
  #textArray({ type, fill }: DatasetParts, array: ArrayParts): ArrayParts {
    const { file } = this.objects.reader;
    const text = { ...type, size: array.shape.at(-1)! };
    const mapping = mapDatatype(file, text);
    return {
      ...array,
      shape: array.shape.slice(0, -1),
      chunks: array.chunks.slice(0, -1),
      dimensionNames: array.dimensionNames?.slice(0, -1),
      dataType: mapping.dataType,
      fillValue: fillJson(file, mapping, text, new Uint8Array(text.size).fill(fill?.[0] ?? 0)),
    };
  }

  /** Returns the shape with the lengths of unlimited dimensions, which other variables may have extended. */
  async #extended({ maxShape }: Dataspace, shape: readonly number[]): Promise<readonly number[]> {
    if (!this.objects.isNetcdf || !maxShape.includes(undefined)) return shape;
    const attributes = await this.ownAttributes();
    const scales = (await scaleAddresses(this.objects.reader.file, attributes)) ?? [];
    const extended = [...shape];
    for (const [axis, length] of shape.entries()) {
      const scale = scales[axis];
      if (maxShape[axis] === undefined && scale !== undefined)
        extended[axis] = Math.max(length, await this.objects.dimensionLength(scale));
    }
    return extended;
  }

  async #readParts(): Promise<DatasetParts> {
    const { reader } = this.objects;
    const { file } = reader;
    const [type, space, layout, filters, fill, old, others] = await Promise.all(
      datasetMessages.map((number) => reader.find(this.header, number)),
    );
    if (others) throw file.unsupported(`"${this.name}" has its data in other files`);
    if (!type || !space || !layout) throw badFile(`the dataset "${this.name}" lacks a message`);
    return {
      type: readDatatype(type, file.offsetBytes),
      space: readDataspace(file, space),
      layout: readLayout(file, layout),
      filters: filters ? readFilters(filters) : [],
      fill: fill ? readFill(fill) : old && readSized(old),
    };
  }

  async #fill(parts: DatasetParts, mapping: Mapping): Promise<Json> {
    const { file } = this.objects.reader;
    const { type, fill } = parts;
    if (fill && type.kind === "integer" && decodedType(parts) !== type) return integerValue(type, fill);
    if (type.kind !== "variable" || fill?.byteLength !== type.size)
      return fillJson(file, mapping, type, fill);
    const { length, object } = readVariable(file, new Cursor(fill, "a fill value"));
    return type.isString ? fixedText((await object).subarray(0, length), type.padding) : "";
  }

  async #dimensions(rank: number, further: number): Promise<(string | null)[] | undefined> {
    const names = await dimensionNames(this, rank);
    return names && [...names, ...Array.from({ length: further }, () => null)];
  }

  async #attributesJson(mapping: Mapping, type: Datatype): Promise<JsonObject> {
    const attributes = await this.ownAttributes();
    const isNetcdf = this.objects.isNetcdf || hasNetcdfMarks(attributes);
    const hidden = isNetcdf || isScale(attributes) ? dimensionAttributes : hiddenEverywhere;
    const { core } = mapping.dtype;
    const json = await attributesJson(this.objects.reader.file, attributes, { hidden, isNetcdf, core });
    return withFlags(json, type);
  }

  chunk(at: readonly number[], signal: AbortSignal | undefined): Promise<FileChunk | undefined> {
    return untilAborted(this.#chunk(at), signal);
  }

  /** @param index without the last dimension if that is the one of characters. */
  async #chunk(index: readonly number[]): Promise<FileChunk | undefined> {
    await this.describe();
    const described = this.#described!;
    const { parts, shape } = described;
    const at = shape.map((_, axis) => index[axis] ?? 0);
    const { file } = this.objects.reader;
    const { layout, space } = parts;
    if (layout.kind === "chunked") {
      const isStored = space.shape?.every((length, axis) => at[axis]! * layout.chunk[axis]! < length);
      if (!isStored) return undefined;
      this.#chunks ??= chunkReader(file, parts);
      return this.#chunks(at);
    }
    const range = rangeOf(described, at);
    const isVariable = described.mapping.dtype.isVariable;
    if (layout.kind === "compact") {
      const bytes = layout.bytes.subarray(range.offset, range.offset + range.length);
      return { bytes: isVariable ? await encodeVariable(file, parts.type, bytes) : bytes };
    }
    if (layout.address === undefined) return undefined;
    const address = layout.address + range.offset;
    if (!isVariable) return { offset: file.locate(address, range.length), length: range.length };
    const bytes = await file.read(address, range.length);
    return { bytes: await encodeVariable(file, parts.type, bytes) };
  }
}

/** Maximum number of characters that become one element. */
const maxText = 2 ** 16;

/** Whether elements are single characters, and each chunk has whole rows of them. */
function isCharacters({ type, space }: DatasetParts, { shape, chunks }: ArrayParts): boolean {
  const length = shape.at(-1) ?? 0;
  const isWhole = chunks.at(-1) === length && space.maxShape.at(-1) !== undefined;
  return type.kind === "string" && type.size === 1 && isWhole && length > 0 && length <= maxText;
}

const hiddenEverywhere: ReadonlySet<string> = new Set(["DIMENSION_LIST", "REFERENCE_LIST"]);

/** Returns the shape of chunks without the dimensions of array types. */
function chunkShape(
  { type, layout }: DatasetParts,
  shape: readonly number[],
  name: string,
): readonly number[] {
  if (layout.kind === "chunked") {
    if (layout.chunk.length !== shape.length || layout.elementBytes !== type.size)
      throw badFile(`${name} has a dataset whose chunks do not fit it`);
    return layout.chunk;
  }
  const bytes = countOf(shape) * type.size;
  const stored = layout.kind === "compact" ? layout.bytes.byteLength : (layout.size ?? bytes);
  const isMissing = layout.kind === "contiguous" && layout.address === undefined;
  if (stored < bytes && !isMissing)
    throw badFile(`${name} has a dataset of ${bytes} bytes in ${stored} bytes`);
  const lengths = layout.kind === "compact" ? shape : contiguousChunks(shape, type.size);
  return lengths.map((length) => Math.max(length, 1));
}

/** Returns the place of a chunk of contiguous data. */
function rangeOf({ parts, shape, array }: Described, at: readonly number[]) {
  const chunks = shape.map((length, axis) => (array.chunks[axis] ?? length) as number);
  return contiguousRange(shape, chunks, at, parts.type.size);
}

/** Adds the names of an enum as CF shows them: `flag_values` and `flag_meanings`. */
function withFlags(attributes: JsonObject, type: Datatype): JsonObject {
  const base = type.kind === "enum" ? type.base : type;
  if (type.kind !== "enum" || base.kind !== "integer" || isBooleanEnum(type)) return attributes;
  if (Object.hasOwn(attributes, "flag_values") || Object.hasOwn(attributes, "flag_meanings"))
    return attributes;
  return jsonObject([
    ...jsonEntries(attributes),
    ["flag_values", type.values.map((value) => integerValue(base, value))],
    ["flag_meanings", type.names.map((name) => name.replace(/\s+/g, "_")).join(" ")],
  ]);
}
