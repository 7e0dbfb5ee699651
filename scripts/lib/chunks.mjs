// Divides the library into chunks, so that every bundler makes few files, `import { get, open }` loads little, and Node
// loads few files: each costs it 0.6 ms.
//
// Bundlers assign a file to the chunk of all entry points and `import()`s that reach it. One file per source module
// would make dozens of chunks, one for each combination. Here:
//
// - The modules that reading an array loads at the start are three files: engine.js (for the numcodecs classes),
//   chain.js (for zarr-wasm/codecs) and core.js.
// - The other modules that index.js, formats.js and conventions.js load share a file by subject (`subjects`); bundlers
//   drop the unused ones.
// - Each other module shares a file with those that the same entries and lazy parts reach.
//
// esbuild counts every import of a file as reaching it, even if no name is used. Two consequences would make
// `import { get, open }` twice as large, and are avoided here:
//
// - Each lazy part imports core.js, so that the three start files have one combination and become one chunk.
// - An entry re-exports modules that lazy parts use through another file, one for each subject, which is dropped if
//   nothing uses it. index.node.js, which Node loads instead of index.js, needs no such files.
import path from "node:path";
import { rolldown } from "rolldown";
import { distDir } from "./paths.mjs";

const inDist = (name) => path.join(distDir, name);
const between = "re-exported:";

/** Entries whose modules share files by subject. */
const subjectEntries = ["index", "formats", "conventions"];

/** Modules that `open` and `get` load at the start. */
const startModules = ["hierarchy/open.js", "hierarchy/get.js"].map(inDist);
/** Modules that few programs load, or small ones: sharing a file with others costs less than one more file. */
const together = new Map(
  Object.entries({
    "store-node": ["store/file/store.js", "store/http/node.js"],
    "formats-shared": ["cursor", "group", "node-cache", "ome", "turns"].map(
      (name) => `formats/file/${name}.js`,
    ),
  }).flatMap(([file, names]) => names.map((name) => [inDist(name), file])),
);
/** Subjects of modules that index.js loads, by the first matching start of their path. */
const subjects = Object.entries({
  "compat/": "zarrita",
  "formats/icechunk/": "icechunk",
  "formats/array-file/": "array-files",
  "formats/file/": "array-files",
  "formats/": "kerchunk",
  "conventions/conventions": "conventions-lazy",
  "conventions/xarray/": "xarray",
  "conventions/": "ome",
  "store/zip/": "zip",
  "store/source/": "zip",
  "store/key-index": "zip",
  "store/file/": "files",
  "store/concurrency": "files",
  "store/deletion": "files",
  "store/temp-names": "files",
  "util/": "files",
  "workers/": "workers",
  "edit/": "features",
  "": "stores",
});
/** Banner of lazy parts. The import has no effect: package.json declares all modules free of side effects. */
const importStart = 'import "./core.js";';

/** Imports of each module. */
async function readGraph(options) {
  const graph = new Map();
  const plugin = {
    name: "graph",
    buildEnd() {
      for (const id of [...this.getModuleIds()].sort())
        if (path.isAbsolute(id)) graph.set(id, this.getModuleInfo(id));
    },
  };
  const bundle = await rolldown({ ...options, plugins: [...(options.plugins ?? []), plugin] });
  await bundle.generate();
  await bundle.close();
  return graph;
}

/** Modules that are loaded together with others, including these. */
function loadedWith(graph, modules, without = new Set()) {
  const loaded = new Set();
  const load = (id) => {
    if (loaded.has(id) || without.has(id) || !graph.has(id)) return;
    loaded.add(id);
    graph.get(id).importedIds.forEach(load);
  };
  modules.forEach(load);
  return loaded;
}

const lazyModules = (graph) =>
  new Set(
    [...graph.values()].flatMap((module) => module.dynamicallyImportedIds).filter((id) => graph.has(id)),
  );

/** Returns the file of a module by its path; a function, because Rolldown's groups take one. */
function chunkNames(graph, entries) {
  const start = loadedWith(graph, startModules);
  const ofEntries = (isOne) =>
    loadedWith(
      graph,
      Object.keys(entries).flatMap((name) => (isOne(name) ? [entries[name]] : [])),
    );
  const ofNumcodecs = ofEntries((name) => name.startsWith("numcodecs"));
  const ofCodecs = ofEntries((name) => name === "codecs");
  const ofIndex = ofEntries((name) => subjectEntries.includes(name));
  const lazy = lazyModules(graph);
  const roots = [...new Set([...Object.values(entries), ...lazy])];
  const reached = roots.map((id) => loadedWith(graph, [id], start));
  const names = new Map();
  const fileOf = (id) => {
    if (together.has(id)) return together.get(id);
    // Entries and modules loaded with `import()` are separate files, which export the names that importers expect.
    if (Object.values(entries).includes(id) || lazy.has(id)) return null;
    if (start.has(id)) return ofNumcodecs.has(id) ? "engine" : ofCodecs.has(id) ? "chain" : "core";
    if (ofIndex.has(id)) return subjectOf(id);
    const combination = reached.flatMap((modules, i) => (modules.has(id) ? [i] : [])).join();
    if (!names.has(combination)) names.set(combination, fileName(id));
    return names.get(combination);
  };
  const files = new Map([...graph.keys()].map((id) => [id, fileOf(id)]));
  return (id) => files.get(id) ?? (id.startsWith(between) ? `export-${id.slice(between.length)}` : null);
}

/** The subject of a module that index.js and lazy parts share. */
function subjectOf(id) {
  const name = path.relative(distDir, id).replaceAll(path.sep, "/");
  return subjects.find(([folder]) => name.startsWith(folder))[1];
}

/** "store/zip/store.js" becomes "store-zip-store". */
const fileName = (id) => path.relative(distDir, id).replace(/\.js$/, "").replaceAll(path.sep, "-");

/**
 * Puts one module for each subject between an entry and the modules that it re-exports from files that lazy parts also
 * load.
 */
function reExportBetween(graph, entries, fileOf) {
  const ofLazy = loadedWith(graph, lazyModules(graph), loadedWith(graph, startModules));
  const shared = new Set([...ofLazy].map(fileOf));
  const isShared = (id) => graph.has(id) && fileOf(id) !== null && shared.has(fileOf(id));
  const importers = new Set([...subjectEntries, "zarrita"].map((name) => entries[name]));
  const imported = new Set([...importers].flatMap((id) => graph.get(id).importedIds));
  const reExported = [...imported].filter(isShared);
  return {
    name: "re-export-between",
    async resolveId(source, importer, options) {
      if (!importers.has(importer)) return null;
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (!isShared(resolved?.id)) return null;
      return { id: between + subjectOf(resolved.id), moduleSideEffects: false };
    },
    load(id) {
      if (!id.startsWith(between)) return null;
      const subject = id.slice(between.length);
      const lines = reExported
        .filter((target) => subjectOf(target) === subject)
        .map((target) => {
          const names = graph.get(target).exports;
          const imported = names.map((name) => `${name} as ${name}_`).join(", ");
          const exported = names.map((name) => `export const ${name} = ${name}_;`).join("\n");
          return `import { ${imported} } from ${JSON.stringify(target)};\n${exported}`;
        });
      return lines.join("\n");
    },
  };
}

/**
 * Options of Rolldown for a build of entries.
 * @param {Record<string, string>} entries modules by the name of their file
 * @param options further options of the input
 * @returns {Promise<{input: object, output: object}>}
 */
export async function libraryChunks(entries, options) {
  const graph = await readGraph({ ...options, input: entries });
  const chunkName = chunkNames(graph, entries);
  return {
    input: {
      ...options,
      input: entries,
      preserveEntrySignatures: "allow-extension",
      experimental: { attachDebugInfo: "none" },
      plugins: [...(options.plugins ?? []), reExportBetween(graph, entries, chunkName)],
    },
    output: {
      entryFileNames: "[name].js",
      chunkFileNames: ({ facadeModuleId, name }) => `${facadeModuleId ? fileName(facadeModuleId) : name}.js`,
      banner: ({ isDynamicEntry, name }) => (isDynamicEntry || name === "embedded" ? importStart : ""),
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: chunkName, debugName: "library" }],
      },
    },
  };
}
