// Other libraries read created arrays.

import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { type CreateOptions, create, type DTypeInput, deleteNode, MapStore, open } from "zarr-wasm";
import * as zarrita from "zarrita";
import { skipFor } from "../../shared/skips.js";
import { missingZarr, python } from "../support/python-zarr.js";
import { errorOf } from "../support/support.js";
import { small, tempFolder } from "../support/writing-tools.js";

const folder = tempFolder("create");

const dtypes = [
  ...["|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16"],
  ...["|S5", "<U4", ">U2", "<M8[ns]", "<m8[10s]", "|V3"],
];
const chains: CreateOptions["codecs"][] = [
  undefined,
  "none",
  ...["zstd:3", "zlib:2", "gzip", "bz2:1", "lz4", "blosc:zstd:1", "blosc:blosclz"],
];

describe("other libraries read created arrays", () => {
  it("into a folder, by its URL", async () => {
    const url = pathToFileURL(path.join(folder, "plain.zarr/"));
    await create(url, { ...small, path: "a" });
    expect(readdirSync(path.join(folder, "plain.zarr"))).toEqual(["a", "zarr.json"]);
    expect((await open(url, { path: "a", kind: "array" })).shape).toEqual([10, 20]);
    await deleteNode(url, "a");
    expect((await errorOf(() => open(url, { path: "a" })))._tag).toBe("NotFound");
  });

  it("v2 by zarr-python", skipFor(missingZarr()), async () => {
    const url = pathToFileURL(path.join(folder, "v2.zarr/"));
    const wanted: Record<string, unknown> = {};
    let i = 0;
    for (const dtype of dtypes) {
      const name = `a${i}`;
      const codecs = chains[i++ % chains.length];
      const order = i % 2 === 0 ? "F" : "C";
      const attributes = { i, text: "é" };
      await create(url, {
        path: name,
        shape: [7, 5],
        chunkShape: [3, 2],
        dtype: dtype as DTypeInput,
        codecs,
        order,
        attributes,
        zarrFormat: 2,
      });
      wanted[name] = [[7, 5], [3, 2], dtype, order, attributes];
    }
    await create(url, { path: "text", shape: [3], dtype: "string", fillValue: "none", zarrFormat: 2 });
    await create(url, { path: "nan", shape: [3], dtype: "<f4", fillValue: Number.NaN, zarrFormat: 2 });
    const script = `
import json, sys, zarr, numpy as np
g = zarr.open_group(sys.argv[1], mode="r")
out = {}
for name, a in g.arrays():
    a[:]
    if name.startswith("a"):
        assert not np.any(a[:] != np.zeros((), a.dtype)), name
        out[name] = [a.shape, a.chunks, a.dtype.str, a.order, dict(a.attrs)]
assert list(g["text"][:]) == ["none"] * 3
assert np.isnan(g["nan"][:]).all()
print(json.dumps(out))`;
    expect(JSON.parse(python(script, path.join(folder, "v2.zarr")))).toEqual(wanted);
  });

  it("v3 by zarrita", async () => {
    const store = new MapStore();
    for (const dtype of [
      "bool",
      "int8",
      "int16",
      "int32",
      "int64",
      "uint8",
      "uint16",
      "uint32",
      "uint64",
      "float32",
      "float64",
    ]) {
      for (const codecs of [undefined, "none", "zstd:3", "gzip", ["zstd", "crc32c"]]) {
        const path_ = `${dtype}-${JSON.stringify(codecs)?.replace(/\W/g, "")}`;
        const shards = codecs === undefined ? {} : { shardShape: [4, 8] };
        const attributes = { a: 1 };
        await create(store, {
          path: path_,
          shape: [5, 8],
          chunkShape: [2, 4],
          ...shards,
          dtype: dtype as DTypeInput,
          codecs,
          fillValue: dtype === "bool" ? true : 3,
          attributes,
          order: "F",
        });
        const array = await zarrita.open(zarrita.root(store as never).resolve(path_), { kind: "array" });
        expect([array.shape, array.dtype, array.attrs]).toEqual([[5, 8], dtype, { a: 1 }]);
        const { data } = await zarrita.get(array);
        expect(Array.from(data as ArrayLike<unknown>, (value) => Number(value))).toEqual(
          new Array(40).fill(dtype === "bool" ? 1 : 3),
        );
      }
    }
  });
});
