/**
 * Shards of precomputed volumes, "neuroglancer_uint64_sharded_v1": chunks by a number that the indexes of a shard locate.
 * Spec: "Sharded format" of google/neuroglancer
 */

import type { ByteReader } from "../../store/source/byte-reader.js";
import { SingleFlight } from "../../util/async.js";
import { isZarrError, limitExceeded } from "../../util/errors.js";
import { inflate } from "../../util/inflate.js";
import { isJsonObject, type Json } from "../../util/json.js";
import { blocksOf } from "../file/blocks.js";
import { badFile, Cursor, unsupportedFile } from "../file/cursor.js";
import type { FilePart } from "../file/model.js";
import { type FolderContext, Members } from "./context.js";

/** Maximum number of chunks in a minishard. */
const maxEntries = 2 ** 20;
/** Indexes of minishards that are kept. */
const keptIndexes = 256;
const maxMinishardBits = 32;
const maxBits = 64;
const entryBytes = 16;

/** The chunks of a minishard by their number. */
interface Index {
  readonly file: ByteReader;
  readonly chunks: ReadonlyMap<bigint, readonly [offset: number, length: number]>;
}

export function parseSharding(
  context: FolderContext,
  folder: string,
  json: Json,
  cells: readonly number[],
  scale: string,
): Sharding {
  const what = `"sharding" of ${scale}`;
  if (!isJsonObject(json)) throw badFile(`${what} must be an object`);
  const members = new Members(json, what);
  const kind = members.text("@type");
  if (kind !== "neuroglancer_uint64_sharded_v1")
    throw unsupportedFile(`${what}: shards of the type ${JSON.stringify(kind)}`);
  const choice = (name: string, values: readonly string[], fallback?: string) => {
    const value = members.text(name) ?? fallback;
    if (value !== undefined && values.includes(value)) return value;
    throw unsupportedFile(`${what}: ${name} ${JSON.stringify(value)}`);
  };
  const encodings = ["raw", "gzip"];
  const parts = {
    preshift: members.integer("preshift_bits", 0, maxBits),
    isHashed: choice("hash", ["identity", "murmurhash3_x86_128"]) !== "identity",
    minishardBits: members.integer("minishard_bits", 0, maxMinishardBits),
    shardBits: members.integer("shard_bits", 0, maxBits),
    isIndexGzip: choice("minishard_index_encoding", encodings, "raw") === "gzip",
    isGzip: choice("data_encoding", encodings, "raw") === "gzip",
  };
  if (parts.minishardBits + parts.shardBits > maxBits)
    throw badFile(`${what} has more than ${maxBits} bits of shards`);
  if (bitsOf(cells).length > maxBits) throw badFile(`${what} has numbers of more than ${maxBits} bits`);
  return new Sharding(context, folder, cells, parts);
}

interface ShardingParts {
  readonly preshift: number;
  readonly isHashed: boolean;
  readonly minishardBits: number;
  readonly shardBits: number;
  readonly isIndexGzip: boolean;
  readonly isGzip: boolean;
}

export class Sharding {
  readonly isGzip: boolean;
  readonly #indexes = new Map<string, Index | undefined>();
  readonly #files = new Map<string, ByteReader>();
  readonly #flights = new SingleFlight<Index | undefined>();

  constructor(
    private readonly context: FolderContext,
    private readonly folder: string,
    private readonly cells: readonly number[],
    private readonly parts: ShardingParts,
  ) {
    this.isGzip = parts.isGzip;
  }

  /** Returns the location of a chunk; undefined if it is missing. @param cell index of the chunk: x, y, z. */
  async find(cell: readonly number[], signal: AbortSignal | undefined): Promise<FilePart | undefined> {
    const { preshift, isHashed, minishardBits, shardBits } = this.parts;
    const id = mortonCode(cell, this.cells);
    const shifted = id >> BigInt(preshift);
    const hash = isHashed ? murmurHash(shifted) : shifted;
    const minishard = Number(BigInt.asUintN(minishardBits, hash));
    const shard = BigInt.asUintN(shardBits, hash >> BigInt(minishardBits));
    const name = `${shard.toString(16).padStart(Math.ceil(shardBits / 4), "0")}.shard`;
    const index = await this.#index(name, minishard, signal);
    const found = index?.chunks.get(id);
    if (!found) return undefined;
    const [offset, length] = found;
    blocksOf(index!.file).check(offset, length);
    return { file: index!.file, offset, length };
  }

  async #index(name: string, minishard: number, signal: AbortSignal | undefined): Promise<Index | undefined> {
    const key = `${name}/${minishard}`;
    const indexes = this.#indexes;
    if (!indexes.has(key)) {
      const index = await this.#flights.run(key, signal, (own) => this.#read(name, minishard, own));
      indexes.set(key, index);
      const [oldest] = indexes.keys();
      if (indexes.size > keptIndexes) indexes.delete(oldest!);
    }
    return indexes.get(key);
  }

  /** Reads the index of a minishard; undefined if the shard is missing. */
  async #read(name: string, minishard: number, signal: AbortSignal): Promise<Index | undefined> {
    const file = this.#file(name);
    const blocks = blocksOf(file, this.context.limits.indexBytes);
    const what = `the shard ${file.name}`;
    const end = entryBytes * 2 ** this.parts.minishardBits;
    let entry: Uint8Array;
    try {
      entry = await blocks.read(entryBytes * minishard, entryBytes, signal);
    } catch (error) {
      if (isZarrError(error, "NotFound")) return undefined;
      throw error;
    }
    const cursor = new Cursor(entry, what);
    const [first, last] = [cursor.u64(), cursor.u64()];
    if (last < first) throw badFile(`${what} has an index of ${last - first} bytes`);
    if (last === first) return { file, chunks: new Map() };
    const stored = await blocks.read(end + first, last - first, signal);
    const bytes = this.parts.isIndexGzip
      ? await gunzip(stored, this.context.limits.indexBytes, what)
      : stored;
    return { file, chunks: chunksIn(bytes, end, what) };
  }

  #file(name: string): ByteReader {
    const file = this.#files.get(name) ?? this.context.reader(this.folder, name);
    // The indexes keep the files that they need.
    this.#files.delete(name);
    this.#files.set(name, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size > keptIndexes) this.#files.delete(oldest!);
    return file;
  }
}

/** Parses an index: three rows of numbers, sizes, and distances to the one before. */
function chunksIn(bytes: Uint8Array, start: number, what: string): Index["chunks"] {
  const count = bytes.byteLength / 24;
  if (!Number.isInteger(count)) throw badFile(`${what} has an index of ${bytes.byteLength} bytes`);
  if (count > maxEntries)
    throw limitExceeded(`${what} has ${count} chunks in a minishard; ${maxEntries} is the limit`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const word = (row: number, i: number) => view.getBigUint64(8 * (row * count + i), true);
  const chunks = new Map<bigint, readonly [number, number]>();
  let [id, offset] = [0n, BigInt(start)];
  for (let i = 0; i < count; i++) {
    id = BigInt.asUintN(64, id + word(0, i));
    offset = BigInt.asUintN(64, offset + word(1, i));
    const length = word(2, i);
    if (offset + length > BigInt(Number.MAX_SAFE_INTEGER)) throw badFile(`${what} has a chunk at ${offset}`);
    chunks.set(id, [Number(offset), Number(length)]);
    offset += length;
  }
  return chunks;
}

/** Decompresses a gzip stream of one member. */
async function gunzip(bytes: Uint8Array, maxBytes: number, what: string): Promise<Uint8Array> {
  // The last four bytes are the length.
  const cursor = new Cursor(bytes, `compressed data in ${what}`, true, Math.max(0, bytes.length - 4));
  const length = cursor.u32();
  if (length > maxBytes)
    throw limitExceeded(`${cursor.what} has ${length} bytes, more than the limit of ${maxBytes}`);
  return inflate(bytes, length, cursor.what, "gzip");
}

/** Returns the axes of the bits of a number, lowest first: axes that are too short for a bit have none. */
function bitsOf(cells: readonly number[]): { axis: number; bit: number }[] {
  const bits: { axis: number; bit: number }[] = [];
  for (let bit = 0; cells.some((count) => 2 ** bit < count); bit++)
    cells.forEach((count, axis) => {
      if (2 ** bit < count) bits.push({ axis, bit });
    });
  return bits;
}

/** Returns the compressed Morton code of a cell. */
export function mortonCode(cell: readonly number[], cells: readonly number[]): bigint {
  let code = 0n;
  bitsOf(cells).forEach(({ axis, bit }, to) => {
    if (Math.floor(cell[axis]! / 2 ** bit) % 2 === 1) code |= 1n << BigInt(to);
  });
  return code;
}

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

function mixed(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}

/** Returns the low 64 bits of MurmurHash3_x86_128 of a number of 64 bits, with the seed 0. */
function murmurHash(value: bigint): bigint {
  const [low, high] = [Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n))];
  const k2 = Math.imul(rotated(Math.imul(high, 0xab0e9789), 16), 0x38b34ae5);
  const k1 = Math.imul(rotated(Math.imul(low, 0x239b961b), 15), 0xab0e9789);
  const length = 8;
  let [h1, h2, h3, h4] = [k1 ^ length, k2 ^ length, length, length];
  for (let round = 0; round < 2; round++) {
    h1 = (h1 + h2 + h3 + h4) | 0;
    [h2, h3, h4] = [(h2 + h1) | 0, (h3 + h1) | 0, (h4 + h1) | 0];
    if (round === 0) [h1, h2, h3, h4] = [mixed(h1), mixed(h2), mixed(h3), mixed(h4)];
  }
  return (BigInt(h2 >>> 0) << 32n) | BigInt(h1 >>> 0);
}
