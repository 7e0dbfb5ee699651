// Names and types of zarrita 0.5 to 0.7 in the drop-in.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { MapStore } from "zarr-wasm";
import * as dropIn from "zarr-wasm/zarrita";
import * as zarrita from "zarrita";
import { elementsOf } from "../support/random-arrays.js";
import { v3Meta, writeV3 } from "../support/zarr-writer.js";

const root = new URL("../../../", import.meta.url).pathname;

describe("names that programs for other versions import", () => {
  it("0.5 and 0.6", () => {
    expect(dropIn.NodeNotFoundError).toBe(dropIn.NotFoundError);
    expect(dropIn.KeyError).toBe(dropIn.NotFoundError);
    expect(dropIn.IndexError).toBe(dropIn.InvalidSelectionError);
    expect(dropIn._zarrita_internal_getStrides([2, 3, 4], "C")).toEqual([12, 4, 1]);
    expect(dropIn._zarrita_internal_getStrides([2, 3, 4], "F")).toEqual([1, 2, 6]);
    expect(dropIn._zarrita_internal_sliceIndices(dropIn.slice(1, -1, 2), 10)).toEqual([1, 9, 2]);
  });

  it("every name of zarrita 0.7", () => {
    const names = Object.keys(zarrita);
    expect(Object.keys(dropIn)).toEqual(expect.arrayContaining(names));
  });

  it("every type of zarrita 0.7", () => {
    // The compiler checks that each name exists and takes as many arguments as zarrita's.
    type Storage = [dropIn.AbsolutePath, dropIn.RangeQuery, dropIn.Readable, dropIn.AsyncReadable];
    type Writing = [dropIn.SyncReadable, dropIn.Writable, dropIn.AsyncWritable, dropIn.SyncWritable];
    type Stores = [dropIn.AsyncMutable, dropIn.SyncMutable, dropIn.Mutable, dropIn.FetchStoreOptions];
    type Others = [dropIn.ReferenceStore, dropIn.ZipFileStore, dropIn.FileSystemStore];
    type Ints = [dropIn.Int8, dropIn.Int16, dropIn.Int32, dropIn.Int64, dropIn.Bool, dropIn.ObjectType];
    type Uints = [dropIn.Uint8, dropIn.Uint16, dropIn.Uint32, dropIn.Uint64];
    type Floats = [dropIn.Float16, dropIn.Float32, dropIn.Float64];
    type Texts = [dropIn.UnicodeStr, dropIn.ByteStr, dropIn.String, dropIn.StringDataType];
    type Kinds = [dropIn.NumberDataType, dropIn.BigintDataType, dropIn.DataType, dropIn.Attributes];
    type Values = [dropIn.Scalar<"int8">, dropIn.TypedArray<"int8">, dropIn.TypedArrayConstructor<"int8">];
    type Metadata = [dropIn.ArrayMetadata<"int8">, dropIn.GroupMetadata, dropIn.CodecMetadata];
    type MetadataV2 = [dropIn.ArrayMetadataV2, dropIn.GroupMetadataV2, dropIn.Chunk<"int8">];
    type Indexing = [dropIn.GetOptions, dropIn.SetOptions, dropIn.Indices, dropIn.Projection, dropIn.Slice];
    type Extending = [dropIn.ByteCache, dropIn.CacheKeyFor, dropIn.ArrayExtension, dropIn.FlushReport];
    type Consolidated = [
      dropIn.ConsolidatedFormat,
      dropIn.ConsolidatedMetadataOptions,
      dropIn.Listable<Map<1, 2>>,
    ];
    type All = [
      Storage,
      Writing,
      Stores,
      Others,
      Ints,
      Uints,
      Floats,
      Texts,
      Kinds,
      Values,
      Metadata,
      MetadataV2,
    ];
    type AllOthers = [Indexing, Extending, Consolidated];
    const count: [All, AllOthers]["length"] = 2;
    const bools: dropIn.BoolArray<ArrayBuffer> = new dropIn.BoolArray(new ArrayBuffer(3));
    const buffer: ArrayBuffer = bools.buffer;
    const text: dropIn.ByteStringArray<ArrayBuffer> = new dropIn.ByteStringArray(2, buffer, 0, 1);
    expect([count, buffer.byteLength, text.length]).toEqual([2, 3, 1]);
  });

  it("0.7's for @zarrita/ndarray: regions in another form", async () => {
    const written = new MapStore();
    await writeV3(written, v3Meta(), elementsOf("int32", 24, 1));
    const array = await dropIn.open(written as never, { kind: "array" });
    const prepare = (data: unknown, shape: number[], stride: number[]) => ({
      data,
      shape,
      stride,
      made: true,
    });
    const setter = { prepare, setScalar() {}, setFromChunk() {} } as never;
    const region = await dropIn._zarrita_internal_get(array, [0, null], {}, setter);
    expect(region).toMatchObject({ made: true, shape: [6], stride: [1] });
    expect(typeof (await dropIn._zarrita_internal_get(array, [0, 0], {}, setter))).toBe("number");
  });

  it("classes have their names in the bundles, which are minified", () => {
    const names = [
      ...["Array", "Group", "Location", "FetchStore", "BoolArray", "ByteStringArray", "UnicodeStringArray"],
      ...["NotFoundError", "InvalidMetadataError", "UnknownCodecError", "CodecPipelineError"],
      ...["InvalidSelectionError", "UnsupportedError", "WorkerPool", "FileSystemStore", "ZarrError"],
    ];
    const code = `
      const zarr = await import("zarr-wasm/zarrita");
      const numcodecs = await import("zarr-wasm/numcodecs");
      console.log(${JSON.stringify(names)}.map((name) => zarr[name].name).join());
      console.log(["Blosc", "GZip", "LZ4", "Zlib", "Zstd"].map((name) => numcodecs[name].name).join());`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n")).toEqual([names.join(), "Blosc,GZip,LZ4,Zlib,Zstd"]);
  });
});
