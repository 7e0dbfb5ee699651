/** Validates the options of `create` and converts them to array metadata. */

import { type CodecMetadata, parseCodecs, type ZarrVersion } from "../codecs/definition.js";
import { loadEveryCodec } from "../codecs/lookup.js";
import { printCodecs } from "../codecs/print.js";
import { DType } from "../dtypes/dtype.js";
import type { FillValue } from "../dtypes/fill-value.js";
import { parseScalar } from "../dtypes/plain.js";
import { type Endian, parseDescr } from "../dtypes/typestr.js";
import { parseDataType } from "../dtypes/v3.js";
import { maxSuffixes, powerOfTen, tooManySuffixes } from "../metadata/chunk-key-encodings.js";
import type { ChunkKeys, PlainKeys, Separator } from "../metadata/document.js";
import { type ArrayMetadata, asArguments } from "../metadata/model.js";
import { convertMetadata, describeArray, makeArrayMetadata, type NewArray } from "../metadata/new-array.js";
import { attributesJson, toJson } from "../metadata/print.js";
import { isRecord, isWellFormed } from "../util/arguments.js";
import { describeValue, invalidArgument, unsupported, type ZarrError } from "../util/errors.js";
import type { Json } from "../util/json.js";
import type { Limits } from "../util/limits.js";
import { countOf } from "../util/shapes.js";
import { requireEncodable, resolveChain } from "./codecs-option.js";
import type { CreateLikeOptions, CreateOptions } from "./options.js";

/** Converts a metadata error into one about arguments. */
const asArgument = (error: Error) => {
  const { code, codec } = error as ZarrError<"InvalidMetadata">;
  return invalidArgument(error.message, { code, codec, cause: error });
};

/**
 * Returns the metadata of the array that the options describe, as parsed by the reader's own parser.
 * @throws InvalidArgument, UnknownCodec, Unsupported or LimitExceeded.
 */
export function arrayMetadata(
  options: CreateOptions,
  version: ZarrVersion,
  limits: Limits,
): Promise<ArrayMetadata> {
  return asArguments(async () => {
    await loadEveryCodec();
    const metadata = await makeArrayMetadata(newArray(options, version, limits), version, { limits });
    await requireEncodable(metadata.spec);
    return metadata;
  }, asArgument);
}

/** Properties of an array that differ from the array it is modelled on. */
export type ArrayChanges = Omit<
  CreateLikeOptions,
  "like" | "dtype" | "limits" | "path" | "zarrFormat" | "overwrite" | "signal"
>;

/**
 * Returns the metadata of an array like another one, in the given version. Data type, byte order, fill value,
 * attributes, dimension names, chunks and codecs are the same, except for the changes.
 * @throws Unsupported, naming the feature that the version lacks, or the read-only codec if the chunks are
 *   not those of the other array; InvalidArgument for invalid changes; others as `create` does.
 */
export function arrayLike(
  source: ArrayMetadata,
  version: ZarrVersion,
  changes: ArrayChanges,
  limits: Limits,
): Promise<ArrayMetadata> {
  return asArguments(async () => {
    await loadEveryCodec();
    const isSame = Object.values(changes).every((change) => change === undefined);
    if (isSame) return (await convertMetadata(source, version, { limits })) as ArrayMetadata;
    const metadata = await makeArrayMetadata(changedArray(source, version, changes), version, { limits });
    if (hasOwnChunks(metadata, source, changes)) await requireEncodable(metadata.spec);
    return metadata;
  }, asArgument);
}

/** Whether no chunk of the other array can be reused as stored. */
const hasOwnChunks = (made: ArrayMetadata, source: ArrayMetadata, { codecs, order }: ArrayChanges): boolean =>
  codecs !== undefined ||
  order !== undefined ||
  made.spec.chunkShape.join() !== source.spec.chunkShape.join();

function changedArray(source: ArrayMetadata, version: ZarrVersion, changes: ArrayChanges): NewArray {
  const like = describeArray(source);
  const { dtype } = like;
  const shape = changes.shape === undefined ? like.shape : lengths(changes.shape, "shape", 0);
  const fill = changes.fillValue === undefined ? like.fill : resolveFill(dtype, changes.fillValue, version);
  const { chunkShape, shardShape, codecs, order } = changes;
  const keepsChunks = [chunkShape, shardShape, codecs, order].every((change) => change === undefined);
  const chunks = keepsChunks ? like : changedChunks(source, version, { ...changes, shape });
  return {
    ...like,
    ...chunks,
    shape,
    fill,
    attributes: changes.attributes === undefined ? like.attributes : attributesJson(changes.attributes),
    dimensionNames:
      changes.dimensionNames === undefined
        ? like.dimensionNames
        : resolveDimensionNames(changes.dimensionNames, shape.length),
    keys:
      changes.chunkKeyEncoding === undefined
        ? like.keys
        : resolveChunkKeys(changes.chunkKeyEncoding, version),
  };
}

/** Returns the grid and codec chain, in the target's version. */
function changedChunks(
  { spec, zarrFormat }: ArrayMetadata,
  version: ZarrVersion,
  changes: ArrayChanges & { readonly shape: readonly number[] },
): Pick<NewArray, "grid" | "codecs" | "codecVersion"> {
  const { shape, order = "C" } = changes;
  if (order !== "C" && order !== "F")
    throw invalidArgument(`order must be "C" or "F", not ${describeValue(order)}`);
  const { dtype } = spec;
  const chunkShape =
    changes.chunkShape === undefined ? spec.chunkShape : sameRank(changes.chunkShape, "chunkShape", shape);
  const given =
    changes.shardShape === undefined && changes.chunkShape === undefined
      ? spec.shardShape
      : changes.shardShape;
  const shardShape = given ? sameRank(given, "shardShape", shape) : undefined;
  // An explicit order replaces the other array's.
  const kept = leafCodecs(spec.codecs).filter(
    ({ name }) => changes.order === undefined || name !== "transpose",
  );
  const array = { dtype, shape: chunkShape };
  const isReshaped = chunkShape.join() !== spec.chunkShape.join();
  const codecs = changes.codecs ?? printCodecs(kept, array, zarrFormat, version, isReshaped);
  const endian = byteOrder(spec);
  const context = {
    version,
    dtype,
    // Explicit codecs need not keep byte orders that v3 cannot express.
    endian: version === 3 && Array.isArray(endian) ? "little" : endian,
    rank: shape.length,
    order,
    chunkShape,
    shardShape,
  };
  return {
    grid: { chunkShape: shardShape ?? chunkShape },
    codecs: resolveChain(codecs, context).codecs,
    codecVersion: version,
  };
}

/** Returns the codec chain of the innermost chunks, inside any shards. */
export function leafCodecs(codecs: readonly CodecMetadata[]): readonly CodecMetadata[] {
  const at = codecs.findIndex(({ name }) => name === "sharding_indexed");
  if (at < 0) return codecs;
  const inner = parseCodecs(codecs[at]!.configuration?.["codecs"], "codecs");
  return [...codecs.slice(0, at), ...leafCodecs(inner)];
}

function byteOrder({ codecs }: ArrayMetadata["spec"]): ReadType["endian"] {
  const bytes = leafCodecs(codecs).find(({ name }) => name === "bytes");
  return (bytes?.configuration?.["endian"] as ReadType["endian"] | undefined) ?? "little";
}

function newArray(options: CreateOptions, version: ZarrVersion, limits: Limits): NewArray {
  const { attributes, dimensionNames, order = "C" } = options;
  const shape = lengths(options.shape, "shape", 0);
  if (shape.length > limits.rank)
    throw invalidArgument(`shape has ${shape.length} dimensions, more than the limit of ${limits.rank}`);
  const { dtype: given, endian, descr } = readType(options.dtype, version);
  const shardShape =
    options.shardShape === undefined ? undefined : sameRank(options.shardShape, "shardShape", shape);
  const chunkShape =
    options.chunkShape === undefined
      ? defaultChunkShape(shape, given.itemBytes, shardShape)
      : sameRank(options.chunkShape, "chunkShape", shape);
  if (order !== "C" && order !== "F")
    throw invalidArgument(`order must be "C" or "F", not ${describeValue(order)}`);
  const rank = shape.length;
  const context = { version, dtype: given, endian, rank, order, chunkShape, shardShape };
  const { dtype, codecs } = resolveChain(options.codecs, context);
  return {
    shape,
    grid: { chunkShape: shardShape ?? chunkShape },
    dtype,
    descr,
    fill: resolveFill(dtype, options.fillValue, version),
    codecs,
    codecVersion: version,
    attributes: attributesJson(attributes),
    dimensionNames: resolveDimensionNames(dimensionNames, rank),
    keys: resolveChunkKeys(options.chunkKeyEncoding, version),
  };
}

function lengths(value: unknown, name: string, min: number): number[] {
  const valid = (length: unknown) => Number.isSafeInteger(length) && (length as number) >= min;
  if (!Array.isArray(value) || !Array.from(value).every(valid)) {
    const least = min === 0 ? "non-negative" : "positive";
    const given = Array.isArray(value) ? `[${value.map(describeValue).join(", ")}]` : describeValue(value);
    throw invalidArgument(`${name} must be a list of ${least} integers below 2^53, not ${given}`);
  }
  return [...value];
}

function sameRank(value: unknown, name: string, shape: readonly number[]): number[] {
  const list = lengths(value, name, 1);
  if (list.length !== shape.length) {
    throw invalidArgument(`${name} has ${list.length} dimensions, the array has ${shape.length}`);
  }
  return list;
}

interface ReadType {
  readonly dtype: DType;
  readonly endian: Endian | readonly (Endian | null)[];
  /** The type description as given, if fields have different byte orders. */
  readonly descr?: Json | undefined;
}

/** Parses a Zarr v3 or NumPy data type. */
function readType(value: unknown, version: ZarrVersion): ReadType {
  if (value instanceof DType) return { dtype: withNames(value), endian: "little" };
  const isNumpy = Array.isArray(value) || (typeof value === "string" && /^[<>|]/.test(value));
  if (!isNumpy) return { dtype: withNames(parseDataType(value)), endian: "little" };
  const descr = toJson(value, "dtype");
  const { dtype, endians } = parseDescr(descr, true, { objects: version === 2 });
  const orders = new Set(endians.filter((endian) => endian !== undefined));
  if (orders.size < 2) return { dtype, endian: [...orders][0] ?? "little" };
  if (version === 3) {
    throw unsupported("Zarr v3 requires the same byte order for all fields of a structured type", {
      code: "not-in-version",
    });
  }
  return { dtype, endian: endians.map((endian) => endian ?? null), descr };
}

/** Returns the data type. @throws InvalidArgument for a field name that is not well-formed Unicode. */
function withNames(dtype: DType): DType {
  for (const field of dtype.fields ?? []) {
    if (!isWellFormed(field.name))
      throw invalidArgument(`field name ${JSON.stringify(field.name)} is not well-formed Unicode`, {
        code: "unknown-dtype",
      });
    withNames(field.dtype);
  }
  return dtype;
}

function resolveFill(dtype: DType, value: unknown, version: ZarrVersion): FillValue {
  if (value === undefined) return defaultFill(dtype);
  if (value === null) {
    if (version < 3) return { value: null, item: new Uint8Array(dtype.itemBytes) };
    throw invalidArgument("fillValue cannot be null in Zarr v3", { code: "bad-fill-value" });
  }
  const fill = parseScalar(dtype, value);
  checkTexts(value);
  return fill;
}

/** @throws InvalidArgument for a string in a fill value that is not well-formed Unicode. */
function checkTexts(value: unknown): void {
  if (typeof value === "string" && !isWellFormed(value))
    throw invalidArgument(`fillValue is not well-formed Unicode: ${JSON.stringify(value)}`, {
      code: "bad-fill-value",
    });
  if (isRecord(value) && !ArrayBuffer.isView(value)) checkTexts(Object.entries(value));
  else if (Array.isArray(value)) value.forEach(checkTexts);
}

function defaultFill(dtype: DType): FillValue {
  const item = new Uint8Array(dtype.itemBytes);
  if (dtype.name === "string") return { value: "", item };
  if (dtype.name === "bytes") return { value: new Uint8Array(0), item };
  return { value: 0, item };
}

function resolveDimensionNames(names: unknown, rank: number): NewArray["dimensionNames"] {
  if (names === undefined) return undefined;
  const valid = (name: unknown) => name === null || (typeof name === "string" && isWellFormed(name));
  if (!Array.isArray(names) || names.length !== rank || !Array.from(names).every(valid)) {
    const given = Array.isArray(names)
      ? `[${Array.from(names, describeValue).join(", ")}]`
      : describeValue(names);
    throw invalidArgument(`dimensionNames must be a list of ${rank} Unicode strings or nulls, not ${given}`);
  }
  return [...names] as (string | null)[];
}

/** Option names of each chunk key encoding. */
const keyOptions: Readonly<Record<ChunkKeys["name"], readonly string[]>> = {
  default: ["separator"],
  v2: ["separator"],
  suffix: ["suffix", "baseEncoding"],
  fanout: ["maxChildren"],
};

function resolveChunkKeys(
  option: CreateOptions["chunkKeyEncoding"],
  version: ZarrVersion,
  depth = 0,
): ChunkKeys {
  const encoding: unknown = option ?? {};
  const name = readName(encoding, version);
  const { separator, suffix, baseEncoding, maxChildren } = encoding as Partial<Record<string, unknown>>;
  if (name === "fanout") return { name, maxChildren: resolveMaxChildren(maxChildren) };
  if (name !== "suffix") return { name, separator: resolveSeparator(separator, name, version) };
  if (typeof suffix !== "string")
    throw badKeys(`chunkKeyEncoding "suffix" requires a string as suffix, got ${describeValue(suffix)}`);
  if (depth >= maxSuffixes) throw badKeys(tooManySuffixes);
  return { name, suffix, base: resolveChunkKeys(baseEncoding as typeof option, version, depth + 1) };
}

/** Returns the name of an encoding after checking its option names. */
function readName(encoding: unknown, version: ZarrVersion): ChunkKeys["name"] {
  const usual = version === 3 ? "default" : "v2";
  if (typeof encoding !== "object" || encoding === null)
    throw badKeys(`chunkKeyEncoding must be { name, separator }, not ${describeValue(encoding)}`);
  const name = (encoding as { name?: unknown }).name ?? usual;
  if (typeof name !== "string" || !Object.hasOwn(keyOptions, name) || (version < 3 && name !== "v2"))
    throw badKeys(`chunkKeyEncoding ${describeValue(name)} does not exist in Zarr v${version}`);
  const known = keyOptions[name as ChunkKeys["name"]];
  const other = Object.keys(encoding).find((key) => key !== "name" && !known.includes(key));
  if (other !== undefined)
    throw badKeys(
      `chunkKeyEncoding has the unknown option ${describeValue(other)}; expected { name, ${known.join(", ")} }`,
    );
  return name as ChunkKeys["name"];
}

function resolveSeparator(given: unknown, name: PlainKeys["name"], version: ZarrVersion): Separator {
  const separator = given ?? (name === "default" ? "/" : ".");
  if ((separator === "/" && version > 1) || separator === ".") return separator;
  throw badKeys(
    `chunkKeyEncoding ${describeValue(name)} cannot have the separator ${describeValue(separator)} in Zarr v${version}`,
  );
}

/**
 * Returns a power of ten. Other values are rejected: they would stand for the power below, with a warning
 * from readers.
 */
function resolveMaxChildren(given: unknown): number {
  const children = given ?? 1000;
  const what = 'maxChildren of chunkKeyEncoding "fanout"';
  if (!(Number.isSafeInteger(children) && (children as number) >= 100))
    throw badKeys(`${what} must be an integer from 100 to 2^53 - 1, not ${describeValue(children)}`);
  const power = powerOfTen(children as number);
  if (power === children) return power;
  throw badKeys(`${what} must be a power of ten, got ${describeValue(children)}; readers would use ${power}`);
}

const badKeys = (message: string) => invalidArgument(message);

/** Target size of a chunk, in bytes. */
const targetBytes = 2 ** 20;
/** Assumed size of an element of variable length, in bytes. */
const variableBytes = 16;

/**
 * Returns a chunk shape of about 1 MiB: equally many elements along all axes except shorter ones, in powers
 * of two or an axis' whole length. An axis of length 0 is expected to grow, so it gets the remaining
 * elements. Inside shards, chunks divide the shard.
 */
export function defaultChunkShape(
  shape: readonly number[],
  itemBytes: number,
  shardShape: readonly number[] | undefined,
): number[] {
  const whole = shardShape ?? shape;
  const most = Math.max(1, Math.floor(targetBytes / (itemBytes || variableBytes)));
  const chunk = whole.map(() => 1);
  double(chunk, most, (axis) => chunk[axis]! < whole[axis]!);
  double(chunk, most, (axis) => whole[axis] === 0);
  return chunk.map((length, axis) => fitted(length, whole[axis]!, shardShape !== undefined));
}

/**
 * Repeatedly doubles the shortest eligible length, the last axis first, while the chunk stays within the
 * limit.
 */
function double(chunk: number[], most: number, mayGrow: (axis: number) => boolean): void {
  for (;;) {
    const axes = chunk.map((_, axis) => axis).filter(mayGrow);
    const count = countOf(chunk);
    if (axes.length === 0 || 2 * count > most) return;
    const shortest = axes.reduce((best, axis) => (chunk[axis]! <= chunk[best]! ? axis : best));
    chunk[shortest]! *= 2;
  }
}

function fitted(length: number, whole: number, mustDivide: boolean): number {
  if (whole === 0) return length;
  let fitting = Math.min(length, whole);
  while (mustDivide && whole % fitting !== 0) fitting--;
  return fitting;
}
