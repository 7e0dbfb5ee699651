// Parts of the library that are loaded when they are needed: which are not there from the start, that they say the same
// as what is there, and what happens when one cannot be loaded.
import path from "node:path";
import type { Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import * as lookup from "#src/codecs/lookup.js";
import * as registry from "#src/codecs/registry.js";
import { parseFill } from "#src/dtypes/fill.js";
import { usualFill } from "#src/dtypes/usual.js";
import { usualTypes } from "#src/dtypes/usual-types.js";
import { parseDataType } from "#src/dtypes/v3.js";
import { getBytes, open } from "#src/index.js";
import { parseJson } from "#src/util/json.js";
import { lazy } from "#src/util/lazy.js";
import { bundleParts } from "../../../bench/download.mjs";
import { bytesOf, errorOf } from "../support/support.js";

/** The parts that esbuild makes of what a viewer takes from the package. */
async function bundled(names: string) {
  const { metafile } = await bundleParts(`export { ${names} } from "zarr-wasm";`);
  return metafile.outputs;
}

type Outputs = Metafile["outputs"];

/** What is loaded with a file: the files that it imports, and theirs. */
function loadedWith(outputs: Outputs, file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path: below, kind } of outputs[file]!.imports)
    if (kind === "import-statement" && outputs[below]) loadedWith(outputs, below, seen);
  return seen;
}

/** The library's files whose code is in any of some outputs. */
function sourcesIn(outputs: Outputs, files: Iterable<string>): string[] {
  return [...files].flatMap((file) =>
    Object.entries(outputs[file]!.inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([name]) => path.relative("dist", name)),
  );
}

/** What belongs to each part, as far as it is not for other parts to bring as well. */
const partSources: Readonly<Record<string, readonly string[]>> = {
  "older-versions": ["metadata/v1.js", "metadata/v2.js", "dtypes/typestr.js"],
  "all-codecs": [
    "codecs/registry.js",
    "codecs/unknown.js",
    "codecs/n5.js",
    "codecs/zfp.js",
    "codecs/lzma.js",
    "codecs/cast-value.js",
    "codecs/numpy-values.js",
    "codecs/json2.js",
  ],
  "vlen-codecs": [
    "codecs/vlen-utf8.js",
    "codecs/msgpack-read.js",
    "codecs/vlen-framing.js",
    "chain/vlen-chunk.js",
  ],
  "other-types": [
    "dtypes/v3.js",
    "dtypes/fill.js",
    "dtypes/fill-numbers.js",
    "dtypes/fill-bytes.js",
    "dtypes/decimals.js",
    "dtypes/scalar.js",
  ],
  "other-chunk-keys": ["metadata/chunk-key-encodings.js"],
  shards: ["read/shard-read.js", "read/shards.js", "read/merged-ranges.js", "chain/shard-index.js"],
  "partial-reading": ["read/partial.js", "read/blosc-blocks.js"],
  archives: [
    "store/zip/store.js",
    "store/zip/directory.js",
    "util/inflate.js",
    "store/source.js",
    "store/key-index.js",
  ],
  "vlen-reading": ["read/read-values.js", "read/vlen-sink.js", "dtypes/strings.js"],
  "http-ranges": ["store/http/offset-ranges.js", "store/http/last-bytes.js", "store/http/range-answer.js"],
  "range-fallbacks": [
    "store/http/range-fallbacks.js",
    "store/http/object-cache.js",
    "store/http/object-size.js",
  ],
  "node-http": ["store/http/node.js"],
  redirects: ["store/http/follow-redirects.js"],
  icechunk: [
    "formats/icechunk/store.js",
    "formats/icechunk/manifest.js",
    "formats/icechunk/virtual.js",
    "engine/zstd-frames.js",
  ],
  references: ["formats/kerchunk/store.js", "formats/kerchunk/listed.js", "formats/kerchunk/target.js"],
  parquet: [
    "formats/kerchunk/folder.js",
    "formats/parquet/records.js",
    "formats/parquet/footer.js",
    "formats/parquet/pages.js",
    "vendor/hyparquet.js",
  ],
  "file-system": ["store/file/store.js", "store/file/read.js"],
  labels: [
    "conventions/sel/select.js",
    "conventions/sel/find.js",
    "conventions/sel/coordinates.js",
    "conventions/sel/periods.js",
  ],
  others: ["hierarchy/detect-format.js"],
  listing: ["hierarchy/listed-members.js", "store/children.js"],
  "large-documents": ["metadata/large-documents.js"],
  sparse: ["conventions/sparse/read.js"],
  transforms: [
    "conventions/ome/transforms/graph.js",
    "conventions/ome/transforms/read.js",
    "conventions/ome/transforms/field.js",
    "conventions/ome/transforms/matrix.js",
  ],
  maps: [
    "conventions/geo/read.js",
    "conventions/geo/tile.js",
    "conventions/geo/affine.js",
    "conventions/geo/layout.js",
  ],
  embedded: ["util/inflate.js"],
  "decode-embedded": ["wasm/decode-embedded.js"],
  "full-embedded": ["wasm/full-embedded.js"],
  "images-embedded": ["wasm/images-embedded.js"],
  "worker-chunk": ["wasm/worker-chunk.js"],
  "worker-text": ["wasm/worker-text.js"],
  pyramids: [
    "conventions/ome/pyramid/write.js",
    "conventions/ome/pyramid/fill.js",
    "conventions/ome/pyramid/mean.js",
    "edit/create-node.js",
  ],
  writing: [
    "edit/create-node.js",
    "edit/consolidated-metadata.js",
    "edit/update-node.js",
    "metadata/convert.js",
    "metadata/print.js",
    "codecs/print.js",
    "store/write.js",
  ],
};

const outputs = await bundled("get, open");

describe("bundles", () => {
  const files = Object.keys(outputs);
  const fromTheStart = loadedWith(outputs, "out/viewer.js");
  const sources = sourcesIn(outputs, fromTheStart);

  it("have one file beside the entry that is loaded from the start", () => {
    expect(fromTheStart.size).toBe(2);
    expect(sources).toContain("read/assemble.js");
  });

  it.each(Object.entries(partSources))("have %s as a part of its own", (name, own) => {
    const file = files.find((output) => new RegExp(`^out/${name}-[A-Z0-9]{8}\\.js$`).test(output));
    expect(file).toBeDefined();
    const all = sourcesIn(outputs, loadedWith(outputs, file!));
    expect(own.filter((source) => !all.includes(source))).toEqual([]);
    expect(own.filter((source) => sources.includes(source))).toEqual([]);
  });

  it("have no other parts than these and the modules' scripts", () => {
    const names = files.map((file) => /^out\/(.*)-[A-Z0-9]{8}\.js$/.exec(file)?.[1] ?? "viewer");
    const known = [...Object.keys(partSources), "viewer", "chunk", "decode", "full", "images"];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("have a part from the start where a program takes it by name", async () => {
    const named = await bundled("open, ZipStore, readScalar");
    const taken = sourcesIn(named, loadedWith(named, "out/viewer.js"));
    expect(taken).toEqual(expect.arrayContaining(["store/zip/store.js", "dtypes/scalar.js"]));
    expect(taken).not.toContain("metadata/v2.js");
  });
});

describe("a part that cannot be loaded", () => {
  it("is an EngineFailed that names it, and tried again at the next call", async () => {
    const cause = new TypeError("no connection");
    let calls = 0;
    const load = lazy("rare things", async () => {
      if (++calls === 1) throw cause;
      return "loaded";
    });
    const error = await errorOf(load);
    expect([error._tag, error.code, error.cause]).toEqual(["EngineFailed", "engine-failed", cause]);
    expect(error.message).toBe("the part of the library for rare things could not be loaded: no connection");
    expect(await load()).toBe("loaded");
  });
});

// In this order: what has been loaded stays.
describe.sequential("codecs by name", () => {
  const versions = [1, 2, 3] as const;
  const all = versions.flatMap((version) =>
    registry
      .codecNames(version)
      .map((name) => ({ name, version, found: registry.findCodec(name, version)! })),
  );
  const isThere = ({ name, version }: (typeof all)[number]) => lookup.findCodec(name, version) !== undefined;

  it("the usual ones are those of the registry, and there from the start", () => {
    const there = all.filter(isThere);
    expect(new Set(there.map(({ name }) => name))).toEqual(
      new Set([
        ...["bytes", "endian", "transpose", "zlib", "numcodecs.zlib", "gzip", "numcodecs.gzip", "zstd"],
        ...["numcodecs.zstd", "lz4", "numcodecs.lz4", "blosc", "numcodecs.blosc", "crc32c"],
        ...["numcodecs.crc32c", "shuffle", "numcodecs.shuffle", "sharding_indexed"],
      ]),
    );
    for (const { name, version, found } of there)
      expect(lookup.findCodec(name, version)!.definition).toBe(found.definition);
  });

  it("those of objects come by themselves", async () => {
    await lookup.loadCodecs(["bytes", "vlen-utf8"], 2);
    for (const entry of all.filter(({ found }) => found.type === "vlen"))
      expect(lookup.findCodec(entry.name, entry.version)?.definition, entry.name).toBe(
        entry.found.definition,
      );
    expect(lookup.findCodec("bz2", 2)).toBeUndefined();
  });

  it("all come where another one is named, or one that nobody knows", async () => {
    await lookup.loadCodecs(["vlen-ascii"], 2);
    for (const { name, version, found } of all) expect(lookup.findCodec(name, version), name).toBe(found);
    expect(lookup.findCodec("vlen-ascii", 2)).toBeUndefined();
    expect(lookup.unknownError("vlen-ascii", 2)._tag).toBe("UnknownCodec");
  });

  it("are found in lists inside lists, as deep as is asked", () => {
    const sharded = (codecs: unknown, more = {}) => ({
      name: "sharding_indexed",
      configuration: { chunk_shape: [1], codecs, index_codecs: ["crc32c"], ...more },
    });
    const nested = [
      sharded([sharded([{ id: "b" }, "a"], { labels: ["no codec"] })]),
      null,
      7,
      [],
      { name: 3 },
    ];
    expect(lookup.namesIn(nested, 0)).toEqual(["sharding_indexed"]);
    expect(lookup.namesIn(nested, 1)).toEqual(["sharding_indexed", "sharding_indexed", "crc32c"]);
    const deep = ["sharding_indexed", "sharding_indexed", "b", "a", "crc32c", "crc32c"];
    expect(lookup.namesIn(nested, 2)).toEqual(deep);
    expect(lookup.namesIn("blosc", 2)).toEqual([]);
    expect(lookup.namesIn([{ name: "x", configuration: null }], 2)).toEqual(["x"]);
  });
});

describe("usual types and fill values are what the parts make of them", () => {
  const texts = [
    ...[
      "null",
      "true",
      "false",
      "0",
      "-0",
      "1",
      "-1",
      "127",
      "128",
      "-128",
      "-129",
      "255",
      "256",
      "32768",
      "65535",
    ],
    ...[
      "65536",
      "999999",
      "-999999",
      "1000000",
      "0.0",
      "-0.0",
      "1.0",
      "-17.000",
      "0.5",
      "1e3",
      "9223372036854775807",
    ],
    ...[
      "NaN",
      "Infinity",
      '"NaN"',
      '"Infinity"',
      '"0"',
      '""',
      '"text"',
      '"\\u0000"',
      '"0x7fc00001"',
      "[0, 0]",
      "[]",
      "{}",
    ],
  ];
  const options = { name: "fill", maxDepth: 4, bareNonFinite: true };
  const types = [...usualTypes.values(), parseDataType("bytes"), parseDataType("r16")];

  it("data types", () => {
    for (const [name, type] of usualTypes) {
      expect(parseDataType(name)).toBe(type);
      expect(String(type)).toBe(name);
    }
  });

  it.each(types.map((type) => [String(type), type] as const))("fill values of %s", async (_, type) => {
    let taken = 0;
    for (const text of texts) {
      const json = parseJson(new TextEncoder().encode(text), options);
      for (const rules of ["strict", "loose"] as const) {
        for (const allowNull of [false, true]) {
          const usual = usualFill(type, json, rules, { allowNull });
          if (!usual) continue;
          taken++;
          expect(parseFill(type, json, rules, { allowNull }), `${text}, ${rules}`).toEqual(usual);
        }
      }
    }
    expect(taken).toBeGreaterThan(0);
  });

  it("most are taken, and an array with others is read all the same", async () => {
    const taken = (name: string, text: string, rules: "strict" | "loose") =>
      usualFill(usualTypes.get(name)!, parseJson(new TextEncoder().encode(text), options), rules, {}) !==
      undefined;
    expect(taken("uint16", "0", "strict") && taken("int64", "-1", "strict")).toBe(true);
    expect(taken("float32", '"NaN"', "strict") && taken("float64", "0.0", "loose")).toBe(true);
    expect(taken("bool", "false", "strict") && taken("string", '""', "strict")).toBe(true);
    expect(taken("uint8", "256", "strict") || taken("float32", "0.1", "strict")).toBe(false);
    const document = {
      zarr_format: 3,
      node_type: "array",
      shape: [2],
      data_type: { name: "numpy.datetime64", configuration: { unit: "s", scale_factor: 1 } },
      chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
      chunk_key_encoding: "default",
      fill_value: "NaT",
      codecs: [{ name: "bytes", configuration: { endian: "little" } }, "numcodecs.bz2"],
    };
    const array = await open(new Map([["/zarr.json", bytesOf(JSON.stringify(document))]]), { kind: "array" });
    const { bytes } = await getBytes(array);
    expect([...new BigInt64Array(bytes.slice().buffer)]).toEqual([-(2n ** 63n), -(2n ** 63n)]);
  });
});
