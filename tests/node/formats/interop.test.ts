// Metadata and chains that other readers can use: byte orders of filters, floats with a fraction, names of dimensions,
// sizes
// that fit, well-formed Unicode, node names that no cleanup deletes.
import { describe, expect, it } from "vitest";
import {
  type CodecInput,
  type CreateOptions,
  create,
  createGroup,
  DType,
  type DTypeInput,
  get,
  type Selection,
  set,
  slice,
  updateAttributes,
} from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { hiddenName } from "#src/store/temp-names.js";
import { skipFor } from "../../shared/skips.js";
import { hasXarray, pythonJson } from "../support/python-zarr.js";
import { bytesOf, errorOf, openArray } from "../support/support.js";

type Files = Map<string, Uint8Array>;

const textOf = (store: Files, key: string): string => new TextDecoder().decode(store.get(key));
const documentOf = (store: Files, key = "/zarr.json") => JSON.parse(textOf(store, key));
const little = { name: "bytes", configuration: { endian: "little" } };

/** Filters of numcodecs for big-endian arrays, in Zarr v2 form. */
const filters: Record<string, [dtype: string, configuration: Record<string, unknown>]> = {
  delta: [">i4", { dtype: ">i4" }],
  "delta as": [">i4", { dtype: ">i4", astype: ">i2" }],
  quantize: [">f4", { digits: 1, dtype: ">f4", astype: ">f4" }],
  fixedscaleoffset: [">f8", { offset: 0, scale: 2, dtype: ">f8", astype: ">i2" }],
  astype: [">f8", { encode_dtype: ">i2", decode_dtype: ">f8" }],
};

describe.each(Object.entries(filters))("filters of big-endian arrays: %s", (name, [dtype, configuration]) => {
  const codec = { name: name.split(" ")[0]!, configuration };
  const common = { shape: [4], chunkShape: [2], dtype: dtype as DTypeInput, codecs: [codec] };
  const typesIn = (store: Files) => textOf(store, "/zarr.json").match(/"[<>|=][a-z]\d"/g);

  it("name little-endian types in Zarr v3, where the codec bytes says the order", async () => {
    const v2: Files = new Map();
    const source = await create(v2, { ...common, zarrFormat: 2 });
    await set(
      source,
      null,
      new (dtype === ">i4" ? Int32Array : dtype === ">f4" ? Float32Array : Float64Array)([42, 1, -5, 300]),
    );
    const { data } = await get(source);
    const stores = [{ ...common }, { ...common, shardShape: [4] }, { like: source }].map((options) => ({
      options,
      store: new Map() as Files,
    }));
    for (const { options, store } of stores) {
      const array = await create(store, { ...options, zarrFormat: 3 } as CreateOptions);
      expect(typesIn(store)!.every((type) => type.startsWith('"<'))).toBe(true);
      expect(textOf(store, "/zarr.json")).toContain('"endian": "big"');
      await set(array, null, data);
      expect((await get(await openArray(store))).data).toEqual(data);
    }
    // Both versions store the same chunks.
    const [, , like] = stores;
    for (const [key, chunk] of v2)
      if (/^\/\d/.test(key)) expect(like!.store.get(`/c${key}`) ?? like!.store.get(key)).toEqual(chunk);
    const back: Files = new Map();
    await create(back, { like: await openArray(like!.store), zarrFormat: 2 });
    expect(documentOf(back, "/.zarray").filters).toEqual(documentOf(v2, "/.zarray").filters);
  });

  it("are read as before if they name big-endian types in Zarr v3", async () => {
    const store: Files = new Map();
    const array = await create(store, common);
    await set(
      array,
      null,
      new (dtype === ">i4" ? Int32Array : dtype === ">f4" ? Float32Array : Float64Array)([42, 1, -5, 300]),
    );
    const text = textOf(store, "/zarr.json").replace(/"<([a-z]\d)"/g, '">$1"');
    const old = new Map(store).set("/zarr.json", bytesOf(text));
    expect((await get(await openArray(old))).data).toEqual((await get(array)).data);
  });
});

it("filters of Zarr v2 that name another byte order than their input has are refused", async () => {
  const document = {
    ...{ zarr_format: 2, shape: [2], chunks: [2], dtype: ">i4", fill_value: 0, order: "C", compressor: null },
    filters: [{ id: "delta", dtype: "<i4" }],
  };
  const error = await errorOf(() => openArray(new Map([["/.zarray", bytesOf(JSON.stringify(document))]])));
  expect([error._tag, error.code, error.codec]).toEqual(["Unsupported", "not-in-version", "delta"]);
});

it("filters of times name integers, with which NumPy calculates", async () => {
  const store: Files = new Map();
  await create(store, { shape: [2], dtype: "<M8[s]", codecs: ["delta"], zarrFormat: 2 });
  expect(documentOf(store, "/.zarray").filters).toEqual([{ id: "delta", dtype: "<i8" }]);
});

it("bitround of integers has the registered name: numcodecs decodes them as floats", async () => {
  for (const [dtype, name] of [
    ["int16", "bitround"],
    ["float32", "numcodecs.bitround"],
  ] as const) {
    const store: Files = new Map();
    const codecs = [{ name: "numcodecs.bitround", configuration: { keepbits: 3 } }, little];
    await create(store, { shape: [2], dtype, codecs });
    expect(documentOf(store).codecs[0].name).toBe(name);
  }
});

it("an empty list of LZMA filters is written as null, because Python refuses it", async () => {
  const store: Files = new Map();
  await create(store, {
    shape: [2],
    dtype: "|u1",
    codecs: [{ name: "lzma", configuration: { filters: [] } }],
    zarrFormat: 2,
  });
  expect(documentOf(store, "/.zarray").compressor.filters).toBe(null);
});

describe("numbers", () => {
  const struct = {
    name: "struct",
    configuration: {
      fields: [
        { name: "a", data_type: "float32" },
        { name: "i", data_type: "int32" },
      ],
    },
  };
  it.each<[1 | 2 | 3, unknown, unknown, string]>([
    [3, "float16", -0, "-0.0"],
    [3, "bfloat16", -0, "-0.0"],
    [3, "float32", -0, "-0.0"],
    [3, "float64", -0, "-0.0"],
    [3, "float8_e5m2", -0, "-0.0"],
    [3, "float32", "0x80000000", "-0.0"],
    [3, "complex64", [-0, 1], "[-0.0, 1]"],
    [3, "complex128", [1, -0], "[1, -0.0]"],
    [3, struct, { a: -0, i: -0 }, '{ "a": -0.0, "i": 0 }'],
    [2, "<f4", -0, "-0.0"],
    [2, ">c16", [-0, -0], "[-0.0, -0.0]"],
    [2, "<i4", -0, "0"],
    [1, "<f8", -0, "-0.0"],
    [
      1,
      [
        ["a", "<f4"],
        ["i", "<i4"],
      ],
      { a: -0, i: 3 },
      "[-0.0, 3]",
    ],
    [3, "float32", 1e20, "100000000000000000000.0"],
    [3, "float64", 2 ** 60, "1152921504606847000.0"],
    [3, "float64", 1e300, "1e+300"],
    [3, "int64", 2 ** 60, "1152921504606846976"],
  ])("fill value of v%i, %j: %j", async (zarrFormat, dtype, fillValue, text) => {
    const store: Files = new Map();
    const options = { shape: [2], dtype, fillValue, zarrFormat } as CreateOptions;
    const array = await create(store, options);
    const key = { 1: "/meta", 2: "/.zarray", 3: "/zarr.json" }[zarrFormat];
    const document = textOf(store, key).replace(/\s+/g, " ");
    expect(document).toContain(`"fill_value": ${text},`);
    expect((await openArray(store)).fillValue).toEqual(array.fillValue);
  });

  it("of attributes stay integers or floats", async () => {
    const store: Files = new Map();
    const attributes = { zero: -0, large: 1e20, n: 2 ** 60, big: 2n ** 80n };
    const array = await create(store, { shape: [], dtype: "int8", attributes });
    expect(textOf(store, "/zarr.json")).toMatch(
      /"zero": -0\.0,\s+"large": 100000000000000000000\.0,\s+"n": 1152921504606846976,\s+"big": 1208925819614629174706176\s/,
    );
    expect((await openArray(store)).attributes).toEqual({ ...attributes, n: 2n ** 60n });
    await updateAttributes(array, { zero: -0, one: 1 });
    expect(textOf(store, "/zarr.json")).toContain('"zero": -0.0');
  });
});

describe("names of dimensions in Zarr v2", () => {
  const attributesOf = async (options: object): Promise<object | undefined> => {
    const store: Files = new Map();
    await create(store, { dtype: "int32", zarrFormat: 2, ...options } as CreateOptions);
    return store.has("/.zattrs") ? documentOf(store, "/.zattrs") : undefined;
  };

  it("are an empty list for arrays without dimensions", async () => {
    expect(await attributesOf({ shape: [], dimensionNames: [] })).toEqual({ _ARRAY_DIMENSIONS: [] });
    expect(await attributesOf({ shape: [] })).toBe(undefined);
    expect(await attributesOf({ shape: [1], dimensionNames: [null] })).toBe(undefined);
    expect(await attributesOf({ shape: [1], dimensionNames: ["x"] })).toEqual({ _ARRAY_DIMENSIONS: ["x"] });
    const v3 = await create(new Map(), { shape: [], dtype: "int32", dimensionNames: [] });
    expect(await attributesOf({ like: v3, dtype: undefined })).toEqual({ _ARRAY_DIMENSIONS: [] });
    const v2 = await create(new Map(), { shape: [], dtype: "<i4", dimensionNames: [], zarrFormat: 2 });
    expect(await attributesOf({ like: v2, dtype: undefined, codecs: "zstd" })).toEqual({
      _ARRAY_DIMENSIONS: [],
    });
  });

  it(
    "let xarray open a dataset with a grid mapping",
    skipFor(hasXarray() ? undefined : "xarray is not installed for /usr/bin/python3"),
    async () => {
      const store: Files = new Map();
      const group = await createGroup(store, { zarrFormat: 2 });
      await create(group, { path: "crs", shape: [], dtype: "int32", fillValue: null, dimensionNames: [] });
      const x = await create(group, {
        path: "x",
        shape: [2],
        dtype: "int32",
        fillValue: null,
        dimensionNames: ["x"],
      });
      await set(x, null, Int32Array.of(0, 7));
      const encoded = [...store].map(([key, bytes]) => [key.slice(1), Buffer.from(bytes).toString("base64")]);
      const script = `
import base64, json, sys, warnings
warnings.simplefilter("ignore")
import xarray
store = {key: base64.b64decode(value) for key, value in json.load(sys.stdin)}
data = xarray.open_dataset(store, engine="zarr", consolidated=False, chunks=None)
print(json.dumps([sorted(data.variables), list(data["crs"].dims), data["x"].values.tolist()]))`;
      expect(pythonJson(script, encoded)).toEqual([["crs", "x"], [], [0, 7]]);
    },
  );
});

describe("chains whose sizes cannot fit", () => {
  const shuffle = (elementsize: number) => ({ name: "numcodecs.shuffle", configuration: { elementsize } });
  const packed = { name: "packbits", configuration: { padding_encoding: "first_byte" } };
  const lzma = (configuration: Record<string, unknown>) => ({ name: "numcodecs.lzma", configuration });
  const conditional = { name: "conditional", configuration: { codecs: [shuffle(4)] } };
  const index = [little, shuffle(5)];
  it.each<[string, CodecInput[], object?]>([
    ["packbits with a padding byte before shuffle", [packed, shuffle(4)]],
    ["single bytes before shuffle", [{ name: "bytes" }, shuffle(3)]],
    ["a checksum before shuffle", [{ name: "bytes" }, { name: "crc32c" }, shuffle(8)]],
    ["base64 before shuffle", [{ name: "bytes" }, { name: "numcodecs.base64" }, shuffle(5)]],
    ["shuffle in conditional", [{ name: "bytes" }, conditional], { chunkShape: [6] }],
    ["shuffle in a shard", [{ name: "bytes" }, shuffle(3)], { shardShape: [16] }],
    [
      "shuffle of a shard's index",
      [{ name: "sharding_indexed", configuration: { codecs: [{ name: "bytes" }], index_codecs: index } }],
      { shardShape: [16] },
    ],
    [
      "filters of LZMA that do not go together",
      [{ name: "bytes" }, lzma({ filters: [{ id: 33 }, { id: 33 }] })],
    ],
    ["a check of a format that has none", [{ name: "bytes" }, lzma({ format: 2, check: 4 })]],
  ])("are refused: %s", async (_, codecs, options = {}) => {
    const store: Files = new Map();
    const wanted = { shape: [16], chunkShape: [8], dtype: "bool", codecs, ...options } as CreateOptions;
    const error = await errorOf(() => create(store, wanted));
    expect([error._tag, error.code]).toEqual(["InvalidArgument", "bad-configuration"]);
    expect(store.size).toBe(0);
  });

  it("and those that fit are not", async () => {
    const codecs = [packed, shuffle(3)]; // two bytes and one
    const array = await create(new Map(), { shape: [16], dtype: "bool", codecs });
    await set(array, null, 1);
    expect((await get(array)).data).toEqual(new Uint8Array(16).fill(1));
  });
});

describe("text that is not Unicode", () => {
  const half = "a\ud800";
  const text = { name: "fixed_length_utf32", configuration: { length_bytes: 16 } };
  const field = (name: string, type: unknown = "int8") => ({
    name: "struct",
    configuration: { fields: [{ name, data_type: type }] },
  });
  const labels = {
    name: "numcodecs.categorize",
    configuration: { labels: [half], dtype: "|O", astype: "|u1" },
  };
  it.each<[string, object, string]>([
    ["attributes", { attributes: { a: [{ b: half }] } }, "not-json"],
    ["keys of attributes", { attributes: { a: { [half]: 1 } } }, "not-json"],
    ["fill values", { dtype: "string", fillValue: half }, "bad-fill-value"],
    ["fill values of fixed length", { dtype: text, fillValue: half }, "bad-fill-value"],
    ["fill values of fields", { dtype: field("a", text), fillValue: { a: half } }, "bad-fill-value"],
    ["fill values of objects", { dtype: "|O", zarrFormat: 2, fillValue: [{ [half]: 1 }] }, "bad-fill-value"],
    ["names of dimensions", { dimensionNames: [half] }, "invalid-argument"],
    ["names of nodes", { path: `x/${half}` }, "bad-path"],
    ["names of fields", { dtype: field(half) }, "unknown-dtype"],
    ["names of fields in v2", { dtype: [[half, "<i2"]], zarrFormat: 2 }, "not-json"],
    [
      "names of fields of a DType",
      { dtype: DType.struct([{ name: half, dtype: DType.simple("int8") }]), zarrFormat: 2 },
      "unknown-dtype",
    ],
    ["labels", { dtype: "string", codecs: [labels] }, "not-json"],
  ])("is refused in %s", async (_, options, code) => {
    const store: Files = new Map();
    const error = await errorOf(() =>
      create(store, { shape: [2], dtype: "int8", ...options } as CreateOptions),
    );
    expect([error._tag, error.code]).toEqual(["InvalidArgument", code]);
    expect(store.size).toBe(0);
  });

  it("is refused in attributes of groups and in changes", async () => {
    const group = await createGroup(new Map());
    for (const work of [
      () => createGroup(group, { path: half }),
      () => createGroup(group, { path: "g", attributes: { [half]: 1 } }),
      () => updateAttributes(group, { a: half }),
    ])
      expect((await errorOf(work))._tag).toBe("InvalidArgument");
  });
});

it.each([hiddenName(), ".zw-a.tmp", ".zw-writer.tmp", "x.crswap"])(
  "no node has the name %s, which temporary files have",
  async (name) => {
    const store: Files = new Map();
    for (const path of [name, `group/${name}`, `${name}/array`]) {
      const array = await errorOf(() => create(store, { path, shape: [2], dtype: "int8" }));
      const group = await errorOf(() => createGroup(store, { path }));
      expect([array.code, group.code]).toEqual(["bad-path", "bad-path"]);
    }
    expect(store.size).toBe(0);
  },
);

describe("lists with holes", () => {
  // biome-ignore-start lint/suspicious/noSparseArray: the tests need them
  const holes: [string, () => unknown][] = [
    ["order", () => chain([{ name: "transpose", configuration: { order: [1, ,] } }, little])],
    ["lengths", () => chain([{ name: "reshape", configuration: { shape: [2, [0, ,]] } }, little])],
    [
      "filters",
      () => chain([little, { name: "lzma", configuration: { format: 3, filters: [, { id: 33 }] } }]),
    ],
    ["a map", () => chain([{ name: "cast_value", configuration: castWith([[1, 2], ,]) }, little])],
    ["codecs", () => chain([, little] as object[])],
    [
      "fields",
      () =>
        chain([little], { name: "struct", configuration: { fields: [{ name: "a", data_type: "int8" }, ,] } }),
    ],
    ["shape", () => make({ shape: [2, ,] })],
    ["chunkShape", () => make({ chunkShape: [2, ,] })],
    ["dimensionNames", () => make({ dimensionNames: [, "x"] })],
    [
      "a transpose of an array",
      () => make({ codecs: [{ name: "transpose", configuration: { order: [1, ,] } }] }),
    ],
    ["attributes", () => make({ attributes: { a: [1, , 2] } })],
    ["a fill value of bytes", () => make({ dtype: "bytes", fillValue: [1, ,] })],
    ["a raw fill value", () => make({ dtype: "r16", fillValue: [1, ,] })],
    ["a selection", () => region([, 1])],
    ["the end of a selection", () => region([slice(0, 1), ,])],
    ["a list of indices", () => region([[0, , 1], null])],
    ["a list of booleans", () => region([[true, ,], null])],
    ["coordinates of a chunk", async () => (await make({})).getChunk([0, ,] as number[])],
    ["fields of a DType", async () => DType.struct([, { name: "a", dtype: DType.simple("int8") }] as never)],
  ];
  // biome-ignore-end lint/suspicious/noSparseArray: as above
  const castWith = (encode: unknown) => ({ data_type: "int16", scalar_map: { encode } });
  const chain = (codecs: object[], dataType: unknown = "int32") =>
    createCodecChain({ dtype: dataType, shape: [2, 2], codecs } as never);
  const make = (options: object) =>
    create(new Map(), { shape: [2, 2], chunkShape: [2, 2], dtype: "int32", ...options } as CreateOptions);
  const region = async (selection: unknown) => get(await make({}), selection as Selection);

  it.each(holes)("are refused: %s", async (_, work) => {
    const { _tag } = await errorOf(work as () => Promise<unknown>);
    expect(_tag).toMatch(/^Invalid(Argument|Metadata|Selection)$/);
  });
});
