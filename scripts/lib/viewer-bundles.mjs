// Bundles the compiled viewer: its page, the scripts for other pages, and the modules for bundlers. viewer.mjs runs
// this as a separate process.
//
// Each file costs a browser some milliseconds, whatever its size, so the first picture should need few: one file for
// the modules that open a source, which the page runs first (web/viewer/page/early.ts), one for the others that an
// entry loads at the start, one for those loaded soon after. A first pass finds these modules; it drops unused ones,
// but makes one file for each combination of parts.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { programEntries, viewerEntries } from "./entries.mjs";
import { languageParts } from "./language-parts.mjs";
import { distDir, viewerDist as out, root, viewerDir, viewerModules } from "./paths.mjs";

/** Entry modules of the page and of the scripts that other pages load (from a CDN, for example), by file name. */
const scripts = {
  "early.min": "page/early.js",
  "page.min": "page.js",
  "viewer.min": "script.js",
  "anywidget.min": "notebook.js",
};
/** Entries of elements. */
const elements = ["viewer/script", "viewer/notebook"];

const { version } = JSON.parse(readFileSync(path.join(viewerDir, "package.json"), "utf8"));

/** Lazily loaded modules that every first picture needs: loaded together with the page. */
const neededSoon = [
  "read/part",
  "canvas2d",
  "legends",
  "overlay",
  "tools",
  "pointing",
  "side",
  "stored-coordinates",
  "source/decoding",
  "ome-settings",
  "source/open-group",
  "source/multiscale",
];

/** Helpers of `#internal` that the viewer uses (web/src/internal.ts). */
const internal = { "#internal": path.join(distDir, "util/shared.js") };

/** The library's modules, not its bundles: less unused code remains. */
const alias = {
  ...Object.fromEntries(
    programEntries.map(({ subpath, module }) => [subpath.replace(/^\./, "zarr-wasm"), module]),
  ),
  ...internal,
};

/** Replaces modules of data by the files of the modules for bundlers, so that the package contains them once. */
const sharedData = {
  name: "shared-data",
  resolveId(id) {
    const [, name] = /\/(coastlines|colormap-data)\.js$/.exec(id) ?? [];
    return name ? { id: `./module-${name}.js`, external: true } : null;
  },
};

/**
 * Explicit groups of files. "open": modules that open a source; "start": others that elements and the page load at the
 * start; "element" and "page": others that only one of them loads; "soon": modules loaded soon after.
 */
const parts = ["open", "start", "element", "page", "soon"];

/**
 * Address of a file that changes with its contents, like the names of bundled parts: web hosts can call
 * both immutable, so that later visits need no request for them.
 */
function versioned(name, folder = out) {
  const bytes = readFileSync(path.join(folder, name));
  return `${name}?v=${createHash("sha256").update(bytes).digest("hex").slice(0, 8)}`;
}

/** Files of zarr-wasm that all pictures need. */
const versionedNames = ["decode.wasm", "worker-chunk.js"];
const versionedWasm = (name) => versioned(name, path.join(distDir, "wasm"));

/** Replaces a string that must occur once. */
function replaceOne(text, before, after) {
  if (text.split(before).length !== 2) throw new Error(`expected one ${before}`);
  return text.replace(before, () => after);
}

/** The function that finds the files of zarr-wasm. */
const wasmFiles = path.join(viewerModules, "base/wasm-files.js");

/**
 * Makes the library find its modules, their copies and the workers' script through {@link wasmFiles}. Files that all
 * pictures need get addresses with a version.
 */
const wasmAddresses = {
  name: "wasm-addresses",
  transform: {
    filter: { id: /\/(?:engine\/(?:packaged|embedded-modules)|workers\/start)\.js$/ },
    handler: (code) => {
      const at = (name) => `wasmFile("${versionedNames.includes(name) ? versionedWasm(name) : name}")`;
      const changed = code
        .replace(/new URL\("\.\.\/wasm\/([\w.-]+)", import\.meta\.url\)/g, (_, name) => at(name))
        // Each copy stays a separate file beside its module.
        .replace(/^import \{ bytes, deflated \} from .*\n/m, "")
        .replace("{ bytes, deflated }", 'await import("../wasm/decode-embedded.js")')
        .replace(/import\("\.\.\/wasm\/([\w-]+\.js)"\)/g, (_, name) => `import(${at(name)}.href)`)
        .replace(/\bis(?:Moved|LeftBehind)\([^)]*\)/, "false")
        // One file, which starts itself in workers of this name (web/src/workers/worker-chunk.ts).
        .replace(
          'new URL("./worker.js", import.meta.url), { type: "module" }',
          `${at("worker-chunk.js")}, { type: "module", name: "zarr-wasm" }`,
        );
      return `import { wasmFile } from ${JSON.stringify(wasmFiles)};\n${changed}`;
    },
  },
};

/** Removes comments and indentation from shaders, which minifiers keep in template strings. */
const plainShaders = {
  name: "plain-shaders",
  transform: {
    filter: { id: /\/shaders\.js$/ },
    handler: (code) =>
      code
        .replace(/[ \t]*\/\/ .*$/gm, "")
        .replace(/^\s*\/\*\*.*?\*\/$/gms, "")
        .replace(/\n\s+/g, "\n"),
  },
};

/** Options of Rolldown for the scripts. */
const languages = languageParts();
const scriptInput = {
  input: Object.fromEntries(
    Object.entries(scripts).map(([name, entry]) => [name, path.join(viewerModules, entry)]),
  ),
  external: (id) => id.startsWith("node:"),
  resolve: { alias },
  plugins: [languages, sharedData, plainShaders, wasmAddresses],
  transform: { define: { ZARR_WASM_VERSION: JSON.stringify(version) } },
  preserveEntrySignatures: "allow-extension",
  makeAbsoluteExternalsRelative: false,
};

/** Modules that are loaded with some entries or lazy parts, which are given by file name. */
function loadedWith(files, isWanted) {
  const loaded = new Set();
  const load = (name) => {
    if (loaded.has(name) || !files.has(name)) return;
    loaded.add(name);
    files.get(name).imports.forEach(load);
  };
  for (const [name, { facadeModuleId }] of files) if (isWanted(facadeModuleId ?? "")) load(name);
  return new Set([...loaded].flatMap((name) => files.get(name).moduleIds));
}

/** Returns the file of a module; undefined if the bundler may choose. */
async function partsOf() {
  // As an entry, it shares no file with modules that it does not need: the first requests wait for it.
  const cached = alias["zarr-wasm/cache"];
  const input = { ...scriptInput.input, cached };
  const files = await bundle({ ...scriptInput, input }, {}, "generate");
  const isOne = (names) => (id) => names.some((name) => id.endsWith(`/${name}.js`));
  const start = loadedWith(files, isOne(elements));
  const soon = loadedWith(files, isOne(neededSoon));
  // Entries contain only their own code: a lazy part that imported one would start it.
  const page = loadedWith(files, isOne(["viewer/page"]));
  const early = loadedWith(files, isOne(["page/early"]));
  const cache = loadedWith(files, (id) => id === cached);
  const open = new Set([...early, ...[...cache].filter((id) => start.has(id) || page.has(id))]);
  return (id) => {
    if (Object.values(scriptInput.input).includes(id)) return undefined;
    if (open.has(id) || id.includes("rolldown/runtime")) return "open";
    if (start.has(id)) return page.has(id) ? "start" : "element";
    return page.has(id) ? "page" : soon.has(id) ? "soon" : undefined;
  };
}

/** Icechunk stores and others, lazy parts themselves, import store/file/store.js statically. */
const onLog = (level, log, handler) => log.code === "INEFFECTIVE_DYNAMIC_IMPORT" || handler(level, log);

/** @returns {Promise<Map<string, import("rolldown").OutputChunk>>} the files, by name */
async function bundle(input, output, kind = "write") {
  const bundled = await rolldown({ cwd: root, platform: "browser", onLog, ...input });
  const { output: written } = await bundled[kind]({ dir: out, format: "esm", ...output });
  await bundled.close();
  return new Map(written.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])));
}

async function bundleScripts() {
  const partOf = await partsOf();
  return bundle(scriptInput, {
    minify: true,
    sourcemap: Boolean(process.env.ZARR_WASM_MAPS), // they would make the package 1.5 times as large
    hashCharacters: "base36",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: parts.map((name) => ({ name, test: (id) => partOf(id) === name })),
    },
  });
}

/**
 * Bundles the modules for other bundlers, without the public entries of the library, which they share with the program.
 * One file contains the modules that elements load at the start: many small files compress less.
 */
async function bundleModules() {
  const fileOf = ({ targets }) => path.basename(targets.default, ".js");
  const input = {
    input: Object.fromEntries(viewerEntries.map((entry) => [fileOf(entry), entry.module])),
    external: /^zarr-wasm(?:\/|$)/,
    resolve: { alias: internal },
    plugins: [languages, plainShaders],
    experimental: { attachDebugInfo: "none" },
  };
  const isEntry = (id) => viewerEntries.some(({ module }) => module === id);
  const start = loadedWith(await bundle(input, {}, "generate"), isEntry);
  await bundle(input, {
    minify: { compress: true, mangle: { toplevel: false }, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: true, jsdoc: false },
    entryFileNames: "[name].js",
    chunkFileNames: "module-[name].js",
    codeSplitting: { groups: [{ name: "start", test: (id) => start.has(id) && !isEntry(id) }] },
  });
}

/**
 * Lists the parts of the page's scripts in the page, so that the browser loads them in parallel: first those that open a
 * source, then the others (web/viewer/page/early.ts).
 */
function preloadParts(files) {
  const entries = ["early.min.js", "page.min.js"];
  const named = new Set(entries);
  const partsFor = (wanted) => {
    const found = [];
    const name = (file) => {
      if (named.has(file) || !files.has(file)) return;
      named.add(file);
      found.push(file);
      for (const imported of files.get(file).imports) name(imported);
    };
    wanted.forEach(name);
    return found;
  };
  const lazy = (names) =>
    [...files.keys()].filter((file) => names.some((name) => file.startsWith(`${name}-`)));
  const first = partsFor([...files.get("early.min.js").imports, ...lazy(["cache"])]);
  const later = partsFor([...files.get("page.min.js").imports, ...lazy(["soon", "decode"])]);
  const links = [
    ...first.map((file) => `<link rel="modulepreload" href="${file}">`),
    ...later.map((file) => `<link data-rel="modulepreload" href="${file}">`),
  ];
  const page = path.join(out, "index.html");
  let text = readFileSync(page, "utf8");
  for (const name of ["style.css", "page.css", ...entries])
    text = replaceOne(text, `"${name}"`, `"${versioned(name)}"`);
  writeFileSync(page, text.replace("  </head>", `${links.map((link) => `    ${link}\n`).join("")}  </head>`));
}

preloadParts(await bundleScripts());
await bundleModules();
