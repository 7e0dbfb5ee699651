// NumPy's data types in Zarr v1 and v2, in both orders and with every byte order: regions that are written here make
// the
// same stored bytes as zarr-python makes of them, and an independent reader of v1 reads them.

import { describe, expect, it } from "vitest";
import { create, getBytes, set, slice } from "zarr-wasm";
import type { NumpyDescr } from "zarr-wasm/formats";
import { toElements } from "#src/dtypes/elements.js";
import { skipFor } from "../../shared/skips.js";
import { missingZarr, pythonJson } from "../support/python-zarr.js";
import { openArray, randomBytes } from "../support/support.js";
import { readV1 } from "../support/v1-reader.js";

const shape = [7, 5];
const chunkShape = [3, 2];
const count = 35;

/** Data types, and non-zero fill values if v2 can represent them. */
const types: [dtype: NumpyDescr, fillValue?: unknown][] = [
  ["|b1", true],
  ["|i1", -3],
  [">i2", 300],
  ["<u4"],
  [">i8", -(2n ** 60n) - 1n],
  ["<f2", 1.5],
  [">f4", Number.NaN],
  ["<f8", Number.NEGATIVE_INFINITY],
  [">c8", [1, -2]],
  ["<c16"],
  ["|S5", "ab"],
  ["<U3", "é€"],
  [">U3", "é€"],
  ["<M8[ns]", -5n],
  [">M8[D]"],
  [">m8[10s]", 7n],
  ["|V3"],
  [
    [
      ["r", "|u1"],
      ["g", "<f4"],
      ["b", ">i2"],
    ],
  ],
  [
    [
      ["name", ">U2"],
      [
        "at",
        [
          ["t", ">M8[s]"],
          ["x", "<f8"],
        ],
      ],
    ],
  ],
];

/** Elements, packed and little-endian: arbitrary bits, except for booleans and characters. */
function elements(dtype: NumpyDescr, seed: number, length: number): Uint8Array {
  const itemOf = (descr: NumpyDescr, at: number): Uint8Array => {
    if (typeof descr !== "string")
      return Buffer.concat(descr.map(([, type], i) => itemOf(type as NumpyDescr, at * 7 + i)));
    const [, kind, digits] = /^.([a-zA-Z])(\d+)/.exec(descr)!;
    if (kind === "M" || kind === "m") return randomBytes(8, seed + at);
    if (kind === "b") return Uint8Array.of((at * seed) & 1);
    if (kind === "U")
      return new Uint8Array(
        Uint32Array.from({ length: Number(digits) }, (_, i) => 97 + ((at + i) % 26)).buffer,
      );
    // Trailing zeros do not belong to a byte string.
    if (kind === "S") return randomBytes(Number(digits), seed + at).map((byte) => byte | 1);
    return randomBytes(Number(digits), seed + at);
  };
  return new Uint8Array(Buffer.concat(Array.from({ length }, (_, at) => itemOf(dtype, at + 1))));
}

/** Writes everything, then a part with steps; returns the resulting elements. */
async function write(options: object, dtype: NumpyDescr) {
  const store = new Map<string, Uint8Array>();
  const array = await create(store, { path: "a", shape, chunkShape, dtype, ...options } as never);
  const [whole, part] = [elements(dtype, 1, count), elements(dtype, 2, 4 * 3)];
  await set(array, null, toElements(array.dtype, whole), { writeEmptyChunks: true });
  await set(array, [slice(0, 7, 2), slice(1, 4)], toElements(array.dtype, part), { writeEmptyChunks: true });
  const { itemBytes } = array.dtype;
  const wanted = whole.slice();
  for (let i = 0; i < 12; i++) {
    const to = 5 * 2 * Math.floor(i / 3) + 1 + (i % 3);
    wanted.set(part.subarray(i * itemBytes, (i + 1) * itemBytes), to * itemBytes);
  }
  expect(Buffer.compare((await getBytes(array)).bytes, wanted)).toBe(0);
  return { store, whole, part, wanted };
}

/** Does the same in zarr-python, to arrays with the same metadata, and returns the stored bytes. */
const script = `
import base64, json, sys, zarr, numpy as np
def little(dtype, text, shape):
    return np.frombuffer(base64.b64decode(text), dtype.newbyteorder("<")).reshape(shape)
out = []
for given in json.load(sys.stdin):
    store = {".zarray": given["document"].encode()}
    a = zarr.open_array(store, mode="r+")
    a[...] = little(a.dtype, given["whole"], (7, 5)).astype(a.dtype)
    a[0:7:2, 1:4] = little(a.dtype, given["part"], (4, 3)).astype(a.dtype)
    out.append({key: base64.b64encode(bytes(value)).decode() for key, value in store.items() if key[0] != "."})
print(json.dumps(out))`;

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");

describe("NumPy's data types", () => {
  it("are stored in v2 as zarr-python stores them", skipFor(missingZarr()), async () => {
    const [names, ours, given] = [[] as string[], [] as unknown[], [] as unknown[]];
    for (const [dtype, fillValue] of types) {
      for (const order of ["C", "F"]) {
        const { store, whole, part } = await write(
          { zarrFormat: 2, codecs: "none", order, fillValue },
          dtype,
        );
        const document = new TextDecoder().decode(store.get("/a/.zarray")!);
        const chunks = [...store].filter(([key]) => /\d$/.test(key));
        names.push(`${JSON.stringify(dtype)} ${order}`);
        ours.push(Object.fromEntries(chunks.map(([key, bytes]) => [key.slice("/a/".length), base64(bytes)])));
        given.push({ document, whole: base64(whole), part: base64(part) });
      }
    }
    const theirs = pythonJson(script, given) as unknown[];
    theirs.forEach((chunks, i) => {
      expect(ours[i], names[i]).toEqual(chunks);
    });
  });

  it("are read in v1 by an independent reader", async () => {
    for (const [dtype] of types) {
      for (const [codecs, order] of [
        ["none", "C"],
        ["zlib", "C"],
        ["blosc:lz4", "C"],
        ["blosc:zlib", "F"],
      ]) {
        const { store, wanted } = await write({ zarrFormat: 1, codecs, order }, dtype);
        const { bytes } = await readV1(store, "a");
        expect(Buffer.compare(bytes, wanted), `${JSON.stringify(dtype)} ${codecs} ${order}`).toBe(0);
      }
    }
  });

  it("of order F, other than with blosc, are refused in v1: its writer and its specification do not agree", async () => {
    for (const codecs of ["none", "zlib", "bz2", "lzma"]) {
      const options = { shape, chunkShape, dtype: "<i2", zarrFormat: 1, codecs, order: "F" } as const;
      await expect(create(new Map(), options)).rejects.toThrow('order "F" require the compressor blosc');
      // With one dimension, both orders are the same.
      const store = new Map<string, Uint8Array>();
      await create(store, { ...options, shape: [7], chunkShape: [3] });
      expect((await openArray(store)).shape).toEqual([7]);
    }
  });
});
