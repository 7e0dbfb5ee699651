// `array.is(…)`: the narrowed types, and the results at run time.
import { describe, expect, expectTypeOf, it } from "vitest";
import { type ElementData, get, open, type ZarrArray } from "zarr-wasm";
import { bytesOf } from "../support/support.js";

async function opened(dataType: string, fill: unknown): Promise<ZarrArray> {
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: [3],
    data_type: dataType,
    chunk_grid: { name: "regular", configuration: { chunk_shape: [3] } },
    chunk_key_encoding: { name: "default" },
    fill_value: fill,
    codecs: dataType === "string" ? ["vlen-utf8"] : [{ name: "bytes", configuration: { endian: "little" } }],
  };
  return open(new Map([["/zarr.json", bytesOf(JSON.stringify(document))]]), { kind: "array" });
}

describe("array.is", () => {
  it("narrows what get and getChunk return", async () => {
    const array = await opened("float32", 1.5);
    expectTypeOf((await get(array)).data).toEqualTypeOf<ElementData<ArrayBuffer>>();
    expect(array.is("int16")).toBe(false);
    if (!array.is("float32")) throw new Error("not what was opened");
    const { data } = await get(array);
    expectTypeOf(data).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expectTypeOf((await array.getChunk([0])).data).toEqualTypeOf<Float32Array<ArrayBuffer>>();
    expect(data).toEqual(Float32Array.of(1.5, 1.5, 1.5));
  });

  it("knows lists of strings, and arrays of 64-bit integers", async () => {
    const texts = await opened("string", "x");
    if (!texts.is("string")) throw new Error("not what was opened");
    const { data } = await get(texts);
    expectTypeOf(data).toEqualTypeOf<string[]>();
    expect(data).toEqual(["x", "x", "x"]);
    const large = await opened("int64", 7);
    if (large.is("int64")) expectTypeOf((await get(large)).data).toEqualTypeOf<BigInt64Array<ArrayBuffer>>();
    expect(large.is("int64")).toBe(true);
  });

  it("matches kinds of elements, and any of several queries", async () => {
    const float = await opened("float32", 1.5);
    const large = await opened("uint64", 7);
    const text = await opened("string", "x");
    const flags = await opened("bool", true);
    const complex = await opened("complex64", [1, 2]);
    const arrays = [float, large, text, flags, complex];
    const matching = (...queries: Parameters<ZarrArray["is"]>) => arrays.map((array) => array.is(...queries));
    expect(matching("number")).toEqual([true, false, false, false, false]);
    expect(matching("bigint")).toEqual([false, true, false, false, false]);
    expect(matching("string")).toEqual([false, false, true, false, false]);
    expect(matching("boolean")).toEqual([false, false, false, true, false]);
    expect(matching("complex64", "bool")).toEqual([false, false, false, true, true]);
    expect(matching()).toEqual([false, false, false, false, false]);
  });

  it("accepts an explicit type argument, as before", async () => {
    const { data } = await get<string[]>(await opened("string", "x"));
    expectTypeOf(data).toEqualTypeOf<string[]>();
    expect(data).toHaveLength(3);
  });
});
