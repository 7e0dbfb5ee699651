// Filters of numcodecs in v2: chunks equal those of v3 for every byte order, and zarr-python reads them.

import { describe, expect, it } from "vitest";
import { type CreateOptions, create, get, set, type ZarrArray } from "zarr-wasm";
import { skipFor } from "../../shared/skips.js";
import { missingZarr, pythonReads } from "../support/python-zarr.js";
import { bytesOf, openArray } from "../support/support.js";

type Files = Map<string, Uint8Array>;

/** v2 arrays for zarr-python to read, with their expected content: all in one process, at the end. */
const inV2: Files = new Map();
const expected = new Map<string, string>();

function expectOthers(store: Files, name: string, elements: { buffer: ArrayBufferLike }): void {
  for (const [key, bytes] of store) inV2.set(`/${name}${key}`, bytes);
  expected.set(name, Buffer.from(elements.buffer).toString("base64"));
}

/** Filters by their input type, in encoding order; options without a byte order leave it undefined. */
const chains: Record<string, { dtype: string; filters: object[] }> = {
  delta: { dtype: "int32", filters: [{ name: "numcodecs.delta", configuration: { dtype: "<i4" } }] },
  "delta without a name of order": {
    dtype: "int16",
    filters: [{ name: "numcodecs.delta", configuration: { dtype: "int16", astype: "int32" } }],
  },
  fixedscaleoffset: {
    dtype: "float64",
    filters: [
      {
        name: "numcodecs.fixedscaleoffset",
        configuration: { offset: 1, scale: 4, dtype: "<f8", astype: "<i4" },
      },
    ],
  },
  "fixedscaleoffset to bytes": {
    dtype: "float32",
    filters: [
      {
        name: "numcodecs.fixedscaleoffset",
        configuration: { offset: 0, scale: 2, dtype: "<f4", astype: "|u1" },
      },
    ],
  },
  quantize: {
    dtype: "float32",
    filters: [{ name: "numcodecs.quantize", configuration: { digits: 2, dtype: "<f4", astype: "<f4" } }],
  },
  astype: {
    dtype: "float64",
    filters: [{ name: "numcodecs.astype", configuration: { encode_dtype: "<f4", decode_dtype: "<f8" } }],
  },
  "two of them": {
    dtype: "float64",
    filters: [
      {
        name: "numcodecs.fixedscaleoffset",
        configuration: { offset: 0, scale: 4, dtype: "<f8", astype: "<i4" },
      },
      { name: "numcodecs.delta", configuration: { dtype: "<i4" } },
    ],
  },
  "rounded bits": {
    dtype: "float64",
    filters: [
      { name: "numcodecs.astype", configuration: { encode_dtype: "<f4", decode_dtype: "<f8" } },
      { name: "numcodecs.bitround", configuration: { keepbits: 8 } },
    ],
  },
};

const shape = [5, 3];
const values = Array.from({ length: 15 }, (_, i) => ((i * 7) % 11) / 4);

async function filled(store: Files, options: object): Promise<ZarrArray> {
  const array = await create(store, options as CreateOptions);
  const { data } = await get(array);
  const isWhole = /int/.test(array.dtype.name);
  values.forEach((value, i) => {
    (data as Float64Array)[i] = isWhole ? value * 4 : value;
  });
  await set(array, null, data);
  return array;
}

const chunksOf = (store: Files) =>
  [...store].filter(([key]) => /\d$/.test(key)).map(([key, bytes]) => [key.replace(/^\/(c\/)?/, ""), bytes]);

describe.each(["big", "little"])("arrays of v3 with filters, stored %s-endian", (endian) => {
  it.each(Object.entries(chains))("have the same chunks in v2: %s", async (name, { dtype, filters }) => {
    const bytes = { name: "bytes", configuration: { endian } };
    const from = new Map<string, Uint8Array>();
    const source = await filled(from, { shape, chunkShape: [2, 3], dtype, codecs: [...filters, bytes] });
    const to = new Map<string, Uint8Array>();
    await create(to, { like: source, zarrFormat: 2 });
    for (const [key, chunk] of chunksOf(from)) to.set(`/${key as string}`, chunk as Uint8Array);
    const copy = await openArray(to);
    const wanted = (await get(source)).data;
    expect((await get(copy)).data).toEqual(wanted);
    const again = new Map<string, Uint8Array>([["/.zarray", to.get("/.zarray")!]]);
    await set(await openArray(again), null, wanted);
    expect(chunksOf(again)).toEqual(chunksOf(to));
    expectOthers(to, `${name}-${endian}`, wanted as Float64Array);
  });
});

it("arrays of v2 whose filters change the byte order keep their chunks in a copy", async () => {
  const document = {
    zarr_format: 2,
    shape,
    chunks: [2, 3],
    dtype: "<f8",
    compressor: null,
    fill_value: 0,
    order: "C",
    filters: [{ id: "fixedscaleoffset", offset: 0, scale: 4, dtype: "<f8", astype: ">i4" }],
  };
  const from: Files = new Map([["/.zarray", bytesOf(JSON.stringify(document))]]);
  const source = await openArray(from);
  await set(source, null, Float64Array.from(values));
  const to: Files = new Map();
  await create(to, { like: source, chunkShape: [2, 3] });
  for (const [key, chunk] of chunksOf(from)) to.set(`/${key as string}`, chunk as Uint8Array);
  expect((await get(await openArray(to))).data).toEqual(Float64Array.from(values));
  expectOthers(to, "changed", Float64Array.from(values));
});

it("zarr-python reads them all", skipFor(missingZarr()), () => {
  const names = [...expected.keys()];
  expect(names.length).toBeGreaterThan(16);
  pythonReads(inV2, names).forEach((read, i) => {
    expect(read, names[i]).toEqual({ bytes: expected.get(names[i]!) });
  });
});
