// Divides the library into chunks, so that every bundler makes few files and `import { get, open }` loads little.
//
// Bundlers assign a file to the chunk of all entry points and `import()`s that reach it. One file per source module
// would make dozens of chunks, one for each combination. Here each combination is already one file:
//
// - The modules that reading an array loads at the start are three files: engine.js (for the numcodecs classes),
//   chain.js (for zarr-wasm/codecs) and core.js.
// - Each other module shares a file with those that the same entries, re-exports and lazy parts reach.
//
// esbuild counts every import of a file as reaching it, even if no name is used. Two consequences would make
// `import { get, open }` twice as large, and are avoided here:
//
// - Each lazy part imports core.js, so that the three start files have one combination and become one chunk.
// - An entry re-exports modules that lazy parts use through another file, which is dropped if nothing uses it.
import path from "node:path";
import { rolldown } from "rolldown";
import { distDir } from "./paths.mjs";

const inDist = (name) => path.join(distDir, name);
const between = "?re-exported";

/** Modules that `open` and `get` load at the start. */
const startModules = ["hierarchy/open.js", "hierarchy/get.js"].map(inDist);
/** Small modules, and those that few programs load: sharing a file with others costs less than one more file. */
const together = new Map(
  Object.entries({
    "store-node": ["store/file/store.js", "store/http/node.js"],
    "store-source": ["store/source/byte-reader.js", "store/key-index.js"],
    "store-file-read": ["store/file/read.js", "util/inflate.js"],
    "conventions-xarray": ["conventions/xarray/xarray.js", "conventions/shared/attributes.js"],
  }).flatMap(([file, modules]) => modules.map((name) => [inDist(name), file])),
);
/** Banner of lazy parts. The import has no effect: package.json declares all modules free of side effects. */
const importStart = 'import "./core.js";';

/** Imports of each module. */
async function readGraph(options) {
  const graph = new Map();
  const plugin = {
    name: "graph",
    buildEnd() {
      for (const id of [...this.getModuleIds()].sort()) graph.set(id, this.getModuleInfo(id));
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
  const reExported = graph.get(entries.index).importedIds.filter((id) => !start.has(id));
  const lazy = lazyModules(graph);
  const roots = new Set([...Object.values(entries), ...reExported, ...lazy]);
  const reached = [...roots].map((id) => [id, loadedWith(graph, [id], start)]);
  const files = new Map();
  const names = new Map();
  for (const id of graph.keys()) {
    if (together.has(id)) {
      files.set(id, together.get(id));
      continue;
    }
    // Entries and modules loaded with `import()` are separate files, which export the names that importers expect.
    if (Object.values(entries).includes(id) || lazy.has(id)) continue;
    if (start.has(id)) {
      files.set(id, ofNumcodecs.has(id) ? "engine" : ofCodecs.has(id) ? "chain" : "core");
      continue;
    }
    const combination = reached.flatMap(([root, modules], i) => (modules.has(id) ? [i] : [])).join();
    if (!names.has(combination)) names.set(combination, fileName(id));
    files.set(id, names.get(combination));
  }
  return (id) => files.get(id) ?? (id.endsWith(between) ? `export-${fileName(id)}` : null);
}

/** "store/zip/store.js" becomes "store-zip-store". */
const fileName = (id) =>
  path.relative(distDir, id.replace(between, "")).replace(/\.js$/, "").replaceAll(path.sep, "-");

/** Puts a module between an entry and each module that it re-exports and that a lazy part also uses. */
function reExportBetween(graph, entries) {
  const start = loadedWith(graph, startModules);
  const shared = loadedWith(graph, lazyModules(graph), start);
  const importers = new Set([entries.index, entries.zarrita]);
  return {
    name: "re-export-between",
    async resolveId(source, importer, options) {
      if (!importers.has(importer)) return null;
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
      return shared.has(resolved?.id) ? { id: resolved.id + between, moduleSideEffects: false } : null;
    },
    load(id) {
      if (!id.endsWith(between)) return null;
      const target = id.slice(0, -between.length);
      const names = graph.get(target).exports;
      const imported = names.map((name) => `${name} as ${name}_`).join(", ");
      const exported = names.map((name) => `export const ${name} = ${name}_;`).join("\n");
      return `import { ${imported} } from ${JSON.stringify(target)};\n${exported}`;
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
      plugins: [...(options.plugins ?? []), reExportBetween(graph, entries)],
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
