// What `array.is(…)` tells TypeScript and says at run time.
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
    expectTypeOf((await get(array)).data).toEqualTypeOf<ElementData>();
    expect(array.is("int16")).toBe(false);
    if (!array.is("float32")) throw new Error("not what was opened");
    const { data } = await get(array);
    expectTypeOf(data).toEqualTypeOf<Float32Array>();
    expectTypeOf((await array.getChunk([0])).data).toEqualTypeOf<Float32Array>();
    expect(data).toEqual(Float32Array.of(1.5, 1.5, 1.5));
  });

  it("knows lists of strings, and arrays of 64-bit integers", async () => {
    const texts = await opened("string", "x");
    if (!texts.is("string")) throw new Error("not what was opened");
    const { data } = await get(texts);
    expectTypeOf(data).toEqualTypeOf<string[]>();
    expect(data).toEqual(["x", "x", "x"]);
    const large = await opened("int64", 7);
    if (large.is("int64")) expectTypeOf((await get(large)).data).toEqualTypeOf<BigInt64Array>();
    expect(large.is("int64")).toBe(true);
  });

  it("accepts an explicit type argument, as before", async () => {
    const { data } = await get<string[]>(await opened("string", "x"));
    expectTypeOf(data).toEqualTypeOf<string[]>();
    expect(data).toHaveLength(3);
  });
});
