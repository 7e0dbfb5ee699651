// Copies between Zarr v2 and v3 mask the same elements in xarray: it masks the fill value in v2, the attribute _FillValue
// in v3.
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type CreateOptions, create, createGroup, get, open, set, slice, type ZarrArray } from "zarr-wasm";
import { decodeCF } from "zarr-wasm/conventions";
import { skipFor } from "../../shared/skips.js";
import { copy, filesOf, urlOf } from "../support/copying.js";
import { hasXarray, python } from "../support/python-zarr.js";
import { errorOf } from "../support/support.js";

const root = mkdtempSync(path.join(tmpdir(), "zarr-wasm-masked-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const place = () => path.join(root, String(count++));

/** A float as xarray writes it into `_FillValue`. */
function base64Of(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.toString("base64");
}

interface Copied {
  readonly dir: string;
  readonly array: ZarrArray;
  readonly notes: string;
}

/** Makes an array of which the first chunk is stored, and copies it to the other version. */
async function copied(from: 2 | 3, options: object, values: object = {}): Promise<Copied> {
  const dir = place();
  await create(urlOf(dir), {
    ...{ shape: [6], chunkShape: [3], dimensionNames: ["x"], zarrFormat: from, codecs: [], ...options },
  } as unknown as CreateOptions);
  return convert(dir, from === 2 ? 3 : 2, values);
}

async function convert(source: string, to: 2 | 3, values: object = {}): Promise<Copied> {
  const dir = place();
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    await copy(source, dir, { format: String(to), verify: true, ...values });
    const notes = written.mock.calls.map(([text]) => String(text)).join("");
    return { dir, array: (await open(urlOf(dir), { kind: "array" })) as ZarrArray, notes };
  } finally {
    written.mockRestore();
  }
}

const attributesOf = ({ array }: Copied) => {
  const { _ARRAY_DIMENSIONS: _, ...attributes } = array.attributes;
  return attributes;
};

describe("from Zarr v2 to v3", () => {
  it.each<[string, unknown, unknown]>([
    ["<f2", -1.5, base64Of(-1.5)],
    ["<f4", 1e20, base64Of(Math.fround(1e20))],
    [">f8", -9999, base64Of(-9999)],
    ["<f8", Number.NaN, base64Of(Number.NaN)],
    ["<f4", Number.POSITIVE_INFINITY, base64Of(Number.POSITIVE_INFINITY)],
    ["<f8", -0, base64Of(-0)],
    ["|i1", -128, -128],
    ["|u1", 0, 0],
    [">i4", 7, 7],
    ["<i8", -(2n ** 63n), -(2n ** 63n)],
    ["<u8", 2n ** 64n - 1n, 2n ** 64n - 1n],
    ["|b1", false, false],
    ["<c8", [1, -0], [base64Of(1), base64Of(-0)]],
  ])("the fill value becomes the attribute: %s %s", async (dtype, fillValue, attribute) => {
    const made = await copied(2, { dtype, fillValue, attributes: { units: "m", _FillValue: "other" } });
    expect(attributesOf(made)).toEqual({ units: "m", _FillValue: attribute });
    expect(made.notes).toBe("");
    expect([made.array.fillValue].flat().map(Number)).toEqual([fillValue].flat().map(Number));
    // The round trip restores everything but the attribute, which xarray ignores in v2.
    const { array, notes } = await convert(made.dir, 2);
    expect(array.fillValue).toEqual(made.array.fillValue);
    expect([array.attributes, notes]).toEqual([{ units: "m", _ARRAY_DIMENSIONS: ["x"] }, ""]);
  });

  it("masks the attribute alone if the fill value is null", async () => {
    const none = await copied(2, { dtype: "<f4", fillValue: null });
    expect([attributesOf(none), none.array.fillValue]).toEqual([{}, 0]);
    const said = await copied(2, { dtype: "<f4", fillValue: null, attributes: { _FillValue: -9 } });
    expect(attributesOf(said)).toEqual({ _FillValue: base64Of(-9) });
  });

  it("drops attributes that xarray cannot read, with a note", async () => {
    for (const options of [
      { dtype: "|S4", fillValue: "none" },
      { dtype: "<M8[s]", fillValue: 0 },
      { dtype: "<U4", fillValue: "none", attributes: { missing_value: "-" } },
    ]) {
      const attributes = { ...options.attributes, _FillValue: "none" };
      const { array, notes } = await copied(2, { ...options, attributes });
      expect(array.attributes).toEqual(options.attributes ?? {});
      expect(notes).toMatch(/^zarr-wasm: "\/": xarray masks .* in Zarr v2 but not in v3/);
    }
    expect((await copied(2, { dtype: "<M8[s]", fillValue: "NaT" })).notes).toBe("");
  });

  it("masks strings by missing_value", async () => {
    for (const options of [
      { dtype: "|O", codecs: ["vlen-utf8"], fillValue: "" },
      { dtype: "<U4", fillValue: "none" },
    ]) {
      const made = await copied(2, options);
      expect([attributesOf(made), made.notes]).toEqual([{ missing_value: options.fillValue }, ""]);
      const back = await convert(made.dir, 2);
      expect([attributesOf(back), back.array.fillValue]).toEqual([attributesOf(made), null]);
    }
  });

  it("keeps the attributes of arrays without named dimensions", async () => {
    const made = await copied(2, { dtype: "<f4", fillValue: 5, dimensionNames: undefined });
    expect(attributesOf(made)).toEqual({});
  });

  it("--fill changes the fill value and keeps the mask", async () => {
    const made = await copied(2, { dtype: "<i2", fillValue: -1 }, { fill: "0" });
    expect([made.array.fillValue, attributesOf(made)]).toEqual([0, { _FillValue: -1 }]);
    expect([...((await get(made.array)).data as Int16Array)]).toEqual(new Array(6).fill(-1));
  });
});

describe("from Zarr v3 to v2", () => {
  it.each<[string, unknown, unknown, unknown]>([
    ["float16", 0, base64Of(-1.5), -1.5],
    ["float32", 0, base64Of(Math.fround(1e20)), 1e20],
    ["float64", Number.NaN, base64Of(-9999), -9999],
    ["float64", 0, base64Of(Number.NaN), Number.NaN],
    ["float32", 0, -9999, -9999],
    ["int16", 0, -32767, -32767],
    ["uint64", 0, 2n ** 64n - 1n, 2n ** 64n - 1n],
    ["bool", true, false, false],
    ["string", "", "zz", "zz"],
    ["complex64", [0, 0], [base64Of(1), base64Of(0)], [1, 0]],
  ])("the attribute becomes the fill value: %s", async (dtype, fillValue, _FillValue, masked) => {
    const codecs = dtype === "string" ? ["vlen-utf8"] : [];
    const made = await copied(3, { dtype, fillValue, attributes: { _FillValue, long_name: "a" }, codecs });
    expect([made.array.fillValue, attributesOf(made)]).toEqual([masked, { long_name: "a" }]);
    // The missing chunk keeps the source's fill value.
    const { data } = await get<unknown[]>(made.array);
    const first = Array.isArray(fillValue) ? fillValue[0] : fillValue;
    expect(data[5]).toEqual(
      typeof data[5] === "bigint"
        ? BigInt(first as number)
        : typeof first === "boolean"
          ? Number(first)
          : first,
    );
    expect(made.notes).toMatch(/becomes .*, which xarray masks, and missing chunks are stored/);
    const back = await convert(made.dir, 3);
    expect(attributesOf(back)).toEqual({
      long_name: "a",
      ...(dtype === "string"
        ? { missing_value: "zz" }
        : {
            _FillValue: typeof _FillValue === "number" && dtype === "float32" ? base64Of(-9999) : _FillValue,
          }),
    });
  });

  it("makes the fill value null if nothing is masked, and stores all chunks", async () => {
    const made = await copied(3, { dtype: "int32", fillValue: 4 });
    expect([made.array.fillValue, attributesOf(made)]).toEqual([null, {}]);
    expect([...filesOf(made.dir).keys()].sort()).toEqual([".zarray", ".zattrs", "0", "1"]);
    expect([...((await get(made.array)).data as Int32Array)]).toEqual(new Array(6).fill(4));
    expect(made.notes).toContain("the fill value becomes null");
    const rechunked = await copied(3, { dtype: "int32", fillValue: 0 }, { chunks: "2" });
    expect([...filesOf(rechunked.dir).keys()].sort()).toEqual([".zarray", ".zattrs", "0", "1", "2"]);
    const nan = await copied(3, { dtype: "float32", fillValue: Number.NaN });
    expect([nan.array.fillValue, nan.notes, filesOf(nan.dir).has("0")]).toEqual([Number.NaN, "", false]);
  });

  it("--fill keeps a fill value, with a note if xarray masks another one", async () => {
    const kept = await copied(3, { dtype: "int32", fillValue: 0 }, { fill: "0" });
    expect([kept.array.fillValue, kept.notes, filesOf(kept.dir).has("0")]).toEqual([0, "", false]);
    const other = await copied(3, { dtype: "int32", attributes: { _FillValue: -1 } }, { fill: "0" });
    expect([other.array.fillValue, attributesOf(other)]).toEqual([0, {}]);
    expect(other.notes).toContain("xarray masks the fill value instead of -1");
  });

  it("keeps the fill values of images and of arrays without named dimensions", async () => {
    const plain = await copied(3, { dtype: "int32", fillValue: 4, dimensionNames: undefined });
    expect([plain.array.fillValue, plain.notes]).toEqual([4, ""]);
    const source = place();
    const multiscales = [{ axes: [], datasets: [{ path: "0" }] }];
    await createGroup(urlOf(source), { attributes: { ome: { version: "0.5", multiscales } } });
    const image = { shape: [2], dtype: "uint8", dimensionNames: ["x"] } as const;
    await create(urlOf(source), { path: "0", ...image });
    await create(urlOf(source), { path: "labels/cells/0", ...image });
    for (const values of [{ path: "0" }, { path: "labels" }]) {
      const dest = place();
      await copy(source, dest, { format: "2", ...values });
      const found = (await open(urlOf(dest), {
        path: values.path === "0" ? "" : "cells/0",
        kind: "array",
      })) as ZarrArray;
      expect(found.fillValue).toBe(0);
    }
  });

  it("treats levels of a GeoZarr pyramid as other arrays", async () => {
    const source = place();
    await createGroup(urlOf(source), { attributes: { multiscales: { layout: [{ asset: "0" }] } } });
    await create(urlOf(source), { path: "0", shape: [2], dtype: "uint8", dimensionNames: ["x"] });
    const dest = place();
    await copy(source, dest, { format: "2" });
    expect(((await open(urlOf(dest), { path: "0", kind: "array" })) as ZarrArray).fillValue).toBe(null);
  });

  it("writes an empty _ARRAY_DIMENSIONS for scalars, and drops partial names", async () => {
    const scalar = await copied(3, { dtype: "int32", shape: [], chunkShape: [], dimensionNames: undefined });
    expect([scalar.array.attributes, scalar.array.fillValue]).toEqual([{ _ARRAY_DIMENSIONS: [] }, null]);
    const partial = await copied(3, {
      dtype: "int8",
      shape: [2, 2],
      chunkShape: [2, 2],
      dimensionNames: ["y", null],
    });
    expect([partial.array.attributes, partial.array.fillValue]).toEqual([{}, 0]);
    expect(partial.notes).toContain('dropped the dimension names ["y",null]');
  });
});

it("prints one note for several arrays", async () => {
  const source = place();
  await createGroup(urlOf(source));
  for (const name of ["a", "b", "c", "d", "e"])
    await create(urlOf(source), { path: name, shape: [1], dtype: "int8", dimensionNames: ["x"] });
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await copy(source, place(), { format: "2" });
  const text = written.mock.calls.map(([line]) => String(line)).join("");
  written.mockRestore();
  expect(text).toMatch(/^zarr-wasm: "\/a", "\/b", "\/c" and 2 more: the fill value becomes null.*\n$/);
});

it("decodeCF sees the same on both sides", async () => {
  for (const options of [
    { dtype: "<i2", fillValue: -1, attributes: { scale_factor: 0.5, add_offset: 1 } },
    { dtype: "<f4", fillValue: 1e20, attributes: { missing_value: 3 } },
  ] as const) {
    const dir = place();
    const source = await create(urlOf(dir), { shape: [4], zarrFormat: 2, dimensionNames: ["x"], ...options });
    const data = options.dtype === "<i2" ? Int16Array.of(-1, 0, 3) : Float32Array.of(1e20, 0, 3);
    await set(source, [slice(0, 3)], data);
    const { array } = await convert(dir, 3);
    expect(decodeCF(array, await get(array)).data).toEqual(decodeCF(source, await get(source)).data);
  }
});

it("refuses names of temporary files before anything is written", async () => {
  const source = place();
  await createGroup(urlOf(source));
  await create(urlOf(source), { path: "a", shape: [1], dtype: "int8" });
  renameSync(path.join(source, "a"), path.join(source, "a.crswap"));
  const dest = place();
  const error = await errorOf(() => copy(source, dest));
  expect([error.code, filesOf(dest).size]).toEqual(["bad-path", 0]);
});

it(
  "xarray opens the copy with the masks of the source",
  skipFor(hasXarray() ? undefined : "xarray is not installed for /usr/bin/python3"),
  async () => {
    const source = place();
    await createGroup(urlOf(source));
    const x = { shape: [3], dimensionNames: ["x"] } as const;
    const packed = { attributes: { _FillValue: -1, scale_factor: 0.5 }, dtype: "int16" } as const;
    const array = await create(urlOf(source), { path: "packed", ...x, ...packed });
    await set(array, null, Int16Array.of(-1, 0, 4));
    const plain = await create(urlOf(source), { path: "plain", ...x, dtype: "int32" });
    await set(plain, null, Int32Array.of(0, 1, 2));
    await create(urlOf(source), { path: "crs", shape: [], dtype: "int32" });
    const dest = place();
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await copy(source, dest, { format: "2" });
    written.mockRestore();
    const script = `
import sys, warnings
warnings.simplefilter("ignore")
import xarray
data = xarray.open_dataset(sys.argv[1], engine="zarr", consolidated=False, chunks=None)
print([data[name].values.tolist() for name in ("packed", "plain", "crs")])`;
    expect(python(script, dest).trim()).toBe("[[nan, 0.0, 2.0], [0, 1, 2], 0]");
  },
);
