/** Chunk formats decoded in TypeScript: variable-length elements, N5 blocks, shards and indexes, Blosc tables. */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { indexBytes, parseEntries, readEntry, wholeCodec } from "../../../dist/chain/shards.js";
import { ConfigReader, type Configuration } from "../../../dist/codecs/definition.js";
import { writeMsgpack } from "../../../dist/codecs/msgpack.js";
import { codecNames, findCodec } from "../../../dist/codecs/registry.js";
import { frameItems, type VlenCodec } from "../../../dist/codecs/vlen-codec.js";
import { DType } from "../../../dist/dtypes/dtype.js";
import { getSession } from "../../../dist/engine/engine.js";
import { Plan } from "../../../dist/engine/plan.js";
import { get, isZarrError, open, ZarrArray } from "../../../dist/index.js";
import { readBloscTable, selectBlocks } from "../../../dist/read/blosc-blocks.js";
import { resolveLimits } from "../../../dist/util/limits.js";
import { chunkKeys, documentsOf, encode, valuesFor } from "../../node/support/codec-arrays.js";
import { elementsOf, triedTypes } from "../../node/support/data-types.js";
import { mutatedBytes } from "./mutations.js";
import { bloscFrames } from "./plan-seeds.js";
import { type FuzzTarget, holds, jsonBytes, textBytes } from "./target.js";

const limits = resolveLimits({ chunkBytes: 2 ** 20, encodedBytes: 2 ** 20 });

interface ChunkCase {
  name: string;
  documents: Record<string, Uint8Array>;
  key: string;
  encoded: Uint8Array;
}

/** An array with one chunk for each codec in TypeScript and each data type that it supports. */
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
  holds(node instanceof ZarrArray, "the documents describe an array");
  return node;
}

const cases = await makeCases();

/** Chunks of these arrays: byte 0 selects the array. Reads of regions and of whole chunks must agree. */
const chunks: FuzzTarget = {
  name: "chunks",
  inputs: mutatedBytes(cases.map(({ encoded }, i) => Uint8Array.from([i, ...encoded]))),
  covers: ["codecs/n5.js", "chain/shards.js", "read/shards.js", "read/shard-read.js", "chain/chunk-codec.js"],
  tags: ["CorruptChunk", "Unsupported", "LimitExceeded"],
  run: async (input) => {
    const { documents, key } = cases[(input[0] ?? 0) % cases.length]!;
    const encoded = input.slice(1);
    const array = await openIn({ ...documents, [key]: encoded });
    const whole = await attempt(() => wholeChunk(array, encoded));
    const region = await attempt(async () => (await get(array)).data);
    holds("error" in region || "value" in whole, "chunks shown in a region can be decoded");
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

/** Decodes a chunk with zarr-wasm/codecs. */
async function wholeChunk({ spec }: ZarrArray, encoded: Uint8Array): Promise<unknown> {
  const codec = wholeCodec(spec.firstLayout, spec.layouts.array, limits);
  const session = await getSession("full");
  codec.prepare(session);
  return codec.decode(session, encoded);
}

interface ObjectCase {
  codec: VlenCodec;
  seeds: readonly Uint8Array[];
  /** Whether decoded values can be encoded again: strings returned as bytes cannot. */
  encodes: boolean;
}

const string = DType.variable("string");
const objects = DType.variable("object");
const bytes = DType.variable("bytes");
const seven = [7];

function objectCase(
  name: string,
  dtype: DType,
  options: object,
  seeds: Uint8Array[],
  encodes = true,
): ObjectCase {
  const found = findCodec(name, 2);
  holds(found?.type === "vlen", `${name} is a codec of objects`);
  const config = new ConfigReader(name, options as Configuration);
  const codec = found.definition.parse(config, { version: 2, array: { dtype, shape: seven } });
  return { codec, seeds, encodes };
}

const values = ["", "a", "bcd", "é€😀", "__proto__", "x".repeat(40), "a"];
const anything = [1, -1.5, 2 ** 60, -(2n ** 62n), { a: [null, true], b: { c: "d" } }, ["x", []], null];
const listed = (list: readonly unknown[]) => [...list, "|O", seven];

/** All MessagePack formats, in a list of seven with its tail. */
function packedForms(): Uint8Array {
  const forms = [
    [0xc4, 1, 9, 0xd9, 1, 0x41],
    [0xcf, 0, 32, 0, 0, 0, 0, 0, 0, 0xd3, 255, 0, 0, 0, 0, 0, 0, 0],
    [0xca, 63, 128, 0, 0, 0xcb, 63, 240, 0, 0, 0, 0, 0, 0],
    [0xcc, 200, 0xcd, 1, 0, 0xce, 0, 1, 0, 0, 0xd0, 200, 0xd1, 128, 0, 0xd2, 128, 0, 0, 0],
    [0xde, 0, 1, 0xa1, 0x6b, 0xdc, 0, 1, 0xc0, 0xdf, 0, 0, 0, 1, 5, 0xc2],
    [0xdd, 0, 0, 0, 1, 0xc3, 0xda, 0, 1, 0x42, 0xdb, 0, 0, 0, 1, 0x43],
    [0xc5, 0, 1, 7, 0xc6, 0, 0, 0, 1, 8],
  ];
  const counts = [2, 2, 2, 6, 2, 3, 2];
  const items = forms.flatMap((form, i) => [0x90 | counts[i]!, ...form]);
  return Uint8Array.from([0x99, ...items, 0xa2, 0x7c, 0x4f, 0x91, 7]);
}

const objectCases: readonly ObjectCase[] = [
  objectCase("vlen-utf8", string, {}, [frameItems("", values.map(textBytes))]),
  objectCase("vlen-bytes", bytes, {}, [frameItems("", values.map(textBytes))]),
  objectCase("vlen-array", objects, { dtype: "<i2" }, [
    frameItems(
      "",
      seven.flatMap((n) => Array.from({ length: n }, (_, i) => new Uint8Array(2 * i))),
    ),
  ]),
  objectCase("json2", objects, {}, [
    textBytes(
      '[1,-1.5,1152921504606846976,NaN,{"a":[null,true],"__proto__":{"c":"d"}},["x",[]],null,"|O",[7]]',
    ),
  ]),
  objectCase("json2", string, {}, [jsonBytes(listed(values))]),
  objectCase("msgpack2", objects, {}, [
    writeMsgpack("", listed(anything), { singleFloat: false, binType: true }),
    packedForms(),
  ]),
  objectCase("msgpack2", objects, { raw: true }, [packedForms()], false),
  objectCase("categorize", string, { labels: ["a", "bcd", "é€😀"], dtype: "|O", astype: "<u2" }, [
    Uint8Array.from([0, 0, 1, 0, 2, 0, 3, 0, 0, 0, 1, 0, 2, 0]),
  ]),
];

/** Single variable-length codecs: byte 0 selects the codec. Decoded values are encoded and decoded again. */
const objectCodecs: FuzzTarget = {
  name: "objects",
  inputs: mutatedBytes(
    objectCases.flatMap(({ seeds }, i) => seeds.map((seed) => Uint8Array.from([i, ...seed]))),
  ),
  covers: ["codecs/vlen-", "codecs/json2.js", "codecs/msgpack", "codecs/categorize.js"],
  tags: ["CorruptChunk"],
  run: (input) => {
    const { codec, encodes } = objectCases[(input[0] ?? 0) % objectCases.length]!;
    const found = codec.decode(input.slice(1), 7);
    holds(found.length === 7, "a chunk has as many elements as its shape");
    if (!encodes) return;
    const again = codec.decode(codec.encode(found, seven), 7);
    holds(isDeepStrictEqual(again, found), "decoded values survive a round trip");
  },
};

/** Decoded shard indexes, with the sizes of their shards. */
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
  covers: ["chain/shards.js"],
  tags: ["CorruptChunk", "LimitExceeded"],
  run: (input) => {
    const size = (input[0] ?? 0) + 256 * (input[1] ?? 0);
    const count = Math.floor(Math.max(0, input.length - 2) / 16);
    const bytes = input.slice(2, 2 + 16 * count);
    const entries = parseEntries(bytes);
    const found = Array.from({ length: count }, (_, i) => readEntry(entries, i, size, limits));
    for (const entry of found) {
      if (!entry) continue;
      const { offset, length } = entry;
      holds(offset >= 0 && length >= 0 && offset + length <= size, "a chunk lies in its shard");
    }
    holds(Buffer.compare(indexBytes(found), bytes) === 0, "an accepted index is written back unchanged");
  },
};

const frames = await bloscFrames();

/** Blocks picked from Blosc frames, as in partial reads, compared with the whole frame. */
const bloscBlocks: FuzzTarget = {
  name: "blosc-blocks",
  inputs: mutatedBytes(frames.map((frame, i) => Uint8Array.from([7 * i, i, 40, 0, ...frame]))),
  covers: ["read/blosc-blocks.js"],
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
    const session = await getSession("full");
    const decode = async (bytes: number, encoded: Uint8Array) =>
      session.decode(Plan.bytesOnly([bloscStep], bytes), encoded);
    const part = await decode(chosen.decodedBytes, made);
    if (part.byteLength !== chosen.decodedBytes) return;
    const whole = await attempt(() => decode(size, frame));
    if ("error" in whole) return; // damaged elsewhere
    const [[, bytes]] = chosen.spansOf(part) as [[unknown, Uint8Array]];
    const expected = whole.value.subarray(run.offset, run.offset + run.length);
    holds(Buffer.compare(bytes, expected) === 0, "picked blocks equal those of the whole frame");
  },
};

const bloscStep = { core: "blosc", name: "blosc", params: [1, 5, 1, 4, 0, 0] } as const;

export const chunkTargets = [chunks, objectCodecs, shardIndex, bloscBlocks];
