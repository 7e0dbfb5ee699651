// n5_default: blocks with headers, smaller and larger than the chunk.
import { describe, expect, it } from "vitest";
import { get, type Slice, slice, WorkerPool } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { errorOf, openArray } from "../support/support.js";

const inner = (rank: number, ...compressor: object[]) => ({
  name: "n5_default",
  configuration: {
    codecs: [
      { name: "transpose", configuration: { order: Array.from({ length: rank }, (_, i) => rank - 1 - i) } },
      { name: "bytes", configuration: { endian: "big" } },
      ...compressor,
    ],
  },
});
const gzip = { name: "gzip", configuration: { level: 1 } };

/** A block by hand: header, then elements with the first axis fastest, big-endian int16. */
function block(shape: number[], valueAt: (index: number[]) => number): Uint8Array {
  const count = shape.reduce((a, b) => a * b, 1);
  const bytes = new Uint8Array(4 + 4 * shape.length + 2 * count);
  const view = new DataView(bytes.buffer);
  view.setUint16(2, shape.length);
  for (const [i, length] of shape.entries()) view.setUint32(4 + 4 * i, length);
  for (let i = 0; i < count; i++) {
    let rest = i;
    const index = shape.map((length) => {
      const at = rest % length;
      rest = Math.floor(rest / length);
      return at;
    });
    view.setInt16(4 + 4 * shape.length + 2 * i, valueAt(index));
  }
  return bytes;
}

const valueAt = ([z, y, x]: number[]) => 100 * z! + 10 * y! + x! - 200;

function storeOf(blocks: Record<string, Uint8Array>, ...compressor: object[]) {
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: [3, 5, 6],
    data_type: "int16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 3, 4] } },
    chunk_key_encoding: { name: "v2", configuration: { separator: "/" } },
    fill_value: -7,
    codecs: [inner(3, ...compressor)],
  };
  const text = new TextEncoder().encode(JSON.stringify(document));
  return new Map([["/zarr.json", text], ...Object.entries(blocks)]);
}

describe("n5_default", () => {
  it("reads whole, cropped, oversized and missing blocks", async () => {
    const at = (origin: number[]) => (index: number[]) => valueAt(index.map((i, axis) => i + origin[axis]!));
    const store = storeOf({
      "/0/0/0": block([2, 3, 4], at([0, 0, 0])),
      "/0/0/1": block([2, 3, 2], at([0, 0, 4])), // cropped at the array's edge
      "/0/1/0": block([3, 4, 5], at([0, 3, 0])), // larger than the chunk
      "/1/0/0": block([1, 3, 4], at([2, 0, 0])),
    });
    const array = await openArray(store);
    const { data } = await get(array);
    const stored = (z: number, y: number, x: number) =>
      (z < 2 && y < 3) || (z < 2 && x < 4) || (z === 2 && y < 3 && x < 4);
    const expected = Array.from({ length: 90 }, (_, i) => {
      const index = [Math.floor(i / 30), Math.floor(i / 6) % 5, i % 6] as const;
      return stored(...index) ? valueAt([...index]) : -7;
    });
    expect(Array.from(data as Int16Array)).toEqual(expected);
    expect((await array.getChunk([1, 0, 0])).data).toEqual(
      Int16Array.from({ length: 24 }, (_, i) => (i < 12 ? valueAt([2, Math.floor(i / 4), i % 4]) : -7)),
    );
  });

  it("reads whole blocks whose headers list the axes in the other order", async () => {
    const whole = block([2, 3, 4], valueAt);
    const view = new DataView(whole.buffer);
    for (const [i, length] of [4, 3, 2].entries()) view.setUint32(4 + 4 * i, length);
    const chunks = [block([2, 3, 4], valueAt), whole].map(async (bytes) => {
      const array = await openArray(storeOf({ "/0/0/0": bytes }));
      return (await array.getChunk([0, 0, 0])).data;
    });
    const [expected, found] = await Promise.all(chunks);
    expect(found).toEqual(expected);
  });

  it("reads parts as it reads chunks, here and in workers", async () => {
    const [rows, columns] = [200, 130];
    const document = {
      zarr_format: 3,
      node_type: "array",
      shape: [rows, columns],
      data_type: "int16",
      chunk_grid: { name: "regular", configuration: { chunk_shape: [150, 125] } },
      chunk_key_encoding: { name: "v2", configuration: { separator: "/" } },
      fill_value: -7,
      codecs: [inner(2)],
    };
    const value = ([y, x]: number[]) => ((131 * y! + x!) % 60000) - 30000;
    const blockAt = (shape: number[], [y0, x0]: readonly [number, number]) =>
      block(shape, ([y, x]) => value([y! + y0, x! + x0]));
    const store = new Map([
      ["/zarr.json", new TextEncoder().encode(JSON.stringify(document))],
      ["/0/0", blockAt([150, 125], [0, 0])],
      ["/0/1", blockAt([140, 5], [0, 125])], // smaller than its part of the array
      ["/1/0", blockAt([50, 125], [150, 0])],
    ]);
    const isStored = ([y, x]: number[]) => (y! < 150 ? x! < 125 || y! < 140 : x! < 125);
    const at = (index: number[]) => (isStored(index) ? value(index) : -7);
    const array = await openArray(store);
    const pool = new WorkerPool({ size: 2 });
    const range = (start: number, stop: number, step: number) =>
      Array.from({ length: Math.ceil((stop - start) / step) }, (_, i) => start + i * step);
    for (const [ys, xs] of [
      [slice(null), slice(null)],
      [slice(100, 190, 7), slice(3, 130, 2)],
      [slice(145, 149), slice(120, 130)],
      [slice(160, 200), slice(126, 130)],
    ] as [Slice, Slice][]) {
      const expected = range(ys.start ?? 0, ys.stop ?? rows, ys.step ?? 1).flatMap((y) =>
        range(xs.start ?? 0, xs.stop ?? columns, xs.step ?? 1).map((x) => at([y, x])),
      );
      for (const options of [{}, { pool }, { priority: "centre" } as const])
        expect(Array.from((await get(array, [ys, xs], options)).data as Int16Array)).toEqual(expected);
    }
    for (const coordinates of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]) {
      const here = await array.getChunk(coordinates);
      expect((await array.getChunk(coordinates, { pool })).data).toEqual(here.data);
    }
    store.set("/1/0", Uint8Array.of(0, 0, 0, 9));
    for (const options of [{}, { pool }]) {
      const error = await errorOf(() => get(array, null, options));
      expect([error._tag, error["codec"], error["chunkKey"]]).toEqual(["CorruptChunk", "n5_default", "/1/0"]);
    }
    pool.destroy();
  });

  it.each([[[]], [[gzip]]])("round-trips through %j", async (compressor) => {
    const codecs = [inner(3, ...compressor)];
    const chain = await createCodecChain({ dtype: "int16", shape: [2, 3, 4], codecs });
    const values = Int16Array.from({ length: 24 }, (_, i) =>
      valueAt([Math.floor(i / 12), Math.floor(i / 4) % 3, i % 4]),
    );
    const encoded = chain.encode(values);
    expect(chain.decode(encoded)).toEqual(values);
    if (compressor.length === 0) expect(encoded).toEqual(block([2, 3, 4], valueAt));
    for (let length = 0; length < encoded.byteLength; length++) {
      expect((await errorOf(() => chain.decode(encoded.subarray(0, length))))._tag).toBe("CorruptChunk");
    }
  });

  it.each([
    ["another mode", [0, 3], "bad-header", "CorruptChunk"],
    ["varlength blocks", [0, 1], "unsupported-codec", "Unsupported"],
    ["another rank", [3, 2], "bad-header", "CorruptChunk"],
    ["no elements", [7, 0], "bad-header", "CorruptChunk"],
    ["a size that lies", [7, 5], "size-mismatch", "CorruptChunk"],
    ["more than memory", [4, 255], "limit-exceeded", "LimitExceeded"],
  ] as const)("refuses %s", async (_, [at, value], code, tag) => {
    const chain = await createCodecChain({ dtype: "int16", shape: [2, 3, 4], codecs: [inner(3)] });
    const bytes = block([2, 3, 4], valueAt);
    bytes[at === 0 ? 1 : at] = value;
    if (at === 4) bytes.fill(255, 4, 16);
    const error = await errorOf(() => chain.decode(bytes));
    expect([error._tag, error.code]).toEqual([tag, code]);
  });

  it.each([
    [[{ name: "bytes", configuration: { endian: "big" } }]],
    [
      [
        { name: "transpose", configuration: { order: [0, 1] } },
        { name: "bytes", configuration: { endian: "big" } },
      ],
    ],
    [[...inner(2).configuration.codecs, gzip, gzip]],
    ["bytes"],
  ])("refuses the codecs %j", async (codecs) => {
    const chain = { name: "n5_default", configuration: { codecs } };
    const error = await errorOf(() => createCodecChain({ dtype: "int16", shape: [2, 3], codecs: [chain] }));
    expect(error._tag).toBe("InvalidMetadata");
  });
});
