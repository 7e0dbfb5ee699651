// Measures the downloads of a page for each feature, and writes the table of docs/download-size.md:
//   node bench/page-sizes.mjs
// Each feature is a small program that runs with a local server. Scripts and modules that it loads are counted,
// compressed by gzip as by servers; data is not. KB are 1000 bytes.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync, gzipSync } from "node:zlib";
import { create, createGroup, set, ZipWriter } from "zarr-wasm";
import { root } from "../scripts/lib/paths.mjs";
import { bundleParts, downloadedFor } from "./download.mjs";

const documentFile = path.join(root, "docs/download-size.md");
const compressed = (bytes) => gzipSync(bytes, { level: 9 }).length / 1e3;
const sizeOf = (files) => files.reduce((sum, { contents }) => sum + compressed(contents), 0);

const shape = [16, 16];
const values = Uint16Array.from({ length: 256 }, (_, i) => i >> 2);

/** The files of a store that a function fills. */
async function filesOf(fill) {
  const store = new Map();
  await fill(store);
  return Object.fromEntries([...store].map(([key, bytes]) => [key.slice(1), bytes]));
}

const arrayOf = (options) =>
  filesOf(async (store) => set(await create(store, { shape, dtype: "uint16", ...options }), null, values));

/** An image of two levels. */
const image = () =>
  filesOf(async (store) => {
    const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
    const datasets = [1, 2].map((factor, i) => ({
      path: String(i),
      coordinateTransformations: [{ type: "scale", scale: [factor, factor] }],
    }));
    const ome = { version: "0.5", multiscales: [{ axes, datasets }] };
    const group = await createGroup(store, { attributes: { ome } });
    for (const { path: name } of datasets) {
      const options = { path: name, shape, dtype: "uint16", codecs: "zstd", dimensionNames: ["y", "x"] };
      await set(await create(group, options), null, values);
    }
  });

/** Temperatures with coordinates, as xarray writes them. */
const climate = () =>
  filesOf(async (store) => {
    const group = await createGroup(store);
    const names = ["lat", "lon"];
    const attributes = { scale_factor: 0.5, units: "K" };
    const main = { path: "t", shape, dtype: "uint16", dimensionNames: names, attributes, codecs: "zstd" };
    await set(await create(group, main), null, values);
    for (const name of names) {
      const units = { units: name === "lat" ? "degrees_north" : "degrees_east" };
      const options = {
        path: name,
        shape: [16],
        dtype: "float64",
        dimensionNames: [name],
        attributes: units,
      };
      const degrees = Float64Array.from({ length: 16 }, (_, i) => i);
      await set(await create(group, options), null, degrees);
    }
  });

async function archive() {
  const pieces = [];
  const writer = new ZipWriter((piece) => {
    pieces.push(Uint8Array.from(piece));
  });
  await set(await create(writer, { shape, dtype: "uint16", codecs: "zstd" }), null, values);
  await writer.close();
  return { "a.zip": Buffer.concat(pieces) };
}

/** A reference document that contains an array. */
async function references() {
  const files = Object.entries(await arrayOf({ codecs: "zstd" }));
  const refs = files.map(([key, bytes]) => [key, `base64:${Buffer.from(bytes).toString("base64")}`]);
  return { "refs.json": JSON.stringify({ version: 1, refs: Object.fromEntries(refs) }) };
}

/** A Zarr v2 array of one PNG. */
function png() {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 8, 0, 0, 0, 0]);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const rows = chunk("IDAT", deflateSync(Buffer.alloc(8 * 9)));
  const array = { zarr_format: 2, shape: [8, 8], chunks: [8, 8], dtype: "|u1", fill_value: 0, order: "C" };
  return {
    ".zarray": JSON.stringify({ ...array, compressor: { id: "imagecodecs_png" }, filters: null }),
    "0.0": Buffer.concat([signature, chunk("IHDR", header), rows, chunk("IEND", Buffer.alloc(0))]),
  };
}

/** A bundle entry with some exports of an entry of the library. */
const from = (names, module = "zarr-wasm") => `export { ${names} } from "${module}";`;
const conventions = (names) => from(names, "zarr-wasm/conventions");

/** A page's purpose, its files, and the entry and function of its program. */
const features = [
  ["reads an array of Zarr v3, compressed by zstd", () => arrayOf({ codecs: "zstd" })],
  ["the same, compressed by Blosc", () => arrayOf({ codecs: "blosc:lz4" })],
  ["the same, uncompressed", () => arrayOf({ codecs: "none" })],
  ["the same, in shards", () => arrayOf({ codecs: "zstd", chunkShape: [8, 8], shardShape: shape })],
  ["reads an array of Zarr v2", () => arrayOf({ codecs: "zstd", zarrFormat: 2 })],
  [
    "reads with a `WorkerPool`",
    () => arrayOf({ codecs: "zstd" }),
    {
      imports: from("get, open, WorkerPool"),
      run: async ({ get, open, WorkerPool }, url) => {
        const pool = new WorkerPool();
        await get(await open(url, { kind: "array" }), null, { pool });
        pool.destroy();
      },
      worker: true,
    },
  ],
  [
    "reads a level of an OME-Zarr image (`multiscales`)",
    image,
    {
      imports: from("get, open") + conventions("multiscales"),
      run: async ({ get, open, multiscales }, url) => {
        const [first] = multiscales(await open(url, { kind: "group" }));
        await get(await first.levels.at(-1).open());
      },
    },
  ],
  [
    "selects by coordinates and decodes CF values (`sel`, `decodeCF`)",
    climate,
    {
      imports: from("get, open") + conventions("sel, decodeCF"),
      run: async ({ get, open, sel, decodeCF }, url) => {
        const group = await open(url, { kind: "group" });
        const array = await group.open("t", { kind: "array" });
        decodeCF(array, await get(array, await sel(group, { lat: 3 })));
      },
    },
  ],
  [
    "reads map tiles (`georeference`, `readTile`)",
    climate,
    {
      imports: from("open") + conventions("georeference, readTile"),
      run: async ({ georeference, open, readTile }, url) => {
        const reference = await georeference(await open(url, { kind: "group" }), { variable: "t" });
        await readTile(reference, [3, 4, 3]);
      },
    },
  ],
  [
    "reads an archive (`ZipStore`)",
    archive,
    {
      imports: from("get, open"),
      run: async ({ get, open }, url) => get(await open(`${url}a.zip`, { kind: "array" })),
    },
  ],
  [
    "reads kerchunk references",
    references,
    {
      imports: from("get, open") + from("ReferenceStore", "zarr-wasm/formats"),
      run: async ({ get, open, ReferenceStore }, url) =>
        get(await open(await ReferenceStore.open(`${url}refs.json`), { kind: "array" })),
    },
  ],
  [
    "decodes bz2, lzma, zfp or another codec of the full module",
    () => arrayOf({ codecs: { name: "numcodecs.bz2", configuration: { level: 1 } } }),
  ],
  ["decodes PNG, JPEG, WebP, LERC or JPEG 2000", png],
  [
    "creates and writes an array (`create`, `set`)",
    () => ({}),
    {
      imports: from("create, set"),
      run: async ({ create: make, set: write }) =>
        write(await make(new Map(), { shape, dtype: "uint16", codecs: "zstd" }), null, values),
    },
  ],
  [
    "reads through `zarr-wasm/zarrita`",
    () => arrayOf({ codecs: "zstd" }),
    {
      imports: from("get, open, FetchStore", "zarr-wasm/zarrita"),
      run: async ({ get, open, FetchStore }, url) => get(await open(new FetchStore(url), { kind: "array" })),
    },
  ],
  [
    "decodes chunks by `zarr-wasm/numcodecs/blosc`",
    () => arrayOf({ codecs: "blosc:lz4" }),
    {
      imports: 'export { default as Blosc } from "zarr-wasm/numcodecs/blosc";',
      run: async ({ Blosc }, url) => {
        const chunk = await (await fetch(`${url}c/0/0`)).arrayBuffer();
        await Blosc.fromConfig({ id: "blosc" }).decode(new Uint8Array(chunk));
      },
    },
  ],
];

/** The script of a pool's workers. */
async function workerSize() {
  const { outputFiles } = await bundleParts('export * from "zarr-wasm/worker";');
  return sizeOf(outputFiles);
}

/** Scripts that `import "zarr-wasm-viewer/element"` loads at once, without decoders. */
async function elementSize() {
  const { outputFiles, metafile } = await bundleParts('import "zarr-wasm-viewer/element";');
  const loaded = new Set();
  const load = (name) => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const { kind, path: file, external } of metafile.outputs[name].imports)
      if (kind === "import-statement" && !external) load(file);
  };
  load(Object.keys(metafile.outputs).find((name) => name.endsWith("/viewer.js")));
  return sizeOf(outputFiles.filter(({ path: file }) => [...loaded].some((name) => file.endsWith(name))));
}

/** The rows of the table: the purpose of a page, and a function that measures its download in KB. */
export const pages = [
  ...features.map(([what, files, program = {}]) => ({
    what,
    measure: async () =>
      sizeOf(await downloadedFor(await files(), program)) + (program.worker ? await workerSize() : 0),
  })),
  { what: "registers `<zarr-viewer>`, before it opens anything", measure: elementSize },
];

/** The table of the rows. */
function tableOf(rows) {
  const base = rows[0].size;
  const lines = rows.map(({ what, size }, i) => {
    const more = Math.round(size - base);
    const difference = i === 0 ? "" : more === 0 ? "0" : `${more > 0 ? "+" : "−"}${Math.abs(more)}`;
    return `| ${what} | ${Math.round(size)} | ${difference} |`;
  });
  return ["| a page that … | KB | difference |", "|---|---:|---:|", ...lines].join("\n");
}

/** The document with a new table. */
export function withTable(document, rows) {
  const pattern = /(<!-- sizes -->\n)[\s\S]*?(<!-- end -->)/;
  if (!pattern.test(document)) throw new Error("docs/download-size.md has no place for the table");
  return document.replace(pattern, (_, start, end) => `${start}\n${tableOf(rows)}\n\n${end}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = [];
  for (const { what, measure } of pages) rows.push({ what, size: await measure() });
  writeFileSync(documentFile, withTable(readFileSync(documentFile, "utf8"), rows));
  console.log(tableOf(rows));
  process.exit(); // workers may still be starting
}
