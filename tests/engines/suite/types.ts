/** Element types in the engine: typed arrays, 64-bit integers, float16, strings. */
import { get, MapStore, open } from "zarr-wasm";
import { equal, ok, test } from "./registry.js";

const text = new TextEncoder();

/** A v3 array of one uncompressed chunk. */
async function arrayOf(data_type: string, chunk: Uint8Array, count: number, codec: object) {
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: [count],
    data_type,
    chunk_grid: { name: "regular", configuration: { chunk_shape: [count] } },
    chunk_key_encoding: { name: "default" },
    fill_value:
      data_type === "string" ? "" : data_type === "bool" ? false : data_type === "complex64" ? [0, 0] : 0,
    codecs: [codec],
  };
  const entries = { "/zarr.json": text.encode(JSON.stringify(document)), "/c/0": chunk };
  return open(new MapStore(new Map(Object.entries(entries))), { kind: "array" });
}

const big = { name: "bytes", configuration: { endian: "big" } };

test("types: float16 is Float16Array if the engine has it", async () => {
  const bits = [0x3c00, 0xc000, 0x7c00, 0x7e00, 0x0001, 0x3555];
  const array = await arrayOf("float16", Uint8Array.from(bits.flatMap((b) => [b >> 8, b & 255])), 6, big);
  const { data } = await get(array);
  const hasHalves = "Float16Array" in globalThis;
  equal(data.constructor.name, hasHalves ? "Float16Array" : "Float32Array");
  equal([...(data as Float32Array)], [1, -2, Number.POSITIVE_INFINITY, Number.NaN, 2 ** -24, 0.333251953125]);
});

test("types: 64-bit integers are exact", async () => {
  const chunk = new Uint8Array(16);
  const view = new DataView(chunk.buffer);
  view.setBigInt64(0, -(2n ** 63n));
  view.setBigInt64(8, 2n ** 53n + 1n);
  const signed = (await get(await arrayOf("int64", chunk, 2, big))).data;
  ok(signed instanceof BigInt64Array, "they are a BigInt64Array");
  equal([...signed], [-(2n ** 63n), 2n ** 53n + 1n]);
  const unsigned = (await get(await arrayOf("uint64", chunk, 2, big))).data;
  ok(unsigned instanceof BigUint64Array, "they are a BigUint64Array");
  equal([...unsigned], [2n ** 63n, 2n ** 53n + 1n]);
});

test("types: bool, complex and floats", async () => {
  equal(
    (await get(await arrayOf("bool", Uint8Array.of(0, 1, 1), 3, { name: "bytes" }))).data,
    Uint8Array.of(0, 1, 1),
  );
  const parts = new Uint8Array(16);
  const view = new DataView(parts.buffer);
  for (const [i, value] of [1.5, -2, Number.NaN, 4].entries()) view.setFloat32(4 * i, value);
  equal((await get(await arrayOf("complex64", parts, 2, big))).data, Float32Array.of(1.5, -2, Number.NaN, 4));
  equal((await get(await arrayOf("float32", parts, 4, big))).data, Float32Array.of(1.5, -2, Number.NaN, 4));
});

test("types: strings of variable length", async () => {
  const words = ["", "häuser", "日本", "🦓".repeat(50)];
  const parts = words.flatMap((word) => {
    const bytes = text.encode(word);
    return [...new Uint8Array(Uint32Array.of(bytes.length).buffer), ...bytes];
  });
  const chunk = Uint8Array.from([...new Uint8Array(Uint32Array.of(words.length).buffer), ...parts]);
  equal((await get<string[]>(await arrayOf("string", chunk, 4, { name: "vlen-utf8" }))).data, words);
});
