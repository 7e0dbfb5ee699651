/** The nodes of a file as kerchunk describes them: documents of Zarr v2, and the range of each chunk. */

import type { FillValue } from "../../dtypes/fill-value.js";
import type { ArrayFileStore } from "../../formats/array-file/store.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { open } from "../../hierarchy/open.js";
import { v2ArrayKey, v2AttributesKey, v3Key } from "../../metadata/document.js";
import { type ArrayMetadata, attributesIn } from "../../metadata/model.js";
import { convertMetadata, dimensionsAttribute } from "../../metadata/new-array.js";
import { withEntries } from "../../metadata/print.js";
import type { ByteReader } from "../../store/source/byte-reader.js";
import { findSpan, joinKey } from "../../store/store.js";
import { decodeBase64 } from "../../util/bytes.js";
import { limitExceeded, unsupported } from "../../util/errors.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject } from "../../util/json.js";
import { resolveLimits } from "../../util/limits.js";
import { countOf, indices } from "../../util/shapes.js";
import { withTurns } from "../../util/slices.js";
import { readTree, type SourceArray, withPathInErrors } from "../nodes.js";

/** A range of a target, or the bytes of the chunk. */
export type ChunkReference = Uint8Array | readonly [target: string, offset: number, length: number];

export interface ReferencedNode {
  readonly path: string;
  readonly attributes: JsonObject;
  /** Undefined for groups. */
  readonly array: ReferencedArray | undefined;
}

export interface ReferencedArray {
  /** The document `.zarray`. */
  readonly document: JsonObject;
  readonly shape: readonly number[];
  readonly chunkShape: readonly number[];
  /** Names of the dimensions; undefined if the array has none. */
  readonly dimensions: readonly string[] | undefined;
  /** References by the index of the chunk, in C order of the grid. */
  readonly chunks: ReadonlyMap<number, ChunkReference>;
  readonly source: ZarrArray;
}

/** The nodes of a file by their paths; groups come before their members. */
export interface ReferencedFile {
  readonly name: string;
  readonly nodes: ReadonlyMap<string, ReferencedNode>;
}

export interface ReadOptions {
  /** Chunks of fewer bytes are part of the references. */
  readonly inline: number;
  /** Returns the target of a file. */
  readonly target: (file: ByteReader) => Promise<string>;
  readonly signal: AbortSignal | undefined;
}

/** Maximum number of bytes of an array that has chunks without a range, which become part of the references. */
const maxInline = 2 ** 26;

/**
 * Reads the nodes of a file and the ranges of all chunks.
 * @throws Unsupported, naming the array, for arrays without a form in Zarr v2; LimitExceeded.
 */
export async function readFile(
  store: ArrayFileStore,
  name: string,
  options: ReadOptions,
): Promise<ReferencedFile> {
  const root = await open(store, { signal: options.signal });
  const nodes = new Map<string, ReferencedNode>();
  for (const node of await readTree(root)) {
    const { path } = node;
    if (node.kind === "array") {
      const read = () => readArray(store, node, options);
      nodes.set(path, await withPathInErrors(path, read));
    } else {
      const attributes = attributesIn(node.metadata.documents.get(v3Key), 3);
      nodes.set(path, { path, attributes, array: undefined });
    }
  }
  return { name, nodes };
}

async function readArray(
  store: ArrayFileStore,
  { path, array, metadata }: SourceArray,
  options: ReadOptions,
): Promise<ReferencedNode> {
  if (!metadata.spec.isRegular || metadata.spec.isSharded) await toV2(metadata, {}); // throws, naming the reason
  const chunks = await readChunks(store, array, metadata, options);
  const isComplete = chunks.size === countOf(array.gridShape);
  const { documents, spec } = await toV2(metadata, fillChanges(metadata, isComplete));
  const document = documents.get(v2ArrayKey)!;
  checkCodecs(document);
  const attributes = documents.get(v2AttributesKey) ?? {};
  const names = attributes[dimensionsAttribute];
  return {
    path,
    attributes,
    array: {
      document,
      shape: spec.shape,
      chunkShape: array.chunkShape,
      dimensions: Array.isArray(names) ? (names as string[]) : spec.shape.length === 0 ? [] : undefined,
      chunks,
      source: array,
    },
  };
}

/** Converts the metadata to Zarr v2. kerchunk's Parquet layout and older readers know only keys with points. */
async function toV2(metadata: ArrayMetadata, changes: object): Promise<ArrayMetadata> {
  const keys = { name: "v2", separator: "." } as const;
  const options = { limits: resolveLimits(undefined) };
  return (await convertMetadata(metadata, 2, options, { keys, ...changes })) as ArrayMetadata;
}

/**
 * Returns the fill value in the way of Zarr v2, where xarray takes it for `_FillValue`: null if the array has no such
 * attribute and no missing chunks.
 */
function fillChanges({ spec, documents }: ArrayMetadata, isComplete: boolean) {
  const attributes = attributesIn(documents.get(v3Key), 3);
  const own = attributes["_FillValue"];
  if (own === undefined)
    return isComplete ? { fill: { value: null, item: new Uint8Array(spec.dtype.itemBytes) } } : {};
  const number = fillNumber(own);
  if (typeof own === "string" && number === undefined) return {};
  if (isSame(spec.fill, number)) return { attributes: withEntries(attributes, [["_FillValue", undefined]]) };
  return { attributes: withEntries(attributes, [["_FillValue", number]]) };
}

/** Parses the attribute, which is base64 of a float64 for floats. */
function fillNumber(value: Json): JsonNumber | undefined {
  if (value instanceof JsonNumber) return value;
  const bytes = typeof value === "string" ? decodeBase64(value, 8) : undefined;
  if (bytes?.byteLength !== 8) return undefined;
  return new JsonNumber(String(new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true)));
}

function isSame({ value }: FillValue, number: JsonNumber | undefined): boolean {
  if (number === undefined) return false;
  return typeof value === "bigint"
    ? number.isInteger && number.bigint === value
    : Object.is(value, number.value);
}

/** Codecs of Zarr v2 that programs other than this library have: those of numcodecs, and of imagecodecs. */
const known =
  /^(?:zlib|gzip|bz2|lzma|lz4|zstd|blosc|zfpy|shuffle|delta|fixedscaleoffset|astype|packbits|quantize|bitround|fletcher32|crc32|adler32|jenkins_lookup3|vlen-utf8|vlen-bytes|vlen-array|json2|categorize|imagecodecs_\w+)$/;

/** @throws Unsupported for codecs that readers of Zarr v2 do not have. */
function checkCodecs(document: JsonObject): void {
  const { filters, compressor } = document;
  for (const codec of [...(Array.isArray(filters) ? filters : []), compressor ?? null]) {
    const id = isJsonObject(codec ?? undefined) ? (codec as JsonObject)["id"] : undefined;
    if (id !== undefined && !known.test(String(id)))
      throw unsupported(`readers of references do not have the codec ${id}`, {
        code: "unsupported-codec",
        codec: String(id),
      });
  }
}

async function readChunks(
  store: ArrayFileStore,
  array: ZarrArray,
  { spec }: ArrayMetadata,
  options: ReadOptions,
): Promise<Map<number, ChunkReference>> {
  const { gridShape, limits } = array;
  const count = countOf(gridShape);
  if (count > limits.references)
    throw limitExceeded(`the array has ${count} chunks, more than the limit of ${limits.references}`);
  const chunks = new Map<number, ChunkReference>();
  let [index, inlined] = [-1, 0];
  for await (const at of withTurns(indices(gridShape))) {
    options.signal?.throwIfAborted();
    index++;
    const found = await readChunk(store, joinKey(array.path, spec.chunkKey(at)), options);
    if (!found) continue;
    chunks.set(index, found);
    if (found instanceof Uint8Array) inlined += found.byteLength;
    if (inlined > maxInline)
      throw unsupported("its chunks are not ranges of the file, and too large to be part of the references", {
        code: "unsupported-reference",
      });
  }
  return chunks;
}

async function readChunk(
  store: ArrayFileStore,
  key: string,
  { inline, target, signal }: ReadOptions,
): Promise<ChunkReference | undefined> {
  const span = await store[findSpan](key, signal);
  if (span && span.length >= inline) return [await target(span.reader), span.offset, span.length];
  return store.get(key, { signal });
}

/** Returns the coordinates of a chunk. */
export function coordinates(index: number, grid: readonly number[]): number[] {
  const result = new Array<number>(grid.length);
  let left = index;
  for (let axis = grid.length - 1; axis >= 0; axis--) {
    result[axis] = left % grid[axis]!;
    left = Math.floor(left / grid[axis]!);
  }
  return result;
}

export const gridOf = (shape: readonly number[], chunkShape: readonly number[]): number[] =>
  shape.map((length, axis) => Math.ceil(length / chunkShape[axis]!));
