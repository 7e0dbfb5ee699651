// Printed metadata: existing documents keep their content, new ones hold the requested options, in every version.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { create, open, type ZarrArray } from "zarr-wasm";
import { loadEveryCodec } from "#src/codecs/lookup.js";
import { codecNames, findCodec } from "#src/codecs/registry.js";
import { arrayLike } from "#src/edit/array-options.js";
import { parseDocument } from "#src/metadata/document.js";
import { type ArrayMetadata, readMetadata } from "#src/metadata/model.js";
import { convertMetadata, describeArray, makeArrayMetadata } from "#src/metadata/new-array.js";
import { printDocument } from "#src/metadata/print.js";
import { parseJson } from "#src/util/json-reader.js";
import { resolveLimits } from "#src/util/limits.js";
import { skipFor } from "../../shared/skips.js";
import { amount } from "../support/amounts.js";
import { documentsOf } from "../support/codec-arrays.js";
import { triedTypes } from "../support/data-types.js";
import { bytesOf, errorOf, goldenCases } from "../support/support.js";

const options = { limits: resolveLimits(undefined) };
const versions = [1, 2, 3] as const;
const documentName = /^(zarr\.json|\.z(array|group|attrs|metadata)|meta|attrs)$/;

const parse = (bytes: Uint8Array) =>
  parseJson(bytes, { name: "document", maxDepth: 64, bareNonFinite: true });

/** The tokens of a JSON text: numbers as written, strings by value. Independent of the library. */
function tokensOf(text: string): string[] {
  const token = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN|-?\d[\d.eE+-]*|true|false|null|[{}[\]:,]/g;
  return (text.match(token) ?? []).map((part) => (part.startsWith('"') ? `"${JSON.parse(part)}` : part));
}

/** Parses the metadata of a node from its stored documents. */
const parseMetadata = async (stored: ReadonlyMap<string, Uint8Array>, { limits }: typeof options) =>
  readMetadata(
    new Map([...stored].map(([key, bytes]) => [key, parseDocument(bytes, key, { limits })])),
    options,
  );

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function expectSameDocument(bytes: Uint8Array, name: string): void {
  const printed = printDocument(parse(bytes) as never);
  expect(tokensOf(textOf(printed)), name).toEqual(tokensOf(textOf(bytes)));
}

describe("printed documents", () => {
  it.each(["v1", "v2", "v3", "conventions"])("match golden/%s.jsonl", (group) => {
    for (const { name, store } of goldenCases(group)) {
      for (const [key, value] of Object.entries(store)) {
        if (!documentName.test(path.basename(key)) || typeof value !== "string") continue;
        expectSameDocument(bytesOf(value), `${name} ${key}`);
      }
    }
  });

  const fixtures = path.join(import.meta.dirname, "../../../../shared/fixtures");
  const noFixtures = existsSync(fixtures) ? undefined : "there are no fixtures beside the checkout";
  it("equal the documents of all fixtures", skipFor(noFixtures), () => {
    let count = 0;
    for (const file of readdirSync(fixtures, { recursive: true, encoding: "utf8" })) {
      // Invalid documents, and ones with duplicate keys, are covered by the tests of reading.
      if (file.startsWith("bad") || !documentName.test(path.basename(file))) continue;
      if (!statSync(path.join(fixtures, file)).isFile()) continue;
      expectSameDocument(readFileSync(path.join(fixtures, file)), file);
      count++;
    }
    expect(count).toBeGreaterThan(1000);
  });

  it("keep numbers, the order of keys, lone surrogates and __proto__", () => {
    const text =
      '{"b": 1.50, "10": -0.0, "2": 1e+400, "a": [NaN, -Infinity, 18446744073709551615], "__proto__": {"x": 1}, "s": "\\ud800\\u0000é"}';
    expectSameDocument(bytesOf(text), "text");
    expect(textOf(printDocument(parse(bytesOf('{"10": [1, {"k": []}], "2": {}}')) as never))).toBe(
      '{\n  "10": [\n    1,\n    {\n      "k": []\n    }\n  ],\n  "2": {}\n}\n',
    );
  });
});

/** Properties of an array, for comparison. */
function facts({ spec }: ArrayMetadata) {
  const { leaf, levels } = spec.firstLayout;
  const plan = leaf.type === "core" ? leaf.plan : undefined;
  return {
    shape: spec.shape,
    chunkShape: spec.chunkShape,
    shardShape: spec.shardShape,
    dtype: spec.dtype,
    item: [...spec.fill.item],
    levels: levels.map(({ shape, innerShape, counts, index }) => [shape, innerShape, counts, index.location]),
    isCore: plan !== undefined,
  };
}

const stored = (documents: Record<string, object>) =>
  new Map(Object.entries(documents).map(([key, object]) => [key, bytesOf(JSON.stringify(object))]));

describe.each(versions)("every codec with every data type in Zarr v%i", (version) => {
  const names = codecNames(version);
  const cases = names.flatMap((name) =>
    triedTypes.flatMap((type) => {
      const documents = documentsOf(name, type, version);
      return documents ? [{ name, type, documents }] : [];
    }),
  );

  it("reads back the same after printing, here and, if they can hold it, in the other versions", async () => {
    await loadEveryCodec();
    const made = { same: 0, others: 0 };
    for (const { name, type, documents } of cases) {
      const metadata = (await parseMetadata(stored(documents), options).catch(() => undefined)) as
        | ArrayMetadata
        | undefined;
      if (!metadata) continue; // other tests cover data types that codecs reject
      for (const to of versions) {
        const label = `${name} ${type.label} v${version} → v${to}`;
        try {
          const changed = await makeArrayMetadata(describeArray(metadata), to, options);
          expect(facts(changed), label).toEqual(facts(metadata));
          const back = (await convertMetadata(changed, version, options)) as ArrayMetadata;
          expect(facts(back), label).toEqual(facts(metadata));
          made[to === version ? "same" : "others"]++;
        } catch (error) {
          // Only v1's rule for order F prevents printing an array in its own version.
          const { _tag, message } = error as Error & { _tag: string };
          expect([_tag, label], message).toEqual(["Unsupported", label]);
          if (to === version) expect(message).toMatch(/order "F" require the compressor blosc/);
          else expect(message).toMatch(/^Zarr v[123] /);
        }
      }
    }
    expect(made.same).toBeGreaterThan(version === 1 ? 50 : 300);
    expect(made.others).toBeGreaterThan(version === 1 ? 100 : 200);
  });
});

describe("golden arrays in other versions", () => {
  const cases = versions.flatMap((version) =>
    goldenCases(`v${version}`).map((golden) => ({ version, golden })),
  );

  it("keep shape, chunks, data type, fill value, attributes; or the error names the part that the version cannot hold", async () => {
    let count = 0;
    for (const { version, golden } of cases) {
      const documents = new Map(
        Object.entries(golden.store).flatMap(([key, value]) =>
          documentName.test(key) && typeof value === "string" ? [[key, bytesOf(value)] as const] : [],
        ),
      );
      const metadata =
        documents.size > 0 ? await parseMetadata(documents, options).catch(() => undefined) : undefined;
      if (metadata?.kind !== "array") continue;
      for (const to of versions.filter((other) => other !== version)) {
        const label = `${golden.name} v${to}`;
        const converted = await convertMetadata(metadata, to, options).catch((error) => error);
        if (converted instanceof Error) {
          expect((converted as Error & { _tag?: string })._tag, `${label}: ${converted.message}`).toBe(
            "Unsupported",
          );
          continue;
        }
        expect(facts(converted as ArrayMetadata), label).toEqual(facts(metadata));
        const { _ARRAY_DIMENSIONS: _, ...attributes } = (converted as ArrayMetadata).spec.attributes;
        const { _ARRAY_DIMENSIONS: __, ...before } = metadata.spec.attributes;
        expect(attributes, label).toEqual(before);
        count++;
      }
    }
    expect(count).toBeGreaterThan(50);
  });
});

describe("conversion", () => {
  const v3 = (fields: object) => ({
    "zarr.json": {
      zarr_format: 3,
      node_type: "array",
      shape: [10, 8],
      data_type: "float32",
      chunk_grid: { name: "regular", configuration: { chunk_shape: [4, 4] } },
      chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
      fill_value: 0,
      codecs: [{ name: "bytes", configuration: { endian: "little" } }],
      storage_transformers: [],
      ...fields,
    },
  });
  const v2 = (fields: object, attributes?: object) => ({
    ".zarray": {
      zarr_format: 2,
      shape: [10, 8],
      chunks: [4, 4],
      dtype: ">f4",
      compressor: null,
      fill_value: null,
      order: "C",
      filters: null,
      ...fields,
    },
    ...(attributes ? { ".zattrs": attributes } : {}),
  });
  const documentOf = async (documents: Record<string, object>, to: 1 | 2 | 3, key: string) => {
    const metadata = await parseMetadata(stored(documents), options);
    const converted = await convertMetadata(metadata, to, options);
    return JSON.parse(textOf(printDocument(converted.documents.get(key)!)));
  };

  it("maps Blosc's shuffle and size of elements", async () => {
    const blosc = { id: "blosc", cname: "zstd", clevel: 3, shuffle: -1, blocksize: 0 };
    const document = await documentOf(v2({ compressor: blosc, dtype: "|u1" }), 3, "zarr.json");
    expect(document.codecs).toEqual([
      { name: "bytes" },
      {
        name: "blosc",
        configuration: { cname: "zstd", clevel: 3, shuffle: "bitshuffle", typesize: 1, blocksize: 0 },
      },
    ]);
    const back = await documentOf(v3({ codecs: document.codecs, data_type: "uint8" }), 2, ".zarray");
    expect(back.compressor).toEqual({ ...blosc, shuffle: 2 });
    const first = await documentOf(v3({ codecs: document.codecs, data_type: "uint8" }), 1, "meta");
    expect([first.compression, first.compression_opts]).toEqual([
      "blosc",
      { cname: "zstd", clevel: 3, shuffle: 2 },
    ]);
  });

  it("maps numcodecs' names, filters, order F and byte order, and an undefined fill value to zero", async () => {
    const fields = {
      compressor: { id: "lz4", acceleration: 2 },
      filters: [{ id: "shuffle", elementsize: 4 }],
      order: "F",
      dimension_separator: "/",
    };
    const document = await documentOf(v2(fields, { _ARRAY_DIMENSIONS: ["y", "x"], a: 1 }), 3, "zarr.json");
    expect(document).toMatchObject({
      data_type: "float32",
      fill_value: 0,
      codecs: [
        { name: "transpose", configuration: { order: [1, 0] } },
        { name: "bytes", configuration: { endian: "big" } },
        { name: "numcodecs.shuffle", configuration: { elementsize: 4 } },
        { name: "numcodecs.lz4", configuration: { acceleration: 2 } },
      ],
      chunk_key_encoding: { name: "v2", configuration: { separator: "/" } },
      dimension_names: ["y", "x"],
      attributes: { a: 1 },
    });
    const { storage_transformers: _, ...rest } = document;
    const back = await documentOf({ "zarr.json": { ...rest, storage_transformers: [] } }, 2, ".zarray");
    expect(back).toEqual({ ...v2({})[".zarray"], ...fields, fill_value: 0 });
  });

  it("names the part that a version cannot hold", async () => {
    const shards = {
      name: "sharding_indexed",
      configuration: { chunk_shape: [2, 2], codecs: ["bytes"], index_codecs: ["bytes"] },
    };
    const endian = { name: "bytes", configuration: { endian: "little" } };
    shards.configuration.codecs = [endian] as never;
    shards.configuration.index_codecs = [endian] as never;
    const rectilinear = {
      name: "rectilinear",
      configuration: { kind: "inline", chunk_shapes: [[4, 6], 8] },
    };
    const transpose = (order: number[]) => ({ name: "transpose", configuration: { order } });
    const cases: [Record<string, object>, 1 | 2 | 3, RegExp][] = [
      [v3({ codecs: [shards] }), 2, /Zarr v2 has no codec sharding_indexed/],
      [v3({ chunk_grid: rectilinear }), 2, /Zarr v2 does not support chunks of different lengths/],
      [v3({ data_type: "bfloat16" }), 2, /Zarr v2 has no data type bfloat16/],
      [v3({ fill_value: "0x7fc00001" }), 2, /Zarr v2 has no form for this fill value/],
      [v3({ dimension_names: ["y", null] }), 2, /Zarr v2 requires names for all dimensions or none/],
      [v3({ codecs: [transpose([1, 0]), endian] }), 1, /order "F" require the compressor blosc/],
      [
        v3({ codecs: [endian, { name: "gzip", configuration: { level: 1 } }] }),
        1,
        /Zarr v1 has no codec gzip/,
      ],
      [v2({ dtype: "|O", filters: [{ id: "json2" }] }), 3, /Zarr v3 has no data type for objects/],
      [
        v2({
          dtype: [
            ["a", "<i2"],
            ["b", ">i2"],
          ],
        }),
        3,
        /Zarr v3 requires the same byte order for all fields/,
      ],
      [v2({ dtype: [["a", "<i2", [2]]] }), 3, /Zarr v3 has no subarrays/],
      [v2({ filters: [{ id: "delta", dtype: ">f4" }] }), 1, /Zarr v1 has no codec delta/],
    ];
    for (const [documents, to, message] of cases) {
      const error = await errorOf(() => documentOf(documents, to, "zarr.json"));
      expect([error._tag, error.message]).toEqual(["Unsupported", expect.stringMatching(message)]);
    }
    const group = { "zarr.json": { zarr_format: 3, node_type: "group", attributes: { a: 1 } } };
    expect((await errorOf(() => documentOf(group, 1, "meta")))._tag).toBe("Unsupported");
    expect(await documentOf(group, 2, ".zattrs")).toEqual({ a: 1 });
  });

  it("keeps bits of NaNs, 64-bit integers and foreign fields if the version stays the same", async () => {
    const foreign = { name: "x", must_understand: false, configuration: { big: 1 } };
    const metadata = (await parseMetadata(
      stored(v3({ fill_value: "0xffc00001", foreign })),
      options,
    )) as ArrayMetadata;
    expect((await convertMetadata(metadata, 3, options)).documents).toBe(metadata.documents);
    const again = await makeArrayMetadata(describeArray(metadata), 3, options);
    expect(again.documents.get("zarr.json")!["fill_value"]).toBe("0xffc00001");
  });

  it("of an array like another one: chunks, shards and codecs are changed, the rest stays", async () => {
    const source = (await parseMetadata(stored(v2({ order: "F" }, { a: 1 })), options)) as ArrayMetadata;
    const like = await arrayLike(
      source,
      3,
      { chunkShape: [2, 4], shardShape: [8, 8], codecs: "zstd:5" },
      options.limits,
    );
    expect([like.spec.chunkShape, like.spec.shardShape, String(like.spec.dtype)]).toEqual([
      [2, 4],
      [8, 8],
      "float32",
    ]);
    const inner = like.spec.codecs[0]!.configuration!["codecs"] as { name: string }[];
    expect(inner).toEqual([
      { name: "bytes", configuration: { endian: "big" } },
      { name: "zstd", configuration: { level: 5, checksum: false } },
    ]);
    const kept = await arrayLike(like, 3, { shardShape: null }, options.limits);
    expect([kept.spec.chunkShape, kept.spec.shardShape, kept.spec.attributes]).toEqual([
      [2, 4],
      undefined,
      { a: 1 },
    ]);
    expect(kept.spec.codecs).toEqual(inner);
  });
});

/** Arrays with arbitrary creation options. */
const requests = fc
  .record({
    version: fc.constantFrom(...versions),
    shape: fc.array(fc.nat(300), { minLength: 1, maxLength: 4 }),
    chunk: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 4, maxLength: 4 }),
    times: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    dtype: fc.constantFrom(
      "int8",
      ">i2",
      "uint32",
      "<u8",
      "float32",
      "float64",
      ">c16",
      "|S7",
      "<U3",
      "<M8[10s]",
      "|V5",
    ),
    order: fc.constantFrom("C" as const, "F" as const),
    codecs: fc.constantFrom(
      undefined,
      "none",
      "zlib",
      "blosc:zstd:3",
      "gzip:1",
      "zstd:-5",
      ["shuffle", "lz4"],
      ["delta"],
    ),
    attributes: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    fill: fc.constantFrom(undefined, 0, 1, null),
  })
  .map(({ chunk, times, ...rest }) => {
    const chunkShape = rest.shape.map((_, axis) => chunk[axis]!);
    const isSharded = times !== undefined && rest.version === 3;
    return {
      ...rest,
      chunkShape,
      shardShape: isSharded ? chunkShape.map((length) => length * times) : undefined,
    };
  });

/** Attributes as they are read: integers from 2^53 to 2^64 are bigints, larger ones floats. */
function asRead(value: unknown): unknown {
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    return Math.abs(value) < 2 ** 64 ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(asRead);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, asRead(child)]));
}

describe("arrays created with arbitrary options", () => {
  it("exist as requested, or an error gives the reason and nothing is written", async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(requests, async ({ version, fill, ...wanted }) => {
        const store = new Map<string, Uint8Array>();
        let array: ZarrArray;
        try {
          array = await create(store, { ...wanted, fillValue: fill, zarrFormat: version });
        } catch (error) {
          expect((error as { _tag: string })._tag).toMatch(/^(Unsupported|InvalidArgument)$/);
          expect(store.size).toBe(0);
          return;
        }
        made++;
        const again = await open(store, { kind: "array" });
        for (const { shape, chunkShape, shardShape, attributes, zarrFormat } of [array, again]) {
          expect([shape, chunkShape, shardShape]).toEqual([
            wanted.shape,
            wanted.chunkShape,
            wanted.shardShape,
          ]);
          expect(attributes).toEqual(asRead(wanted.attributes));
          expect(zarrFormat).toBe(version);
        }
        expect(again.dtype).toEqual(array.dtype);
        expect(again.fillValue).toEqual(array.fillValue);
        expect(again.codecs).toEqual(array.codecs);
      }),
      { numRuns: amount(75, 300) },
    );
    expect(made).toBeGreaterThan(amount(10, 60));
  });

  it("have every codec that needs no configuration, in every version that has it, except read-only ones", async () => {
    for (const version of versions) {
      for (const name of codecNames(version, "bytes-to-bytes")) {
        const needsMore =
          /conditional|snappy|imagecodecs_lz4|hdf5_(bitshuffle|nbit|scaleoffset|szip)|fits_rice/.test(name);
        if (needsMore) continue;
        const store = new Map<string, Uint8Array>();
        const options = { shape: [4], dtype: "<f4" as const, codecs: name, zarrFormat: version };
        if (/^(numcodecs\.)?(imagecodecs_)?(jpeg8?|jpeg2k|lerc|webp|s?png)$/.test(name)) {
          expect((await errorOf(() => create(store, options))).code, name).toBe("encode-unsupported");
          continue;
        }
        await create(store, options);
        const { codecs } = await open(store, { kind: "array" });
        const written = findCodec(codecs.at(-1)!.name, version)!;
        expect(written.definition, `${name} v${version}`).toBe(findCodec(name, version)!.definition);
      }
    }
  });
});
