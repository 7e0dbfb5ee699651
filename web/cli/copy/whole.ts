/**
 * Whether stored chunks and shards are whole, as far as that shows without decoding: what is copied as it is stored, and
 * what an earlier copy has left.
 */

import { type RangeQuery, readRange, type Store } from "zarr-wasm";
import {
  type ArrayReader,
  type ArraySpec,
  type CodecSession,
  type CoreChunkCodec,
  entryOf,
  type Leaf,
  parseEntries,
  resolveLimits,
  type ShardLevel,
  sessionOf,
  shorterThanIndex,
  storedParts,
} from "#internal";

/** Bytes of an object's start that are looked at. */
const startBytes = 16;

/** What is known of an object without reading it. */
interface Start {
  /** Its first bytes. */
  readonly bytes: Uint8Array;
  readonly size: number;
}

/**
 * Checks a chunk by its size, and by what its compressor's header says of its size.
 * @returns what is wrong; undefined for nothing.
 */
export function chunkFault(leaf: Leaf, { bytes, size }: Start): string | undefined {
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

/** What a version says of Blosc frames: bytes may follow them (codecs/blosc.ts). */
const trailingBytes = 2;

/** A chunk without bytes behind its Blosc frame, where the array that it goes into must not have them. */
export function trimmed(leaf: Leaf, bytes: Uint8Array): Uint8Array {
  const last = leaf.type === "core" ? leaf.chain.after.at(-1) : undefined;
  if (last?.core !== "blosc" || (last.params[5]! & trailingBytes) !== 0 || bytes.byteLength < 16)
    return bytes;
  const stored = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  return stored < 16 ? bytes : bytes.subarray(0, stored);
}

/** Whether chunks of one array may have such bytes, and those of the other must not. */
export function mayNeedTrimming(from: ArraySpec, to: ArraySpec): boolean {
  const flagsOf = ({ firstLayout: { leaf } }: ArraySpec) => {
    const last = leaf.type === "core" ? leaf.chain.after.at(-1) : undefined;
    return last?.core === "blosc" ? last.params[5]! & trailingBytes : 0;
  };
  return flagsOf(from) !== flagsOf(to);
}

function bloscFault(view: DataView, size: number, decoded: number | undefined): string | undefined {
  if (size < 16) return `it has ${size} bytes, fewer than a Blosc header`;
  const [said, stored] = [view.getUint32(4, true), view.getUint32(12, true)];
  if (stored > size) return `it has ${size} bytes of ${stored}`;
  return decoded === undefined || said === decoded
    ? undefined
    : `its header says ${said} bytes instead of ${decoded}`;
}

/** Bytes that elements encode to before some of the compressors, where that is the same for all chunks. */
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

/** What a stored object turned out to be. */
export interface Inspected {
  /** What is wrong; undefined for nothing. */
  readonly fault: string | undefined;
  /** The chunks in it, as they are stored. */
  readonly chunks: readonly Uint8Array[];
}

/**
 * Checks a whole stored object: of shards the index, and every chunk inside.
 * @throws CorruptChunk for an index that cannot be read.
 */
export function inspectObject(
  session: CodecSession,
  leaf: Leaf,
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

/** What is known of an object that is whole, as far as that shows. */
export interface WholeObject {
  readonly size: number;
  /** Chunks in it. */
  readonly chunks: number;
}

/**
 * Looks at an object without reading it: a chunk's size and its compressor's header, a shard's index, whose checksum must
 * be right and whose chunks must lie in the shard.
 * @returns undefined for one that is not there, or not whole.
 */
export async function wholeObject(
  store: Store,
  reader: ArrayReader,
  object: readonly number[],
): Promise<WholeObject | undefined> {
  const key = reader.objectKey(object);
  const { levels, leaf } = reader.layoutOf(object);
  const [level] = levels;
  if (!level || level.after.length > 0) {
    const found = await rangeOf(store, key, { offset: 0, length: startBytes });
    const isWhole = found && (level ? found.size > 0 : chunkFault(leaf, found) === undefined);
    return isWhole ? { size: found.size, chunks: 1 } : undefined;
  }
  const { bytes, location } = level.index;
  const range = location === "start" ? { offset: 0, length: bytes } : { suffixLength: bytes };
  const found = await rangeOf(store, key, range);
  const chunks = found && chunksInIndex(await sessionOf("full"), level, found);
  return chunks === undefined ? undefined : { size: found!.size, chunks };
}

/** How many chunks a shard's index names; undefined for an index that is not right. */
function chunksInIndex(
  session: CodecSession,
  { index, counts }: ShardLevel,
  { bytes, size }: Start,
): number | undefined {
  try {
    if (bytes.byteLength < index.bytes) throw shorterThanIndex(bytes.byteLength, index.bytes);
    const entries = parseEntries(session.decode(index.plan, bytes));
    const count = counts.reduce((a, b) => a * b, 1);
    let chunks = 0;
    for (let entry = 0; entry < count; entry++)
      if (entryOf(entries, entry, size, resolveLimits(undefined))) chunks++;
    return chunks;
  } catch {
    return undefined;
  }
}

/** Part of an object, with its size; undefined where there is none. */
async function rangeOf(store: Store, key: string, range: RangeQuery): Promise<Start | undefined> {
  const version: { size?: number } = {};
  const bytes = await readRange(store, key, range, { version });
  if (!bytes) return undefined;
  const size = version.size ?? (await store.get(key))?.byteLength ?? 0;
  return { bytes, size };
}
