// Bundles the compiled library into the files of the package. build.mjs runs this as a separate process, since
// Rolldown's interface is asynchronous.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { rolldown } from "rolldown";
import { libraryChunks } from "./chunks.mjs";
import { programEntries } from "./entries.mjs";
import { buildDir, distDir, root, wasmModules } from "./paths.mjs";

const dist = (name) => path.join(distDir, name);

/** Keeps the names of functions and classes for stack traces, and lines, as Node prints the one that threw. */
const readable = { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: false } };
/** Comments that bundlers read: `@__PURE__`, `webpackIgnore`, `@vite-ignore`. */
const comments = { legal: true, annotation: true, jsdoc: false };

/** Warnings of Rolldown about intended code. */
const expected = [
  // A classic worker script has no URL, and does not need one: it receives compiled modules.
  "EMPTY_IMPORT_META",
  "MISSING_NAME_OPTION_FOR_IIFE_EXPORT",
  "INEFFECTIVE_DYNAMIC_IMPORT",
];
const onLog = (level, log, handler) => expected.includes(log.code) || handler(level, log);

/** Bundles with Rolldown's input and output options. @returns the files. */
async function bundle(input, output) {
  const bundled = await rolldown({
    onLog,
    cwd: root,
    platform: "browser",
    transform: { target: "es2022" },
    ...input,
  });
  const options = { format: "esm", minify: true, comments, ...output };
  const { output: files } = await (options.dir || options.file
    ? bundled.write(options)
    : bundled.generate(options));
  await bundled.close();
  return files;
}

/** Bundles a module into one file that imports nothing. */
const bundleFile = (input, output) => bundle(input, { codeSplitting: false, ...output });

/** A module that is not a file. */
const virtual = (text) => ({
  name: "virtual",
  resolveId: (id) => (id === "virtual:entry" ? id : null),
  load: (id) => (id === "virtual:entry" ? text : null),
});

/** Replaces web/src/engine/packaged.ts by its variant for a target. */
const packagedFor = (target) => ({
  name: "packaged",
  resolveId: (source, importer) =>
    /\/packaged\.js$/.test(source) && !path.basename(importer).startsWith("packaged-")
      ? dist(`engine/packaged-${target}.js`)
      : null,
});

/** Bundles the scripts of workers into one file each, so that bundlers with any format of workers can use them. */
async function bundleWorkers() {
  const script = { input: dist("workers/worker-script.js"), plugins: [packagedFor("worker")] };
  await bundleFile(script, { file: dist("workers/worker.js") });
  copyFileSync(dist("workers/worker.js"), dist("bundle/worker.js"));
  await bundleFile(
    { ...script, input: dist("workers/worker-chunk.js") },
    { file: dist("wasm/worker-chunk.js") },
  );
  const [classic] = await bundleFile(script, { format: "iife" });
  writeFileSync(dist("wasm/worker-text.js"), `export default ${JSON.stringify(classic.code.trim())};\n`);
  writeFileSync(dist("workers/worker.d.ts"), 'export { startWorker } from "./worker-main.js";\n');
}

/** Bundles the worker thread that renews the locks of copies (web/src/transfer/heartbeat.ts) into one file. */
const bundleLockThread = () =>
  bundleFile(
    { input: dist("transfer/lock-thread.js"), platform: "node" },
    { file: dist("bundle/lock-thread.js"), minify: readable },
  );

/**
 * Bundles the parts of hyparquet that the library uses (web/src/vendor/hyparquet.d.ts): the package has no
 * dependencies.
 */
async function bundleParquetReader() {
  const contents = `export { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
    export { parquetHeader } from "hyparquet/src/column.js";
    export { readPlain } from "hyparquet/src/plain.js";`;
  const resolve = {
    name: "from-root",
    resolveId: { filter: { id: /^hyparquet\// }, handler: (id) => path.join(root, "node_modules", id) },
  };
  await bundleFile(
    { input: "virtual:entry", plugins: [virtual(contents), resolve] },
    { file: dist("vendor/hyparquet.js"), banner: "/*! hyparquet (MIT): see THIRD_PARTY_NOTICES.md */" },
  );
  copyFileSync(path.join(root, "web/src/vendor/hyparquet.d.ts"), dist("vendor/hyparquet.d.ts"));
}

/** Writes the wasm modules as scripts, for bundlers that do not copy them (web/src/engine/packaged.ts). */
function embedModules() {
  for (const name of wasmModules) {
    const module = readFileSync(dist(`wasm/${name}.wasm`));
    const deflated = deflateRawSync(module, { level: 9 }).toString("base64");
    const text = `export const deflated = "${deflated}";\nexport const bytes = ${module.byteLength};\n`;
    writeFileSync(dist(`wasm/${name}-embedded.js`), text);
  }
}

/**
 * Bundles the entries of a condition in package.json into a folder of dist. The folder lies one level below dist, like
 * web/src/engine, so that the relative URLs of the wasm modules, ../wasm/, are valid there, too.
 */
async function bundleEntries(condition, folder, { plugins = [], minify }) {
  rmSync(dist(folder), { recursive: true, force: true });
  const entries = programEntries.filter(({ targets }) => targets[condition]?.startsWith(`./dist/${folder}/`));
  const modules = entries.filter(({ name }) => name !== "worker").map(({ name, module }) => [name, module]);
  const external = /^\.\.\/wasm\/|^node:/;
  const { input, output } = await libraryChunks(Object.fromEntries(modules), {
    plugins,
    onLog,
    external,
    makeAbsoluteExternalsRelative: false,
    platform: "browser",
  });
  const files = await bundle(input, { ...output, dir: dist(folder), minify });
  writeModules(folder, files);
}

/** Writes the list of modules in each file into build/, for the tests. */
function writeModules(folder, files) {
  const relative = (id) => path.relative(distDir, id).replaceAll(path.sep, "/");
  const modules = files.map(({ fileName, moduleIds }) => [`${folder}/${fileName}`, moduleIds.map(relative)]);
  mkdirSync(buildDir, { recursive: true });
  writeFileSync(path.join(buildDir, `${folder}.json`), JSON.stringify(Object.fromEntries(modules)));
}

/**
 * Bundles the library into one file, for pages without a bundler. Its exports are also properties of `zarrWasm`, for
 * scripts that cannot import. It contains the decode module; copies of the two larger modules are separate files, as
 * they would triple its size.
 */
async function bundleOneFile() {
  const own = (name) => JSON.stringify(dist(`${name}.js`));
  const contents = `
    import * as all from ${own("index")};
    import { createCodecChain } from ${own("codecs")};
    globalThis.zarrWasm = { ...all, createCodecChain };
    export * from ${own("index")};
    export { createCodecChain };`;
  const beside = {
    name: "beside",
    resolveId: (id) =>
      /\/(?:full|images)-embedded\.js$/.test(id)
        ? { id: `./wasm/${path.basename(id)}`, external: true }
        : null,
  };
  await bundleFile(
    { input: "virtual:entry", plugins: [virtual(contents), beside], makeAbsoluteExternalsRelative: false },
    { file: dist("zarr-wasm.min.js") },
  );
}

/** Makes all bundles; the library must have been compiled. */
async function bundleLibrary() {
  embedModules();
  await bundleParquetReader();
  await bundleEntries("default", "bundle", { minify: readable });
  await bundleWorkers();
  await bundleLockThread();
  await bundleEntries("workerd", "edge", { plugins: [packagedFor("edge")], minify: true });
  await bundleOneFile();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleLibrary();
