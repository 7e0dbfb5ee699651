// TIFF codecs: whole files by libtiff and GDAL, read through references in the forms of tifffile,
// virtual-tiff and imagecodecs. tests/golden/tiff.py made the files and the expected values.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { create, get, getBytes, MapStore, open, set } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { ReferenceStore } from "zarr-wasm/formats";
import { samples } from "../support/doc-samples.js";
import { bytesOf, errorOf, sha256 } from "../support/support.js";

interface Tiff {
  name: string;
  /** Rows, columns, and samples if there are several. */
  shape: number[];
  dtype: string;
  order: "little" | "big";
  /** One plane after the other instead of interleaved samples. */
  planar: boolean;
  predictor: 1 | 2 | 3;
  compression: 1 | 5 | 8 | 32773 | 50000;
  chunk: [number, number];
  offsets: number[];
  byteCounts: number[];
  /** SHA-256 of the elements, little-endian, samples last. */
  sha256: string;
  references: Record<string, unknown>;
}

const folder = new URL("../../golden/tiff/", import.meta.url);
const linesOf = <T>(name: string): T[] =>
  readFileSync(new URL(name, folder), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);

const tiffs = linesOf<Tiff>("index.jsonl");
const named = tiffs.map((tiff) => [tiff.name, tiff] as const);
const fileOf = (tiff: Tiff) => new Uint8Array(readFileSync(new URL(`${tiff.name}.tif`, folder)));
const samplesOf = ({ shape }: Tiff) => shape[2] ?? 1;
const itemBytes = ({ dtype }: Tiff) => Number(dtype.at(-1));

/** Moves the sample axis from first to last. */
function samplesLast(tiff: Tiff, bytes: Uint8Array): Uint8Array {
  const samples = samplesOf(tiff);
  const size = itemBytes(tiff);
  const pixels = bytes.length / size / samples;
  const out = new Uint8Array(bytes.length);
  for (let pixel = 0; pixel < pixels; pixel++)
    for (let sample = 0; sample < samples; sample++) {
      const from = (sample * pixels + pixel) * size;
      out.set(bytes.subarray(from, from + size), (pixel * samples + sample) * size);
    }
  return out;
}

describe("tifffile's references", () => {
  it.each(named)("to %s", async (_, tiff) => {
    const files = new MapStore(new Map([[`${tiff.name}.tif`, fileOf(tiff)]]));
    const store = new ReferenceStore(tiff.references, { resolve: (key) => ({ store: files, key }) });
    const array = await open(store, { kind: "array" });
    const { bytes } = await getBytes(array);
    expect(sha256(tiff.planar ? samplesLast(tiff, bytes) : bytes)).toBe(tiff.sha256);
  });
});

const dataTypes: Record<string, string> = {
  "|u1": "uint8",
  "<i2": "int16",
  "<u2": "uint16",
  "<u4": "uint32",
  "<f4": "float32",
  "<f8": "float64",
};

/** Compressors by TIFF's numbers, as virtual-tiff names them. */
const compressors: Record<Tiff["compression"], object[]> = {
  1: [],
  5: [{ name: "imagecodecs_lzw" }],
  8: [{ name: "numcodecs.zlib", configuration: { level: 1 } }],
  32773: [{ name: "imagecodecs_packbits", configuration: { axis: null } }],
  50000: [{ name: "imagecodecs_zstd", configuration: { level: 9 } }],
};

/** A Zarr v3 store with the chunks of a TIFF; `bandAxis` gives the position of the sample axis. */
function v3Store(
  tiff: Tiff,
  bandAxis: "first" | "last",
  codecs: readonly unknown[],
): Map<string, Uint8Array> {
  const [rows, columns] = tiff.shape as [number, number];
  const samples = samplesOf(tiff);
  const withBands = (lengths: number[], bands: number) =>
    samples === 1 ? lengths : bandAxis === "first" ? [bands, ...lengths] : [...lengths, bands];
  const grid = [Math.ceil(rows / tiff.chunk[0]), Math.ceil(columns / tiff.chunk[1])] as const;
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: withBands([rows, columns], samples),
    data_type: dataTypes[tiff.dtype],
    chunk_grid: {
      name: "regular",
      configuration: { chunk_shape: withBands([...tiff.chunk], tiff.planar ? 1 : samples) },
    },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [...codecs, ...compressors[tiff.compression]],
  };
  const store = new Map([["/zarr.json", bytesOf(JSON.stringify(document))]]);
  const file = fileOf(tiff);
  tiff.offsets.forEach((offset, i) => {
    const tile = [Math.floor(i / grid[1]) % grid[0], i % grid[1]];
    const key = withBands(tile, tiff.planar ? Math.floor(i / (grid[0] * grid[1])) : 0).join("/");
    store.set(`/c/${key}`, file.subarray(offset, offset + tiff.byteCounts[i]!));
  });
  return store;
}

describe("virtual-tiff's metadata", () => {
  const codecsOf = (tiff: Tiff) => {
    const isChunky = samplesOf(tiff) > 1 && !tiff.planar;
    const shape = [...(samplesOf(tiff) === 1 ? [] : [tiff.planar ? 1 : samplesOf(tiff)]), ...tiff.chunk];
    const configuration = { endian: tiff.order };
    const predictors: Record<Tiff["predictor"], unknown[]> = {
      1: [],
      2: [{ name: "HorizontalDeltaCodec" }],
      3: [{ name: "imagecodecs_floatpred", configuration: { shape, dtype: tiff.dtype, axis: -1, dist: 1 } }],
    };
    const order = isChunky
      ? [
          { name: "transpose", configuration: { order: [0, 2, 1] } },
          { name: "ChunkyCodec", configuration },
        ]
      : [{ name: "bytes", configuration }];
    return [...predictors[tiff.predictor], ...order];
  };
  // The codec moves these bytes as if they were elements, so the result differs from the file.
  const isBroken = (tiff: Tiff) => tiff.predictor === 3 && samplesOf(tiff) > 1 && !tiff.planar;

  it.each(named.filter(([, tiff]) => !isBroken(tiff)))("of %s", async (_, tiff) => {
    const array = await open(v3Store(tiff, "first", codecsOf(tiff)), { kind: "array" });
    const { bytes } = await getBytes(array);
    expect(sha256(samplesLast(tiff, bytes))).toBe(tiff.sha256);
  });

  it.each(named.filter(([, tiff]) => isBroken(tiff)))("of %s is refused", async (_, tiff) => {
    const error = await errorOf(() => open(v3Store(tiff, "first", codecsOf(tiff)), { kind: "array" }));
    expect([error._tag, error.codec]).toEqual(["InvalidMetadata", "transpose"]);
  });
});

/** An array of a file's elements, in the form of tifffile's references. */
async function arrayOf(name: string) {
  const tiff = tiffs.find((one) => one.name === name)!;
  const files = new MapStore(new Map([[`${name}.tif`, fileOf(tiff)]]));
  const store = new ReferenceStore(tiff.references, { resolve: (key) => ({ store: files, key }) });
  return open(store, { kind: "array" });
}

it("references written by hand in the documentation contain the file's pixels", async () => {
  const sample = samples.find(({ file, text }) => file === "docs/codecs/tiff.md" && text.includes(".zarray"));
  const tiff = tiffs.find(({ name }) => name === "lzw2-u1-rgb-tiles")!;
  const files = new MapStore(new Map([[`${tiff.name}.tif`, fileOf(tiff)]]));
  const store = new ReferenceStore(JSON.parse(sample!.text), { resolve: (key) => ({ store: files, key }) });
  const array = await open(store, { kind: "array" });
  expect(array.shape).toEqual(tiff.shape);
  expect(sha256((await getBytes(array)).bytes)).toBe(tiff.sha256);
});

it("a Zarr v2 predictor without a data type uses the array's", async () => {
  const references = structuredClone(tiffs.find(({ name }) => name === "lzw2-i2-tiles")!);
  const document = JSON.parse(references.references[".zarray"] as string);
  document.filters[0].dtype = undefined;
  references.references[".zarray"] = JSON.stringify(document);
  const files = new MapStore(new Map([[`${references.name}.tif`, fileOf(references)]]));
  const store = new ReferenceStore(references.references, { resolve: (key) => ({ store: files, key }) });
  expect(sha256((await getBytes(await open(store, { kind: "array" }))).bytes)).toBe(references.sha256);
});

describe("arrays like tifffile's references, in other chunks", () => {
  const shapes = [
    ["lzw2-i2-big", [20, 10], -1],
    ["lzw3-f4-tiles", [8, 32], -1],
    ["lzw3-f8-big-strips", [45, 61], -1],
    ["lzw3-f4-two-strips", [16, 16, 2], -2],
    ["lzw2-u2-rgb-big", [45, 61, 3], -2],
    ["lzw3-f4-rgb-planar", [3, 8, 64], -1],
  ] as const;

  it.each(shapes)("of %s have predictors for those", async (name, chunkShape, axis) => {
    const like = await arrayOf(name);
    const { bytes } = await getBytes(like);
    const { data } = await get(like);
    for (const zarrFormat of [2, 3] as const) {
      const store = new Map<string, Uint8Array>();
      const array = await create(store, { like, zarrFormat, chunkShape });
      const { configuration } = array.codecs.find(({ name: codec }) => /delta|floatpred/.test(codec))!;
      expect(configuration).toMatchObject({ axis, ...(zarrFormat === 2 && { shape: chunkShape }) });
      if (zarrFormat === 3) expect(Object.keys(configuration!).sort()).toEqual(["axis", "dist"]);
      await set(array, null, data);
      expect((await getBytes(await open(store, { kind: "array" }))).bytes).toEqual(bytes);
    }
  });

  it("and in shards", async () => {
    const like = await arrayOf("lzw3-f4-tiles");
    const store = new Map<string, Uint8Array>();
    const array = await create(store, { like, zarrFormat: 3, chunkShape: [8, 8], shardShape: [16, 64] });
    await set(array, null, (await get(like)).data);
    expect((await get(await open(store, { kind: "array" }))).data).toEqual((await get(like)).data);
  });

  it("keep the position of an axis counted from the start", async () => {
    const filter = { id: "imagecodecs_delta", shape: [4, 6, 3], dtype: "<u2", axis: 1 };
    const base = { zarr_format: 2, shape: [8, 6, 3], chunks: [4, 6, 3], dtype: "<u2", order: "C" };
    const document = { ...base, fill_value: 0, filters: [filter], compressor: null };
    const like = await open(new Map([["/.zarray", bytesOf(JSON.stringify(document))]]), { kind: "array" });
    const array = await create(new Map(), { like, chunkShape: [2, 3, 3] });
    expect(array.codecs[0]!.configuration).toMatchObject({ shape: [2, 3, 3], axis: -2 });
  });

  it("are refused where the predictor does not fit them, naming the codec", async () => {
    const filter = { id: "imagecodecs_floatpred", shape: [4, 6], dtype: "<f4", dist: 2 };
    const base = { zarr_format: 2, shape: [8, 6], chunks: [4, 6], dtype: "<f4", order: "C", fill_value: 0 };
    const document = { ...base, filters: [filter], compressor: null };
    const like = await open(new Map([["/.zarray", bytesOf(JSON.stringify(document))]]), { kind: "array" });
    const error = await errorOf(() => create(new Map(), { like, chunkShape: [4, 3] }));
    expect([error._tag, error.codec]).toEqual(["InvalidArgument", "imagecodecs_floatpred"]);
  });
});

describe("imagecodecs' metadata of Zarr v3", () => {
  const chunky = named.filter(([, { planar }]) => !planar);
  it.each(chunky)("of %s", async (_, tiff) => {
    const configuration = { axis: samplesOf(tiff) > 1 ? -2 : -1, dist: 1 };
    const predictors: Record<Tiff["predictor"], unknown[]> = {
      1: [],
      2: [{ name: "imagecodecs_delta", configuration }],
      3: [{ name: "imagecodecs_floatpred", configuration }],
    };
    const bytes = { name: "bytes", configuration: { endian: tiff.order } };
    const array = await open(v3Store(tiff, "last", [...predictors[tiff.predictor], bytes]), {
      kind: "array",
    });
    expect(sha256((await getBytes(array)).bytes)).toBe(tiff.sha256);
  });
});

describe("LZW with the lowest bit first", () => {
  const streams = linesOf<{ name: string; shape: [number, number]; stream: string; sha256: string }>(
    "gif.jsonl",
  );
  it.each(streams.map((line) => [line.name, line] as const))("%s", async (_, line) => {
    const codecs = [{ name: "bytes" }, { name: "imagecodecs_lzw" }];
    const chain = await createCodecChain({ dtype: "uint8", shape: line.shape, codecs });
    const stream = new Uint8Array(Buffer.from(line.stream, "base64"));
    expect(stream[0]).toBe(0);
    expect(sha256(chain.decode(stream) as Uint8Array)).toBe(line.sha256);
    const error = await errorOf(() => chain.decode(stream.subarray(0, stream.length - 9)));
    expect([error._tag, error.codec]).toEqual(["CorruptChunk", "imagecodecs_lzw"]);
  });
});

describe("written arrays", () => {
  const values = Float32Array.from({ length: 40 * 30 }, (_, i) => Math.sin(i / 50) * 1000);
  const predictors = [
    { name: "imagecodecs_floatpred" },
    { name: "imagecodecs_floatpred", configuration: { axis: -2, dist: 2 } },
    { name: "imagecodecs_byteshuffle", configuration: { delta: true } },
    { name: "imagecodecs_delta", configuration: { axis: 0 } },
    { name: "HorizontalDeltaCodec" },
  ];
  const little = { name: "bytes", configuration: { endian: "little" } };
  const big = { name: "ChunkyCodec", configuration: { endian: "big" } };
  const chains = [
    ...predictors.map((predictor) => [predictor, little, { name: "imagecodecs_lzw" }]),
    [big, { name: "imagecodecs_packbits", configuration: { axis: -1 } }],
    [little, { name: "imagecodecs_deflate", configuration: { level: 12 } }],
    [little, { name: "imagecodecs_lz4", configuration: { header: true, level: null } }],
    [
      little,
      { name: "imagecodecs_blosc", configuration: { compressor: "ZSTD", shuffle: "BITSHUFFLE", level: 3 } },
    ],
    [little, { name: "imagecodecs_blosc" }, { name: "imagecodecs_bz2" }],
    [little, { name: "imagecodecs_lzma" }, { name: "imagecodecs_snappy" }],
  ];
  it.each(chains.map((codecs) => [JSON.stringify(codecs.map(({ name }) => name)), codecs] as const))(
    "with %s is read again",
    async (_, codecs) => {
      const store = new Map<string, Uint8Array>();
      const options = { shape: [40, 30], chunkShape: [16, 8], dtype: "float32", codecs } as const;
      const array = await create(store, { ...options, fillValue: 0 });
      await set(array, [], values.slice());
      const { data } = await get(await open(store, { kind: "array" }));
      expect(data).toEqual(values);
    },
  );

  it("shrinks to a fifth if LZW and the predictor help", async () => {
    const ramp = Uint16Array.from({ length: 64 * 64 }, (_, i) => (i % 64) + Math.floor(i / 64));
    const codecs = [{ name: "imagecodecs_delta" }, little, { name: "imagecodecs_lzw" }];
    const chain = await createCodecChain({ dtype: "uint16", shape: [64, 64], codecs });
    const encoded = chain.encode(ramp);
    expect(encoded.length).toBeLessThan((2 * ramp.length) / 5);
    expect(chain.decode(encoded)).toEqual(ramp);
  });
});

describe("configurations", () => {
  const refusals: [object, string, RegExp, string?][] = [
    [{ name: "imagecodecs_lzw", configuration: { level: 1 } }, "bad-configuration", /"level"/],
    [{ name: "imagecodecs_delta", configuration: { axis: 2 } }, "bad-configuration", /"axis"/],
    [
      { name: "imagecodecs_delta", configuration: { dist: 3 } },
      "bad-configuration",
      /"dist" must be 1, 2 or 4/,
    ],
    [{ name: "imagecodecs_delta", configuration: { shape: [4, 5] } }, "bad-configuration", /"shape" \[4,5\]/],
    [{ name: "imagecodecs_delta", configuration: { shape: [-4, -6] } }, "bad-configuration", /"shape"/],
    [
      { name: "imagecodecs_delta", configuration: { dtype: "<f8" } },
      "bad-configuration",
      /"dtype" is float64/,
    ],
    [{ name: "imagecodecs_delta", configuration: { dtype: "nonsense" } }, "bad-configuration", /"dtype"/],
    [
      { name: "imagecodecs_floatpred", configuration: { dist: 4 } },
      "bad-configuration",
      /not a multiple of 4/,
    ],
    [
      { name: "imagecodecs_floatpred", configuration: { shape: [2, 2, 6], axis: 0 } },
      "bad-configuration",
      /last axis/,
    ],
    [{ name: "imagecodecs_byteshuffle", configuration: { delta: 1 } }, "bad-configuration", /"delta"/],
    [{ name: "HorizontalDeltaCodec", configuration: { axis: 0 } }, "bad-configuration", /"axis"/],
    [
      { name: "imagecodecs_deflate", configuration: { raw: true } },
      "unsupported-codec",
      /raw/,
      "Unsupported",
    ],
    [{ name: "imagecodecs_lz4" }, "unsupported-codec", /without a size prefix/, "Unsupported"],
    [
      { name: "imagecodecs_blosc", configuration: { compressor: "LZO" } },
      "bad-configuration",
      /"compressor"/,
    ],
    [{ name: "imagecodecs_packbits", configuration: { axis: -3 } }, "bad-configuration", /"axis"/],
  ];
  const isArrayCodec = (name: string) => /delta|floatpred|byteshuffle/i.test(name);

  it.each(refusals)("%j is refused", async (codec, code, message, tag = "InvalidMetadata") => {
    const { name } = codec as { name: string };
    const little = { name: "bytes", configuration: { endian: "little" } };
    const codecs = isArrayCodec(name) ? [codec, little] : [little, codec];
    const error = await errorOf(() => createCodecChain({ dtype: "float32", shape: [4, 6], codecs } as never));
    expect([error._tag, error.code, error.codec]).toEqual([tag, code, name]);
    expect(error.message).toMatch(message);
  });

  it.each(["complex64", "bool", "string"])("data type %s is refused", async (dataType) => {
    for (const name of ["imagecodecs_delta", "imagecodecs_floatpred", "HorizontalDeltaCodec"]) {
      const codecs = [{ name }, { name: "bytes", configuration: { endian: "little" } }];
      const error = await errorOf(() =>
        createCodecChain({ dtype: dataType, shape: [4, 6], codecs } as never),
      );
      expect(error._tag).toBe("InvalidMetadata");
    }
  });

  it("of predictors in Zarr v2 need a shape", async () => {
    const filters = [{ id: "imagecodecs_delta", axis: -1, dist: 1, shape: null, dtype: null }];
    const base = { zarr_format: 2, shape: [4], chunks: [4], dtype: "<u2", order: "C", fill_value: 0 };
    const document = { ...base, filters, compressor: null };
    const error = await errorOf(() => open(new Map([["/.zarray", bytesOf(JSON.stringify(document))]])));
    expect(error.message).toMatch(/needs "shape"/);
  });
});
