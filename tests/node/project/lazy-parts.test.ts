// Parts of the library that load on demand: their content, and the error if one cannot be loaded.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Metafile } from "esbuild";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import * as lookup from "#src/codecs/lookup.js";
import * as registry from "#src/codecs/registry.js";
import { lazy } from "#src/util/lazy.js";
import { bundleParts } from "../../../bench/download.mjs";
import { root } from "../../shared/places.js";
import { errorOf } from "../support/support.js";

/** The chunks that esbuild produces for a viewer's imports from the package. */
async function bundled(names: string, others = "") {
  const { metafile } = await bundleParts(`export { ${names} } from "zarr-wasm"; ${others}`);
  return metafile.outputs;
}

type Outputs = Metafile["outputs"];

/** The files that load with a file: its imports, transitively. */
function loadedWith(outputs: Outputs, file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path: below, kind } of outputs[file]!.imports)
    if (kind === "import-statement" && outputs[below]) loadedWith(outputs, below, seen);
  return seen;
}

/** Modules of the library in each file of dist/bundle, as the build has noted them. */
const modulesOf = JSON.parse(readFileSync(path.join(root, "build/bundle.json"), "utf8")) as Record<
  string,
  string[]
>;

/** The library's modules whose code is in any of some outputs. */
function sourcesIn(outputs: Outputs, files: Iterable<string>): string[] {
  return [...files]
    .flatMap((file) => Object.entries(outputs[file]!.inputs))
    .flatMap(([name, { bytesInOutput }]) => {
      const file = path.relative("dist", name);
      return bytesInOutput > 0 ? (modulesOf[file] ?? [file]) : [];
    });
}

/** The modules loaded by `import()`, each with modules that are loaded only with it. */
const partSources: Readonly<Record<string, readonly string[]>> = {
  "bundle/metadata-part.js": [
    "metadata/v1.js",
    "metadata/v2.js",
    "metadata/chunk-key-encodings.js",
    "dtypes/typestr.js",
  ],
  "bundle/codecs-part.js": [
    "codecs/registry.js",
    "codecs/registry.js",
    "codecs/n5.js",
    "codecs/zfp.js",
    "codecs/rare-compressors.js",
    "codecs/numeric-filters.js",
    "codecs/numpy.js",
    "codecs/json2.js",
    "codecs/vlen-items.js",
    "codecs/msgpack.js",
  ],
  "bundle/read-part.js": [
    "read/shard-read.js",
    "read/shards.js",
    "read/bundles.js",
    "read/partial.js",
    "read/blosc-blocks.js",
    "read/chunks.js",
    "chain/shards.js",
    "store/http/range-reader.js",
    "store/http/range-response.js",
    "store/listing.js",
  ],
  "bundle/store-http-range-reader.js": ["store/http/range-reader.js"],
  "bundle/formats-part.js": [
    "store/zip/store.js",
    "store/zip/directory.js",
    "store/source/byte-reader.js",
    "store/source/file-formats.js",
    "store/key-index.js",
    "formats/array-file/store.js",
    "formats/file/blocks.js",
    "formats/part.js",
    "formats/icechunk/store.js",
    "formats/icechunk/manifest.js",
    "formats/icechunk/virtual.js",
    "formats/icechunk/format.js",
    "formats/kerchunk/store.js",
    "formats/kerchunk/place.js",
    "formats/kerchunk/folder.js",
    "formats/kerchunk/records.js",
    "formats/parquet/footer.js",
    "formats/parquet/pages.js",
  ],
  "bundle/formats-tiff-part.js": ["formats/tiff/part.js", "formats/tiff/ifd.js", "formats/tiff/ome.js"],
  "bundle/formats-hdf5-part.js": [
    "formats/hdf5/part.js",
    "formats/hdf5/superblock.js",
    "formats/hdf5/btree1.js",
  ],
  "bundle/formats-fits-part.js": ["formats/fits/part.js"],
  "bundle/formats-grib2-part.js": [
    "formats/grib2/part.js",
    "formats/grib2/messages.js",
    "formats/grib2/parameters.js",
  ],
  "bundle/formats-folder-part.js": ["formats/folder/part.js", "formats/folder/n5.js"],
  "bundle/compute-part.js": ["compute/reduce.js", "compute/run.js", "compute/results.js"],
  "bundle/compute-expression-part.js": ["compute/expression/compile.js", "compute/expression/parse.js"],
  "bundle/compute-places-part.js": ["compute/places/gather.js", "compute/places/areas.js"],
  "bundle/transfer-references-part.js": ["transfer/references/part.js", "transfer/references/join.js"],
  "bundle/formats-nifti-part.js": ["formats/nifti/part.js", "formats/nifti/header.js"],
  "bundle/formats-netcdf3-part.js": ["formats/netcdf3/part.js", "formats/netcdf3/header.js"],
  "bundle/store-node.js": ["store/file/store.js", "store/file/read.js", "store/http/node.js"],
  "bundle/edit-part.js": [
    "edit/create.js",
    "edit/consolidated-metadata.js",
    "edit/update-node.js",
    "metadata/new-array.js",
    "metadata/print.js",
    "codecs/print.js",
    "store/write.js",
  ],
  "bundle/conventions-part.js": [
    "conventions/sel/select.js",
    "conventions/sel/find.js",
    "conventions/sel/coordinates.js",
    "conventions/sel/labels.js",
    "conventions/sparse/read.js",
    "conventions/ome/transforms/graph.js",
    "conventions/ome/pyramid/write.js",
    "conventions/ome/pyramid/fill.js",
    "conventions/ome/pyramid/reduce.js",
    "conventions/geo/read.js",
    "conventions/geo/tile.js",
    "conventions/geo/axes.js",
    "conventions/geo/attributes.js",
  ],
  "bundle/embedded.js": ["engine/embedded-modules.js", "wasm/decode-embedded.js"],
  "wasm/full-embedded.js": ["wasm/full-embedded.js"],
  "wasm/worker-chunk.js": ["wasm/worker-chunk.js"],
  "wasm/worker-text.js": ["wasm/worker-text.js"],
};
const isFormat = (name: string) => /^bundle\/(?:formats|transfer)-.+-part\.js$/.test(name);

/** The glue of the wasm modules, loaded by `import()` as well. */
const glue = ["wasm/decode.mjs", "wasm/full.mjs", "wasm/images.mjs"];

const outputs = await bundled(
  "get, open, create, WorkerPool",
  'export { sel } from "zarr-wasm/conventions"; export { reduce } from "zarr-wasm/compute";',
);
const reading = await bundled("get, open");

describe("bundles", () => {
  const fromTheStart = loadedWith(outputs, "out/viewer.js");
  const sources = sourcesIn(outputs, fromTheStart);
  const loaded = new Map(
    Object.entries(outputs).flatMap(([file, { entryPoint }]) =>
      entryPoint && file !== "out/viewer.js" ? [[path.relative("dist", entryPoint), file] as const] : [],
    ),
  );

  it("load one file in addition to the entry from the start", () => {
    const files = loadedWith(reading, "out/viewer.js");
    expect(files.size).toBe(2);
    expect(sourcesIn(reading, files)).toContain("read/assemble.js");
  });

  it.each(Object.entries(partSources))("load %s on demand", (name, own) => {
    const all = sourcesIn(outputs, loadedWith(outputs, loaded.get(name)!));
    expect(own.filter((source) => !all.includes(source))).toEqual([]);
    expect(own.filter((source) => sources.includes(source))).toEqual([]);
  });

  it("load nothing else on demand", () => {
    expect([...loaded.keys()].sort()).toEqual([...Object.keys(partSources), ...glue].sort());
  });

  it("load a part's module from the start if a program imports it by name", async () => {
    const named = await bundled("open, ZipStore, readScalar");
    const taken = sourcesIn(named, loadedWith(named, "out/viewer.js"));
    expect(taken).toEqual(expect.arrayContaining(["store/zip/store.js", "dtypes/scalar.js"]));
    expect(taken).not.toContain("metadata/v2.js");
    expect(taken).not.toContain("formats/icechunk/store.js");
  });
});

describe("bundles of Rolldown, as Vite makes them", () => {
  it("are at most 21 files and two for each format, with the three modules, of which few are loaded from the start", async () => {
    const text = 'export { get, open, slice } from "zarr-wasm";';
    const entry = {
      name: "entry",
      resolveId: (id: string) => (id === "entry" ? path.join(root, "entry.js") : null),
      load: (id: string) => (id === path.join(root, "entry.js") ? text : null),
    };
    const bundle = await rolldown({
      input: "entry",
      platform: "browser",
      plugins: [entry],
      logLevel: "silent",
    });
    const { output } = await bundle.generate({ format: "esm" });
    await bundle.close();
    const chunks = new Map(
      output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file] as const] : [])),
    );
    // Each format of files has two: Rolldown keeps a part apart from its modules.
    expect(chunks.size + 3).toBeLessThanOrEqual(21 + 2 * Object.keys(partSources).filter(isFormat).length);
    const loaded = new Set<string>();
    const load = (name: string): void => {
      if (loaded.has(name)) return;
      loaded.add(name);
      chunks.get(name)!.imports.forEach(load);
    };
    for (const [name, { isEntry }] of chunks) if (isEntry) load(name);
    expect(loaded.size).toBeLessThanOrEqual(4);
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

// The order matters: loaded parts stay loaded.
describe.sequential("codecs by name", () => {
  const versions = [1, 2, 3] as const;
  const all = versions.flatMap((version) =>
    registry
      .codecNames(version)
      .map((name) => ({ name, version, found: registry.findCodec(name, version)! })),
  );
  const isThere = ({ name, version }: (typeof all)[number]) => lookup.findCodec(name, version) !== undefined;

  it("the common ones match the registry, loaded from the start", () => {
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

  it("all are loaded once an unknown one is named", async () => {
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
