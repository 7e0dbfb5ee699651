// Chains of shards and of elements of variable length, whole and in memory.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { get, open } from "zarr-wasm";
import { createCodecChain, type ElementData } from "zarr-wasm/codecs";
import { amount } from "../support/amounts.js";
import { errorOf } from "../support/support.js";

const little = { name: "bytes", configuration: { endian: "little" } };
const big = { name: "bytes", configuration: { endian: "big" } };
const zstd = { name: "zstd", configuration: { level: 1 } };
const index = { index_codecs: [little, { name: "crc32c" }] };
const shards = (chunkShape: number[], codecs: object[], more: object = {}) => ({
  name: "sharding_indexed",
  configuration: { chunk_shape: chunkShape, codecs, ...index, ...more },
});
const transpose = (...order: number[]) => ({ name: "transpose", configuration: { order } });

const shape = [6, 8, 10];
const chains = {
  plain: [shards([3, 4, 5], [little])],
  compressed: [shards([2, 4, 10], [big, zstd])],
  "index at the start": [shards([3, 4, 5], [little, zstd], { index_location: "start" })],
  "codecs behind": [shards([3, 4, 5], [little]), { name: "gzip", configuration: { level: 1 } }],
  "after a transpose": [transpose(2, 0, 1), shards([5, 3, 2], [transpose(1, 2, 0), big, zstd])],
  nested: [shards([6, 4, 10], [shards([3, 2, 5], [little, zstd]), { name: "crc32c" }])],
  "transposed index": [
    shards([3, 4, 5], [little], { index_codecs: [transpose(3, 1, 0, 2), big, { name: "crc32c" }] }),
  ],
};

/** An array of one chunk in memory, read the usual way. */
async function openChunk(dataType: string, codecs: object[], fillValue: unknown, encoded: Uint8Array) {
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: dataType,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default" },
    fill_value: fillValue,
    codecs,
  };
  const store = new Map([
    ["/zarr.json", new TextEncoder().encode(JSON.stringify(document))],
    ["/c/0/0/0", encoded],
  ]);
  return open(store, { kind: "array" });
}

describe.each(Object.entries(chains))("shards: %s", (_, codecs) => {
  const sparse = Int16Array.from({ length: 480 }, (_, i) => (i % 97 < 60 ? 7 : i));

  it("round-trip, and read the same through a store", async () => {
    const chain = await createCodecChain({ dtype: "int16", shape, codecs, fillValue: 7 });
    const encoded = chain.encode(sparse);
    expect(chain.decode(encoded)).toEqual(sparse);
    expect(chain.decodeInto(encoded, new Int16Array(480))).toEqual(sparse);
    expect((await get(await openChunk("int16", codecs, 7, encoded))).data).toEqual(sparse);
  });

  it("hold strings", async () => {
    const text = JSON.stringify(codecs).replaceAll(
      /\{"name":"bytes","configuration":\{[^}]*\}\}/g,
      (bytes, at) =>
        JSON.stringify(codecs).slice(0, at).includes("index_codecs") ? bytes : '{"name":"vlen-utf8"}',
    );
    const strings = JSON.parse(text) as typeof codecs;
    const values = Array.from({ length: 480 }, (_, i) => (i % 5 ? "" : `é${i}`));
    const chain = await createCodecChain({
      dtype: "string",
      shape,
      codecs: strings,
      fillValue: "",
    });
    const encoded = chain.encode(values);
    expect(chain.decode(encoded)).toEqual(values);
    expect((await get<string[]>(await openChunk("string", strings, "", encoded))).data).toEqual(values);
  });

  it("refuse every prefix, and keep working after a failure", async () => {
    const chain = await createCodecChain({ dtype: "int16", shape, codecs, fillValue: 7 });
    const encoded = chain.encode(sparse);
    for (let length = 0; length < encoded.byteLength; length += 7) {
      const error = await errorOf(() => chain.decode(encoded.subarray(0, length)));
      expect(error._tag).toBe("CorruptChunk");
    }
    expect(chain.decode(encoded)).toEqual(sparse);
  });
});

it("shards of fill value have an empty index", async () => {
  const codecs = [shards([3, 4, 5], [little])];
  const chain = await createCodecChain({ dtype: "float64", shape, codecs, fillValue: 1.5 });
  const encoded = chain.encode(new Float64Array(480).fill(1.5));
  expect(encoded.byteLength).toBe(8 * 16 + 4);
  expect(chain.decode(encoded)).toEqual(new Float64Array(480).fill(1.5));
});

describe("elements of variable length", () => {
  it.each([
    ["string", "vlen-utf8", fc.string({ unit: "grapheme" })],
    ["bytes", "vlen-bytes", fc.uint8Array({ maxLength: 9 })],
  ] as const)("%s come back through %s, transposed and compressed", async (dataType, name, values) => {
    const codecs = [transpose(1, 0), { name }, zstd];
    const chain = await createCodecChain({ dtype: dataType, shape: [3, 4], codecs });
    fc.assert(
      fc.property(fc.array(values as fc.Arbitrary<unknown>, { minLength: 12, maxLength: 12 }), (list) => {
        expect(chain.decode(chain.encode(list as never))).toEqual(list);
        expect(chain.decodeInto(chain.encode(list as never), new Array(12) as never)).toEqual(list);
      }),
      { numRuns: amount(25, 100) },
    );
  });

  it("are checked before they are encoded", async () => {
    const chain = await createCodecChain({
      dtype: "string",
      shape: [2],
      codecs: ["vlen-utf8"],
    });
    for (const values of [["a"], ["a", 1], "ab"]) {
      expect((await errorOf(() => chain.encode(values as never)))._tag).toBe("InvalidArgument");
    }
  });
});

describe("large chunks that are only swapped are decoded in pieces", () => {
  it.each([
    ["uint16", 262_144 + 3],
    ["float64", 65_536 * 3 + 1],
    ["complex64", 100_003],
    [
      {
        name: "struct",
        configuration: {
          fields: [
            { name: "a", data_type: "uint8" },
            { name: "b", data_type: "int32" },
          ],
        },
      },
      150_001,
    ],
  ] as const)("%j", async (dataType, count) => {
    const pieces = await createCodecChain({ dtype: dataType, shape: [count], codecs: [big] });
    const rows = await createCodecChain({
      dtype: dataType,
      shape: [count, 1],
      codecs: [transpose(1, 0), big],
    }); // the slow twin
    const bytes = Uint8Array.from({ length: count * pieces.dtype.itemBytes }, (_, i) => (i * 31) % 251);
    const view = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
      Buffer.from(buffer, byteOffset, byteLength);
    expect(view(pieces.decode<ElementData>(bytes)).equals(view(rows.decode<ElementData>(bytes)))).toBe(true);
    const error = await errorOf(() => pieces.decode(bytes.subarray(1)));
    expect(error.code).toBe("size-mismatch");
  });
});
