// What is bundled of the compiled library, for those who are better off with few files. A program of its own, which
// build.mjs runs: esbuild's plugins need its asynchronous interface.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { build } from "esbuild";
import { buildDir, distDir, root, wasmModules } from "./paths.mjs";

const dist = (name) => path.join(distDir, name);
const { exports, imports } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
/** Script of the thread that renews locks (web/src/transfer/heartbeat.ts). */
const lockThread = { node: "./dist/bundle/lock-thread.js", default: "./dist/transfer/lock-thread.js" };
const entries = [...Object.values(exports), ...Object.values(imports), lockThread];

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true, // half as much to parse
  logLevel: "warning",
  logOverride: { "ignored-bare-import": "silent" }, // web/src/util/lazy.ts says what they are for
  write: false,
};

/** Has another file in the place of web/src/engine/packaged.ts, which says what each is for. */
const packagedFor = (where) => ({
  name: "packaged",
  setup({ onResolve }) {
    onResolve({ filter: /\/packaged\.js$/ }, ({ importer }) =>
      path.basename(importer).startsWith("packaged-")
        ? undefined
        : { path: dist(`engine/packaged-${where}.js`) },
    );
  },
});

/** Stay files of their own, which bundles find at ../wasm/. */
const wasmFiles = "../wasm/*";

/** What bundlers are to leave alone; esbuild drops these words when it minifies. */
const leaveAlone = "/* webpackIgnore: true */ /* @vite-ignore */ ";
const importOfName = /\bimport\((?=\s*[\w$]+\))/g;

/** Writes what esbuild makes, and its maps where `options` ask for them. */
async function write(options) {
  const { outputFiles } = await build({ ...common, ...options });
  const maps = new Map(outputFiles.map(({ path: file, text }) => [file, text]));
  for (const { path: file, text } of outputFiles) {
    mkdirSync(path.dirname(file), { recursive: true });
    if (file.endsWith(".map")) continue;
    writeFileSync(file, text.replaceAll(importOfName, `import(${leaveAlone}`));
    const map = maps.get(`${file}.map`);
    if (map) writeFileSync(`${file}.map`, mapBehind(text, map));
  }
}

/** A map of a text in which those words stand: what is behind them in their line is as much farther on. */
function mapBehind(text, map) {
  const parsed = JSON.parse(map);
  const lines = text
    .split("\n")
    .map((line) => [...line.matchAll(importOfName)].map((m) => m.index + m[0].length));
  const mappings = decode(parsed.mappings).map((segments, line) =>
    segments.map(([column, ...rest]) => {
      const before = lines[line].filter((at) => at <= column).length;
      return [column + before * leaveAlone.length, ...rest];
    }),
  );
  return JSON.stringify({ ...parsed, mappings: encode(mappings) });
}

/**
 * The scripts of workers, each one file that imports nothing: bundlers take them as they are, whatever format they make
 * workers in.
 */
async function bundleWorkers() {
  const options = { plugins: [packagedFor("worker")] };
  const script = dist("workers/worker-script.js");
  await write({ ...options, entryPoints: [script], outfile: dist("workers/worker.js") });
  await write({
    ...options,
    entryPoints: [dist("workers/worker-chunk.js")],
    outfile: dist("wasm/worker-chunk.js"),
  });
  const classic = await build({
    ...common,
    ...options,
    format: "iife",
    // The glue is told where its module is; the address of a script that has none is not asked for.
    logOverride: { ...common.logOverride, "empty-import-meta": "silent" },
    entryPoints: [script],
  });
  const text = JSON.stringify(classic.outputFiles[0].text.trim());
  writeFileSync(dist("wasm/worker-text.js"), `export default ${text};\n`);
  writeFileSync(dist("workers/worker.d.ts"), 'export { startWorker } from "./worker-main.js";\n');
}

/** What is used of hyparquet (web/src/vendor/hyparquet.d.ts), as a module of the library: it has no dependencies. */
async function bundleParquetReader() {
  const contents = `export { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
    export { parquetHeader } from "hyparquet/src/column.js";
    export { readPlain } from "hyparquet/src/plain.js";`;
  await write({
    stdin: { contents, resolveDir: root },
    banner: { js: "/*! hyparquet (MIT): see THIRD_PARTY_NOTICES.md */" },
    outfile: dist("vendor/hyparquet.js"),
  });
  copyFileSync(path.join(root, "web/src/vendor/hyparquet.d.ts"), dist("vendor/hyparquet.d.ts"));
}

/** The modules as texts, for bundlers that leave the files behind (web/src/lazy/embedded.ts). */
function embedModules() {
  for (const name of wasmModules) {
    const module = readFileSync(dist(`wasm/${name}.wasm`));
    const deflated = deflateRawSync(module, { level: 9 }).toString("base64");
    const text = `export const deflated = "${deflated}";\nexport const bytes = ${module.byteLength};\n`;
    writeFileSync(dist(`wasm/${name}-embedded.js`), text);
  }
}

/**
 * Bundles the entries that have a condition: loading a hundred small files takes longer than compiling the module and
 * decoding a chunk. Bundles lie one folder below dist, like web/src/engine, which finds the modules at ../wasm/ from
 * where it lies; one build of all of them, so that they share their parts.
 */
async function bundleEntries(condition, folder, options) {
  const out = dist(folder);
  const sources = path.join(buildDir, folder);
  for (const dir of [out, sources]) rmSync(dir, { recursive: true, force: true });
  await write({
    ...options,
    entryPoints: entries
      .filter((entry) => entry[condition])
      .map((entry) =>
        writeEntry(sources, entry.default, path.relative(folder, path.relative("dist", entry[condition]))),
      ),
    outbase: sources,
    outdir: out,
    splitting: true,
    external: [wasmFiles],
    // Their sources lie in the package, as modules that anyone can read: maps need not hold them once more.
    sourcemap: "linked",
    sourcesContent: false,
    // Stacks name functions as the sources do; and Node shows the whole line of an error that nobody catches.
    minify: false,
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 120,
  });
}

/**
 * What is bundled for an entry: the entry, with imports for nothing but their effect on how the bundler cuts its files.
 * All that `zarr-wasm/codecs` needs is then one file, which is loaded twice as fast as eight; and most of what
 * `zarr-wasm` needs besides is another.
 */
function writeEntry(sources, source, name) {
  const entry = path.join(root, source);
  const file = path.join(sources, name);
  const common = /[\\/](?:zarrita|node|internal|transfer)\.js$/.test(entry)
    ? ["codecs", "index"]
    : ["codecs"];
  const imported = common.map((own) => `import ${JSON.stringify(dist(`${own}.js`))};`);
  const own = JSON.stringify(entry);
  const hasDefault = /^export default /m.test(readFileSync(entry, "utf8"));
  const lines = [
    ...imported,
    `export * from ${own};`,
    ...(hasDefault ? [`export { default } from ${own};`] : []),
  ];
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/**
 * The library in one file, for pages without a bundler: modules and the workers' script are in it as texts. Its names
 * are properties of `zarrWasm`, too, for scripts that import nothing.
 */
async function bundleOneFile() {
  const own = (name) => JSON.stringify(dist(`${name}.js`));
  const contents = `
    import * as all from ${own("index")};
    import { createCodecChain } from ${own("codecs")};
    globalThis.zarrWasm = { ...all, createCodecChain };
    export * from ${own("index")};
    export { createCodecChain };`;
  await write({ stdin: { contents, resolveDir: root }, outfile: dist("zarr-wasm.min.js") });
}

/** Maps of an older build, which the package would hold. */
function removeMaps() {
  for (const file of readdirSync(distDir, { recursive: true }))
    if (file.endsWith(".js.map")) rmSync(dist(file));
}

/** All bundles; the library must have been compiled. */
async function bundleLibrary() {
  removeMaps();
  embedModules();
  await bundleParquetReader();
  await bundleWorkers();
  await bundleEntries("node", "bundle", { plugins: [packagedFor("node")] });
  await bundleEntries("workerd", "edge", { plugins: [packagedFor("edge")] });
  await bundleOneFile();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleLibrary();
