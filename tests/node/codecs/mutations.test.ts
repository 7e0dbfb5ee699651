// Damaged chunks of every codec and version: the right elements or a typed error, never anything else.
//   ZARR_WASM_FLIPS=10000 npx vitest run tests/node/codecs/mutations.test.ts     more random flips per chunk
import { afterAll, describe, expect, it } from "vitest";
import { getBytes, isZarrError } from "zarr-wasm";
import type { Content } from "#src/chain/chunk-codec.js";
import { codecDefinitions } from "#src/codecs/registry.js";
import { amount } from "../support/amounts.js";
import {
  fileChunks,
  type GoldenChunk,
  goldenChunks,
  goldenGroups,
  ownChunks,
} from "../support/golden-chunks.js";
import { errorOf, randomizer } from "../support/support.js";

/** Random flips of single bits, and as many of several at once, per chunk. */
const flips = amount(60, 1000, "ZARR_WASM_FLIPS");
/** Bytes at the front of a chunk that count as its header. */
const headerBytes = 64;
/** Chunks up to this size are cut at every length, larger ones at a fixed number of lengths. */
const everyLength = amount(96, 2048);
const failures = amount(2_000, 10_000);

const chunks: GoldenChunk[] = [
  ...(await Promise.all(goldenGroups.map(goldenChunks))).flat(),
  ...(await ownChunks()),
  ...(await fileChunks()),
];

const tally = { tried: 0, right: 0, refused: 0, other: 0 };
afterAll(() => console.log(`${chunks.length} chunks, ${JSON.stringify(tally)}`));

/** Result of a damaged chunk: the right elements, a typed error, or (for formats without a checksum) other elements. */
function outcome({ codec, session, right }: GoldenChunk, damaged: Uint8Array): keyof typeof tally {
  tally.tried++;
  let content: Content;
  try {
    content = codec.decode(session, damaged);
  } catch (error) {
    if (!isZarrError(error, "CorruptChunk", "LimitExceeded", "Unsupported") && !needsFullModule(error))
      throw error;
    tally.refused++;
    return "refused";
  }
  expect(content.length).toBe(right.length);
  const result = isSame(content, right) ? "right" : "other";
  tally[result]++;
  return result;
}

/** Damage to a format number can make a chunk that only the other module decodes. */
const needsFullModule = (error: unknown) => (error as Error).constructor.name === "NeedsFullModule";

function isSame(a: Content, b: Content): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return JSON.stringify(a, plain) === JSON.stringify(b, plain);
}
const plain = (_: string, value: unknown) =>
  typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? String(value) : value;

function changed(bytes: Uint8Array, changes: [at: number, value: number][]): Uint8Array {
  const copy = bytes.slice();
  for (const [at, value] of changes) copy[at] = value;
  return copy;
}

function* lengthsBelow(length: number): Generator<number> {
  const step = Math.max(1, Math.floor(length / everyLength));
  for (let at = 0; at < length; at += at < headerBytes || at > length - headerBytes ? 1 : step) yield at;
}

describe.each(chunks.map((chunk) => [chunk.name, chunk] as const))("%s", (_, chunk) => {
  const { encoded, isChecked } = chunk;
  const check = (damaged: Uint8Array) => {
    const result = outcome(chunk, damaged);
    if (isChecked) expect(result).not.toBe("other");
  };
  const flipped = (at: number, bit: number): [number, number] => [at, encoded[at]! ^ (1 << bit)];

  it("bytes of the header set to 0, to 255 and inverted", () => {
    for (let at = 0; at < Math.min(headerBytes, encoded.length); at++)
      for (const value of [0, 255, encoded[at]! ^ 255]) check(changed(encoded, [[at, value]]));
  });

  it("random flips of one bit", () => {
    const random = randomizer(encoded.length);
    for (let i = 0; i < flips; i++)
      check(changed(encoded, [flipped(Math.floor(random() * encoded.length), Math.floor(random() * 8))]));
  });

  it("random flips of several bits", () => {
    const random = randomizer(encoded.length + 1);
    const one = () => flipped(Math.floor(random() * encoded.length), Math.floor(random() * 8));
    for (let i = 0; i < flips; i++) outcome(chunk, changed(encoded, [one(), one(), one(), one()]));
  });

  it("cut short at every length, and one byte too long", () => {
    for (const length of lengthsBelow(encoded.length))
      expect(outcome(chunk, encoded.subarray(0, length)), `${length} bytes`).not.toBe("other");
    for (const last of [0, 1, 255])
      expect(outcome(chunk, Uint8Array.from([...encoded, last])), "one more").not.toBe("other");
  });

  it("the same session then decodes the chunk", () => {
    expect(isSame(chunk.codec.decode(chunk.session, encoded), chunk.right)).toBe(true);
    expect(chunk.session.usable).toBe(true);
  });
});

describe("reading arrays with a damaged chunk", () => {
  const fixed = chunks.filter(({ array }) => !array.dtype.isVariable);
  it.each(fixed.map((chunk) => [chunk.name, chunk] as const))("%s", async (_, chunk) => {
    const { store, key, encoded, array, isChecked } = chunk;
    let refused = 0;
    const right = (await getBytes(array)).bytes;
    const random = randomizer(7);
    const damaged = Array.from({ length: 20 }, () =>
      changed(encoded, [[Math.floor(random() * encoded.length), Math.floor(random() * 256)]]),
    );
    for (const bytes of [...damaged, encoded.subarray(0, encoded.length - 1), new Uint8Array(0)]) {
      store.set(key, bytes);
      const result = await getBytes(array).catch((error) => error);
      if (isZarrError(result)) {
        expect(["CorruptChunk", "LimitExceeded", "Unsupported"]).toContain(result._tag);
        refused++;
      } else if (result instanceof Error) throw result;
      else {
        expect(result.bytes.length).toBe(right.length);
        if (isChecked) expect(Buffer.compare(result.bytes, right)).toBe(0);
      }
    }
    expect(refused).toBeGreaterThan(1); // one byte less, and none at all, are never a chunk
    store.set(key, encoded);
    expect(Buffer.compare((await getBytes(array)).bytes, right)).toBe(0);
  });
});

describe(`after ${failures} failed decodes`, () => {
  it("memory is unchanged, and good chunks decode", async () => {
    const failing = chunks.map((chunk) => ({
      chunk,
      damaged: chunk.encoded.subarray(0, chunk.encoded.length - 1),
    }));
    const sessions = new Set(chunks.map(({ session }) => session));
    const memory = () => [...sessions].map((session) => session.memoryBytes);
    const before = memory();
    let failed = 0;
    for (let i = 0; failed < failures; i++) {
      const { chunk, damaged } = failing[i % failing.length]!;
      if (outcome(chunk, damaged) === "refused") failed++;
    }
    expect(memory()).toEqual(before);
    for (const chunk of chunks)
      expect(isSame(chunk.codec.decode(chunk.session, chunk.encoded), chunk.right)).toBe(true);
  });
});

describe("the golden chunks", () => {
  it("cover every codec", () => {
    const used = JSON.stringify(chunks.map(({ array }) => array.codecs));
    const unused = codecDefinitions.flatMap(({ names, core }) =>
      Object.values(names)
        .flat()
        .some((name) => used.includes(`"name":"${name}"`))
        ? []
        : [core],
    );
    const ofImages = codecDefinitions.filter(({ core }) => core.startsWith("imagecodecs_")); // images.test.ts
    expect(unused.sort()).toEqual(ofImages.map(({ core }) => core).sort());
  });

  it("reject input that is not a chunk at all", async () => {
    for (const chunk of chunks) {
      const error = await errorOf(() => chunk.codec.decode(chunk.session, new Uint8Array(0)));
      expect(error._tag).toBe("CorruptChunk");
    }
  });
});
