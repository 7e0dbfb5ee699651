// Other libraries read written arrays, with equal bytes: every version, data type, codec, order and byte
// order, with shards and without. The matrix comes from the library's own lists (written-matrix.ts).

import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { type CreateOptions, create, type DTypeInput, get, MapStore, set } from "zarr-wasm";
import * as zarrita from "zarrita";
import { skipFor } from "../../shared/skips.js";
import { missingModule, missingZarr, python, pythonReads } from "../support/python-zarr.js";
import { goldenCases, once, openArray, sha256, storeOf } from "../support/support.js";
import { readV1 } from "../support/v1-reader.js";
import { tempFolder } from "../support/writing-tools.js";
import { same, textOf, type Written, writeMatrix } from "../support/written-matrix.js";

const folder = tempFolder("read-by-others");

const dtypes = [
  ...["|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16"],
  ...["|S5", "<U4", ">U2", "<M8[ns]", "<m8[10s]", "|V3"],
];
const chains: CreateOptions["codecs"][] = [
  undefined,
  "none",
  ...["zstd:3", "zlib:2", "gzip", "bz2:1", "lz4", "blosc:zstd:1", "blosc:blosclz"],
];

describe("Zarr v1", () => {
  it("by an independent reader", async () => {
    const { store, written } = await writeMatrix(1);
    expect(written.length).toBeGreaterThan(60);
    for (const { name, codec, elements } of written) {
      const { bytes, attributes } = await readV1(store, name);
      expect(Buffer.compare(bytes, elements as Uint8Array), name).toBe(0);
      expect(attributes, name).toEqual({ of: codec });
    }
  });

  it("in the bytes that zarr-python 1 wrote, where a compressor has but one form", async () => {
    let [read, compared] = [0, 0];
    for (const golden of goldenCases("v1")) {
      const store = storeOf(golden);
      const meta = JSON.parse(
        new TextDecoder().decode(store.get("/meta")).replace(/(NaN|Infinity)/g, '"$1"'),
      );
      if (meta.compression_opts?.format === 3) continue; // raw streams, which the program xz does not detect
      const from = await openArray(store, { onWarning: () => {} });
      const copy = new Map<string, Uint8Array>();
      // Zarr v1 of order F is written with blosc only: its specification and zarr-python 1 say different things of
      // others.
      const disputed = meta.order === "F" && meta.compression !== "blosc" && meta.shape.length > 1;
      const array = await create(copy, { path: "a", like: from, ...(disputed ? { order: "C" } : {}) });
      const elements = await get(from);
      await set(array, null, elements, { writeEmptyChunks: true });
      expect(sha256((await readV1(copy, "a")).bytes), golden.name).toBe(golden.sha256);
      read++;
      if (disputed || !/^(none|bz2)$/.test(meta.compression)) continue;
      for (const [key, bytes] of store) {
        const at = /^\/\d+(\.\d+)*$/.test(key) ? key.slice(1).split(".").map(Number) : [];
        // Elements outside the array are arbitrary.
        const isInside = at.every((i, axis) => (i + 1) * meta.chunks[axis] <= meta.shape[axis]);
        if (at.length === 0 || !isInside) continue;
        expect(Buffer.compare(copy.get(`/a${key}`)!, bytes), golden.name + key).toBe(0);
        compared++;
      }
    }
    expect(read).toBeGreaterThan(60);
    expect(compared).toBeGreaterThan(15);
  });
});

describe("Zarr v2", () => {
  /** Codecs for which zarr-python needs a module that Debian installs separately. */
  const modules: Record<string, string> = { msgpack2: "msgpack", zfpy: "zfpy" };
  const matrix = once(() => writeMatrix(2));

  /** Compares the arrays of some codecs, and returns the errors of zarr-python. */
  async function compare(isMeant: (codec: string) => boolean): Promise<Set<string>> {
    const { store, written } = await matrix();
    const chosen = written.filter(({ codec }) => isMeant(codec));
    const answers = pythonReads(
      store,
      chosen.map(({ name }) => name),
    );
    const unread = new Set<string>();
    for (const [i, { name, codec, elements }] of chosen.entries()) {
      const { bytes, values, error } = answers[i]!;
      if (error) unread.add(`${codec}: ${error}`);
      else if (bytes) expect(same(Buffer.from(bytes, "base64"), elements), name).toBe(true);
      else expect(JSON.stringify(values), name).toBe(textOf(elements));
    }
    return unread;
  }

  for (const [codec, module] of Object.entries(modules)) {
    const reason = missingZarr() ?? missingModule(module);
    it(`${codec} by zarr-python`, { timeout: 60_000, ...skipFor(reason) }, async () => {
      expect((await matrix()).written.filter((one) => one.codec === codec).length).toBeGreaterThan(0);
      expect([...(await compare((name) => name === codec))]).toEqual([]);
    });
  }

  it("by zarr-python", { timeout: 60_000, ...skipFor(missingZarr()) }, async () => {
    expect((await matrix()).written.length).toBeGreaterThan(370);
    const unread = await compare((codec) => !Object.hasOwn(modules, codec));
    // The imagecodecs package has these under separate names.
    const ofImagecodecs = [...unread].filter((text) => text.startsWith("imagecodecs_"));
    expect(ofImagecodecs.length).toBeGreaterThan(10);
    for (const text of ofImagecodecs) {
      expect(text).toMatch(/^imagecodecs_\w+: ValueError: codec not available: 'imagecodecs_\w+'$/);
      unread.delete(text);
    }
    // Codecs unknown to numcodecs 0.11, and types that NumPy does not calculate with.
    expect([...unread].map((text) => text.replace(/ cannot use operands.*/, "")).sort()).toEqual([
      "crc32c: ValueError: codec not available: 'crc32c'",
      "delta: UFuncTypeError: ufunc 'add'",
      "fixedscaleoffset: UFuncTypeError: ufunc 'divide'",
      "fletcher32: ValueError: codec not available: 'fletcher32'",
      "jenkins_lookup3: ValueError: codec not available: 'jenkins_lookup3'",
      "snappy: ValueError: codec not available: 'snappy'",
    ]);
  });

  it("with its metadata by zarr-python", skipFor(missingZarr()), async () => {
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
});

/** What zarrita has of our data types on Node 20: no typed array holds others, or it does not know their names. */
const zarritaTypes = /^(bool|u?int(8|16|32|64)|float(32|64)|string)$/;
/** Codecs that zarrita lacks. */
const unknownToZarrita = [
  ...["hdf5_bitshuffle", "hdf5_lz4", "hdf5_lzf"],
  ...["bz2", "numcodecs.bz2", "lzma", "numcodecs.lzma", "numcodecs.astype", "numcodecs.fixedscaleoffset"],
  ...[
    "numcodecs.quantize",
    "numcodecs.packbits",
    "packbits",
    "reshape",
    "numcodecs.crc32c",
    "numcodecs.crc32",
  ],
  ...["numcodecs.adler32", "numcodecs.fletcher32", "numcodecs.jenkins_lookup3", "numcodecs.base64"],
  ...["conditional", "zfp", "numcodecs.zfpy", "n5_default"],
];
/** Codecs of virtual datasets, all of which zarrita lacks. */
const ofTiff = /^(imagecodecs_\w+|ChunkyCodec|HorizontalDeltaCodec)$/;
/**
 * Differences of zarrita 0.7: it has no msgpack2 and categorize, does not flatten nested lists of json2, cannot
 * shuffle strings, reads them in C order after a transpose, and always reads the first ones of a buffer,
 * whatever their offset in it (as in shards).
 */
const otherInZarrita = ({ codec, type, options: { order, shardShape } }: Written) =>
  /json2|categorize|msgpack2/.test(codec) ||
  (type.label === "string" && (codec === "numcodecs.shuffle" || order === "F" || shardShape !== undefined));

describe("Zarr v3", () => {
  it("by zarrita", { timeout: 60_000 }, async () => {
    const { store, written } = await writeMatrix(3);
    expect(written.length).toBeGreaterThan(1400);
    const root = zarrita.root(new MapStore(store) as never);
    const unknown = new Set<string>();
    let count = 0;
    for (const cell of written) {
      if (!zarritaTypes.test(cell.type.label) || otherInZarrita(cell)) continue;
      try {
        expect(await zarritaValues(root.resolve(cell.name)), cell.name).toEqual(
          Array.from((await get(cell.array)).data as Iterable<unknown>),
        );
        count++;
      } catch (error) {
        if ((error as Error).name !== "UnknownCodecError") throw error;
        unknown.add(cell.codec);
      }
    }
    const others = [...unknown].filter((codec) => !ofTiff.test(codec));
    expect(others.sort()).toEqual(unknownToZarrita.sort());
    expect(count).toBeGreaterThan(180);
  });
});

/** Elements of a matrix in C order, numbers for booleans. */
async function zarritaValues(location: zarrita.Location<zarrita.Readable>): Promise<unknown[]> {
  const array = await zarrita.open.v3(location, { kind: "array" });
  const { data, stride, shape } = await zarrita.get(array);
  const values = Array.from({ length: shape[0]! * shape[1]! }, (_, i) => {
    // zarrita returns strides in the order of the chunks.
    const at = Math.floor(i / shape[1]!) * stride[0]! + (i % shape[1]!) * stride[1]!;
    return (data as { get?: (i: number) => unknown }).get?.(at) ?? (data as unknown[])[at];
  });
  return values.map((value) => (typeof value === "boolean" ? Number(value) : value));
}
