// Compares regions with zarrita, for arrays that zarrita reads correctly; bench/peers has the others.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { get, MapStore, open } from "zarr-wasm";
import * as zarrita from "zarrita";
import { dataTypes, type Entry, elementsOf, randomSelection } from "../support/random-arrays.js";
import { everyIndex, product, randomizer } from "../support/support.js";
import {
  blosc,
  bytesBig,
  bytesLittle,
  type Codec,
  filled,
  gzip,
  regular,
  sharded,
  transposed,
  v2Meta,
  v3Meta,
  writeStrings,
  writeV2,
  writeV3,
  zstd,
} from "../support/zarr-writer.js";

/** The result of either library in one form: values in C order. */
interface Read {
  shape: readonly number[];
  values: unknown[];
}

async function readOurs(store: MapStore, selection: Entry[] | null): Promise<Read> {
  const { data, shape } = await get(await open(store, { kind: "array" }), selection);
  return { shape, values: Array.from(data as ArrayLike<unknown>) };
}

async function readTheirs(store: MapStore, selection: Entry[] | null): Promise<Read> {
  const array = await zarrita.open(store as never, { kind: "array" });
  const theirs = selection?.map((entry) =>
    typeof entry === "object" && entry !== null ? zarrita.slice(entry.start, entry.stop, entry.step) : entry,
  );
  const region = (await zarrita.get(array, theirs)) as unknown;
  const plain = (value: unknown) => (typeof value === "boolean" ? Number(value) : value);
  const isRegion = typeof region === "object" && region !== null && "data" in region;
  if (!isRegion) return { shape: [], values: [plain(region)] };
  // zarrita's regions have the layout of the chunks, including F order; booleans have an accessor.
  const { data, shape, stride } = region as { data: Elements; shape: number[]; stride: number[] };
  const at = (i: number) => plain("get" in data ? data.get(i) : data[i]);
  return {
    shape,
    values: everyIndex(shape).map((index) => at(index.reduce((sum, i, d) => sum + i * stride[d]!, 0))),
  };
}

type Elements = ArrayLike<unknown> | { get(i: number): unknown };

/** Compares the whole array and random regions. */
async function compare(store: MapStore, shape: readonly number[], seed: number): Promise<void> {
  const random = randomizer(seed);
  const selections = [null, ...Array.from({ length: 12 }, () => randomSelection(shape, random))];
  for (const selection of selections) {
    const [ours, theirs] = [await readOurs(store, selection), await readTheirs(store, selection)];
    expect(ours, JSON.stringify(selection)).toEqual(theirs);
  }
}

const bloscs = ["lz4", "zstd", "blosclz", "zlib"].flatMap((cname) =>
  ["noshuffle", "shuffle", "bitshuffle"].map((shuffle) => blosc({ cname, shuffle, clevel: 5 })),
);
const chains: [string, Codec[]][] = [
  ["little", [bytesLittle]],
  ["big", [bytesBig]],
  ["gzip", [bytesLittle, gzip]],
  ["zstd", [bytesBig, zstd]],
  ["transpose 1,2,0", [transposed(1, 2, 0), bytesLittle]],
  ["transpose 2,0,1 and zstd", [transposed(2, 0, 1), bytesBig, zstd]],
  ["crc32c", [bytesLittle, { name: "crc32c" }]],
  ...bloscs.map((codec): [string, Codec[]] => [
    `blosc ${codec.configuration!["cname"]} ${codec.configuration!["shuffle"]}`,
    [bytesLittle, codec],
  ]),
];
const shards: [string, Codec[]][] = [
  ["plain", [sharded([2, 3, 5])]],
  ["zstd", [sharded([4, 3, 2], [bytesLittle, zstd])]],
  ["transposed inside", [sharded([2, 3, 5], [transposed(2, 0, 1), bytesBig, gzip])]],
  ["without index checksum", [sharded([4, 6, 10], [bytesLittle], [bytesBig])]],
];

const shape = [7, 11, 13];
const count = product(shape);

describe("Zarr v3 arrays are read as zarrita reads them", () => {
  it.each(dataTypes)("of %s", async (dataType) => {
    const store = new MapStore();
    // zarrita swaps booleans of big-endian arrays (bench/peers).
    const isBool = dataType === "bool";
    const meta = v3Meta(filled({ shape, data_type: dataType, chunk_grid: regular(3, 4, 5) }));
    Object.assign(meta, { codecs: [isBool ? bytesLittle : bytesBig] });
    await writeV3(store, meta, elementsOf(dataType, count, 11));
    await compare(store, shape, 1);
  });

  it.each(chains)("with %s", async (_, codecs) => {
    const store = new MapStore();
    const meta = v3Meta({ shape, data_type: "int32", chunk_grid: regular(4, 5, 3), codecs });
    await writeV3(store, meta, elementsOf("int32", count, 12));
    await compare(store, shape, 2);
  });

  it.each(shards)("in shards: %s", async (_, codecs) => {
    const store = new MapStore();
    const meta = v3Meta(filled({ shape, data_type: "float32", chunk_grid: regular(4, 6, 10), codecs }));
    await writeV3(store, meta, elementsOf("float32", count, 13), { missing: 0.3 });
    await compare(store, shape, 3);
  });

  it("with missing chunks", async () => {
    const store = new MapStore();
    const meta = v3Meta({ shape, data_type: "int16", chunk_grid: regular(3, 4, 5), fill_value: -7 });
    await writeV3(store, meta, elementsOf("int16", count, 14), {
      isMissing: (key) => /[13]/.test(key.slice(1)),
    });
    await compare(store, shape, 4);
  });

  it("of strings", async () => {
    const store = new MapStore();
    const values = Array.from({ length: 6 * 7 }, (_, i) => "aé漢😀".repeat(i % 4) + i);
    const meta = v3Meta({
      shape: [6, 7],
      data_type: "string",
      chunk_grid: regular(4, 3),
      codecs: [{ name: "vlen-utf8" }, zstd],
      fill_value: "",
    });
    await writeStrings(store, meta, values);
    await compare(store, [6, 7], 5);
  });

  it("of all ranks", async () => {
    for (const lengths of [[], [17], [3, 4], [2, 3, 4, 5], [2, 1, 3, 2, 3]]) {
      const store = new MapStore();
      const chunks = lengths.map((length) => Math.ceil(length / 2));
      const meta = v3Meta({ shape: lengths, data_type: "uint16", chunk_grid: regular(...chunks) });
      await writeV3(store, meta, elementsOf("uint16", product(lengths), 15));
      await compare(store, lengths, 6);
    }
  });
});

/** Filters and compressors of v2, with their v3 equivalents. */
const v2Chains: [string, object, Codec[]][] = [
  ["nothing", {}, []],
  [
    "zlib",
    { compressor: { id: "zlib", level: 1 } },
    [{ name: "numcodecs.zlib", configuration: { level: 1 } }],
  ],
  ["gzip", { compressor: { id: "gzip", level: 1 } }, [gzip]],
  ["zstd", { compressor: { id: "zstd", level: 1 } }, [zstd]],
  ["lz4", { compressor: { id: "lz4", acceleration: 1 } }, [{ name: "numcodecs.lz4", configuration: {} }]],
  [
    "blosc",
    { compressor: { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 } },
    [blosc({ typesize: 2 })],
  ],
  [
    "shuffle and zlib",
    { filters: [{ id: "shuffle", elementsize: 2 }], compressor: { id: "zlib", level: 1 } },
    [
      { name: "numcodecs.shuffle", configuration: { elementsize: 2 } },
      { name: "numcodecs.zlib", configuration: { level: 1 } },
    ],
  ],
];

describe("Zarr v2 arrays are read as zarrita reads them", () => {
  const v2Types: Record<string, string> = {
    bool: "|b1",
    int8: "|i1",
    uint8: "|u1",
    int16: "<i2",
    uint16: ">u2",
    int32: ">i4",
    uint32: "<u4",
    int64: "<i8",
    uint64: ">u8",
    float32: ">f4",
    float64: "<f8",
  };

  it.each(dataTypes)("of %s", async (dataType) => {
    const dtype = v2Types[dataType]!;
    for (const order of ["C", "F"]) {
      const store = new MapStore();
      const meta = v2Meta({ shape, chunks: [3, 4, 5], dtype, order, dimension_separator: "/" });
      const codecs = [dtype.startsWith(">") ? bytesBig : bytesLittle];
      await writeV2(store, meta, { dataType, codecs }, elementsOf(dataType, count, 21));
      await compare(store, shape, 7);
    }
  });

  it.each(v2Chains)("with %s", async (_, fields, after) => {
    const store = new MapStore();
    const meta = v2Meta({ shape, chunks: [4, 5, 3], dtype: "<i2", fill_value: 5, ...fields });
    const codecs = [bytesLittle, ...after];
    const options = { isMissing: (key: string) => key.startsWith("1.0") };
    await writeV2(store, meta, { dataType: "int16", codecs }, elementsOf("int16", count, 22), options);
    await compare(store, shape, 8);
  });
});

describe("arrays that zarrita wrote are read", () => {
  it.each(dataTypes.filter((name) => name !== "bool"))("of %s", async (dataType) => {
    for (const codecs of [
      [bytesLittle],
      [transposed(1, 2, 0), bytesBig],
      [bytesLittle, zstd],
      [bytesLittle, { name: "blosc", configuration: { cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 } }],
    ]) {
      const entries = new Map<string, Uint8Array>();
      const array = await zarrita.create(entries as never, {
        shape,
        chunkShape: [4, 3, 5],
        dtype: dataType as "int32",
        codecs: codecs as never,
        fillValue: 0 as never,
      });
      const Kind = (globalThis as never)[
        { int64: "BigInt64Array", uint64: "BigUint64Array" }[dataType] ??
          dataType.replace(/^(u?)(\w)/, (_, u: string, c: string) => (u ? `U${c}` : c.toUpperCase())) +
            "Array"
      ] as typeof Int32Array;
      const data = new Kind(elementsOf(dataType, count, 31).buffer as ArrayBuffer);
      await zarrita.set(array, null, { data, shape, stride: [11 * 13, 13, 1] });
      // zarrita writes blosc's shuffle as a number, which v3 does not define.
      const text = new TextDecoder()
        .decode(entries.get("/zarr.json"))
        .replace('"shuffle": 1', '"shuffle": "shuffle", "typesize": 4');
      entries.set("/zarr.json", new TextEncoder().encode(text));
      const region = await get(await open(entries, { kind: "array" }));
      expect(region.data).toEqual(data);
    }
  });
});

describe("bench/peers", () => {
  it("finds no error of this library", () => {
    const script = new URL("../../../bench/peers/run.mjs", import.meta.url).pathname;
    const { status, stdout } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toMatch(/\n- zarr-wasm: \d+ right, 0 wrong without an error, 0 errors\n$/);
  });
});
