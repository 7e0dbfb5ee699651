// Image codecs: chunks encoded by the formats' reference programs (tests/golden/images.py), damaged chunks,
// and chunks that declare too much memory.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { configureWasm, create, get, isZarrError, open, set, type ZarrArray } from "zarr-wasm";
import { type CodecChainDType, createCodecChain } from "zarr-wasm/codecs";
import { loadEveryCodec } from "#src/codecs/lookup.js";
import { codecNames } from "#src/codecs/registry.js";
import { getSession } from "#src/engine/engine.js";
import { distFolder } from "../../shared/places.js";
import { bytesOf, sha256 } from "../support/support.js";

interface Image {
  name: string;
  codec: string;
  configuration: Record<string, unknown>;
  dtype: string;
  shape: number[];
  sha256: string;
  bytes: number;
  data: string;
}

const images: Image[] = readFileSync(new URL("../../golden/images.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const codecs = [...new Set(images.map(({ codec }) => codec))];
const encodedOf = ({ data }: Image) => Uint8Array.from(Buffer.from(data, "base64"));
const typeNames: Record<string, string> = { i: "int", u: "uint", f: "float" };
/** Returns the Zarr v3 name of a NumPy type: "uint16" for "<u2". */
const v3Type = (dtype: string) => `${typeNames[dtype[1]!]}${8 * Number(dtype[2])}`;

/** Arrays of one chunk, in the forms of each Zarr version and its writers. */
const layouts = {
  "Zarr v2, compressor": ({ codec, configuration, dtype, shape }: Image) =>
    v2({ dtype, shape }, { id: codec, ...configuration }, null),
  "Zarr v2, filter": ({ codec, configuration, dtype, shape }: Image) =>
    v2({ dtype, shape }, null, [{ id: codec, ...configuration }]),
  "Zarr v3, behind bytes": ({ codec, configuration, dtype, shape }: Image) =>
    v3({ dtype, shape }, [
      { name: "bytes", configuration: { endian: "little" } },
      { name: codec, configuration },
    ]),
  "Zarr v3, in its place": ({ codec, configuration, dtype, shape }: Image) =>
    v3({ dtype, shape }, [{ name: codec, configuration }]),
  "Zarr v3, as numcodecs'": ({ codec, configuration, dtype, shape }: Image) =>
    v3({ dtype, shape }, [{ name: `numcodecs.${codec}`, configuration }]),
};

const v2 = (
  { dtype, shape }: { dtype: string; shape: number[] },
  compressor: object | null,
  filters: object[] | null,
) =>
  [
    {
      "/.zarray": {
        zarr_format: 2,
        shape,
        chunks: shape,
        dtype,
        order: "C",
        fill_value: 0,
        compressor,
        filters,
      },
    },
    `/${shape.map(() => 0).join(".")}`,
  ] as const;
const v3 = ({ dtype, shape }: { dtype: string; shape: number[] }, list: object[]) =>
  [
    {
      "/zarr.json": {
        zarr_format: 3,
        node_type: "array",
        shape,
        data_type: v3Type(dtype),
        chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
        chunk_key_encoding: { name: "default" },
        fill_value: 0,
        codecs: list,
      },
    },
    `/c/${shape.map(() => 0).join("/")}`,
  ] as const;

function storeWith(
  [documents, key]: readonly [object, string],
  encoded: Uint8Array,
): Map<string, Uint8Array> {
  const texts = Object.entries(documents).map(
    ([name, json]) => [name, bytesOf(JSON.stringify(json))] as const,
  );
  return new Map([...texts, [key, encoded]]);
}

async function pixelsOf(source: Map<string, Uint8Array>): Promise<Uint8Array> {
  const { data } = await get(await open(source, { kind: "array" }));
  const { buffer, byteOffset, byteLength } = data as Uint8Array;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

let imagesLoads = 0;
beforeAll(() => {
  const file = new URL("wasm/images.wasm", `file://${distFolder}/`);
  configureWasm({
    images: () => {
      imagesLoads++;
      return readFileSync(file) as never;
    },
  });
});

it("images.wasm is loaded only if metadata names one of its codecs", async () => {
  const plain = v2({ dtype: "|u1", shape: [4] }, { id: "zlib", level: 1 }, null);
  await open(storeWith(plain, new Uint8Array(0)));
  const chain = await createCodecChain({ dtype: "uint8", shape: [4], codecs: ["bytes", "gzip"] as never });
  expect(chain.decode(chain.encode(Uint8Array.of(1, 2, 3, 4)))).toEqual(Uint8Array.of(1, 2, 3, 4));
  expect(imagesLoads).toBe(0);
  await pixelsOf(storeWith(layouts["Zarr v2, compressor"](images[0]!), encodedOf(images[0]!)));
  expect(imagesLoads).toBe(1);
});

describe.each(Object.entries(layouts))("%s", (_layout, layout) => {
  it.each(codecs)("%s decodes to the same pixels as the format's own programs", async (codec) => {
    const own = images.filter((image) => image.codec === codec);
    expect(own.length).toBeGreaterThanOrEqual(20);
    const wrong: string[] = [];
    for (const image of own) {
      const pixels = await pixelsOf(storeWith(layout(image), encodedOf(image)));
      if (sha256(pixels) !== image.sha256) wrong.push(image.name);
    }
    expect(wrong).toEqual([]);
  });
});

describe.each(codecs)("%s", (codec) => {
  const own = images.filter((image) => image.codec === codec);
  const smallest = own.reduce((a, b) => (encodedOf(a).length < encodedOf(b).length ? a : b));
  const chainOf = ({ configuration, dtype, shape }: Image) =>
    createCodecChain({
      dtype: v3Type(dtype) as CodecChainDType,
      shape,
      codecs: [{ name: codec, configuration }],
      direction: "decode",
    });

  it("of another size than the array is refused, and nothing is written", async () => {
    for (const shape of [
      [...smallest.shape, 2],
      [smallest.shape[0]! + 1, ...smallest.shape.slice(1)],
    ]) {
      const chain = await chainOf({ ...smallest, shape });
      const out = new Uint8Array(shape.reduce((a, b) => a * b, Number(smallest.dtype[2]))).fill(7);
      const error = await failureOf(() =>
        chain.decodeInto(encodedOf(smallest), elementsOf(smallest.dtype, out)),
      );
      expect([error._tag, error.code, error.codec]).toEqual(["CorruptChunk", "size-mismatch", codec]);
      expect(out.every((byte) => byte === 7)).toBe(true);
    }
  });

  it("is decoded or refused, whichever bytes are changed", async () => {
    const session = await getSession("images");
    for (const image of [smallest, own.find(({ name }) => /rgb|alpha|mask/.test(name))!]) {
      const chain = await chainOf(image);
      const encoded = encodedOf(image);
      for (let at = 0; at < encoded.length; at++) {
        for (const change of [0x01, 0xff]) {
          const damaged = encoded.slice();
          damaged[at]! ^= change;
          const outcome = attempt(() => chain.decode(damaged));
          if (!outcome) continue;
          expect(
            isZarrError(outcome, "CorruptChunk", "LimitExceeded", "Unsupported"),
            `${image.name} at ${at}: ${outcome}`,
          ).toBe(true);
        }
      }
    }
    expect(session.memoryBytes).toBeLessThan(2 ** 27);
  });

  it("is refused if truncated, unless it was complete", async () => {
    const chain = await chainOf(smallest);
    const encoded = encodedOf(smallest);
    for (let length = 0; length < encoded.length; length++) {
      const outcome = attempt(() => {
        expect(sha256(bytesIn(chain.decode(encoded.subarray(0, length)) as Uint8Array))).toBe(
          smallest.sha256,
        );
      });
      if (outcome)
        expect(isZarrError(outcome, "CorruptChunk", "Unsupported"), `${length}: ${outcome}`).toBe(true);
    }
  });

  it("is read, not written", async () => {
    const array = await open(storeWith(layouts["Zarr v2, compressor"](smallest), encodedOf(smallest)), {
      kind: "array",
    });
    const error = await failureOf(() => set(array, null, 1));
    expect([error._tag, error.code]).toEqual(["Unsupported", "encode-unsupported"]);
  });

  it("is not created, except to describe existing chunks", async () => {
    const like = (await open(storeWith(layouts["Zarr v2, compressor"](smallest), encodedOf(smallest)), {
      kind: "array",
    })) as ZarrArray;
    const { shape } = like;
    const refused = {
      _tag: "Unsupported",
      code: "encode-unsupported",
      codec: expect.stringContaining(codec),
    };
    for (const zarrFormat of [2, 3] as const) {
      const codecs = [{ name: codec, configuration: smallest.configuration }];
      const store = new Map();
      const made = { shape, chunkShape: shape, dtype: "uint8" as const, codecs, zarrFormat };
      expect(await failureOf(() => create(store, made))).toMatchObject(refused);
      expect(await failureOf(() => create(store, { like, zarrFormat, codecs }))).toMatchObject(refused);
      const chunkShape = shape.map(() => 1);
      expect(await failureOf(() => create(store, { like, zarrFormat, chunkShape }))).toMatchObject(refused);
      expect(store.size).toBe(0);
      const copy = await create(store, { like, zarrFormat, shape: shape.map((length) => 2 * length) });
      expect(copy.codecs.some(({ name }) => name.endsWith(codec))).toBe(true);
    }
    const shards = { chunkShape: shape, shardShape: shape, zarrFormat: 3 } as const;
    const codecs = [{ name: codec }];
    const inside = await failureOf(() => create(new Map(), { ...shards, shape, dtype: "uint8", codecs }));
    expect(inside).toMatchObject(refused);
    await create(new Map(), { like, ...shards });
  });
});

/** The bytes as elements of a type. */
function elementsOf(dtype: string, { buffer }: Uint8Array<ArrayBuffer>): never {
  const kinds = { u1: Uint8Array, u2: Uint16Array, i1: Int8Array, i2: Int16Array, f4: Float32Array };
  return new kinds[dtype.slice(1) as keyof typeof kinds](buffer) as never;
}

const bytesIn = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

function attempt(run: () => void): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

async function failureOf(
  run: () => unknown,
): Promise<{ _tag: string; code: string; codec?: string; message: string }> {
  try {
    await run();
  } catch (error) {
    if (isZarrError(error)) return error as never;
    throw error;
  }
  throw new Error("nothing failed");
}

describe("headers that claim much", () => {
  const image = (codec: string, name: string) => images.find((i) => i.codec === codec && i.name === name)!;
  const put = (bytes: Uint8Array, at: number, ...values: number[]) => {
    const changed = bytes.slice();
    changed.set(values, at);
    return changed;
  };
  const find = (bytes: Uint8Array, ...marker: number[]) =>
    Buffer.from(bytes).indexOf(Uint8Array.from(marker));
  const jpeg = encodedOf(image("imagecodecs_jpeg", "grey"));
  const progressive = encodedOf(image("imagecodecs_jpeg", "grey-progressive"));
  const j2k = encodedOf(image("imagecodecs_jpeg2k", "grey"));
  const png = encodedOf(image("imagecodecs_png", "grey"));
  const lerc = encodedOf(image("imagecodecs_lerc", "version-2"));
  const webp = encodedOf(image("imagecodecs_webp", "lossy"));
  const cases: [what: string, codec: string, bytes: Uint8Array][] = [
    [
      "JPEG of 65500 × 65500",
      "imagecodecs_jpeg",
      put(jpeg, find(jpeg, 0xff, 0xc0) + 5, 0xff, 0xdc, 0xff, 0xdc),
    ],
    [
      "progressive JPEG of 65500 × 65500",
      "imagecodecs_jpeg",
      put(progressive, find(progressive, 0xff, 0xc2) + 5, 0xff, 0xdc, 0xff, 0xdc),
    ],
    ["JPEG 2000 of 2³¹ × 21", "imagecodecs_jpeg2k", put(j2k, 8, 0x7f, 0xff, 0xff, 0xff)],
    ["JPEG 2000 with tiles of a pixel", "imagecodecs_jpeg2k", put(j2k, 24, 0, 0, 0, 1, 0, 0, 0, 1)],
    ["JPEG 2000 with 65535 layers", "imagecodecs_jpeg2k", put(j2k, find(j2k, 0xff, 0x52) + 6, 0xff, 0xff)],
    ["PNG of 2³¹ - 1 columns", "imagecodecs_png", put(png, 16, 0x7f, 0xff, 0xff, 0xff)],
    ["LERC of 2³¹ - 1 rows", "imagecodecs_lerc", put(lerc, 10, 0xff, 0xff, 0xff, 0x7f)],
    [
      "WebP of 16383 × 16383",
      "imagecodecs_webp",
      put(webp, find(webp, 0x9d, 0x01, 0x2a) + 3, 0xff, 0x3f, 0xff, 0x3f),
    ],
  ];

  it.each(cases)("%s", async (what, codec, bytes) => {
    const session = await getSession("images");
    const chain = await createCodecChain({
      dtype: "uint8",
      shape: [21, 37],
      codecs: [{ name: codec }],
      direction: "decode",
    });
    const before = session.memoryBytes;
    const outcome = attempt(() => chain.decode(bytes));
    // Layers may be missing: the image is complete, at lower quality.
    if (!what.includes("layers"))
      expect(isZarrError(outcome, "CorruptChunk", "LimitExceeded"), String(outcome)).toBe(true);
    expect((await getSession("images")).memoryBytes - before).toBeLessThan(2 ** 26);
  });
});

it("endless scans are refused", async () => {
  const encoded = encodedOf(
    images.find(({ codec, name }) => codec === "imagecodecs_jpeg" && name === "grey-progressive")!,
  );
  const text = Buffer.from(encoded);
  const last = text.lastIndexOf(Uint8Array.of(0xff, 0xda));
  const scan = encoded.subarray(last, encoded.length - 2);
  const scans = [encoded.subarray(0, last), ...new Array<Uint8Array>(600).fill(scan), encoded.subarray(-2)];
  const chain = await createCodecChain({
    dtype: "uint8",
    shape: [21, 37],
    codecs: [{ name: "imagecodecs_jpeg" }],
    direction: "decode",
  });
  const error = await failureOf(() => chain.decode(Buffer.concat(scans)));
  expect(["LimitExceeded", "CorruptChunk"]).toContain(error._tag);
});

it.each([
  ["imagecodecs_jpegxl", /JPEG XL/],
  ["imagecodecs_jpegls", /JPEG-LS/],
  ["imagecodecs_jpegxr", /JPEG XR/],
  ["imagecodecs_htj2k", /HTJ2K/],
  ["imagecodecs_avif", /AVIF/],
  ["numcodecs.imagecodecs_heif", /HEIF/],
])("%s is Unsupported, with the reason", async (name, reason) => {
  const store = storeWith(
    v3({ dtype: "|u1", shape: [4, 4] }, [{ name: "bytes" }, { name }]),
    new Uint8Array(1),
  );
  const error = await failureOf(() => open(store));
  expect([error._tag, error.code, error.codec]).toEqual(["Unsupported", "unsupported-codec", name]);
  expect(error.message).toMatch(reason);
});

it.each([
  ["imagecodecs_jpeg", { colorspace_data: "PURPLE" }],
  ["imagecodecs_jpeg", { tables: "not base 64" }],
  ["imagecodecs_jpeg", { header: 7 }],
  ["imagecodecs_webp", { hasalpha: "yes" }],
  ["imagecodecs_webp", { index: 3 }],
  ["imagecodecs_jpeg2k", { planar: 1 }],
])("%s with %j is refused when the array is opened", async (name, configuration) => {
  const store = storeWith(v3({ dtype: "|u1", shape: [4, 4] }, [{ name, configuration }]), new Uint8Array(1));
  const error = await failureOf(() => open(store));
  expect([error._tag, error.code, error.codec]).toEqual(["InvalidMetadata", "bad-configuration", name]);
});

it("ignores options that only affect encoding", async () => {
  const image = images.find(({ codec, name }) => codec === "imagecodecs_jpeg" && name === "rgb-420")!;
  const configuration = {
    level: 90,
    bitspersample: null,
    tables: null,
    header: null,
    colorspace_data: null,
    colorspace_jpeg: null,
    subsampling: null,
    optimize: null,
    smoothing: null,
    squeeze: null,
  };
  expect(
    sha256(
      await pixelsOf(
        storeWith(layouts["Zarr v2, compressor"]({ ...image, configuration }), encodedOf(image)),
      ),
    ),
  ).toBe(image.sha256);
});

it("works in shards, with codecs of other modules", async () => {
  const image = images.find(({ codec, name }) => codec === "imagecodecs_png" && name === "rgb")!;
  const { shape } = image;
  await loadEveryCodec();
  expect(codecNames(3)).toContain("jpeg");
  const encoded = encodedOf(image);
  const index = new Uint8Array(16);
  new DataView(index.buffer).setBigUint64(8, BigInt(encoded.length), true);
  const inner = [{ name: "imagecodecs_png" }];
  const sharding = {
    chunk_shape: shape,
    codecs: inner,
    index_codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  };
  const [documents, key] = v3({ dtype: "|u1", shape }, [
    { name: "sharding_indexed", configuration: sharding },
  ]);
  expect(sha256(await pixelsOf(storeWith([documents, key], Buffer.concat([encoded, index]))))).toBe(
    image.sha256,
  );
});
