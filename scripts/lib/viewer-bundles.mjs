// What is bundled of the compiled viewer: its page, and what other pages take. A program of its own, which viewer.mjs runs.
//
// Every file costs a browser some milliseconds, whatever is in it, so that what the first picture needs is few files: all
// that an entry loads from the start is one, and all that is asked for with it another. esbuild knows which modules
// those are, and leaves out what of them nothing uses, but makes a file of what each combination of parts shares; so its
// list of modules is what Rolldown cuts the files by.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { rolldown } from "rolldown";
import { distDir, root } from "./paths.mjs";

const out = path.join(distDir, "viewer");

/** Bundles by name, and what they begin with. Those of a list share their parts: the page's own are few, and load sooner. */
const bundles = [{ "page.min": "page.js" }, { "viewer.min": "define.js", "anywidget.min": "anywidget.js" }];

/** Modules that are loaded when they are needed, which every first picture needs: they are asked for with the page. */
const neededSoon = ["shards", "http-ranges", "canvas2d", "legends", "overlay", "side", "stored-coordinates"];

/** Of modules that are missing, for which copies stay files of their own (web/src/lazy/embedded.ts). */
const copies = /^\.\.\/wasm\/(?:worker-|[\w-]+-embedded\.js$)/;
const external = (id) => copies.test(id) || id.startsWith("node:");

/** Files that are cut on purpose: of modules that entries load from the start, and of those that they load soon. */
const parts = ["start", "soon"];

/** What esbuild would make of entries: the files, by name, and which of their modules each holds. */
async function outputsOf(entries) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.values(entries).map((entry) => path.join(out, entry)),
    bundle: true,
    splitting: true,
    format: "esm",
    outdir: out,
    external: ["../wasm/*-embedded.js", "../wasm/worker-*.js", "node:*"],
    metafile: true,
    write: false,
    logLevel: "error",
  });
  return metafile.outputs;
}

/** The modules that are loaded with some entries, each by its path. */
function loadedWith(outputs, isEntry) {
  const files = new Set();
  const load = (file) => {
    if (files.has(file) || !outputs[file]) return;
    files.add(file);
    for (const { kind, path: imported } of outputs[file].imports)
      if (kind === "import-statement") load(imported);
  };
  for (const [file, { entryPoint }] of Object.entries(outputs))
    if (entryPoint && isEntry(entryPoint)) load(file);
  // Of an entry that only passes on what others define, nothing is left but its names.
  const isHeld = ([name, { bytesInOutput }]) => bytesInOutput > 0 || isEntry(name);
  const held = [...files].flatMap((file) => Object.entries(outputs[file].inputs).filter(isHeld));
  return new Set(held.map(([name]) => path.join(root, name)));
}

/** Which file a module belongs to; undefined where that is for the bundler to say. */
async function partsOf(entries) {
  const outputs = await outputsOf(entries);
  const starts = new Set(Object.values(entries).map((entry) => path.relative(root, path.join(out, entry))));
  const fromTheStart = loadedWith(outputs, (entry) => starts.has(entry));
  const soon = loadedWith(outputs, (entry) => neededSoon.includes(path.basename(entry, ".js")));
  return (id) => (fromTheStart.has(id) ? "start" : soon.has(id) ? "soon" : undefined);
}

/** @returns {Promise<Map<string, import("rolldown").OutputChunk>>} the files, by name */
async function bundle(entries) {
  const partOf = await partsOf(entries);
  const named = Object.entries(entries).map(([name, entry]) => [name, path.join(out, entry)]);
  const bundled = await rolldown({ input: Object.fromEntries(named), external, platform: "browser" });
  const { output } = await bundled.write({
    dir: out,
    format: "esm",
    minify: true,
    sourcemap: Boolean(process.env.ZARR_WASM_MAPS), // the package would be half as large again
    hashCharacters: "base36",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { groups: parts.map((name) => ({ name, test: (id) => partOf(id) === name })) },
  });
  await bundled.close();
  const files = output.filter(({ type }) => type === "chunk");
  return new Map(files.map((file) => [file.fileName, file]));
}

/** Names the parts of the page's script in the page, so that they are asked for at once, and not one after another. */
function preloadParts(files) {
  const named = new Set(["page.min.js"]);
  const name = (file) => {
    if (named.has(file) || !files.has(file)) return;
    named.add(file);
    for (const imported of files.get(file).imports) name(imported);
  };
  for (const file of files.get("page.min.js").imports) name(file);
  for (const file of files.keys()) if (/^(?:soon|decode)-/.test(file)) name(file);
  const links = [...named]
    .slice(1)
    .map((file) => `    <link rel="modulepreload" fetchpriority="low" href="${file}">\n`);
  const page = path.join(out, "index.html");
  writeFileSync(page, readFileSync(page, "utf8").replace("  </head>", `${links.join("")}  </head>`));
}

for (const entries of bundles) {
  const files = await bundle(entries);
  if (files.has("page.min.js")) preloadParts(files);
}
