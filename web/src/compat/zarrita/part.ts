/** Lazy part of the zarrita drop-in: `create`, `set`, codecs as classes, and the application's codecs and `getChunk`. */

import { toElements } from "../../dtypes/elements.js";
import { arrayMetadata } from "../../edit/array-options.js";
import type { CreateOptions, SetOptions, SetValues } from "../../edit/options.js";
import { set } from "../../edit/set.js";
import { replaceNode } from "../../edit/update-node.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { type Attributes, plainAttributes, v3Key } from "../../metadata/document.js";
import { groupDocuments } from "../../metadata/new-array.js";
import { attributesJson, toJson, withEntries } from "../../metadata/print.js";
import { parseV3Array } from "../../metadata/v3.js";
import { joinKey, type Store } from "../../store/store.js";
import { checkObject } from "../../util/arguments.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import type { Json, JsonObject } from "../../util/json.js";
import { resolveLimits } from "../../util/limits.js";
import { countOf, stridesOf } from "../../util/shapes.js";
import { resolveRegion } from "../../write/region.js";
import { cOrder, rawEntries, type Strided } from "./chunks.js";
import { dataTypeJson, wrapElements } from "./elements.js";
import { checkFunction, checkText } from "./errors.js";
import { type OwnEntries, ownAtEnd, ownCodecStore } from "./own-codecs.js";
import type {
  ArrayMetadata,
  Chunk,
  CodecMetadata,
  CreateArrayOptions,
  DataType,
  Entry,
  Projection,
  Setter,
  TypedArray,
} from "./types.js";

export { getChunkwise } from "./chunks.js";
export { codecEntry, ownCodecStore } from "./own-codecs.js";

/** The array that metadata in zarrita's form describes. @param entries the application's codecs. */
export async function arrayFromMetadata(
  store: Store,
  path: string,
  metadata: ArrayMetadata<DataType>,
  entries: OwnEntries,
): Promise<ZarrArray> {
  const { data_type: dataType, fill_value: fill } = metadata;
  const isNonFinite = typeof fill === "number" && !Number.isFinite(fill);
  const document = {
    ...metadata,
    data_type: dataTypeJson(dataType),
    fill_value: isNonFinite ? String(fill) : (fill ?? null),
    attributes: {},
  };
  const front = entries.size > 0 ? ownCodecStore(store, entries) : undefined;
  let json = toJson(document, "the metadata of an array") as JsonObject;
  if (front) json = await front.withoutOwn(joinKey(path, v3Key), json);
  const limits = resolveLimits(undefined);
  return new ZarrArray(front ?? store, path, await parseV3Array(json, { limits }), limits);
}

/** Creates a group, and returns its attributes as `open` would. */
export async function createGroup(
  store: Store,
  path: string,
  given: object | undefined,
): Promise<Attributes> {
  const attributes = attributesJson(given);
  await replaceNode(store, path, groupDocuments(attributes, 3), { isArray: false });
  return plainAttributes(attributes, "attributes");
}

/** Creates an array. @param entries the application's codecs. */
export async function createArray<D extends DataType>(
  store: Store,
  path: string,
  options: CreateArrayOptions<D>,
  entries: OwnEntries,
): Promise<ZarrArray> {
  const limits = resolveLimits(undefined);
  const { dtype, chunkShape, codecs = [], fillValue } = options;
  if (!Array.isArray(codecs)) throw invalidArgument(`codecs must be a list, got ${describeValue(codecs)}`);
  const own = await ownAtEnd({ dataType: dtype, shape: chunkShape, codecs, fillValue }, entries);
  const end = codecs.length - own.length;
  const { documents, spec } = await arrayMetadata(createOptions(options, codecs.slice(0, end)), 3, limits);
  if (own.length === 0) {
    await replaceNode(store, path, documents, { isArray: true });
    return new ZarrArray(store, path, spec, limits);
  }
  const document = documents.get(v3Key) as JsonObject;
  const plain = document["codecs"] as Json[];
  // An array-to-bytes codec of the application's replaces the one that this library adds.
  const kept = own[0]!.codec.kind === "array_to_bytes" ? plain.slice(0, -1) : plain;
  const added = codecs.slice(end).map(({ name, configuration = {} }) => {
    return toJson({ name, configuration }, `codec ${name}`);
  });
  const complete = withEntries(document, [["codecs", [...kept, ...added]]]);
  await replaceNode(store, path, new Map([[v3Key, complete]]), { isArray: true });
  const front = ownCodecStore(store, entries);
  await front.withoutOwn(joinKey(path, v3Key), complete);
  return new ZarrArray(front, path, spec, limits);
}

/** zarrita's options as this library's `create` takes them. */
function createOptions<D extends DataType>(
  options: CreateArrayOptions<D>,
  codecs: readonly CodecMetadata[],
): CreateOptions {
  const { shape, dtype, fillValue, chunkSeparator, dimensionNames, attributes } = options;
  checkText(dtype, "dtype");
  const inner = codecs.find((codec) => codec?.name === "sharding_indexed")?.configuration?.["chunk_shape"];
  return {
    shape,
    dtype: dataTypeJson(dtype) as CreateOptions["dtype"],
    ...(inner === undefined
      ? { chunkShape: options.chunkShape }
      : { chunkShape: inner as number[], shardShape: options.chunkShape }),
    codecs,
    fillValue: (fillValue ?? undefined) as CreateOptions["fillValue"],
    chunkKeyEncoding: { name: "default", separator: chunkSeparator },
    dimensionNames,
    attributes,
  };
}

type Selection = Entry[] | null;

const isChunk = (value: unknown): value is Strided =>
  typeof value === "object" &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  "data" in value &&
  "shape" in value;

/** Writes an element, or a chunk of any strides; with a setter, a chunk in another package's form. */
export async function setRegion<D extends DataType, Made extends Chunk<D>>(
  array: ZarrArray,
  selection: Selection,
  value: unknown,
  options: SetOptions,
  setter?: { readonly given: Setter<D, Made> },
): Promise<void> {
  if (!isChunk(value)) return set(array, selection, value as SetValues, options);
  const { shape } = resolveRegion(array.reader, selection);
  checkShape(value, shape);
  if (setter) checkSetter(setter.given);
  const data = setter ? ordered(array, shape, value as Made, setter.given) : cOrder(value);
  await set(array, selection, { data, shape } as SetValues, options);
}

/** Returns the elements of a chunk in C order, copied by another package's functions. */
function ordered<D extends DataType, Made extends Chunk<D>>(
  { dtype }: ZarrArray,
  selected: readonly number[],
  value: Made,
  setter: Setter<D, Made>,
) {
  // zarrita writes a chunk without dimensions as one of shape [1].
  const shape = selected.length === 0 ? [1] : [...selected];
  const count = countOf(shape);
  const data = dtype.isVariable
    ? new Array<unknown>(count).fill(null)
    : wrapElements(dtype, toElements(dtype, new Uint8Array(count * dtype.itemBytes)));
  const target = setter.prepare(data as TypedArray<D>, shape, stridesOf(shape));
  const projections: Projection[] =
    selected.length === 0
      ? [{ from: null, to: 0 }]
      : shape.map((length) => ({ from: [0, length, 1], to: [0, length, 1] }));
  if (countOf(selected) > 0) setter.setFromChunk(target, value, projections);
  return rawEntries(target.data);
}

/** @throws InvalidArgument for a setter without the functions that writing needs. */
function checkSetter(setter: unknown): void {
  checkObject(setter, "functions for regions");
  for (const name of ["prepare", "setFromChunk"])
    checkFunction((setter as Record<string, unknown>)[name], name);
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
