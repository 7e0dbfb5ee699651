/**
 * A slow and plain writer of Zarr v2 and v3 arrays for the tests of reading: chunk by chunk, element by
 * element. It works on element positions, so the content of a chunk never depends on its layout.
 */
import { type ElementData, MapStore, type RangeQuery, type Store } from "zarr-wasm";
import { type CodecChain, type CodecChainDType, createCodecChain } from "zarr-wasm/codecs";
import { toElements } from "#src/dtypes/elements.js";
import { bytesOf, everyIndex, flatIndex, product, randomizer } from "./support.js";

export interface Codec {
  name: string;
  configuration?: Record<string, unknown>;
}

/** Layout options of a shard that are not in its metadata. */
export interface ShardLayout {
  /** Share of inner chunks that are missing, from 0 to 1. */
  missing?: number;
  /** The order in which inner chunks are stored. */
  order?: "C" | "reverse" | "shuffled";
  /** Maximum number of bytes between them. */
  gap?: number;
  /** Equal inner chunks are stored once. */
  share?: boolean;
  /** Changes the index before it is encoded: pairs of offset and size. */
  spoil?: (index: BigUint64Array) => void;
  seed?: number;
}

export interface WriteOptions extends ShardLayout {
  path?: string;
  /** Stored chunks (shards) that are missing, by key. */
  isMissing?: (key: string) => boolean;
  /** One element of fill value, if the metadata's is not a plain number (see `fillItem`). */
  fill?: Uint8Array;
}

/** The expected elements, with fill value for missing ones. */
export interface Written {
  shape: readonly number[];
  itemBytes: number;
  elements: Uint8Array;
}

const endian = "little";
export const bytesLittle: Codec = { name: "bytes", configuration: { endian } };
export const bytesBig: Codec = { name: "bytes", configuration: { endian: "big" } };
export const zstd: Codec = { name: "zstd", configuration: { level: 1, checksum: false } };
export const gzip: Codec = { name: "gzip", configuration: { level: 1 } };
export const crc32c: Codec = { name: "crc32c" };
export const transposed = (...order: number[]): Codec => ({ name: "transpose", configuration: { order } });
export const blosc = (configuration: Record<string, unknown> = {}): Codec => ({
  name: "blosc",
  configuration: { cname: "lz4", clevel: 1, shuffle: "shuffle", typesize: 4, blocksize: 0, ...configuration },
});
export const sharded = (
  chunk_shape: readonly number[],
  codecs: Codec[] = [bytesLittle],
  index_codecs: Codec[] = [bytesLittle, crc32c],
  index_location: "start" | "end" = "end",
): Codec => ({
  name: "sharding_indexed",
  configuration: { chunk_shape, codecs, index_codecs, index_location },
});

/** Fill values by data type, of v2 or v3. */
const fills: readonly (readonly [RegExp, unknown])[] = [
  [/^u?int(8|16|32|64)$|^.[iu][1248]$/, 85],
  [/^float(32|64)$|^.f[48]$/, -1.5],
  [/^complex(64|128)$|^.c(8|16)$/, [1.5, -2]],
  [/^bool$|^.b1$/, true],
  [/^r24$/, [1, 2, 3]],
  [/^string$/, "\u00bf"],
];

/** Fields of metadata with a non-zero fill value, so that errors with missing chunks are detected. */
export function filled<T extends Record<string, unknown>>(fields: T): T & { fill_value: unknown } {
  const type = String(fields["data_type"] ?? fields["dtype"] ?? "int32");
  const fill = fills.find(([types]) => types.test(type));
  if (!fill && !("fill_value" in fields)) throw new Error(`say what fills ${type}`);
  return { fill_value: fill?.[1], ...fields };
}

/** A fill value's bytes, computed without the library; null is zeros. */
function fillItem(dataType: unknown, value: unknown, itemBytes: number): Uint8Array {
  const numbers: Record<string, (value: never) => ArrayBufferView> = {
    int: (value: number | bigint) => BigInt64Array.of(BigInt(value)),
    uint: (value: number | bigint) => BigInt64Array.of(BigInt(value)),
    bool: (value: boolean) => Uint8Array.of(Number(value)),
    r: (bytes: number[]) => Uint8Array.from(bytes),
    float: (value: number) => (itemBytes === 4 ? Float32Array.of(value) : Float64Array.of(value)),
    complex: (parts: number[]) => (itemBytes === 8 ? Float32Array.from(parts) : Float64Array.from(parts)),
  };
  if (value === null) return new Uint8Array(itemBytes);
  const [, kind] = /^(u?int|bool|r|float|complex)(?:\d+)?$/.exec(String(dataType)) ?? [];
  if (kind === undefined || String(dataType) === "float16")
    throw new Error(`say which bytes fill ${dataType}`);
  const item = new Uint8Array(numbers[kind]!(value as never).buffer.slice(0, itemBytes) as ArrayBuffer);
  // A reader that always fills with zeros would pass.
  if (item.every((byte) => byte === 0))
    throw new Error("arrays with missing chunks need a fill value of more than zeros: filled()");
  return item;
}

/** `zarr.json` of an array of int32; the given fields replace the defaults. */
export function v3Meta(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    zarr_format: 3,
    node_type: "array",
    shape: [4, 6],
    data_type: "int32",
    chunk_grid: regular(2, 3),
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [bytesLittle],
    ...fields,
  };
}

export const regular = (...chunk_shape: number[]) => ({ name: "regular", configuration: { chunk_shape } });
export const rectilinear = (...chunk_shapes: unknown[]) => ({
  name: "rectilinear",
  configuration: { kind: "inline", chunk_shapes },
});

/** `.zarray` of an array of int32; the given fields replace the defaults. */
export function v2Meta(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    zarr_format: 2,
    shape: [4, 6],
    chunks: [2, 3],
    dtype: "<i4",
    compressor: null,
    fill_value: 0,
    order: "C",
    filters: null,
    ...fields,
  };
}

export const json = (value: unknown): Uint8Array => bytesOf(JSON.stringify(value));

/** A store of documents: strings unchanged, everything else as JSON. */
export function documents(entries: Record<string, unknown>): MapStore {
  const bytes = (value: unknown) => (typeof value === "string" ? bytesOf(value) : json(value));
  return new MapStore(new Map(Object.entries(entries).map(([key, value]) => [key, bytes(value)])));
}

export const v3Store = (fields: Record<string, unknown> = {}): MapStore =>
  documents({ "/zarr.json": v3Meta(fields) });
export const v2Store = (fields: Record<string, unknown> = {}): MapStore =>
  documents({ "/.zarray": v2Meta(fields) });

const chains = new Map<string, Promise<CodecChain>>();

async function chainFor(dataType: unknown, shape: readonly number[], codecs: Codec[]): Promise<CodecChain> {
  const id = JSON.stringify([dataType, shape, codecs]);
  let chain = chains.get(id);
  if (!chain) {
    if (chains.size > 500) chains.clear();
    chain = createCodecChain({ dtype: dataType as CodecChainDType, shape, codecs });
    chains.set(id, chain);
  }
  return chain;
}

/** Encodes bytes through bytes-to-bytes codecs. */
export async function encodeBytes(bytes: Uint8Array, codecs: Codec[]): Promise<Uint8Array> {
  if (codecs.length === 0) return bytes;
  const chain = await chainFor("uint8", [bytes.byteLength], [{ name: "bytes" }, ...codecs]);
  return chain.encode(bytes.slice());
}

/** Encodes a chunk of packed little-endian elements. */
export async function encodeElements(
  dataType: unknown,
  shape: readonly number[],
  codecs: Codec[],
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const chain = await chainFor(dataType, shape, codecs);
  return chain.encode(toElements(chain.dtype as never, bytes) as ElementData);
}

/** Positions along every axis of a permuted array. `positions` are element positions in C order. */
export function permute(positions: readonly number[], shape: readonly number[], order: readonly number[]) {
  const permuted = order.map((axis) => shape[axis]!);
  const list = everyIndex(permuted).map((index) => {
    const at = shape.map((_, axis) => index[order.indexOf(axis)]!);
    return positions[flatIndex(at, shape)]!;
  });
  return { positions: list, shape: permuted };
}

/** Encodes chunks of one array. */
class Encoder {
  readonly gone = new Set<number>();
  readonly #random: () => number;

  constructor(
    private readonly dataType: unknown,
    private readonly itemBytes: number,
    private readonly elements: Uint8Array | readonly string[],
    private readonly layout: ShardLayout,
  ) {
    this.#random = randomizer(layout.seed ?? 1);
  }

  /** Encodes the elements at some positions (−1: outside of the array). */
  async encode(
    positions: readonly number[],
    shape: readonly number[],
    codecs: Codec[],
  ): Promise<Uint8Array | undefined> {
    const at = codecs.findIndex(({ name }) => name === "sharding_indexed");
    if (at < 0) return this.#leaf(positions, shape, codecs);
    let chunk = { positions, shape };
    for (const codec of codecs.slice(0, at)) {
      if (codec.name === "transpose")
        chunk = permute(chunk.positions, chunk.shape, codec.configuration!["order"] as number[]);
    }
    const elementwise = codecs.slice(0, at).filter(({ name }) => name !== "transpose");
    const shard = await this.#shard(chunk, codecs[at]!, elementwise);
    return encodeBytes(shard, codecs.slice(at + 1));
  }

  async #leaf(positions: readonly number[], shape: readonly number[], codecs: Codec[]): Promise<Uint8Array> {
    const { elements, itemBytes } = this;
    if (!(elements instanceof Uint8Array)) {
      const at = codecs.findIndex(({ name }) => name === "vlen-utf8");
      let chunk = { positions, shape };
      for (const { configuration } of codecs.slice(0, at))
        chunk = permute(chunk.positions, chunk.shape, configuration!["order"] as number[]);
      return encodeBytes(vlenUtf8(chunk.positions.map((i) => elements[i] ?? "?")), codecs.slice(at + 1));
    }
    const bytes = new Uint8Array(positions.length * itemBytes).fill(0xcd);
    positions.forEach((position, i) => {
      const from = position * itemBytes;
      if (position >= 0) bytes.set(elements.subarray(from, from + itemBytes), i * itemBytes);
    });
    return encodeElements(this.dataType, shape, codecs, bytes);
  }

  async #shard(
    { positions, shape }: { positions: readonly number[]; shape: readonly number[] },
    { configuration }: Codec,
    elementwise: Codec[],
  ): Promise<Uint8Array> {
    const { chunk_shape, codecs, index_codecs, index_location } = configuration as {
      chunk_shape: number[];
      codecs: Codec[];
      index_codecs: Codec[];
      index_location: "start" | "end";
    };
    const counts = shape.map((length, axis) => length / chunk_shape[axis]!);
    const chunks: (Uint8Array | undefined)[] = [];
    for (const cell of everyIndex(counts)) {
      const inner = everyIndex(chunk_shape).map((index) => {
        const at = index.map((i, axis) => cell[axis]! * chunk_shape[axis]! + i);
        return positions[flatIndex(at, shape)]!;
      });
      const isMissing = this.#random() < (this.layout.missing ?? 0);
      if (isMissing) for (const position of inner) this.gone.add(position);
      chunks.push(isMissing ? undefined : await this.encode(inner, chunk_shape, [...elementwise, ...codecs]));
    }
    const encodeIndex = (index: BigUint64Array) =>
      encodeElements("uint64", [...counts, 2], index_codecs, new Uint8Array(index.buffer));
    const indexBytes = (await encodeIndex(new BigUint64Array(2 * chunks.length))).byteLength;
    const { index, body } = this.#place(chunks, index_location === "start" ? indexBytes : 0);
    this.layout.spoil?.(index);
    const encoded = await encodeIndex(index);
    return concat(index_location === "start" ? [encoded, body] : [body, encoded]);
  }

  /** Lays out inner chunks, the first one at `start`. */
  #place(chunks: readonly (Uint8Array | undefined)[], start: number) {
    const { order = "C", gap = 0, share = false } = this.layout;
    const places = chunks.map((_, i) => i);
    if (order === "reverse") places.reverse();
    if (order === "shuffled") places.sort(() => this.#random() - 0.5);
    const index = new BigUint64Array(2 * chunks.length).fill(2n ** 64n - 1n);
    const parts: Uint8Array[] = [];
    const known = new Map<string, number>();
    let offset = start;
    for (const i of places) {
      const chunk = chunks[i];
      if (!chunk) continue;
      const id = share ? Buffer.from(chunk).toString("hex") : String(i);
      if (!known.has(id)) {
        const hole = new Uint8Array(Math.floor(this.#random() * (gap + 1))).fill(0xee);
        parts.push(hole, chunk);
        known.set(id, offset + hole.byteLength);
        offset += hole.byteLength + chunk.byteLength;
      }
      index[2 * i] = BigInt(known.get(id)!);
      index[2 * i + 1] = BigInt(chunk.byteLength);
    }
    return { index, body: concat(parts) };
  }
}

export function vlenUtf8(values: readonly string[]): Uint8Array {
  const word = (value: number) => new Uint8Array(Uint32Array.of(value).buffer);
  const parts = values.map(bytesOf).flatMap((text) => [word(text.byteLength), text]);
  return concat([word(values.length), ...parts]);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}

/** Where each chunk starts along an axis of a length, and its own length. */
export function edges(length: number, sizes: number | readonly (number | readonly number[])[]) {
  const chunks: { start: number; size: number }[] = [];
  let start = 0;
  const add = (size: number) => {
    chunks.push({ start, size });
    start += size;
  };
  if (typeof sizes === "number") while (start < length) add(sizes);
  else for (const item of sizes) for (const size of expand(item)) add(size);
  return chunks;
}

const expand = (item: number | readonly number[]): number[] =>
  typeof item === "number" ? [item] : new Array<number>(item[1]!).fill(item[0]!);

/** One stored chunk: its key, and the positions of its elements. */
interface StoredChunk {
  key: string;
  shape: readonly number[];
  positions: readonly number[];
}

function storedChunks(
  shape: readonly number[],
  axes: readonly (readonly { start: number; size: number }[])[],
  keyOf: (cell: readonly number[]) => string,
): StoredChunk[] {
  return everyIndex(axes.map((axis) => axis.length)).map((cell) => {
    const edge = cell.map((i, axis) => axes[axis]![i]!);
    const chunk = edge.map(({ size }) => size);
    const positions = everyIndex(chunk).map((index) => {
      const at = index.map((i, axis) => edge[axis]!.start + i);
      return at.every((i, axis) => i < shape[axis]!) ? flatIndex(at, shape) : -1;
    });
    return { key: keyOf(cell), shape: chunk, positions };
  });
}

async function writeChunks(
  entries: Map<string, Uint8Array>,
  chunks: readonly StoredChunk[],
  encoder: Encoder,
  codecs: Codec[],
  { isMissing, path }: WriteOptions,
): Promise<void> {
  for (const { key, shape, positions } of chunks) {
    if (isMissing?.(key)) for (const position of positions) encoder.gone.add(position);
    else entries.set(`${path ? `/${path}` : ""}/${key}`, (await encoder.encode(positions, shape, codecs))!);
  }
}

/** The expected elements if some are missing. */
function withFill(elements: Uint8Array, gone: ReadonlySet<number>, fill: () => Uint8Array): Uint8Array {
  const seen = elements.slice();
  if (gone.size === 0) return seen;
  const item = fill();
  for (const position of gone) if (position >= 0) seen.set(item, position * item.byteLength);
  return seen;
}

type Grid = {
  configuration: { chunk_shape?: number[]; chunk_shapes?: (number | (number | number[])[])[] };
};

function v3Chunks(meta: Record<string, unknown>): StoredChunk[] {
  const shape = meta["shape"] as number[];
  const { chunk_shape, chunk_shapes } = (meta["chunk_grid"] as Grid).configuration;
  const axes = shape.map((length, axis) => edges(length, (chunk_shape ?? chunk_shapes!)[axis]!));
  return storedChunks(shape, axes, (cell) => ["c", ...cell].join("/"));
}

/** Writes a v3 array of fixed-size elements (keys in the default encoding). */
export async function writeV3(
  store: MapStore,
  meta: Record<string, unknown>,
  elements: Uint8Array,
  options: WriteOptions = {},
): Promise<Written> {
  const shape = meta["shape"] as number[];
  const itemBytes = elements.byteLength / product(shape);
  store.entries.set(`${options.path ? `/${options.path}` : ""}/zarr.json`, json(meta));
  const encoder = new Encoder(meta["data_type"], itemBytes, elements, options);
  await writeChunks(store.entries, v3Chunks(meta), encoder, meta["codecs"] as Codec[], options);
  const fill = () => options.fill ?? fillItem(meta["data_type"], meta["fill_value"], itemBytes);
  return { shape, itemBytes, elements: withFill(elements, encoder.gone, fill) };
}

/** Writes a v3 array of strings; returns them with the fill value for missing ones. */
export async function writeStrings(
  store: MapStore,
  meta: Record<string, unknown>,
  values: readonly string[],
  options: WriteOptions = {},
): Promise<string[]> {
  store.entries.set("/zarr.json", json(meta));
  const encoder = new Encoder("string", 0, values, options);
  await writeChunks(store.entries, v3Chunks(meta), encoder, meta["codecs"] as Codec[], options);
  return values.map((value, i) => (encoder.gone.has(i) ? (meta["fill_value"] as string) : value));
}

/** Writes a v2 array whose codecs are given in v3 terms; `order` "F" is taken care of. */
export async function writeV2(
  store: MapStore,
  meta: Record<string, unknown>,
  { dataType, codecs }: { dataType: unknown; codecs: Codec[] },
  elements: Uint8Array,
  options: WriteOptions = {},
): Promise<Written> {
  const shape = meta["shape"] as number[];
  const itemBytes = elements.byteLength / product(shape);
  const separator = (meta["dimension_separator"] as string | undefined) ?? ".";
  store.entries.set(`${options.path ? `/${options.path}` : ""}/.zarray`, json(meta));
  const encoder = new Encoder(dataType, itemBytes, elements, options);
  const axes = shape.map((length, axis) => edges(length, (meta["chunks"] as number[])[axis]!));
  const chunks = storedChunks(shape, axes, (cell) => cell.join(separator) || "0");
  const reversed = shape.map((_, axis) => shape.length - 1 - axis);
  const chain = meta["order"] === "F" ? [transposed(...reversed), ...codecs] : codecs;
  await writeChunks(store.entries, chunks, encoder, chain, options);
  const fill = () => options.fill ?? fillItem(dataType, meta["fill_value"], itemBytes);
  return { shape, itemBytes, elements: withFill(elements, encoder.gone, fill) };
}

/** The elements selected by lists of indices, axis by axis: every combination, in C order. */
export function pick(
  { shape, itemBytes, elements }: Written,
  lists: readonly (readonly number[])[],
): Uint8Array {
  const out = new Uint8Array(product(lists.map((list) => list.length)) * itemBytes);
  everyIndex(lists.map((list) => list.length)).forEach((index, to) => {
    const from = flatIndex(
      index.map((i, axis) => lists[axis]![i]!),
      shape,
    );
    out.set(elements.subarray(from * itemBytes, (from + 1) * itemBytes), to * itemBytes);
  });
  return out;
}

/** Every index along an axis. */
export const all = (length: number): number[] => Array.from({ length }, (_, i) => i);

type MaybeBytes = Uint8Array | undefined;

/** One request to a store. */
export interface Request {
  key: string;
  range?: RangeQuery | undefined;
  /** Bytes of the answer. */
  bytes: number;
}

/** A store that counts its requests, and the concurrent ones. */
export class CountingStore implements Store {
  requests: Request[] = [];
  running = 0;
  /** Maximum number of concurrent requests. */
  peak = 0;
  /** Called before every response. */
  before: (key: string, range: RangeQuery | undefined, signal?: AbortSignal) => unknown = () => {};
  readonly getRange?: NonNullable<Store["getRange"]>;
  readonly listChildren?: NonNullable<Store["listChildren"]>;

  constructor(
    readonly inner: Store,
    { ranges = true }: { ranges?: boolean } = {},
  ) {
    if (inner.listChildren) this.listChildren = (path) => inner.listChildren!(path);
    if (ranges) {
      this.getRange = (key, range, options) =>
        this.#count(key, range, options?.signal, () => inner.getRange!(key, range, options));
    }
  }

  get(key: string, options?: Parameters<Store["get"]>[1]) {
    return this.#count(key, undefined, options?.signal, () => this.inner.get(key, options));
  }

  /** Resets the counts. */
  reset(): void {
    this.requests = [];
    this.peak = 0;
  }

  /** Bytes of all responses. */
  get bytes(): number {
    return this.requests.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async #count(
    key: string,
    range: RangeQuery | undefined,
    signal: AbortSignal | undefined,
    answer: () => MaybeBytes | Promise<MaybeBytes>,
  ): Promise<MaybeBytes> {
    const request: Request = { key, range, bytes: 0 };
    this.requests.push(request);
    this.peak = Math.max(this.peak, ++this.running);
    try {
      await this.before(key, range, signal);
      const bytes = await answer();
      request.bytes = bytes?.byteLength ?? 0;
      return bytes;
    } finally {
      this.running--;
    }
  }
}
