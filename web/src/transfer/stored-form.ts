/**
 * Compares the encodings of arrays, and checks stored chunks and shards without decoding them, to copy encoded chunks
 * and to find whole objects of an earlier copy.
 */

import { type ResolvedChain, resolveChain } from "../chain/chain.js";
import type { CoreChunkCodec } from "../chain/chunk-codec.js";
import type { LeafChunkCodec, ShardLevel } from "../chain/layout.js";
import { parseEntries, readEntry, shorterThanIndex } from "../chain/shards.js";
import { leafCodecs } from "../edit/array-options.js";
import { getSession } from "../engine/engine.js";
import type { CodecSession } from "../engine/session.js";
import type { ArraySpec } from "../metadata/spec.js";
import type { ArrayReader } from "../read/reader.js";
import type { ObjectPart, ReadPart } from "../store/file/copy.js";
import { readRange } from "../store/read.js";
import type { Store } from "../store/store.js";
import { resolveLimits } from "../util/limits.js";
import { countOf } from "../util/shapes.js";
import { storedParts } from "../write/shard.js";

/** Whether an encoded chunk of one array is a chunk of the other with the same elements. */
export function isSameEncoding(a: ArraySpec, b: ArraySpec): boolean {
  const isSameShape = a.chunkShape.join() === b.chunkShape.join() && a.isRegular === b.isRegular;
  if (!isSameShape || JSON.stringify(a.dtype) !== JSON.stringify(b.dtype)) return false;
  if (!a.isRegular && !isSameGrid(a, b)) return false;
  return chainOutline(a) === chainOutline(b);
}

/** Whether a stored object, chunk or shard, of one array is one of the other with the same elements. */
export function isSameObject(a: ArraySpec, b: ArraySpec): boolean {
  if (!isSameEncoding(a, b) || a.isSharded !== b.isSharded) return false;
  if (!a.isSharded) return true;
  return levelsOutline(a) === levelsOutline(b);
}

/** Whether both have the same irregular chunks. */
function isSameGrid(a: ArraySpec, b: ArraySpec): boolean {
  return a.axes.every((axis, i) => {
    const other = b.axes[i]!;
    if (axis.count !== other.count || axis.count > maxCompared) return false;
    for (let chunk = 0; chunk < axis.count; chunk++) if (axis.size(chunk) !== other.size(chunk)) return false;
    return true;
  });
}

/** Limit for chunks along an axis whose lengths are compared. */
const maxCompared = 2 ** 20;

/** Prints the encoding of chunks independently of the Zarr version. */
function chainOutline(spec: ArraySpec): string {
  const { chunkShape: shape, dtype, zarrFormat: version } = spec;
  const codecs = leafCodecs(spec.codecs);
  const chain = resolveChain(codecs, { dtype, shape }, { limits: resolveLimits(undefined), version });
  const own = codecs.find(
    ({ name }) => "name" in chain.toBytes && name === chain.toBytes.name,
  )?.configuration;
  const after = chain.after.map(({ core, params }) => [
    core,
    core === "blosc" ? bloscOutline(params) : params,
  ]);
  return JSON.stringify([beforeOutline(chain), toBytesOutline(chain, own), after]);
}

/** Combines consecutive transposes, and drops those without effect. */
function beforeOutline({ before }: ResolvedChain): unknown[] {
  const outline: [string, readonly number[]][] = [];
  for (const { core, params } of before) {
    const last = outline.at(-1);
    if (core !== "transpose" || last?.[0] !== "transpose") outline.push([core, params]);
    else last[1] = params.map((axis) => last[1][axis]!);
  }
  return outline.filter(([core, params]) => core !== "transpose" || params.some((axis, i) => axis !== i));
}

const zstdInBlosc = 5;
const legacyZstd = 1;

/**
 * Options of Blosc that decide its encoding. Trailing bytes are cut off when chunks are copied. Zstandard from before its
 * format was final (Zarr v1) matters for the zstd compressor only.
 */
function bloscOutline(params: readonly number[]): readonly number[] {
  const flags = params[0] === zstdInBlosc ? params[5]! & legacyZstd : 0;
  return [...params.slice(0, 5), flags];
}

function toBytesOutline({ toBytes, encodedArray }: ResolvedChain, configuration: unknown): unknown {
  if (toBytes.type !== "core")
    return [toBytes.type, toBytes.name.replace("numcodecs.", ""), configuration ?? {}];
  const { core, params } = toBytes.step;
  // The byte order of single bytes is irrelevant.
  const isSingle = core === "bytes" && encodedArray.dtype.itemBytes === 1;
  return [core, isSingle ? [] : params];
}

const levelsOutline = ({ firstLayout }: ArraySpec): string =>
  JSON.stringify(firstLayout.levels.map(levelOutline));

function levelOutline({ shape, innerShape, axes, counts, index, after }: ShardLevel): unknown {
  const steps = after.map(({ core, params }) => [core, params]);
  return [shape, innerShape, axes, counts, index.location, index.bytes, [...index.plan.words], steps];
}

/** Number of bytes at the start of an object that are checked. */
const startBytes = 16;

/**
 * Checks the size of a chunk, and the sizes in the header of its compressor.
 * @returns the problem; undefined for none.
 */
export function chunkFault(leaf: LeafChunkCodec, { bytes, size }: ObjectPart): string | undefined {
  if (size === 0) return "it is empty";
  if (leaf.type !== "core") return undefined;
  const exact = sizeBefore(leaf, leaf.chain.after.length);
  if (exact !== undefined) return size === exact ? undefined : `it has ${size} bytes instead of ${exact}`;
  const last = leaf.chain.after.at(-1);
  if (!last) return undefined;
  const decoded = sizeBefore(leaf, leaf.chain.after.length - 1);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (last.core === "blosc") return bloscFault(view, size, decoded);
  if (last.core === "lz4" && decoded !== undefined) {
    const said = size < 4 ? undefined : view.getUint32(0, true);
    return said === decoded ? undefined : `its header says ${said ?? "no"} bytes instead of ${decoded}`;
  }
  return undefined;
}

/** Flag of Zarr versions in which bytes may follow a Blosc frame (codecs/compressors.ts). */
const trailingBytes = 2;

/** Cuts off bytes after a Blosc frame if the target array must not have them. */
export function trimmed(leaf: LeafChunkCodec, bytes: Uint8Array): Uint8Array {
  const last = leaf.type === "core" ? leaf.chain.after.at(-1) : undefined;
  if (last?.core !== "blosc" || (last.params[5]! & trailingBytes) !== 0 || bytes.byteLength < 16)
    return bytes;
  const stored = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  return stored < 16 ? bytes : bytes.subarray(0, stored);
}

/** Whether chunks of one array may have such bytes, but chunks of the other must not. */
export function mayNeedTrimming(from: ArraySpec, to: ArraySpec): boolean {
  const trailingFlag = ({ firstLayout: { leaf } }: ArraySpec) => {
    const last = leaf.type === "core" ? leaf.chain.after.at(-1) : undefined;
    return last?.core === "blosc" ? last.params[5]! & trailingBytes : 0;
  };
  return trailingFlag(from) !== trailingFlag(to);
}

function bloscFault(view: DataView, size: number, decoded: number | undefined): string | undefined {
  if (size < 16) return `it has ${size} bytes, fewer than a Blosc header`;
  const [said, stored] = [view.getUint32(4, true), view.getUint32(12, true)];
  if (stored > size) return `it has ${size} bytes of ${stored}`;
  return decoded === undefined || said === decoded
    ? undefined
    : `its header says ${said} bytes instead of ${decoded}`;
}

/** Size of a chunk after some of its encoding steps; undefined if it differs between chunks. */
function sizeBefore({ chain }: CoreChunkCodec, steps: number): number | undefined {
  if (chain.toBytes.type !== "core") return undefined;
  const { shape, dtype } = chain.encodedArray;
  const bytes = shape.reduce((a, b) => a * b, dtype.itemBytes);
  const all = [chain.toBytes.step, ...chain.after.slice(0, steps)];
  return all.reduce<number | undefined>(
    (size, { definition }) => (size === undefined ? undefined : definition.encodedBytes?.(size)),
    bytes,
  );
}

/** Result of checking a stored object. */
export interface Inspected {
  /** The problem; undefined for none. */
  readonly fault: string | undefined;
  /** Its encoded chunks. */
  readonly chunks: readonly Uint8Array[];
}

/**
 * Checks a whole stored object: a chunk, or the index of a shard and every chunk inside.
 * @throws CorruptChunk for an index that cannot be read.
 */
export function inspectObject(
  session: CodecSession,
  leaf: LeafChunkCodec,
  levels: readonly ShardLevel[],
  bytes: Uint8Array,
): Inspected {
  const [level, ...inner] = levels;
  if (!level) return { fault: chunkFault(leaf, { bytes, size: bytes.byteLength }), chunks: [bytes] };
  const chunks: Uint8Array[] = [];
  const parts = storedParts({ session, limits: resolveLimits(undefined) }, level, bytes) ?? [];
  for (const [entry, part] of parts.entries()) {
    if (!part) continue;
    const inside = inspectObject(session, leaf, inner, part);
    if (inside.fault) return { fault: `chunk ${entry} inside: ${inside.fault}`, chunks };
    chunks.push(...inside.chunks);
  }
  return { fault: undefined, chunks };
}

/** Size and number of chunks of an object that appears whole. */
export interface WholeObject {
  readonly size: number;
  /** Number of its chunks. */
  readonly chunks: number;
}

/** Compressors whose header {@link chunkFault} reads. */
const withHeader = new Set(["blosc", "lz4"]);

/** Bytes at the start of a chunk that {@link chunkFault} needs. */
function startLength(leaf: LeafChunkCodec): number {
  const last = leaf.type === "core" ? leaf.chain.after.at(-1)?.core : undefined;
  return last !== undefined && withHeader.has(last) ? startBytes : 0;
}

/**
 * Checks an object without reading all of it: the size and compressor header of a chunk, or the index of a shard with its
 * checksum and the ranges of its chunks.
 * @param read reads the object. A range of no bytes asks for the size only.
 * @returns undefined for missing and for incomplete objects.
 */
export async function wholeObject(
  read: ReadPart,
  reader: ArrayReader,
  object: readonly number[],
): Promise<WholeObject | undefined> {
  const { levels, leaf } = reader.layoutOf(object);
  const [level] = levels;
  if (!level || level.after.length > 0) {
    const found = await read({ offset: 0, length: level ? 0 : startLength(leaf) });
    const isWhole = found && (level ? found.size > 0 : chunkFault(leaf, found) === undefined);
    return isWhole ? { size: found.size, chunks: 1 } : undefined;
  }
  const { bytes, location } = level.index;
  const found = await read(location === "start" ? { offset: 0, length: bytes } : { suffixLength: bytes });
  const chunks = found && chunksInIndex(await getSession("full"), level, found);
  return chunks === undefined ? undefined : { size: found!.size, chunks };
}

/** Counts the chunks in the index of a shard; undefined for an invalid index. */
function chunksInIndex(
  session: CodecSession,
  { index, counts }: ShardLevel,
  { bytes, size }: ObjectPart,
): number | undefined {
  try {
    if (bytes.byteLength < index.bytes) throw shorterThanIndex(bytes.byteLength, index.bytes);
    const entries = parseEntries(session.decode(index.plan, bytes));
    const count = countOf(counts);
    let chunks = 0;
    for (let entry = 0; entry < count; entry++)
      if (readEntry(entries, entry, size, resolveLimits(undefined))) chunks++;
    return chunks;
  } catch {
    return undefined;
  }
}

/** Returns a function that reads parts of an object in a store. */
export const partsOf =
  (store: Store, key: string): ReadPart =>
  async (range) => {
    const version: { size?: number } = {};
    // Servers have no answer to a range of no bytes.
    const asked = "length" in range ? { ...range, length: Math.max(1, range.length) } : range;
    const bytes = await readRange(store, key, asked, { version });
    if (!bytes) return undefined;
    return { bytes, size: version.size ?? (await store.get(key))?.byteLength ?? 0 };
  };
