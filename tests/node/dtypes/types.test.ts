// Types that callers depend on: this file is compiled by `tsc -p tsconfig.json`, which fails for an unused @ts-expect-error.
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  append,
  create,
  type DTypeInput,
  type ElementData,
  get,
  getBytes,
  isZarrError,
  open,
  set,
  type ZarrArray,
  ZarrError,
} from "zarr-wasm";

const shape = [3];

describe("create", () => {
  it("returns an array of the data type", async () => {
    const array = await create(new Map(), { shape, dtype: "float32" });
    expectTypeOf(array).toEqualTypeOf<ZarrArray<"float32">>();
    expectTypeOf(await create(new Map(), { like: array })).toEqualTypeOf<ZarrArray<"float32">>();
    expectTypeOf(await create(new Map(), { shape, dtype: ">i8" })).toEqualTypeOf<ZarrArray<"int64">>();
    expectTypeOf(await create(new Map(), { shape, dtype: "binary" })).toEqualTypeOf<ZarrArray<"bytes">>();
    expectTypeOf(await create(new Map(), { shape, dtype: "r24" })).toEqualTypeOf<ZarrArray<"r24">>();
    expectTypeOf(await create(new Map(), { shape, dtype: array.dtype })).toEqualTypeOf<ZarrArray>();
    const day = { name: "numpy.datetime64", configuration: { unit: "D", scale_factor: 1 } } as const;
    expectTypeOf(await create(new Map(), { shape, dtype: day })).toEqualTypeOf<
      ZarrArray<"numpy.datetime64">
    >();
    const records = await create(new Map(), { shape, zarrFormat: 2, dtype: [["a", "<i2"]] });
    expectTypeOf(records).toEqualTypeOf<ZarrArray<"struct">>();
    const dynamic = "int16" as string;
    const other = await create(new Map(), { shape, dtype: dynamic as DTypeInput });
    expectTypeOf(other).toEqualTypeOf<ZarrArray>();
  });

  it("accepts known names only", async () => {
    const make = async (...[options]: Parameters<typeof create>[1][]) => create(new Map(), options!);
    // @ts-expect-error: no such data type
    await expect(make({ shape, dtype: "float3" })).rejects.toThrow("float3");
    // @ts-expect-error: NumPy has no float of 3 bytes
    await expect(create(new Map(), { shape, dtype: "<f3" })).rejects.toThrow("<f3");
    // @ts-expect-error: needs a configuration
    await expect(create(new Map(), { shape, dtype: "numpy.datetime64" })).rejects.toThrow();
  });
});

describe("get", () => {
  it("returns the typed array of the data type, in an ArrayBuffer unless a shared one is requested", async () => {
    const array = await create(new Map(), { shape, dtype: "float32" });
    expectTypeOf((await get(array)).data).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expectTypeOf((await array.getChunk([0])).data).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    const shared = await get(array, null, { useSharedArrayBuffer: true });
    expectTypeOf(shared.data).toEqualTypeOf<Float32Array<SharedArrayBuffer>>();
    expect(shared.data.buffer).toBeInstanceOf(SharedArrayBuffer);
    const useSharedArrayBuffer = shape.length > 5;
    const either = await get(array, null, { useSharedArrayBuffer });
    expectTypeOf(either.data.buffer).toEqualTypeOf<ArrayBuffer | SharedArrayBuffer>();
    expectTypeOf((await getBytes(array)).bytes).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    const { bytes } = await getBytes(array, null, { useSharedArrayBuffer: true });
    expectTypeOf(bytes).toEqualTypeOf<Uint8Array<SharedArrayBuffer>>();
  });

  it("fills a typed array of the data type only", async () => {
    const array = await create(new Map(), { shape, dtype: "float32" });
    const out = new Float32Array(3);
    expectTypeOf((await get(array, null, { out })).data).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    // @ts-expect-error: another type of elements
    await expect(get(array, null, { out: new Int16Array(3) })).rejects.toThrow("Float32Array");
  });

  it("returns typed arrays of any type for an array of unknown data type", async () => {
    const store = new Map();
    await create(store, { shape, dtype: "int16" });
    const array = await open(store, { kind: "array" });
    expectTypeOf((await get(array)).data).toEqualTypeOf<ElementData<ArrayBuffer>>();
  });
});

describe("array.is", () => {
  it("narrows to a data type, to several, and to a kind of elements", async () => {
    const store = new Map();
    await create(store, { shape, dtype: "uint16" });
    const array = await open(store, { kind: "array" });
    if (array.is("uint16", "int16")) {
      expectTypeOf((await get(array)).data).toEqualTypeOf<
        Uint16Array<ArrayBuffer> | Int16Array<ArrayBuffer>
      >();
    }
    if (array.is("number")) expectTypeOf((await get(array)).data[0]).toEqualTypeOf<number | undefined>();
    if (array.is("bigint")) expectTypeOf((await get(array)).data[0]).toEqualTypeOf<bigint | undefined>();
    if (array.is("string")) expectTypeOf((await get(array)).data).toEqualTypeOf<string[]>();
    if (array.is("boolean")) expectTypeOf((await get(array)).data).toEqualTypeOf<Uint8Array<ArrayBuffer>>();
    if (!array.is("float32")) expectTypeOf(array).toEqualTypeOf<ZarrArray>();
    // @ts-expect-error: no such data type
    expect(array.is("float3")).toBe(false);
    expect(array.is("number")).toBe(true);
  });

  it("leaves arrays of any type assignable to ZarrArray", async () => {
    const shapeOf = (array: ZarrArray) => array.shape;
    expect(shapeOf(await create(new Map(), { shape, dtype: "string" }))).toEqual(shape);
    expect(shapeOf(await create(new Map(), { shape, dtype: "float64" }))).toEqual(shape);
  });
});

describe("set and append", () => {
  it("take elements of the array's data type", async () => {
    const array = await create(new Map(), { shape, dtype: "float32" });
    await set(array, null, new Float32Array(3));
    await set(array, null, await get(array));
    await set(array, [0], 1.5);
    await set(array, [0], "NaN");
    // @ts-expect-error: another type of elements
    await expect(set(array, null, new Float64Array(3))).rejects.toThrow("Float32Array");
    // @ts-expect-error: another type of elements, with a shape
    await expect(set(array, null, { data: new Int8Array(3), shape })).rejects.toThrow("Float32Array");
    // @ts-expect-error: a list is not a typed array
    await expect(set(array, null, [1, 2, 3])).rejects.toThrow("Float32Array");
    // @ts-expect-error: another type of elements
    await expect(append(array, new Uint8Array(1))).rejects.toThrow("0.25 elements");
    const texts = await create(new Map(), { shape, dtype: "string" });
    await set(texts, null, ["a", "b", "c"]);
    await set(texts, [1], "d");
    // @ts-expect-error: numbers are not strings
    await expect(set(texts, null, [1, 2, 3])).rejects.toThrow("strings");
    const names = await create(new Map(), { shape, dtype: "<U2" });
    await set(names, null, ["a", "b", "c"]);
  });
});

describe("error.code", () => {
  it("is a union of the codes of the tag", () => {
    const error: unknown = new ZarrError("NotAllowed", "refused", { code: "is-source" });
    if (!isZarrError(error)) throw new Error("not a ZarrError");
    if (error._tag === "NotAllowed") {
      expectTypeOf(error.code).toEqualTypeOf<
        "not-allowed" | "not-zarr" | "foreign-files" | "protected-folder" | "is-source"
      >();
    }
    const isSource = isZarrError(error, "NotAllowed", "Conflict") && error.code === "is-source";
    expect(isSource).toBe(true);
    // @ts-expect-error: a code of another tag
    expect(isZarrError(error, "NotAllowed") && error.code === "http-status").toBe(false);
    // @ts-expect-error: a code of another tag
    expect(new ZarrError("NotFound", "gone", { code: "http-status" }).code).toBe("http-status");
  });

  it("has known fields only", () => {
    expect(Object.keys(new ZarrError("NotFound", "gone"))).toEqual(["_tag", "code"]);
    const error = new ZarrError("Network", "failed", { status: 503 });
    expect({ ...error }).toEqual({ _tag: "Network", code: "network", status: 503 });
    expect(error.chunkKey).toBeUndefined();
  });
});
