// The packages of the repository: lists their files, and packs and installs them as npm does.
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { root, viewerDir } from "./paths.mjs";
import { capture } from "./process.mjs";

/** Folders of the packages, by name. */
export const packages = { "zarr-wasm": root, "zarr-wasm-viewer": viewerDir };

/** npm lists archives, or maps names to them. */
const described = (text) => Object.values(JSON.parse(text))[0];

/** npm's description of the archive of a package: its size and files. */
export const packedFiles = (folder) =>
  described(capture("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: folder }));

/** Packs a folder into another. @returns the archive */
export function packFolder(folder, to) {
  mkdirSync(to, { recursive: true });
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", to];
  return path.join(to, described(capture("npm", args, { cwd: folder })).filename);
}

/**
 * Packs built packages into a folder.
 * @param {string} to
 * @param {string[]} [names] default: all
 * @returns {Record<string, string>} archives by the name of the package
 */
export const packPackages = (to, names = Object.keys(packages)) =>
  Object.fromEntries(names.map((name) => [name, packFolder(packages[name], to)]));

/**
 * Unpacks archives into a folder node_modules.
 * @param {string} modules
 * @param {Record<string, string>} archives by the name of the package
 */
export function installArchives(modules, archives) {
  for (const [name, archive] of Object.entries(archives)) {
    const target = path.join(modules, name);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    capture("tar", ["-xzf", archive, "-C", target, "--strip-components=1"]);
  }
}
