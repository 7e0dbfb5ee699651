/** Lazy part of the zarrita drop-in: `create`, `set`, codecs as classes, and replacements of `getChunk`. */

import { arrayMetadata } from "../../edit/array-options.js";
import type { CreateOptions, SetOptions, SetValues } from "../../edit/options.js";
import { set } from "../../edit/set.js";
import { replaceNode } from "../../edit/update-node.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { type Attributes, plainAttributes } from "../../metadata/document.js";
import { groupDocuments } from "../../metadata/new-array.js";
import { attributesJson, toJson } from "../../metadata/print.js";
import { parseV3Array } from "../../metadata/v3.js";
import type { Store } from "../../store/store.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import type { JsonObject } from "../../util/json.js";
import { resolveLimits } from "../../util/limits.js";
import { resolveRegion } from "../../write/region.js";
import { cOrder, type Strided } from "./chunks.js";
import { dataTypeJson } from "./elements.js";
import { checkText } from "./errors.js";
import type { ArrayMetadata, CreateArrayOptions, DataType, Entry } from "./types.js";

export { getChunkwise } from "./chunks.js";
export { codecEntry } from "./codec-entries.js";

/** The array that metadata in zarrita's form describes. */
export async function arrayFromMetadata(
  store: Store,
  path: string,
  metadata: ArrayMetadata<DataType>,
): Promise<ZarrArray> {
  const { data_type: dataType, fill_value: fill } = metadata;
  const isNonFinite = typeof fill === "number" && !Number.isFinite(fill);
  const document = {
    ...metadata,
    data_type: dataTypeJson(dataType),
    fill_value: isNonFinite ? String(fill) : (fill ?? null),
    attributes: {},
  };
  const json = toJson(document, "the metadata of an array") as JsonObject;
  const limits = resolveLimits(undefined);
  return new ZarrArray(store, path, await parseV3Array(json, { limits }), limits);
}

/** Creates a group, and returns its attributes as `open` would. */
export async function createGroup(
  store: Store,
  path: string,
  given: object | undefined,
): Promise<Attributes> {
  const attributes = attributesJson(given);
  await replaceNode(store, path, groupDocuments(attributes, 3));
  return plainAttributes(attributes, "attributes");
}

export async function createArray<D extends DataType>(
  store: Store,
  path: string,
  options: CreateArrayOptions<D>,
): Promise<ZarrArray> {
  const limits = resolveLimits(undefined);
  const { documents, spec } = await arrayMetadata(createOptions(options), 3, limits);
  await replaceNode(store, path, documents);
  return new ZarrArray(store, path, spec, limits);
}

/** zarrita's options as this library's `create` takes them. */
function createOptions<D extends DataType>(options: CreateArrayOptions<D>): CreateOptions {
  const { shape, chunkShape, dtype, codecs = [], fillValue, chunkSeparator, ...others } = options;
  if (!Array.isArray(codecs)) throw invalidArgument(`codecs must be a list, got ${describeValue(codecs)}`);
  checkText(dtype, "dtype");
  const inner = codecs.find((codec) => codec?.name === "sharding_indexed")?.configuration?.["chunk_shape"];
  return {
    shape,
    dtype: dataTypeJson(dtype) as CreateOptions["dtype"],
    ...(inner === undefined ? { chunkShape } : { chunkShape: inner as number[], shardShape: chunkShape }),
    codecs,
    fillValue: (fillValue ?? undefined) as CreateOptions["fillValue"],
    chunkKeyEncoding: { name: "default", separator: chunkSeparator },
    dimensionNames: others.dimensionNames,
    attributes: others.attributes,
  };
}

const isChunk = (value: unknown): value is Strided =>
  typeof value === "object" &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  "data" in value &&
  "shape" in value;

/** Writes an element, or a chunk of any strides. */
export async function setRegion(
  array: ZarrArray,
  selection: Entry[] | null,
  value: unknown,
  options: SetOptions,
): Promise<void> {
  if (!isChunk(value)) return set(array, selection, value as SetValues, options);
  const { shape } = resolveRegion(array.reader, selection);
  checkShape(value, shape);
  await set(array, selection, { data: cOrder(value), shape } as SetValues, options);
}

/** A single element may have any number of dimensions. */
function checkShape({ shape: given }: { readonly shape: unknown }, shape: readonly number[]): void {
  if (!Array.isArray(given)) throw invalidArgument("the shape of a chunk must be a list of lengths");
  const isOne = shape.length === 0 && given.every((length) => length === 1);
  if (isOne || (given.length === shape.length && shape.every((length, axis) => length === given[axis])))
    return;
  throw invalidArgument(
    `the values have shape [${given}], but the selection has shape [${shape.join(", ")}]`,
  );
}
