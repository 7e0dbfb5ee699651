/** What TypeScript decodes of chunks: elements of variable length, N5 blocks, shards and their indexes, Blosc tables. */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { get, isZarrError, open, ZarrArray } from "zarr-wasm";
import { leafCoder } from "../../../dist/codecs/coder.js";
import { codecNames, findCodec } from "../../../dist/codecs/registry.js";
import { shardCoder } from "../../../dist/codecs/shard-coder.js";
import { entryOf, indexBytes, parseEntries } from "../../../dist/codecs/shard-index.js";
import { missingValue } from "../../../dist/dtypes/fill.js";
import { sessionOf } from "../../../dist/engine/engine.js";
import { Plan } from "../../../dist/engine/plan.js";
import { resolveLimits } from "../../../dist/limits.js";
import { readBloscTable, selectBlocks } from "../../../dist/region/blosc-blocks.js";
import { chunkKeys, documentsOf, encode, valuesFor } from "../../node/support-codecs.js";
import { elementsOf, triedTypes } from "../../node/support-types.js";
import { mutatedBytes } from "./mutations.js";
import { bloscFrames } from "./plan-seeds.js";
import { type FuzzTarget, holds, jsonBytes } from "./target.js";

const limits = resolveLimits({ chunkBytes: 2 ** 20, encodedBytes: 2 ** 20 });

interface ChunkCase {
  name: string;
  documents: Record<string, Uint8Array>;
  key: string;
  encoded: Uint8Array;
}

/** An array with one chunk for every codec that TypeScript runs, with each data type that it works with. */
async function makeCases(): Promise<ChunkCase[]> {
  const cases: ChunkCase[] = [];
  for (const version of [2, 3] as const) {
    for (const name of codecNames(version).filter((name) => findCodec(name, version)!.type !== "core")) {
      for (const type of triedTypes) {
        const plain = documentsOf(name, type, version);
        if (!plain) continue;
        const documents = Object.fromEntries(
          Object.entries(plain).map(([key, value]) => [`/${key}`, jsonBytes(value)]),
        );
        const array = await openIn(documents).catch(() => undefined);
        if (array?.dtype.name !== type.dtype.name) continue;
        const encoded = await encode(array, type.dtype.isVariable ? valuesFor(name, type) : elementsOf(type));
        cases.push({ name, documents, key: `/${chunkKeys[version]}`, encoded });
      }
    }
  }
  return cases;
}

async function openIn(documents: Record<string, Uint8Array>): Promise<ZarrArray> {
  const node = await open(new Map(Object.entries(documents)), { limits });
  holds(node instanceof ZarrArray, "the documents are an array's");
  return node;
}

const cases = await makeCases();

/** Chunks of those arrays: byte 0 chooses the array. Regions and whole chunks are read by ways that must agree. */
const chunks: FuzzTarget = {
  name: "chunks",
  inputs: mutatedBytes(cases.map(({ encoded }, i) => Uint8Array.from([i, ...encoded]))),
  covers: ["codecs/object/", "codecs/n5.js", "codecs/shard", "region/shards.js", "region/objects.js"],
  tags: ["CorruptChunk", "Unsupported", "LimitExceeded"],
  run: async (input) => {
    const { documents, key } = cases[(input[0] ?? 0) % cases.length]!;
    const encoded = input.slice(1);
    const array = await openIn({ ...documents, [key]: encoded });
    const whole = await attempt(() => wholeChunk(array, encoded));
    const region = await attempt(async () => (await get(array)).data);
    holds("error" in region || "value" in whole, "what a region shows can be decoded");
    if ("error" in region) throw region.error;
    const sizes = array.shape.reduce((product, length) => product * length, 1);
    const { data } = await get(array);
    holds(data.length % sizes === 0, "a region has as many elements as its shape");
    const value = (whole as { value: unknown }).value;
    if (Array.isArray(data)) holds(isDeepStrictEqual(value, data), "whole chunks and regions agree");
  },
};

async function attempt<T>(work: () => Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return { error };
  }
}

/** A chunk by the way of zarr-wasm/codecs. */
async function wholeChunk({ spec, dtype }: ZarrArray, encoded: Uint8Array): Promise<unknown> {
  const { firstLayout, fill } = spec;
  const options = { dtype, fill: missingValue(dtype, fill), limits };
  const coder = shardCoder(firstLayout, leafCoder(firstLayout, options), fill.item, options);
  const session = await sessionOf("full");
  coder.prepare(session);
  return coder.decode(session, encoded);
}

/** Decoded indexes of shards, and the sizes of the shards that they are of. */
const shardIndex: FuzzTarget = {
  name: "shard-index",
  inputs: fc
    .tuple(fc.nat(400), fc.array(fc.option(fc.tuple(fc.nat(400), fc.nat(400))), { maxLength: 12 }))
    .chain(([size, entries]) => {
      const whole = indexBytes(
        entries.map((entry) => entry ?? undefined).map((e) => e && { offset: e[0], length: e[1] }),
      );
      return mutatedBytes([Uint8Array.from([size % 256, size >> 8, ...whole])]);
    }),
  covers: ["codecs/shard-index.js"],
  tags: ["CorruptChunk", "LimitExceeded"],
  run: (input) => {
    const size = (input[0] ?? 0) + 256 * (input[1] ?? 0);
    const count = Math.floor(Math.max(0, input.length - 2) / 16);
    const bytes = input.slice(2, 2 + 16 * count);
    const entries = parseEntries(bytes);
    const found = Array.from({ length: count }, (_, i) => entryOf(entries, i, size, limits));
    for (const entry of found) {
      if (!entry) continue;
      const { offset, length } = entry;
      holds(offset >= 0 && length >= 0 && offset + length <= size, "a chunk lies in its shard");
    }
    holds(Buffer.compare(indexBytes(found), bytes) === 0, "an index that is let through is written the same");
  },
};

const frames = await bloscFrames();

/** Blocks picked from Blosc frames, as partial reads do it, against the frame decoded as a whole. */
const bloscBlocks: FuzzTarget = {
  name: "blosc-blocks",
  inputs: mutatedBytes(frames.map((frame, i) => Uint8Array.from([7 * i, i, 40, 0, ...frame]))),
  covers: ["region/blosc-blocks.js"],
  tags: ["CorruptChunk", "LimitExceeded"],
  run: async (input) => {
    const [low = 0, high = 0, length = 0] = input;
    const frame = input.slice(4);
    const size = frame.length < 8 ? 0 : new DataView(frame.buffer).getInt32(4, true);
    if (size < 1 || size > 2 ** 17) return;
    const run = { offset: (low + 256 * high) % size, length: 0 };
    run.length = Math.max(1, Math.min(length, size - run.offset));
    const readBytes = async (offset: number, bytes: number) => frame.slice(offset, offset + bytes);
    const table = await readBloscTable(readBytes, size);
    if (table === undefined || table === "whole" || "storedAt" in table) return;
    const chosen = selectBlocks(table, [run]);
    const made = await chosen?.readFrame(readBytes);
    if (!chosen || !made) return;
    const session = await sessionOf("full");
    const decode = async (bytes: number, encoded: Uint8Array) =>
      session.decode(Plan.bytesOnly([bloscStep], bytes), encoded);
    const part = await decode(chosen.decodedBytes, made);
    if (part.byteLength !== chosen.decodedBytes) return;
    const whole = await attempt(() => decode(size, frame));
    if ("error" in whole) return; // damaged elsewhere
    const [[, bytes]] = chosen.runsOf(part) as [[unknown, Uint8Array]];
    const expected = whole.value.subarray(run.offset, run.offset + run.length);
    holds(Buffer.compare(bytes, expected) === 0, "picked blocks hold what the whole frame holds");
  },
};

const bloscStep = { core: "blosc", name: "blosc", params: [1, 5, 1, 4, 0, 0] } as const;

export const chunkTargets = [chunks, shardIndex, bloscBlocks];
