/** Times how fast chunks decode on one core, as stored and in other encodings. */
import { createCodecChain } from "zarr-wasm/codecs";
import { withSession } from "#internal";
import type { SampledChunk } from "./sample.js";

type ChunkCodec = Parameters<typeof withSession>[0];

export interface Speed {
  readonly chunks: number;
  /** Size of decoded chunks; undefined if values have no fixed size. */
  readonly bytes: number | undefined;
  readonly seconds: number;
}

/** Another way to store the same chunks. */
export interface Alternative {
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
