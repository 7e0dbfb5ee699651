// Entry points of the package: which compiled module each subpath of package.json is bundled from.
import { readFileSync } from "node:fs";
import path from "node:path";
import { distDir, root } from "./paths.mjs";

const { exports, imports } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** The compiled module of an entry, relative to dist: "numcodecs/blosc" is compat/numcodecs/blosc.js. */
const moduleOf = (name) => {
  if (name.startsWith("numcodecs/")) return `compat/${name}.js`;
  return elsewhere[name] ?? `${name}.js`;
};
const elsewhere = {
  embedded: "engine/embedded-modules.js",
  worker: "workers/worker.js",
  viewer: "viewer/viewer.js",
  "viewer/element": "viewer/define.js",
  "viewer/anywidget": "viewer/anywidget.js",
};

/** "." is "index", "./numcodecs/blosc" is "numcodecs/blosc", "#internal" is "internal". */
const nameOf = (subpath) => (subpath === "." ? "index" : subpath.replace(/^(?:\.\/|#)/, ""));

/**
 * Entries that are programs.
 * @returns {{name: string, subpath: string, module: string, targets: Record<string, string>}[]} `module` is the absolute
 *   path of the compiled module, `targets` are the files of each condition
 */
export const programEntries = Object.entries({ ...exports, ...imports }).flatMap(([subpath, targets]) => {
  if (!/\.js$/.test(targets.default ?? "")) return [];
  const name = nameOf(subpath);
  return [{ name, subpath, module: path.join(distDir, moduleOf(name)), targets }];
});

/**
 * Subpaths of programs with their declarations; style sheets, wasm modules and their copies have no types to report.
 * @returns {[subpath: string, types: string][]}
 */
export const typedEntries = () =>
  programEntries.flatMap(({ subpath, targets }) =>
    subpath.startsWith(".") && targets.types ? [[subpath, targets.types]] : [],
  );

/** Name of an entry's report in api/: "numcodecs-blosc" for "./numcodecs/blosc". */
export const reportName = (subpath) => nameOf(subpath).replaceAll("/", "-");
