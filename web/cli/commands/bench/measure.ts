/** Measures an array: a sample of its stored chunks, the reads for it, and how fast chunks decode on one core. */
import {
  listChildren,
  type RangeQuery,
  readRange,
  type Store,
  type StoreGetOptions,
  type ZarrArray,
} from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { withSession } from "#internal";

export interface Reads {
  requests: number;
  bytes: number;
  /** Duration of each read, in milliseconds. */
  readonly times: number[];
}

/** Reads through another store; does not write. */
export class CountingStore implements Store {
  #reads: Reads = { requests: 0, bytes: 0, times: [] };
  declare readonly getRange?: NonNullable<Store["getRange"]>;
  declare readonly list?: NonNullable<Store["list"]>;
  declare readonly listChildren?: NonNullable<Store["listChildren"]>;

  constructor(private readonly inner: Store) {
    // Readers check for optional methods: this store must lack those that the other one lacks.
    if (inner.getRange) Object.assign(this, { getRange: this.#getRange });
    if (inner.list) Object.assign(this, { list: (path: string) => inner.list!(path) });
    if (inner.listChildren) Object.assign(this, { listChildren: this.#listChildren });
  }

  /** Counts since the last call. */
  take(): Reads {
    const reads = this.#reads;
    this.#reads = { requests: 0, bytes: 0, times: [] };
    return reads;
  }

  get(key: string, options?: StoreGetOptions): Promise<Uint8Array | undefined> {
    return this.#count(async () => this.inner.get(key, options));
  }

  locate(key: string): string {
    return this.inner.locate?.(key) ?? key;
  }

  readonly #getRange = (key: string, range: RangeQuery, options: StoreGetOptions = {}) =>
    this.#count(() => readRange(this.inner, key, range, options));

  readonly #listChildren = async (path: string) => {
    this.#reads.requests++;
    return listChildren(this.inner, path);
  };

  async #count(read: () => Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
    const reads = this.#reads; // of the time when it began
    const start = performance.now();
    const bytes = await read();
    reads.requests++;
    reads.bytes += bytes?.byteLength ?? 0;
    reads.times.push(performance.now() - start);
    return bytes;
  }
}

/** Codec of single chunks. */
type Leaf = ReturnType<ZarrArray["reader"]["layoutOf"]>["leaf"];

interface SampledChunk {
  readonly codec: Leaf;
  readonly encoded: Uint8Array;
}

export interface Sample {
  readonly chunks: readonly SampledChunk[];
  /** Chunks that are not stored. */
  readonly missing: number;
  /** Bytes of the chunks read, and the seconds that reading took. */
  readonly bytes: number;
  readonly seconds: number;
  /** Number of chunks that could not be read, and the error of the first one. */
  readonly failed: number;
  readonly error: unknown;
}

export interface Bounds {
  readonly seconds: number;
  readonly bytes: number;
}

/** Requests in parallel. */
export const lanes = 8;
const maxChunks = 256;

/** Reads chunks spread over an array until there are enough of them or a limit is reached. */
export async function readSample(array: ZarrArray, bounds: Bounds): Promise<Sample> {
  const chunks: SampledChunk[] = [];
  const tally = { missing: 0, bytes: 0, failed: 0, error: undefined as unknown };
  const start = performance.now();
  const signal = AbortSignal.timeout(Math.ceil(bounds.seconds * 1000));
  const { reader } = array;
  const codecOf = (coordinates: readonly number[]) => {
    const { axes, objectAxes } = reader;
    return reader.layoutOf(coordinates.map((at, axis) => objectAxes[axis]!.find(axes[axis]!.start(at)))).leaf;
  };
  /** Includes reads in flight, so that parallel lanes do not exceed a limit by one chunk each. */
  const typical = () => (chunks.length > 0 ? tally.bytes / chunks.length : 0);
  let underWay = 0;
  const readOne = async (coordinates: number[]) => {
    if (signal.aborted || tally.bytes + underWay * typical() >= bounds.bytes) return;
    underWay++;
    try {
      const encoded = await array.fetchChunk(coordinates, { signal });
      if (!encoded) {
        tally.missing++;
        return;
      }
      chunks.push({ codec: codecOf(coordinates), encoded });
      tally.bytes += encoded.byteLength;
    } catch (error) {
      if (signal.aborted) return;
      tally.failed++;
      tally.error ??= error;
    } finally {
      underWay--;
    }
  };
  const all = spread(array.gridShape);
  const lane = async () => {
    for (const coordinates of all) await readOne(coordinates);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { chunks, ...tally, seconds: (performance.now() - start) / 1000 };
}

/** Distinct positions in a grid, far apart and in no order: steps of the golden ratio. */
export function* spread(grid: readonly number[]): Generator<number[]> {
  const total = grid.reduce((a, b) => a * b, 1);
  const seen = new Set<number>();
  const golden = (Math.sqrt(5) - 1) / 2;
  for (let turn = 0; seen.size < Math.min(total, maxChunks); turn++) {
    const at = total <= maxChunks ? turn : Math.floor(((turn * golden) % 1) * total);
    if (seen.has(at)) continue;
    seen.add(at);
    yield chunkCoordinates(at, grid);
  }
}

function chunkCoordinates(at: number, grid: readonly number[]): number[] {
  let rest = at;
  return grid
    .toReversed()
    .map((length) => {
      const coordinate = rest % length;
      rest = Math.floor(rest / length);
      return coordinate;
    })
    .toReversed();
}

type ChunkCodec = Parameters<typeof withSession>[0];

export interface Speed {
  readonly chunks: number;
  /** Size of decoded chunks; undefined if values have no fixed size. */
  readonly bytes: number | undefined;
  readonly seconds: number;
}

/** Another way to store the same chunks. */
interface Alternative {
  readonly codecs: string;
  /** Encoded bytes of the chunks, and their decoded bytes. */
  readonly encodedBytes: number;
  readonly bytes: number;
  readonly speed: Speed;
}

/** Encodings to time: the array's own, and others. */
export const timings = 4;
/** Decoded bytes of the chunks that are encoded in other ways. */
const maxBytes = 16 * 2 ** 20;
const maxTried = 4;

type Work = () => void;

/**
 * Repeats all the work, and counts whole rounds only.
 * @param patience seconds; the engine may use the first third to compile and optimise.
 */
function timed(works: readonly Work[], patience: number): { rounds: number; seconds: number } {
  const round = () => {
    for (const work of works) work();
  };
  const warm = performance.now();
  do round();
  while (performance.now() - warm < (patience * 1000) / 3);
  const start = performance.now();
  let rounds = 0;
  do {
    round();
    rounds++;
  } while (performance.now() - start < (patience * 2000) / 3);
  return { rounds, seconds: (performance.now() - start) / 1000 };
}

/** Times the decoding of chunks, for some seconds. @throws CorruptChunk. */
export async function decodeSpeed(chunks: readonly SampledChunk[], patience: number): Promise<Speed> {
  const works: Work[] = [];
  let bytes: number | undefined = 0;
  let largest = 0;
  for (const { codec } of chunks) {
    const size = codec.type === "vlen" ? undefined : codec.plan.decodedBytes;
    bytes = bytes === undefined || size === undefined ? undefined : bytes + size;
    largest = Math.max(largest, size ?? 0);
  }
  const out = new Uint8Array(largest);
  for (const { codec, encoded } of chunks) {
    const any: ChunkCodec = codec;
    // Loads the modules for a session, and finds out whether the chunk needs the full module.
    await withSession(any, (session) => {
      const target = codec.type === "vlen" ? undefined : out.subarray(0, codec.plan.decodedBytes);
      const work = () =>
        target ? void any.decodeInto(session, encoded, target) : void any.decode(session, encoded);
      work();
      works.push(work);
    });
  }
  if (works.length === 0) return { chunks: 0, bytes: 0, seconds: 0 };
  const { rounds, seconds } = timed(works, patience);
  return { chunks: rounds * works.length, bytes: bytes === undefined ? undefined : rounds * bytes, seconds };
}

/** Encodes some of the chunks in other ways and times decoding them. None for values of variable length. */
export async function tryOthers(
  chunks: readonly SampledChunk[],
  itemBytes: number,
  patience: number,
): Promise<Alternative[]> {
  const decoded: Uint8Array[] = [];
  let bytes = 0;
  for (const { codec, encoded } of chunks) {
    if (codec.type === "vlen" || decoded.length >= maxTried) break;
    const size = codec.plan.decodedBytes;
    if (decoded.length > 0 && bytes + size > maxBytes) break;
    const out = new Uint8Array(size);
    await withSession(codec as ChunkCodec, (session) =>
      (codec as ChunkCodec).decodeInto(session, encoded, out),
    );
    decoded.push(out);
    bytes += size;
  }
  const tried: Alternative[] = [];
  if (decoded.length === 0) return tried;
  for (const [codecs, codec] of Object.entries(candidates(itemBytes))) {
    const chains = await Promise.all(
      decoded.map(({ byteLength }) =>
        createCodecChain({ dtype: "uint8", shape: [byteLength], codecs: ["bytes", codec] }),
      ),
    );
    const encoded = decoded.map((chunk, i) => chains[i]!.encode(chunk));
    const out = decoded.map((chunk) => new Uint8Array(chunk.byteLength));
    const { rounds, seconds } = timed(
      chains.map((chain, i) => () => void chain.decodeInto(encoded[i]!, out[i]!)),
      patience,
    );
    const encodedBytes = encoded.reduce((sum, chunk) => sum + chunk.byteLength, 0);
    const speed = { chunks: rounds * decoded.length, bytes: rounds * bytes, seconds };
    tried.push({ codecs, encodedBytes, bytes, speed });
  }
  return tried;
}

/** By value of `copy --codecs`. */
const candidates = (itemBytes: number) => ({
  zstd: { name: "zstd", configuration: { level: 3, checksum: false } },
  "blosc:lz4": blosc("lz4", itemBytes),
  "blosc:zstd": blosc("zstd", itemBytes),
});

const blosc = (cname: string, itemBytes: number) => ({
  name: "blosc",
  configuration: {
    ...{ cname, clevel: 5, shuffle: "shuffle", blocksize: 0 },
    typesize: Math.max(1, Math.min(255, itemBytes)),
  },
});
