// Entry points of the packages: which compiled module each subpath of a package.json is bundled from.
import { readFileSync } from "node:fs";
import path from "node:path";
import { distDir, root, viewerDir, viewerModules } from "./paths.mjs";

const manifestOf = (folder) => JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
const { exports, imports } = manifestOf(root);

/** The compiled module of an entry, relative to dist: "numcodecs/blosc" is compat/numcodecs/blosc.js. */
const moduleOf = (name) => {
  if (name.startsWith("numcodecs/")) return `compat/${name}.js`;
  return elsewhere[name] ?? `${name}.js`;
};
const elsewhere = { embedded: "engine/embedded-modules.js", worker: "workers/worker.js" };

/** The compiled modules of the viewer's entries. */
const ofViewer = { viewer: "viewer.js", "viewer/element": "define.js", "viewer/anywidget": "anywidget.js" };

/** "." is "index", "./numcodecs/blosc" is "numcodecs/blosc", "#internal" is "internal". */
const nameOf = (subpath) => (subpath === "." ? "index" : subpath.replace(/^(?:\.\/|#)/, ""));

const isProgram = (targets) => /\.js$/.test(targets.default ?? "");

/**
 * Entries of zarr-wasm that are programs.
 * @returns {{name: string, subpath: string, module: string, targets: Record<string, string>}[]} `module` is the absolute
 *   path of the compiled module, `targets` are the files of each condition
 */
export const programEntries = Object.entries({ ...exports, ...imports }).flatMap(([subpath, targets]) => {
  if (!isProgram(targets)) return [];
  const name = nameOf(subpath);
  return [{ name, subpath, module: path.join(distDir, moduleOf(name)), targets }];
});

/** The same of zarr-wasm-viewer; names start with "viewer". */
export const viewerEntries = Object.entries(manifestOf(viewerDir).exports).flatMap(([subpath, targets]) => {
  if (!isProgram(targets)) return [];
  const name = subpath.replace(".", "viewer");
  return [{ name, subpath, module: path.join(viewerModules, ofViewer[name]), targets }];
});

/**
 * Public entries with declarations; style sheets, wasm modules and their copies have no types to report.
 * @returns {{report: string, folder: string, subpath: string, targets: Record<string, string>}[]} `report` is the name of
 *   the entry's report in tests/api: "numcodecs-blosc"; `folder` that of the package
 */
export const typedEntries = () =>
  [programEntries, viewerEntries].flatMap((entries, i) =>
    entries.flatMap(({ name, subpath, targets }) =>
      subpath.startsWith(".") && targets.types
        ? [{ report: name.replaceAll("/", "-"), folder: [root, viewerDir][i], subpath, targets }]
        : [],
    ),
  );
