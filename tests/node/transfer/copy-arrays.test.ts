// `zarr-wasm copy` of arrays: changes by options, unchanged properties, and chunks copied without decoding.
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type CreateOptions, create, type DTypeInput, type ElementData, set, slice } from "zarr-wasm";
import { getBytes } from "#src/index.js";
import { run, temporaryFolder, writeStore } from "../support/cli-tool.js";
import { copy, filesOf, urlOf, verify } from "../support/copying.js";
import { dataTypes, elementsOf } from "../support/random-arrays.js";
import { errorOf, goldenCases, openArray, randomBytes, randomizer, storeOf } from "../support/support.js";

const folder = temporaryFolder();
let count = 0;
const place = () => path.join(mkdtempSync(path.join(folder, "copy-")), `${count++}.zarr`);

/** An array in a folder. */
async function make(options: CreateOptions, data?: ElementData | string[]): Promise<string> {
  const dir = place();
  const array = await create(urlOf(dir), options);
  if (data) await set(array, null, data);
  return dir;
}

const bytesIn = async (dir: string) => Buffer.from((await getBytes(await openArray(urlOf(dir)))).bytes);
const elements = Int32Array.from({ length: 60 * 50 }, (_, i) => i * 1001);
let plain: string;
beforeAll(async () => {
  plain = await make(
    {
      ...{ shape: [60, 50], chunkShape: [16, 20], dtype: "<i4", codecs: "zstd:3", zarrFormat: 2 },
      ...{ dimensionNames: ["y", "x"], attributes: { units: "m", big: 2n ** 60n } },
    },
    elements,
  );
});

describe("a copy without options", () => {
  it("is the same, document for document and chunk for chunk", async () => {
    const dest = place();
    const facts = await copy(plain, dest);
    expect(facts.chunks).toEqual({ asStored: 12, reencoded: 0, skipped: 0, missing: 0 });
    expect(filesOf(dest)).toEqual(filesOf(plain));
  });

  it("is reported in two lines", async () => {
    const { status, text, err } = await run("copy", plain, place(), "--verify");
    expect([status, err]).toEqual([0, ""]);
    expect(text).toMatch(
      /^copied 1 array, 0 groups: 12 chunks as stored, 0 re-encoded, 0 missing, 0 already present\n/,
    );
    expect(text).toMatch(
      /\n11\.7 KiB in [\d.]+ s(?: \([1-9]\d* MB\/s\))?, [\d.]+ KiB read, [\d.]+ KiB written, verified\n$/,
    );
  });

  it("keeps unknown fields, even if chunks are re-encoded", async () => {
    const source = await make({ shape: [4], chunkShape: [2], dtype: "int8" }, Int8Array.of(1, 2, 3, 4));
    const file = path.join(source, "zarr.json");
    const foreign = { must_understand: false, n: 12345678901234567890n.toString() };
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), foreign }));
    const dest = place();
    await copy(source, dest, { chunks: "4" });
    expect(JSON.parse(readFileSync(path.join(dest, "zarr.json"), "utf8")).foreign).toEqual(foreign);
  });
});

describe("chunks whose encoding stays are never decoded", () => {
  /** Chunks that are not zstd frames, so that decoding them fails. */
  const garbage = async (options: Partial<CreateOptions> = {}) => {
    const dir = await make({
      shape: [30, 20],
      chunkShape: [10, 10],
      dtype: ">f4",
      codecs: "zstd:3",
      zarrFormat: 2,
      ...options,
    });
    const separator = options.chunkKeyEncoding?.separator ?? ".";
    for (let i = 0; i < 5; i++)
      writeStore(dir, [[[Math.floor(i / 2), i % 2].join(separator), randomBytes(100 + i, i + 1)]]);
    return dir;
  };

  it("from one version to the others", async () => {
    const source = await garbage();
    const dest = place();
    expect((await copy(source, dest, { format: "3" })).chunks).toEqual({
      ...{ asStored: 5, reencoded: 0, skipped: 0, missing: 1 },
    });
    const chunks = (dir: string) => [...filesOf(dir)].filter(([name]) => /\d$/.test(name));
    expect(chunks(dest)).toEqual(chunks(source));
    const back = place();
    expect((await copy(dest, back, { format: "2" })).chunks.asStored).toBe(5);
    expect(chunks(back)).toEqual(chunks(source));
    expect((await verify(dest)).badCount).toBe(5); // they are copied unchanged
  });

  it("into shards, and out of them", async () => {
    const source = await garbage();
    const [sharded, larger, single] = [place(), place(), place()];
    expect((await copy(source, sharded, { format: "3", shards: "20,10" })).chunks.asStored).toBe(5);
    expect((await copy(sharded, larger, { shards: "20,40" })).chunks.asStored).toBe(5);
    expect((await copy(larger, single, { format: "2" })).chunks.asStored).toBe(5);
    for (let i = 0; i < 5; i++) {
      const name = `${Math.floor(i / 2)}.${i % 2}`;
      expect(readFileSync(path.join(single, name))).toEqual(readFileSync(path.join(source, name)));
    }
    expect([...filesOf(larger).keys()].length).toBe(3);
  });

  it("in parts of whole chunks", async () => {
    const source = await garbage();
    const dest = place();
    expect((await copy(source, dest, { select: "10:,10:" })).chunks).toEqual({
      ...{ asStored: 1, reencoded: 0, skipped: 0, missing: 1 },
    });
    expect(readFileSync(path.join(dest, "0.0"))).toEqual(readFileSync(path.join(source, "1.1")));
  });

  it("with --verify they are, and a bad one is an error", async () => {
    const { status, err } = await run("copy", await garbage(), place(), "--verify");
    expect(status).toBe(1);
    expect(err).toMatch(
      /^zarr-wasm: chunk \/\d\.\d: codec zstd: .*\(\d of 6 chunks copied; pass --resume to continue\)\n$/,
    );
  });

  it("but must be complete as far as can be seen", async () => {
    const raw = await make(
      { shape: [8], chunkShape: [4], dtype: "int16", codecs: "none" },
      Int16Array.from([1, 2, 3, 4, 5, 6, 7, 8]),
    );
    writeStore(raw, [["c/1", new Uint8Array(7)]]);
    expect((await run("copy", raw, place())).err).toMatch(
      /\/c\/1: .*incomplete: it has 7 bytes instead of 8/,
    );
    const blosc = await make(
      { shape: [999], chunkShape: [999], dtype: "int16" },
      new Int16Array(999).fill(7),
    );
    const chunk = readFileSync(path.join(blosc, "c/0"));
    writeStore(blosc, [["c/0", chunk.subarray(0, chunk.length - 3)]]);
    expect((await run("copy", blosc, place(), "--shards", "999")).err).toMatch(
      /incomplete: it has \d+ bytes of \d+/,
    );
  });

  it("a missing chunk stays missing unless the fill value changes", async () => {
    const source = await make({ shape: [6], chunkShape: [2], dtype: "uint8", fillValue: 9 });
    writeStore(source, [["c/1", await bytesOfChunk(source)]]);
    const dest = place();
    expect((await copy(source, dest, { fill: "0" })).chunks.asStored).toBe(3);
    expect([...(await bytesIn(dest))]).toEqual([...(await bytesIn(source))]);
    expect((await openArray(urlOf(dest))).fillValue).toBe(0);
  });

  /** A chunk of [9, 8]. */
  async function bytesOfChunk(like: string): Promise<Uint8Array> {
    const dir = place();
    await copy(like, dir);
    await set(await openArray(urlOf(dir)), [slice(2, 4)], Uint8Array.of(9, 8));
    return readFileSync(path.join(dir, "c/1"));
  }

  it("Blosc frames lose trailing bytes that the target version has no place for", async () => {
    const options = { shape: [500], chunkShape: [500], dtype: "<u2", zarrFormat: 2 } as const;
    const source = await make(
      options,
      Uint16Array.from({ length: 500 }, (_, i) => i),
    );
    const frame = readFileSync(path.join(source, "0"));
    writeStore(source, [["0", Buffer.concat([frame, Buffer.from("more")])]]);
    const dest = place();
    expect((await copy(source, dest, { format: "3" })).chunks.asStored).toBe(1);
    expect(readFileSync(path.join(dest, "0"))).toEqual(frame);
    expect((await verify(dest)).badCount).toBe(0);
  });
});

describe("options", () => {
  const same = async (values: Parameters<typeof copy>[2], source = plain) => {
    const dest = place();
    const facts = await copy(source, dest, { ...values, verify: true });
    expect(await bytesIn(dest)).toEqual(await bytesIn(source));
    return { facts, array: await openArray(urlOf(dest)), dest };
  };

  it("--chunks, --shards and --codecs", async () => {
    const { array, facts } = await same({ format: "3", chunks: "8,8", shards: "16,24", codecs: "gzip:9" });
    expect([array.chunkShape, array.shardShape, array.codecs[0]!.name]).toEqual([
      [8, 8],
      [16, 24],
      "sharding_indexed",
    ]);
    expect(facts.chunks).toEqual({ asStored: 0, reencoded: 56, skipped: 0, missing: 0 });
    const attributes = { units: "m", big: 2n ** 60n, _FillValue: 0 };
    expect([array.dimensionNames, array.attributes]).toEqual([["y", "x"], attributes]);
    const list = JSON.stringify([
      { name: "delta", configuration: { dtype: "<i4" } },
      { name: "zstd", configuration: { level: 1 } },
    ]);
    expect((await same({ codecs: list })).array.codecs.map(({ name }) => name)).toContain("delta");
    expect((await same({ codecs: "none" })).array.codecs.map(({ name }) => name)).toEqual(["bytes"]);
    expect((await same({ codecs: "blosc:lz4", format: "1" })).array.zarrFormat).toBe(1);
    expect((await same({ shards: "auto", format: "3" })).array.shardShape).toEqual([64, 80]);
    expect((await same({ codecs: "zstd:9" })).facts.chunks.reencoded).toBe(12); // a different level
  });

  it("--shards none, and versions without shards", async () => {
    const { dest } = await same({ format: "3", shards: "32,40" });
    expect((await same({ shards: "none" }, dest)).array.shardShape).toBeUndefined();
    const { status, err } = await run("copy", dest, place(), "--format", "2");
    expect(status).toBe(0);
    expect(err).toBe('zarr-wasm: "/": shards of [32,40] become chunks of [16,20]: Zarr v2 has none\n');
    // Shards stay if new chunks divide them.
    expect((await same({ chunks: "8,8" }, dest)).array.shardShape).toEqual([32, 40]);
    expect((await run("copy", dest, place(), "--chunks", "7,8")).status).toBe(2);
  });

  it("--select with steps and indices", async () => {
    const dest = place();
    await copy(plain, dest, { select: "3:50:4,-1", verify: true });
    const array = await openArray(urlOf(dest));
    expect([array.shape, array.dimensionNames, array.chunkShape]).toEqual([[12], ["y"], [16]]);
    const found = new Int32Array(new Uint8Array(await bytesIn(dest)).buffer);
    expect([...found]).toEqual(Array.from({ length: 12 }, (_, i) => elements[(3 + 4 * i) * 50 + 49]));
    // Transposes permute the remaining axes.
    const cube = await make(
      {
        shape: [4, 5, 6],
        chunkShape: [2, 2, 2],
        dtype: "int16",
        codecs: [{ name: "transpose", configuration: { order: [2, 0, 1] } }, "zstd"],
      },
      Int16Array.from({ length: 120 }, (_, i) => i),
    );
    const slab = place();
    await copy(cube, slab, { select: ":,2", verify: true });
    expect((await openArray(urlOf(slab))).codecs[0]).toMatchObject({
      name: "transpose",
      configuration: { order: [1, 0] },
    });
    const point = place();
    await copy(cube, point, { select: "1,2,3" });
    expect((await openArray(urlOf(point))).shape).toEqual([]);
  });

  it("--fill", async () => {
    const source = await make({ shape: [5], chunkShape: [2], dtype: "float64", fillValue: 1 });
    const { array } = await same({ fill: "NaN" }, source);
    expect(array.fillValue).toBeNaN();
    expect((await same({ fill: "-Infinity", chunks: "5" }, source)).array.fillValue).toBe(-Infinity);
  });

  it("strings and other elements of variable length", async () => {
    const source = await make({ shape: [7], chunkShape: [3], dtype: "string" }, [
      "a",
      "",
      "ü",
      "long ".repeat(99),
      "e",
      "f",
      "g",
    ]);
    const dest = place();
    await copy(source, dest, { chunks: "2", shards: "4", verify: true });
    expect((await run("read", dest)).text).toBe((await run("read", source)).text);
    const older = place();
    await copy(dest, older, { format: "2", verify: true });
    expect((await run("read", older)).text).toBe((await run("read", source)).text);
  });

  it("missing strings stay missing in another version", async () => {
    const options = { shape: [4], chunkShape: [2], dtype: "string", zarrFormat: 2, fillValue: null } as const;
    const source = await make(options);
    const dest = place();
    expect((await copy(source, dest, { format: "3" })).chunks).toMatchObject({ asStored: 0, missing: 2 });
    expect((await run("read", dest)).text).toBe((await run("read", source)).text);
  });

  it("objects keep their codec after others", async () => {
    const one = goldenCases("v2").find(({ name }) => name.endsWith("vlen-array-lei4"))!;
    const source = writeStore(place(), storeOf(one));
    const dest = place();
    await copy(source, dest, { codecs: "zstd:1", chunks: "23", path: one.path, verify: true });
    expect((await openArray(urlOf(dest))).codecs.map(({ name }) => name)).toEqual(["vlen-array", "zstd"]);
  });

  it("--verify refuses codecs that change elements", async () => {
    const source = await make(
      { shape: [8], dtype: "float32" },
      Float32Array.from({ length: 8 }, (_, i) => i / 3),
    );
    const bitround = JSON.stringify([{ name: "bitround", configuration: { keepbits: 2 } }, { name: "zstd" }]);
    const dest = place();
    const error = await errorOf(() => copy(source, dest, { codecs: bitround, verify: true }));
    expect(error).toMatchObject({ _tag: "CorruptChunk", code: "differs" });
    expect(error.message).toContain("at [0:8]");
    expect((await copy(source, place(), { codecs: bitround })).chunks.reencoded).toBe(1);
  });

  it("--threads", async () => {
    const { facts } = await same({ threads: "2", chunks: "30,25" });
    expect(facts.chunks.reencoded).toBe(4);
  });

  it("chunks of single elements", async () => {
    const source = await make(
      { shape: [40, 40], chunkShape: [1, 1], dtype: "uint8", codecs: "none", shardShape: [40, 40] },
      new Uint8Array(1600).fill(5),
    );
    expect((await same({ chunks: "2,1", shards: "40,20" }, source)).facts.chunks.reencoded).toBe(800);
  });

  it("invalid ones are usage errors, and nothing is created", async () => {
    const dest = place();
    for (const values of [
      { format: "4" },
      { chunks: "0,4" },
      { chunks: "4" },
      { shards: "some" },
      { codecs: "{" },
      { part: "3/3" },
      { memory: "1" },
      { overwrite: true, resume: true },
      { overwrite: true, part: "0/2" },
      { format: "2", shards: "32,40" },
    ]) {
      const error = await errorOf(() => copy(plain, dest, values));
      expect([values, error.constructor.name]).toEqual([values, "UsageError"]);
    }
    for (const args of [[plain], [plain, dest, "--out", "x"], [plain, dest, "--chunks", "7"]]) {
      const { status, text, err } = await run("copy", ...args);
      expect([status, text]).toEqual([2, ""]);
      expect(err).toMatch(/^zarr-wasm: .*\nTry "zarr-wasm \w+ --help"\.\n$/);
    }
    await expect(openArray(urlOf(dest))).rejects.toThrow(/no Zarr array/);
  });

  it("metadata that a version cannot hold is an error that names it", async () => {
    const half = await make({ shape: [2], dtype: "bfloat16" });
    const { status, text, err } = await run("copy", half, place(), "--format", "2");
    expect([status, text]).toEqual([1, ""]);
    expect(err).toMatch(/^zarr-wasm: .*bfloat16.*\n$/);
  });
});

describe("existing targets", () => {
  it("is unchanged without --overwrite, and replaced with it", async () => {
    const dest = await make({ shape: [3], dtype: "int8" }, Int8Array.of(1, 2, 3));
    const before = filesOf(dest);
    const { status, err } = await run("copy", plain, dest);
    expect(status).toBe(1);
    expect(err).toMatch(/already exists; pass --overwrite/);
    expect(filesOf(dest)).toEqual(before);
    await copy(plain, dest, { overwrite: true });
    expect(filesOf(dest)).toEqual(filesOf(plain));
  });

  it("is never the source itself", async () => {
    const link = path.join(path.dirname(plain), "link");
    symlinkSync(plain, link);
    for (const dest of [plain, path.join(plain, "below"), path.dirname(plain), link]) {
      const { status, err } = await run("copy", plain, dest, "--overwrite");
      expect([status, err]).toEqual([
        1,
        "zarr-wasm: SOURCE and DEST are the same location, or one contains the other; choose another DEST\n",
      ]);
    }
  });

  it("is never the source itself, however its URL is written", async () => {
    for (const dest of [
      "http://LOCALHOST:80/a/b",
      "http://localhost/x/../a/b/?query",
      "http://localhost/a//",
    ]) {
      const { status, err } = await run("copy", "http://localhost/a/b", dest, "--overwrite");
      expect([status, err]).toEqual([
        1,
        "zarr-wasm: SOURCE and DEST are the same location, or one contains the other; choose another DEST\n",
      ]);
    }
  });
});

it("copies of random arrays have the same elements", async () => {
  const random = randomizer(11);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const names = ["none", "zstd:1", "gzip:1", "blosc:lz4", "lz4"];
  for (let round = 0; round < 40; round++) {
    const dtype = pick(dataTypes);
    const shape = Array.from({ length: 1 + below(3) }, () => 1 + below(23));
    // Few chunks, because each is a file.
    const lengths = () => shape.map((length) => Math.max(1 + below(9), Math.ceil(length / 6)));
    const chunkShape = lengths();
    const isSharded = random() < 0.4;
    const shardShape = isSharded ? chunkShape.map((length) => length * (1 + below(3))) : undefined;
    const zarrFormat = isSharded ? 3 : pick([2, 3] as const);
    const source = await make({
      shape,
      chunkShape,
      dtype: dtype as DTypeInput,
      codecs: pick(names),
      order: pick(["C", "F"]),
      shardShape,
      zarrFormat,
    });
    const array = await openArray(urlOf(source));
    const length = shape.reduce((a, b) => a * b, 1);
    const bytes = elementsOf(dtype, length, round + 1);
    const like = new (array.dtype.name === "bool" ? Uint8Array : typeOf(dtype))(new Uint8Array(bytes).buffer);
    await set(array, null, like as ElementData);
    const inner = random() < 0.6 ? lengths() : undefined;
    const format = isSharded && random() < 0.5 ? "3" : pick(["2", "3"]);
    const shards =
      format === "3" && random() < 0.5
        ? (inner ?? chunkShape).map((one) => one * (1 + below(3))).join()
        : "none";
    const values = {
      ...{ format, shards, chunks: inner?.join(), verify: random() < 0.5 },
      codecs: random() < 0.5 ? pick(names) : undefined,
      memory: pick(["8", "128"]),
    };
    const dest = place();
    await copy(source, dest, values);
    expect([values, (await bytesIn(dest)).equals(await bytesIn(source))]).toEqual([values, true]);
  }
});

function typeOf(dtype: string) {
  const types: Record<string, new (buffer: ArrayBuffer) => ArrayBufferView> = {
    ...{ int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array },
    ...{ uint32: Uint32Array, float32: Float32Array, float64: Float64Array },
    ...{ int64: BigInt64Array, uint64: BigUint64Array },
  };
  return types[dtype]!;
}

it("errors name the array and the progress of the copy", async () => {
  const broken = await make(
    { shape: [40], chunkShape: [4], dtype: "int32", codecs: "zstd" },
    new Int32Array(40).fill(3),
  );
  writeStore(broken, [["c/7", Buffer.from("no frame")]]);
  const error = await errorOf(() => copy(broken, place(), { chunks: "8" }));
  expect(error.message).toMatch(/^.*\/c\/7.*\(\d of 5 chunks copied; pass --resume to continue\)$/);
});
