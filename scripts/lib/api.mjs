// Which entries of the package have types, and what the reports of them in api/ are called.
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";

/**
 * Subpaths of the package with their declarations, as package.json lists them; of files that are no programs, style
 * sheets and wasm, there is nothing to report.
 * @returns {[subpath: string, types: string][]}
 */
export function typedEntries() {
  const { exports } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  return Object.entries(exports).flatMap(([subpath, entry]) => {
    const isProgram = typeof entry === "object" && /\.js$/.test(entry.default ?? "");
    return isProgram ? [[subpath, entry.types]] : [];
  });
}

/** "." is "index", "./numcodecs/blosc" is "numcodecs-blosc". */
export const reportName = (subpath) => (subpath === "." ? "index" : subpath.slice(2).replaceAll("/", "-"));
