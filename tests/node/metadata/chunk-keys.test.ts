// Chunk key encodings: "suffix" and "fanout" of the proposals to zarr-extensions, zarrs' "zarrs.default_suffix", and
// the
// way back from keys to coordinates for these and the usual ones.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { create, get, MapStore, open, resize, set, type ZarrArray } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { parseChunkKey } from "#src/metadata/chunk-key-encodings.js";
import { readChunkKeys } from "#src/metadata/v3.js";
import { parseJson } from "#src/util/json-reader.js";
import { amount } from "../support/amounts.js";
import { run, temporaryFolder } from "../support/cli-tool.js";
import { bytesOf, errorOf, everyIndex, product, serve } from "../support/support.js";
import { v3Store } from "../support/zarr-writer.js";

type Encoding = { name: string; configuration?: Record<string, unknown> };

const parsed = (encoding: unknown, onWarning?: (warning: { code: string }) => void) =>
  readChunkKeys(
    parseJson(bytesOf(JSON.stringify(encoding)), { name: "test", maxDepth: 64, bareNonFinite: false }),
    onWarning,
  );

/** Keys exactly as specified, with integers of any size. */
function oracle({ name, configuration = {} }: Encoding, coordinates: readonly number[]): string {
  const separator = configuration["separator"] as string | undefined;
  if (name === "suffix")
    return oracle(configuration["base_encoding"] as Encoding, coordinates) + configuration["suffix"];
  if (name === "zarrs.default_suffix")
    return oracle({ name: "default", configuration: { separator } }, coordinates) + configuration["suffix"];
  if (name === "default") return ["c", ...coordinates].join(separator ?? "/");
  if (name === "v2") return coordinates.length === 0 ? "0" : coordinates.join(separator ?? ".");
  let base = 100n;
  while (base * 10n <= BigInt((configuration["max_children"] as number | undefined) ?? 1000)) base *= 10n;
  const width = (base - 1n).toString().length;
  let key = "c";
  for (const coordinate of coordinates) {
    const digits: bigint[] = [];
    for (let rest = BigInt(coordinate); rest > 0n || digits.length === 0; rest /= base)
      digits.unshift(rest % base);
    key += `/${digits.length - 1}`;
    for (const digit of digits) key += `/${"0".repeat(width - digit.toString().length)}${digit}`;
  }
  return key;
}

const separators = fc.option(fc.constantFrom("/", "."), { nil: undefined });
const plain = fc.record({
  name: fc.constantFrom("default", "v2"),
  configuration: fc.record({ separator: separators }),
});
const fanout = fc.record({
  name: fc.constant("fanout"),
  configuration: fc.record({
    max_children: fc.option(
      fc.oneof(fc.integer({ min: 100, max: 100_000 }), fc.constantFrom(100, 1000, 2 ** 53 - 1)),
      {
        nil: undefined,
      },
    ),
  }),
});
const suffixes = fc.constantFrom(
  "",
  ".tiff",
  ".shard.zip",
  "0",
  "1",
  "/0",
  "/a.b/c",
  " ü😀?#%",
  ".",
  "..",
  "c",
  "/c/0",
);
const nested = fc
  .tuple(fc.oneof(plain, fanout), fc.array(suffixes, { maxLength: 3 }))
  .map(([base, texts]) =>
    texts.reduce<Encoding>(
      (inner, suffix) => ({ name: "suffix", configuration: { suffix, base_encoding: inner } }),
      base,
    ),
  );
const encodings: fc.Arbitrary<Encoding> = fc.oneof(
  nested,
  fc.record({
    name: fc.constant("zarrs.default_suffix"),
    configuration: fc.record({ separator: separators, suffix: suffixes }),
  }),
);
const index = fc.oneof(fc.nat({ max: 12 }), fc.nat({ max: 100_000 }), fc.maxSafeNat());

describe("keys", () => {
  it.each([
    [{ name: "fanout" }, [], "c"],
    [{ name: "fanout" }, [0], "c/0/000"],
    [{ name: "fanout", configuration: { max_children: 1000 } }, [12], "c/0/012"],
    [{ name: "fanout" }, [1234, 5, 0, 6789012], "c/1/001/234/0/005/0/000/2/006/789/012"],
    [{ name: "fanout", configuration: { max_children: 250 } }, [1234567], "c/3/01/23/45/67"],
    [{ name: "fanout", configuration: { max_children: 1234 } }, [1234567], "c/2/001/234/567"],
    [
      { name: "suffix", configuration: { suffix: ".tiff", base_encoding: { name: "default" } } },
      [1, 2],
      "c/1/2.tiff",
    ],
    [
      { name: "suffix", configuration: { suffix: ".shard.zip", base_encoding: { name: "v2" } } },
      [1, 2],
      "1.2.shard.zip",
    ],
    [{ name: "suffix", configuration: { suffix: ".x", base_encoding: { name: "v2" } } }, [], "0.x"],
    [{ name: "zarrs.default_suffix", configuration: { suffix: ".tiff" } }, [1, 23, 45], "c/1/23/45.tiff"],
    [{ name: "zarrs.default_suffix", configuration: { suffix: ".tiff", separator: "." } }, [], "c.tiff"],
  ])("match the specification: %j at %j is %s", async (encoding, coordinates, key) => {
    const { chunkKey, keys } = await parsed(encoding);
    expect(chunkKey(coordinates)).toBe(key);
    expect(parseChunkKey(keys, key, coordinates.length)).toEqual(coordinates);
    expect(oracle(encoding, coordinates)).toBe(key);
  });

  it("match an independent writer's, and map back to their coordinates", async () => {
    await fc.assert(
      fc.asyncProperty(encodings, fc.array(index, { maxLength: 4 }), async (encoding, coordinates) => {
        const { chunkKey, keys } = await parsed(encoding);
        const key = chunkKey(coordinates);
        expect(key).toBe(oracle(encoding, coordinates));
        expect(parseChunkKey(keys, key, coordinates.length)).toEqual(coordinates);
      }),
      { numRuns: amount(125, 500) },
    );
  });

  it("map to no coordinates if they are not keys of the encoding", async () => {
    const texts = fc.stringMatching(/^[c0-9./a]{0,12}$/);
    await fc.assert(
      fc.asyncProperty(encodings, texts, fc.nat({ max: 3 }), async (encoding, text, rank) => {
        const { keys } = await parsed(encoding);
        const found = parseChunkKey(keys, text, rank);
        if (found) expect([found.length, oracle(encoding, found)]).toEqual([rank, text]);
      }),
      { numRuns: amount(500, 2000) },
    );
  });

  it("of fanout are in the order of their coordinates, with at most that many entries in a folder", async () => {
    const { chunkKey } = await parsed({ name: "fanout", configuration: { max_children: 100 } });
    const all = Array.from({ length: 12_345 }, (_, i) => chunkKey([i]));
    expect(all).toEqual([...all].sort());
    const folders = new Map<string, Set<string>>();
    for (const key of all) {
      const parts = key.split("/");
      parts.forEach((part, at) => {
        const folder = parts.slice(0, at).join("/");
        folders.set(folder, (folders.get(folder) ?? new Set()).add(part));
      });
    }
    expect(Math.max(...[...folders.values()].map(({ size }) => size))).toBe(100);
  });

  it("of fanout with a number that is not a power of ten cause a warning", async () => {
    const codes: string[] = [];
    await parsed({ name: "fanout", configuration: { max_children: 250 } }, ({ code }) => codes.push(code));
    await parsed({ name: "fanout", configuration: { max_children: 10_000 } }, ({ code }) => codes.push(code));
    expect(codes).toEqual(["fanout-children"]);
  });
});

const suffix = (text: unknown, base: unknown = "default") => ({
  name: "suffix",
  configuration: { suffix: text, base_encoding: base },
});
const fan = (children: unknown) => ({ name: "fanout", configuration: { max_children: children } });

describe("rejected configurations", () => {
  it.each([
    ["too few children", fan(99), "InvalidMetadata", "bad-configuration"],
    ["a fraction", fan(100.5), "InvalidMetadata", "bad-configuration"],
    ["a string for a number", fan("1000"), "InvalidMetadata", "bad-configuration"],
    ["null for a number", fan(null), "InvalidMetadata", "bad-configuration"],
    ["a number beyond 2^53", fan(2 ** 60), "InvalidMetadata", "bad-configuration"],
    [
      "another option of fanout",
      { name: "fanout", configuration: { base: 10 } },
      "InvalidMetadata",
      "bad-configuration",
    ],
    [
      "no suffix",
      { name: "suffix", configuration: { base_encoding: "v2" } },
      "InvalidMetadata",
      "bad-configuration",
    ],
    ["no base", { name: "suffix", configuration: { suffix: ".a" } }, "InvalidMetadata", "bad-configuration"],
    ["a base of null", suffix(".a", null), "InvalidMetadata", "invalid-metadata"],
    [
      "an option of another spelling",
      { name: "suffix", configuration: { suffix: ".a", "base-encoding": "v2" } },
      "InvalidMetadata",
      "bad-configuration",
    ],
    ["a suffix that is a number", suffix(1), "InvalidMetadata", "bad-configuration"],
    ["a way out", suffix("/../../../zarr.json"), "InvalidMetadata", "bad-configuration"],
    ["a way back", suffix("/../0"), "InvalidMetadata", "bad-configuration"],
    ["a folder of one dot", suffix("/./a"), "InvalidMetadata", "bad-configuration"],
    ["a document", suffix("/zarr.json"), "InvalidMetadata", "bad-configuration"],
    ["a document below", suffix("/a/ZARR.json"), "InvalidMetadata", "bad-configuration"],
    ["a folder of no name", suffix("//a"), "InvalidMetadata", "bad-configuration"],
    ["a folder for a chunk", suffix(".zarr/"), "InvalidMetadata", "bad-configuration"],
    ["a backslash", suffix("\\..\\a"), "InvalidMetadata", "bad-configuration"],
    ["a NUL", suffix(".tif\0f"), "InvalidMetadata", "bad-configuration"],
    ["a lone surrogate", suffix("\ud800"), "InvalidMetadata", "bad-configuration"],
    ["a long suffix", suffix("a".repeat(256)), "LimitExceeded", "limit-exceeded"],
    ["a base that is not known", suffix(".a", "hilbert"), "Unsupported", "unknown-extension"],
    [
      "prefix",
      { name: "prefix", configuration: { prefix: "a", base_encoding: "v2" } },
      "Unsupported",
      "unknown-extension",
    ],
    [
      "template",
      { name: "template", configuration: { template: "{0}" } },
      "Unsupported",
      "unknown-extension",
    ],
    ["a prototype's name", { name: "__proto__" }, "Unsupported", "unknown-extension"],
    ["a prototype's name as base", suffix(".a", "constructor"), "Unsupported", "unknown-extension"],
  ])("%s", async (_, encoding, tag, code) => {
    const error = await errorOf(() => open(v3Store({ chunk_key_encoding: encoding }), { kind: "array" }));
    expect([error._tag, error.code]).toEqual([tag, code]);
  });

  it("more than eight nested suffixes", async () => {
    const nestedIn = (count: number) =>
      Array.from({ length: count }).reduce<unknown>((base, _, i) => suffix(`.${i}`, base), "v2");
    expect((await parsed(nestedIn(8))).chunkKey([1])).toBe("1.0.1.2.3.4.5.6.7");
    expect(await errorOf(() => parsed(nestedIn(9)))).toMatchObject({ _tag: "LimitExceeded" });
  });

  const nestedOptions = (count: number) =>
    Array.from({ length: count }).reduce<object>(
      (baseEncoding) => ({ name: "suffix", suffix: ".a", baseEncoding }),
      {},
    );
  const endless: Record<string, unknown> = { name: "suffix", suffix: ".a" };
  endless["baseEncoding"] = endless;
  const range = "must be an integer from 100 to 2^53 - 1";

  it.each<[unknown, string?]>([
    [nestedOptions(9), "more than 8 nested suffixes"],
    [nestedOptions(17), "more than 8 nested suffixes"],
    [endless, "more than 8 nested suffixes"],
    [{ name: "suffix" }, "requires a string as suffix, got"],
    [{ name: "suffix", suffix: 5 }, "requires a string as suffix, got 5"],
    [{ name: "suffix", suffix: "/.." }],
    [{ name: "suffix", suffix: ".a", baseEncoding: { name: "toString" } }],
    [{ name: "suffix", suffix: ".a", baseEncoding: "default" }],
    [{ name: "fanout", maxChildren: 99 }, range],
    [{ name: "fanout", maxChildren: "1000" }, range],
    [{ name: "fanout", maxChildren: 2 ** 53 }, range],
    [{ name: "fanout", maxChildren: 1000.5 }, range],
    [{ name: "fanout", maxChildren: 150 }, "must be a power of ten, got 150; readers would use 100"],
    [{ name: "fanout", separator: "/" }],
    [{ name: "__proto__" }],
    [{ name: "default", suffix: ".a" }],
  ])("options of create, before anything is written: case %#", async (chunkKeyEncoding, message = "") => {
    const store = new MapStore();
    const options = { shape: [4], dtype: "uint8", chunkKeyEncoding } as never;
    const error = await errorOf(() => create(store, options));
    expect([error._tag, error.message]).toEqual(["InvalidArgument", expect.stringContaining(message)]);
    expect(error.message).not.toContain("16");
    expect(await listed(store)).toEqual([]);
  });

  it("but not eight nested suffixes of create", async () => {
    const options = { shape: [4], dtype: "uint8", chunkKeyEncoding: nestedOptions(8) } as never;
    expect((await create(new MapStore(), options)).kind).toBe("array");
  });

  it.each([1, 2] as const)("encodings that Zarr v%i lacks", async (zarrFormat) => {
    const options = { shape: [4], dtype: "uint8", zarrFormat } as const;
    const fails = () => create(new MapStore(), { ...options, chunkKeyEncoding: { name: "fanout" } });
    expect(await errorOf(fails)).toMatchObject({ _tag: "InvalidArgument", code: "invalid-argument" });
  });
});

async function listed(store: MapStore | FileSystemStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list("")) keys.push(key);
  return keys.sort();
}

const options = [
  [
    { name: "suffix", suffix: ".tiff" },
    {
      name: "suffix",
      configuration: {
        suffix: ".tiff",
        base_encoding: { name: "default", configuration: { separator: "/" } },
      },
    },
  ],
  [
    {
      name: "suffix",
      suffix: "/1",
      baseEncoding: { name: "suffix", suffix: "7", baseEncoding: { name: "v2" } },
    },
    {
      name: "suffix",
      configuration: {
        suffix: "/1",
        base_encoding: {
          name: "suffix",
          configuration: { suffix: "7", base_encoding: { name: "v2", configuration: { separator: "." } } },
        },
      },
    },
  ],
  [{ name: "fanout" }, { name: "fanout", configuration: { max_children: 1000 } }],
  [
    { name: "suffix", suffix: ".j2k", baseEncoding: { name: "fanout", maxChildren: 100 } },
    {
      name: "suffix",
      configuration: {
        suffix: ".j2k",
        base_encoding: { name: "fanout", configuration: { max_children: 100 } },
      },
    },
  ],
] as const;

/** An array with all chunks stored, and its elements. */
async function filledArray(
  store: MapStore | FileSystemStore,
  chunkKeyEncoding: (typeof options)[number][0],
  shardShape?: number[],
): Promise<{ array: ZarrArray; elements: Uint16Array }> {
  const array = await create(store, {
    path: "a",
    shape: [7, 5],
    chunkShape: [2, 2],
    shardShape,
    dtype: "uint16",
    fillValue: 9,
    chunkKeyEncoding,
  });
  const elements = Uint16Array.from({ length: 35 }, (_, i) => 100 + i);
  await set(array, null, elements);
  return { array, elements };
}

describe.each(options)("arrays with keys %j", (option, document) => {
  it.each([
    ["chunks", undefined, [4, 3]],
    ["shards", [4, 4], [2, 2]],
  ] as const)("are written, read and made smaller: %s", async (_, shardShape, grid) => {
    const store = new MapStore();
    const { elements } = await filledArray(store, option, shardShape && [...shardShape]);
    const keys = everyIndex(grid).map((at) => `/a/${oracle(document, at)}`);
    expect(await listed(store)).toEqual(["/a/zarr.json", "/zarr.json", ...keys].sort());
    const text = new TextDecoder().decode(await store.get("/a/zarr.json"));
    expect(JSON.parse(text).chunk_key_encoding).toEqual(document);

    const array = await open(store, { kind: "array", path: "a" });
    expect((await get(array)).data).toEqual(elements);
    expect((await array.getChunk([3, 1])).data.slice(0, 2)).toEqual(Uint16Array.of(132, 133));
    expect(`/a/${oracle(document, [1, 1])}`).toBe(array.chunkKey(shardShape ? [2, 2] : [1, 1]));

    await resize(array, [3, 5]);
    const left = everyIndex([shardShape ? 1 : 2, grid[1]]).map((at) => `/a/${oracle(document, at)}`);
    expect(await listed(store)).toEqual(["/a/zarr.json", "/zarr.json", ...left].sort());
    await resize(array, [7, 5]);
    const expected = elements.map((value, i) => (i < 15 ? value : 9));
    expect((await get(await open(store, { kind: "array", path: "a" }))).data).toEqual(expected);
  });

  it("block the creation of a new array", async () => {
    const store = new MapStore();
    await store.set(`/a/${oracle(document, [3, 1])}`, Uint8Array.of(1));
    const created = () => filledArray(store, option);
    expect(await errorOf(created)).toMatchObject({ _tag: "AlreadyExists", code: "already-exists" });
  });

  it("are read over HTTP, and copied by the command line", async () => {
    const folder = path.join(temporary, `${count++}`);
    const { elements } = await filledArray(new FileSystemStore(folder), option);
    expect(existsSync(path.join(folder, "a", oracle(document, [3, 2])))).toBe(true);
    const server = await serve((url) => {
      const file = path.join(folder, decodeURIComponent(url));
      return existsSync(file) && statSync(file).isFile() ? new Uint8Array(readFileSync(file)) : undefined;
    });
    try {
      const array = await open(`${server.url}/a`, { kind: "array" });
      expect((await get(array)).data).toEqual(elements);
    } finally {
      await server.close();
    }
    expect(await run("info", folder)).toMatchObject({ status: 0 });
    expect(await run("verify", folder)).toMatchObject({ status: 0, err: "" });
    for (const [name, ...more] of [["same"], ["sharded", "--shards", "4,4"], ["v2", "--format", "2"]]) {
      const into = `${folder}-${name}`;
      expect(await run("copy", folder, into, ...more)).toMatchObject({ status: 0 });
      const copied = await open(new FileSystemStore(into), { kind: "array", path: "a" });
      expect((await get(copied)).data).toEqual(elements);
      const at = name === "sharded" ? [1, 1] : [3, 2];
      const isKept = existsSync(path.join(into, "a", oracle(document, at)));
      expect(isKept).toBe(name !== "v2");
    }
  });
});

const temporary = temporaryFolder();
let count = 0;

it("shrinking an array lists many chunks instead of trying their keys", async () => {
  const store = new MapStore();
  const array = await create(store, {
    shape: [100_000],
    chunkShape: [10],
    dtype: "uint8",
    chunkKeyEncoding: { name: "suffix", suffix: ".0", baseEncoding: { name: "fanout", maxChildren: 100 } },
  });
  for (const at of [0, 3, 5000, 9999])
    await store.set(`/${oracle(suffix(".0", fan(100)), [at])}`, Uint8Array.of(1));
  await store.set("/c/0/99", Uint8Array.of(1)); // no key of this array
  await resize(array, [40], { edges: "keep" });
  const left = (await listed(store)).filter((key) => key !== "/zarr.json");
  expect(left).toEqual(["/c/0/00.0", "/c/0/03.0", "/c/0/99"]);
});

it("elements of another writer are read", async () => {
  const encoding = suffix(".tif", fan(1000)) as Encoding;
  const shape = [3, 4];
  const store = v3Store({
    shape,
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1, 1] } },
    chunk_key_encoding: encoding,
    codecs: [{ name: "bytes" }],
    fill_value: 0,
  });
  everyIndex(shape).forEach((at, i) => void store.set(`/${oracle(encoding, at)}`, Uint8Array.of(i + 1)));
  const { data } = await get(await open(store, { kind: "array" }));
  expect(data).toEqual(Uint8Array.from({ length: product(shape) }, (_, i) => i + 1));
});
