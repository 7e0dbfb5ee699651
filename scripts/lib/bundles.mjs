// Bundles the compiled library into the files of the package: bundles.mjs entries|copies. build.mjs runs this as a
// separate process, since Rolldown's interface is asynchronous.
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import { rolldown } from "rolldown";
import { libraryChunks } from "./chunks.mjs";
import { programEntries } from "./entries.mjs";
import { buildDir, distDir, root } from "./paths.mjs";

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

/** Replaces an import of a module in web/src/engine. */
const replace = (source, resolved) => ({
  name: "replace",
  resolveId: (id) => (id === source ? resolved : null),
});

/** Bundles the scripts of workers into one file each, so that bundlers with any format of workers can use them. */
async function bundleWorkers() {
  const script = {
    input: dist("workers/worker-script.js"),
    plugins: [replace("./packaged.js", dist("engine/packaged-worker.js"))],
  };
  await bundleFile(script, { file: dist("workers/worker.js") });
  copyFileSync(dist("workers/worker.js"), dist("bundle/worker.js"));
  await bundleFile(
    { ...script, input: dist("workers/worker-node.js") },
    { file: dist("bundle/worker.node.js") },
  );
  await bundleFile(
    { ...script, input: dist("workers/worker-chunk.js") },
    { file: dist("wasm/worker-chunk.js") },
  );
  const [classic] = await bundleFile(script, { format: "iife" });
  writeFileSync(dist("wasm/worker-text.js"), `export default ${JSON.stringify(classic.code.trim())};\n`);
}

/** When a file was written; 0 if it does not exist. */
const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Writes the wasm modules as scripts, for bundlers that do not copy them (web/src/engine/embedded-modules.ts): raw
 * DEFLATE, which every runtime decompresses. The images have no copy, which would double the size of bundles.
 */
function embedModules() {
  for (const name of ["decode", "full"]) {
    const [source, copy] = [dist(`wasm/${name}.wasm`), dist(`wasm/${name}-embedded.js`)];
    if (timeOf(copy) > Math.max(timeOf(source), timeOf(fileURLToPath(import.meta.url)))) continue;
    const module = readFileSync(source);
    const text = deflateRawSync(module, { level: 9 }).toString("base64");
    writeFileSync(copy, `export const deflated = "${text}";\nexport const bytes = ${module.byteLength};\n`);
  }
}

/** A second entry with the names of index.js: chunks.mjs. */
const indexForNode = {
  id: `${dist("index.js")}?node`,
  plugin: {
    name: "index-for-node",
    resolveId: (id) => (id === indexForNode.id ? id : null),
    load: (id) => (id === indexForNode.id ? readFileSync(dist("index.js"), "utf8") : null),
  },
};

/** Addresses that bundles contain unchanged: the wasm modules, Node's modules, the package itself. */
const external = /^\.\.\/wasm\/|^node:|^zarr-wasm\//;

/**
 * Bundles the entries in package.json into dist/bundle. The folder lies one level below dist, like web/src/engine, so
 * that the relative URLs of the wasm modules, ../wasm/, are valid there, too.
 */
async function bundleEntries() {
  rmSync(dist("bundle"), { recursive: true, force: true });
  const entries = programEntries.filter(({ targets }) => targets.default.startsWith("./dist/bundle/"));
  const modules = entries.filter(({ name }) => name !== "worker").map(({ name, module }) => [name, module]);
  modules.push(["index.node", indexForNode.id]);
  const { input, output } = await libraryChunks(Object.fromEntries(modules), {
    plugins: [
      indexForNode.plugin,
      replace("./embedded-modules.js", { id: "zarr-wasm/embedded", external: true }),
    ],
    onLog,
    external,
    makeAbsoluteExternalsRelative: false,
    platform: "browser",
  });
  const files = await bundle(input, { ...output, dir: dist("bundle"), minify: readable });
  writeModules(files);
}

/** Writes the list of modules in each file into build/, for the tests. */
function writeModules(files) {
  const relative = (id) => path.relative(distDir, id).replaceAll(path.sep, "/");
  const modules = files.map(({ fileName, moduleIds }) => [`bundle/${fileName}`, moduleIds.map(relative)]);
  mkdirSync(buildDir, { recursive: true });
  writeFileSync(path.join(buildDir, "bundle.json"), JSON.stringify(Object.fromEntries(modules)));
}

/** Writes the entries for workerd into dist/edge: those of dist/bundle, after the import of the wasm modules. */
async function writeEdgeEntries() {
  rmSync(dist("edge"), { recursive: true, force: true });
  const library = replace("./engine.js", { id: "../bundle/numcodecs.js", external: true });
  await bundleFile(
    {
      input: dist("engine/edge-modules.js"),
      plugins: [library],
      external,
      makeAbsoluteExternalsRelative: false,
    },
    { file: dist("edge/modules.js"), minify: readable },
  );
  for (const { name, module, targets } of programEntries) {
    if (targets.workerd !== `./dist/edge/${name}.js`) continue;
    const file = dist(`edge/${name}.js`);
    const from = (other) => path.relative(path.dirname(file), dist(other)).replace(/^(?!\.)/, "./");
    const own = JSON.stringify(from(`bundle/${name}.js`));
    const isDefault = "default" in (await import(pathToFileURL(module)));
    const names = isDefault ? `{ default } from ${own}` : `* from ${own}`;
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `import ${JSON.stringify(from("edge/modules.js"))};\nexport ${names};\n`);
  }
}

/** Parts of the work (bundleLibrary in build.mjs); the library must have been compiled. */
const parts = {
  async entries() {
    await bundleEntries();
    await bundleWorkers();
    await writeEdgeEntries();
  },
  copies: embedModules,
};

await parts[process.argv[2]]();
