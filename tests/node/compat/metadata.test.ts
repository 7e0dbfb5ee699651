// Nodes of the zarrita drop-in made from metadata, including incomplete metadata.
import { describe, expect, it } from "vitest";
import { MapStore } from "zarr-wasm";
import * as dropIn from "zarr-wasm/zarrita";
import type * as zarrita from "zarrita";
import { both } from "../support/both-libraries.js";
import { elementsOf } from "../support/random-arrays.js";
import { bytesLittle, documents, regular, v3Meta, writeV3, zstd } from "../support/zarr-writer.js";

const v3Group = { zarr_format: 3, node_type: "group", attributes: {} };

describe("nodes from metadata", () => {
  const metadata = {
    ...v3Meta({ codecs: [bytesLittle, zstd] }),
    attributes: { a: 1 },
    dimension_names: ["y", "x"],
  } as unknown as zarrita.ArrayMetadata;

  it.each(both)("are made by %s", async (_, zarr) => {
    const store = new MapStore();
    await writeV3(store, v3Meta({ codecs: [bytesLittle, zstd] }), elementsOf("int32", 24, 3), { path: "a" });
    store.delete("/a/zarr.json");
    const array = new zarr.Array(store as never, "/a", metadata);
    const { shape, chunks, dtype, attrs, path, fillValue, dimensionNames } = array;
    expect({ shape, chunks, dtype, attrs, path, fillValue, dimensionNames }).toEqual({
      shape: [4, 6],
      chunks: [2, 3],
      dtype: "int32",
      attrs: { a: 1 },
      path: "/a",
      fillValue: 0,
      dimensionNames: ["y", "x"],
    });
    const { data } = await zarr.get(array);
    expect(new Uint8Array((data as Int32Array).buffer)).toEqual(elementsOf("int32", 24, 3));
    const group = new zarr.Group(new Map() as never, "/g", { ...v3Group, attributes: { b: 2 } } as never);
    expect([group.attrs, group.path, group.kind]).toEqual([{ b: 2 }, "/g", "group"]);
  });

  it.each([
    ["int64", 9007199254740993n, 9007199254740993n],
    ["uint64", 5, 5n],
    ["float64", Number.NaN, Number.NaN],
    ["float32", "-Infinity", Number.NEGATIVE_INFINITY],
  ])("with fill values: %s %s", async (dataType, fill, value) => {
    const meta = { ...metadata, data_type: dataType, fill_value: fill } as never;
    const array = new dropIn.Array<dropIn.DataType>(new Map(), "/", meta);
    expect(array.fillValue).toBe(value);
    expect((await dropIn.get(array, [0, 0])) as unknown).toBe(value);
  });

  it("are refused on reading if the metadata is wrong, and at once if it has no chunks", async () => {
    const wrong = new dropIn.Array(new Map(), "/", {
      ...metadata,
      codecs: [{ name: "unheard-of" }],
    } as never);
    await expect(dropIn.get(wrong)).rejects.toThrow(dropIn.UnknownCodecError);
    const none = { ...metadata, chunk_grid: { name: "regular", configuration: {} } };
    expect(() => new dropIn.Array(new Map(), "/", none as never)).toThrow(dropIn.InvalidMetadataError);
  });
});

it.each(both)("text of any length without codecs opens with %s", async (_, zarr) => {
  const meta = v3Meta({
    data_type: "string",
    fill_value: "none",
    codecs: [],
    shape: [3],
    chunk_grid: regular(2),
  });
  const array = await zarr.open(documents({ "/zarr.json": meta }) as never, { kind: "array" });
  expect([array.dtype, array.fillValue]).toEqual(["string", "none"]);
  expect((await zarr.get(array)).data).toEqual(["none", "none", "none"]);
});
