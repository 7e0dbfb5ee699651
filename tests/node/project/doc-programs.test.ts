// Every JavaScript or TypeScript program of the README and the documentation runs unchanged in a separate
// folder; only addresses become those of a local server. Variables that a sample assumes (`array`, `url`) are
// declared before it.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isNotRun, notRun, root, type Sample, samples, textOf } from "../support/doc-samples.js";
import { fillFolder, serveStores } from "../support/doc-stores.js";

/** How to run a sample: its name, the code before and after it, and its expected output. */
interface Recipe {
  readonly in: string;
  readonly has: string;
  readonly before?: string;
  readonly after?: string;
  readonly prints: RegExp | string;
  readonly change?: (program: string) => string;
}

const withArray = (options: string) =>
  `import { create as createFirst } from "zarr-wasm"; const array = await createFirst(new Map(), ${options});`;

/** The sample is a single property of an object. */
const asOptions = (program: string) => `const options = { ${program.trim().replace(/;$/, "")} };`;

/** Results of xarray for docs/compute.md, by tests/compute/recipes.py. */
const golden = JSON.parse(
  readFileSync(path.join(root, "tests/golden/compute/recipes.json"), "utf8"),
) as Record<string, string>;

const openRecipe = `import { open as openFirst } from "zarr-wasm";
  const opened = (store, path) => openFirst("https://example.org/" + store, { path, kind: "array" });
  const [t2m, basins] = await Promise.all(["t2m", "basins"].map((name) => opened("air.zarr", name)));
  const [red, nir] = await Promise.all(["red", "nir"].map((name) => opened("bands.zarr", name)));
  const fixed = (values, digits = 3) => Array.from(values, (value) => value.toFixed(digits)).join(" ");`;

/** A recipe of docs/compute.md, and the names of its results. */
const computed = (has: string, ...names: string[]): Recipe => ({
  in: "docs/compute.md",
  has,
  before: openRecipe,
  prints: names.map((name) => `${golden[name]}\n`).join(""),
});

const damaged = JSON.stringify(
  JSON.stringify({
    zarr_format: 3,
    node_type: "array",
    shape: [2],
    data_type: "int16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  }),
);

const recipes: readonly Recipe[] = [
  {
    in: "README.md",
    has: "array.attributes",
    prints: /^\[ 120, 6, 30 \] int16 \{\}\n\[ 100, 6 \] Int16Array/,
  },
  { in: "docs/compute.md", has: "await open(", prints: /^\[ 'lat', 'lon' \] \[ 5, 4 \] 11\.\d+\n$/ },
  {
    in: "docs/compute.md",
    has: "const opened",
    after: "console.log(t2m.shape, basins.shape, red.shape.length === nir.shape.length, fixed([1 / 3]));",
    prints: /^\[ 731, 5, 4 \] \[ 5, 4 \] true 0\.333\n$/,
  },
  computed("const climatology", "climatology"),
  computed("const difference", "anomaly"),
  computed("const ndvi", "ndvi"),
  computed("const regions", "labels"),
  computed("const zonal", "zonal"),
  computed("const globe", "globe"),
  computed("const weekly", "rolling", "resample"),
  computed("const matched", "matching"),
  computed("const { count, missing", "statistics", "quantile"),
  computed("const here", "point"),
  {
    in: "docs/files.md",
    has: "era5.nc",
    after: "console.log(data[0], units);",
    prints: "8 K\n",
  },
  {
    in: "docs/files.md",
    has: "ArrayFileStore.open",
    before:
      'const input = { files: [new File([await (await fetch("https://example.org/era5.nc")).arrayBuffer()], "a.nc")] };',
    after: "console.log(image.attributes);",
    prints: "{ title: 'test' }\n",
  },
  {
    in: "docs/files.md",
    has: "makeReferences(",
    after:
      'console.log(document.refs["time/.zarray"].shape ?? typeof document.refs["time/.zarray"], files.size > 0);',
    prints: /true\n$/,
  },
  {
    in: "README.md",
    has: "FileSystemStore",
    after: 'import { get } from "zarr-wasm"; console.log((await get(array, [0, null])).data[999]);',
    prints: "1.5\n",
  },
  {
    in: "README.md",
    has: "zarr-wasm/numcodecs",
    after: "console.log(typeof zarr.open, Blosc.codecId);",
    prints: "function blosc\n",
  },
  {
    in: "docs/browsers.md",
    has: "configureWasm",
    before:
      'import { createCodecChain } from "zarr-wasm/codecs"; globalThis.location = new URL("https://example.org/page/");',
    after:
      'const chain = await createCodecChain({ dtype: "int8", shape: [2], codecs: [{ name: "bytes" }, { name: "zstd", configuration: { level: 1 } }] }); console.log(chain.decode(chain.encode(Int8Array.of(1, 2))));',
    prints: "Int8Array(2) [ 1, 2 ]\n",
  },
  {
    in: "docs/codecs/README.md",
    has: "createCodecChain({",
    after: "console.log(encoded.constructor.name, decoded.constructor.name, decoded.length);",
    prints: "Uint8Array Int16Array 3072\n",
  },
  {
    in: "docs/conventions.md",
    has: "multiscales(group)",
    after: "console.log(region.shape, positionOf(3, 2));",
    prints: /"?micrometer[\s\S]*\[ 8, 8 \] 1.5\n$/,
  },
  {
    in: "docs/conventions.md",
    has: "coordinateGraph(scene",
    after:
      "console.log(graph.spaces.length, JSON.stringify(way.matrix), way.apply([0, 0, 10, 4]), way.steps.length);",
    prints: "5 [[0.5,0,100],[0,0.5,20]] Float64Array(4) [ 100, 20, 105, 22 ] 2\n",
  },
  {
    in: "docs/conventions.md",
    has: "writeMultiscale(",
    after: "console.log((await group.members()).map(({ name }) => name));",
    prints: /^0 [\d.]+\n[\s\S]*\[ '0'(, '\d')* \]\n$/,
  },
  {
    in: "docs/conventions.md",
    has: "decodeCF(rain",
    after: "console.log(data, units);",
    prints: /^time 2019-12-01T00:00:00.000Z\nFloat64Array\(200\) \[\s+3.5,[\s\S]*mm d-1\n$/,
  },
  {
    in: "docs/conventions.md",
    has: "readSparse(counts",
    after: "console.log(format, shape, indptr.length, indices.length, data.length);",
    prints: "csr [ 1000, 2 ] 1001 100 100\n",
  },
  {
    in: "docs/conventions.md",
    has: "await readParquet(file",
    after: 'console.log(rows, columns.get("x").values);',
    prints: "2 Float64Array(2) [ 1.5, 2 ]\n",
  },
  {
    in: "docs/conventions.md",
    has: "await sel(group",
    after:
      'const lat = await group.open("lat", { kind: "array" }); console.log(region.shape, (await get(lat, [selection.lat])).data[0]);',
    prints: "[ 21 ] 40\n",
  },
  {
    in: "docs/conventions.md",
    has: "tileAt(reference",
    after: "console.log(reference.crs?.code, reference.bounds[0]);",
    prints: /^\[ 979, 9(?:79|80) \] \[[^\]]+\]\nEPSG:3857 1480000\n$/,
  },
  {
    in: "docs/converting.md",
    has: "zarr-wasm/transfer",
    after: "console.log(result.arrays, result.chunks.asStored, problems);",
    prints: /^(\d+ %\n)+1 0 \[\]\n$/,
  },
  {
    in: "docs/converting.md",
    has: "like: source",
    after: "console.log((await get(copy, [599, slice(0, 3)])).data, copy.chunkShape);",
    prints: "Int16Array(3) [ 300, 301, 302 ] [ 50, 50 ]\n",
  },
  {
    in: "docs/drop-ins.md",
    has: "vite.config.js",
    prints: '{"resolve":{"alias":{"zarrita":"zarr-wasm/zarrita","numcodecs":"zarr-wasm/numcodecs"}}}\n',
  },
  {
    in: "docs/conventions.md",
    has: "cellsOf(group",
    after: "console.log(cell, region.shape);",
    prints: "2 [ 1 ]\n",
  },
  {
    in: "docs/drop-ins.md",
    has: "zarr.setPool",
    before: 'const url = "https://example.org/climate.zarr";',
    after: "console.log(data[0], shape, stride);",
    prints: "7 [ 10, 6 ] [ 6, 1 ]\n",
  },
  {
    in: "docs/drop-ins.md",
    has: "registerCodecs(",
    after: 'console.log(zarr.registry.has("lzma"));',
    prints: "true\n",
  },
  {
    in: "docs/maps.md",
    has: "const tile = await readTile",
    after: "console.log(tile.level.shape);",
    prints: "[ 256, 256 ] 65536 4\n[ 3000, 3000 ]\n",
  },
  {
    in: "docs/errors.md",
    has: 'isZarrError(error, "CorruptChunk")',
    before: `import { get, open } from "zarr-wasm"; const array = await open(new Map([["/zarr.json", ${damaged}], ["/c/0", "x"]].map(([key, text]) => [key, new TextEncoder().encode(text)])), { kind: "array" });`,
    prints: /^\/c\/0 bytes [\w-]+\n$/,
  },
  {
    in: "docs/icechunk.md",
    has: "asOf",
    after: "console.log(group.attributes);",
    prints: "{ title: 'test' }\n",
  },
  {
    in: "docs/icechunk.md",
    has: "store.history()",
    after: "console.log(names, array.shape);",
    prints: /changed\n.* filled\n.* made\n\[ 'main', 'old' \] \[ 4, 6 \]\n$/,
  },
  {
    in: "docs/live.md",
    has: "samples/field.zarr",
    before: 'const site = "https://example.org/";',
    prints: /^Zarr v1, float32, shape 1024,1024\n\[ 4, 4 \] Float32Array\(16\) \[/,
  },
  {
    in: "docs/live.md",
    has: "shardShape",
    prints: /^\/?zarr\.json \d+\n(\/c\/[01]\/[01] \d+\n){4}Uint16Array\(4\) \[ 1925, 1989, 2053, 2117 \]\n$/,
  },
  {
    in: "docs/live.md",
    has: "Math.sin",
    prints: /^(blosc (lz4|zlib|zstd): 400000 bytes become \d+; decoded alike: true\n){3}$/,
  },
  { in: "docs/live.md", has: "^= 1", prints: /^CorruptChunk [\w-]+ \/c\/0 gzip\nchunk \/c\/0: codec gzip: / },
  { in: "docs/migrating.md", has: "zarr.FetchStore", prints: "60 [ 10, 6 ] [ 6, 1 ]\n" },
  { in: "docs/migrating.md", has: "Blosc.fromConfig", prints: "1000 zstd\n" },
  {
    in: "docs/reading.md",
    has: "climate.zarr",
    after: "console.log(series.shape);",
    prints: /pr array\n[\s\S]*\[ 365, 3 \]\n$/,
  },
  {
    in: "docs/reading.md",
    has: '"...", [5, 1, 3]',
    before: `import { get, slice } from "zarr-wasm"; ${withArray('{ shape: [9, 40, 30], dtype: "int8", dimensionNames: ["time", "lat", "lon"] }')}`,
    after: "console.log(array.shape);",
    prints: "[ 9, 40, 30 ]\n",
  },
  {
    in: "docs/reading.md",
    has: "array.chunks()",
    before: `import { create, set } from "zarr-wasm"; ${withArray('{ shape: [5, 5], chunkShape: [2, 3], dtype: "uint8", fillValue: 2 }')} const source = array; const target = await create(new Map(), { shape: [5, 5], chunkShape: [4, 4], dtype: "uint8" });`,
    after: "console.log(sum, (await target.getChunk([0, 0])).data[15]);",
    prints: "50 2\n",
  },
  {
    in: "docs/reading.md",
    has: "const out = ",
    before: `import { get, slice } from "zarr-wasm"; const draw = () => {}; const pointer = { x: 1, y: 1 }; ${withArray('{ shape: [2048, 2048], dtype: "uint16" }')}`,
    after: "console.log(out.length);",
    prints: "1048576\n",
  },
  {
    in: "docs/caching.md",
    has: "new PersistentCache",
    change: (program) => program.replace('name: "my-app"', 'folder: "./cache"'),
    after: "await persistentCache.flush(); console.log(array.shape, (await persistentCache.size()) > 0);",
    prints: "[ 120, 6, 30 ] true\n",
  },
  {
    in: "docs/stores.md",
    has: "retries: 5",
    before: 'import { ByteCache, HttpStore, open } from "zarr-wasm"; const headers = {};',
    after: 'console.log((await open(store, { kind: "array" })).shape);',
    prints: "[ 120, 6, 30 ]\n",
  },
  {
    in: "docs/stores.md",
    has: "AwsClient",
    before:
      'import { WritableHttpStore } from "zarr-wasm"; const [accessKeyId, secretAccessKey, region] = ["a", "b", "c"];',
    after: "console.log(typeof store.set, typeof store.list);",
    prints: "function function\n",
  },
  {
    in: "docs/stores.md",
    has: "presign(",
    before: "const presign = async (method, url) => `${url}?signed=${method}`;",
    change: asOptions,
    after:
      'console.log((await options.sign(new Request("https://example.org/a", { method: "PUT", body: "x" }))).url.split("/").at(-1));',
    prints: "a?signed=PUT\n",
  },
  {
    in: "docs/stores.md",
    has: "new ZipWriter(sink)",
    before:
      'import { ZipWriter } from "zarr-wasm"; let bytes = 0; const sink = (piece) => { bytes += piece.length; }; const document = new TextEncoder().encode("{}");',
    after: "console.log(bytes > 100);",
    prints: "true\n",
  },
  {
    in: "docs/stores.md",
    has: "resolve: (target) =>\n",
    before:
      'import { HttpStore, open } from "zarr-wasm"; import { ReferenceStore } from "zarr-wasm/formats"; const [authorization, key, document] = ["a", "b", { version: 1, refs: {} }];',
    after: 'console.log((await open(store, { kind: "array" })).shape, typeof other.get);',
    prints: "[ 3 ] function\n",
  },
  {
    in: "docs/stores.md",
    has: "refs.parquet",
    before: 'import { get, open } from "zarr-wasm"; import { ReferenceStore } from "zarr-wasm/formats";',
    after:
      'console.log(group.attributes, (await get(array)).data, (await get(await group.open("temperature"))).data);',
    prints: "{ title: 'weather' } Int16Array(2) [ 3, 4 ] Int16Array(2) [ 3, 4 ]\n",
  },
  { in: "docs/viewer.md", has: "zarr-wasm-viewer/react", prints: "" },
  { in: "web/viewer/README.md", has: "zarr-wasm-viewer/element", after: "console.log(1);", prints: "1\n" },
  { in: "docs/viewer.md", has: 'import "zarr-wasm-viewer/element"', after: "console.log(1);", prints: "1\n" },
  {
    in: "docs/workers.md",
    has: "pool.destroy()",
    before: `${withArray('{ shape: [300, 300], chunkShape: [100, 100], dtype: "int32" }')} const copy = await createFirst(new Map(), { like: array });`,
    after: "console.log(data.length, chunk.shape);",
    prints: /^90000 \[ \d+, \d+ \]\n$/,
  },
  {
    in: "docs/writing.md",
    has: "three more planes",
    before: 'import { existsSync } from "node:fs";',
    after: 'console.log(out.shape, existsSync(new URL("out.zarr/c/0/0/0", import.meta.url)));',
    prints: "[ 3, 512, 512 ] true\n",
  },
  {
    in: "docs/writing.md",
    has: "raw/ch0",
    after: "console.log(array.shape, array.attributes);",
    prints: /^\[ 1200, 2048, 2048 \] (?:\[Object: null prototype\] )?\{ unit: 'counts' \}\n$/,
  },
  {
    in: "docs/writing.md",
    has: "append(array, columns, 2",
    before: `import { WorkerPool } from "zarr-wasm"; const pool = new WorkerPool(); const plane = new Uint16Array(2048 * 2048).fill(3); const planes = new Uint16Array(2 * plane.length); const columns = new Uint16Array(5 * 2048 * 4); ${withArray('{ shape: [3, 2048, 2048], chunkShape: [1, 512, 512], dtype: "uint16", dimensionNames: ["t", "y", "x"], codecs: "none" }')}`,
    after: "console.log(array.shape, (await get(array, [2, 9, 9])).data[0]);",
    prints: "[ 5, 2048, 2052 ] 3\n",
  },
];

const isProgram = ({ language }: Sample) =>
  ["js", "mjs", "ts", "javascript", "typescript"].includes(language);
const programs = samples.filter((sample) => isProgram(sample) && !isNotRun(sample));
const fits = (recipe: Recipe, { file, text }: Sample) => recipe.in === file && text.includes(recipe.has);

// Inside the checkout, "zarr-wasm" resolves to the built package.
mkdirSync(path.join(root, "build/tmp"), { recursive: true });
const folder = mkdtempSync(path.join(root, "build/tmp/docs-"));
const run = promisify(execFile);
let server: Awaited<ReturnType<typeof serveStores>>;

beforeAll(async () => {
  server = await serveStores();
  await fillFolder(folder, ["new.zarr"]);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Runs a program and returns its output; also prints its default export. */
async function outputOf(program: string): Promise<string> {
  const own = mkdtempSync(path.join(folder, "run-"));
  const addresses = program
    .replaceAll("https://example.org", server.url)
    .replaceAll("file:///data/", `file://${own}/`);
  const { code } = transformSync(addresses, {
    loader: "ts",
    format: "esm",
    target: "es2022",
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  writeFileSync(path.join(own, "program.mjs"), code);
  const main = `const { default: value } = await import("./program.mjs"); if (value !== undefined) console.log(JSON.stringify(value));`;
  writeFileSync(path.join(own, "main.mjs"), main);
  try {
    return (await run(process.execPath, [path.join(own, "main.mjs")], { cwd: folder })).stdout;
  } catch (error) {
    // Node shows the line that threw, which in a bundle is all of it.
    throw new Error(
      (error as { stderr: string }).stderr
        .split("\n")
        .filter((line) => line.length < 500)
        .join("\n"),
    );
  }
}

describe("programs", () => {
  it.each(programs.map((sample) => [`${sample.file}:${sample.line}`, sample] as const))(
    "%s",
    async (_place, sample) => {
      const found = recipes.filter((recipe) => fits(recipe, sample));
      expect(
        found,
        "this sample needs one entry in `recipes`, or in the list of those that are not run",
      ).toHaveLength(1);
      const { before = "", after = "", change = (text: string) => text, prints } = found[0]!;
      const output = await outputOf(`${before}\n${change(sample.text)}\n${after}`);
      if (typeof prints === "string") expect(output).toBe(prints);
      else expect(output).toMatch(prints);
    },
  );

  it("exist for all recipes of the tests", () => {
    const gone = recipes.filter((recipe) => !programs.some((sample) => fits(recipe, sample)));
    expect(gone.map((recipe) => `${recipe.in}: ${recipe.has}`)).toEqual([]);
    const named = notRun.filter(({ has }) => has !== undefined);
    const lost = named.filter(
      (entry) => !samples.some(({ file, text }) => file === entry.in && text.includes(entry.has!)),
    );
    expect(lost).toEqual([]);
  });
});

/** Expressions that begin with `await` or `new` in the tables of a document, and so do something. */
const expressionsOf = (file: string): string[] =>
  textOf(file)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [
      ...line
        .split("|")
        .slice(2)
        .join("|")
        .matchAll(/`((?:await|new|open|get|create|isZarrError)\b[^`]+)`/g),
    ])
    .map(([, expression]) => expression!)
    .filter((expression) => !expression.includes("…"));

describe("expressions in the tables of docs/migrating.md", () => {
  const expressions = expressionsOf("docs/migrating.md");

  it("are many", () => expect(expressions.length).toBeGreaterThan(20));

  it.each(expressions)("%s", async (expression) => {
    const program = `
      import * as all from "zarr-wasm";
      import { FileSystemStore } from "zarr-wasm/node";
      const { append, ByteCache, consolidate, create, get, HttpStore, isZarrError, open, resize, set, slice, updateAttributes } = all;
      const [store, source, url, error] = [new Map(), new Map(), "https://example.org/climate.zarr", new Error("other")];
      const [shape, dtype, shardShape, chunkShape, signal] = [[8, 8], "int8", [4, 4], [2, 2], undefined];
      await create(source, { shape, dtype, zarrFormat: 2 });
      const group = await all.createGroup(store);
      const options = { shape: [60, 20, 5], dtype: "int16", dimensionNames: ["time", "y", "x"] };
      const [a, array] = [await create(group, { ...options, path: "c" }), await create(group, { ...options, path: "a/b" })];
      const values = new Int16Array(10 * 20 * 5), more = values;
      console.log(typeof await (${expression.replace(/^await /, "").replace("create(store", "create(new Map()")}));`;
    expect(await outputOf(program)).toMatch(/^(object|undefined|boolean|number)\n$/);
  });
});
