// Installs npm packages, here and in other folders with a package.json, if their list has changed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { root } from "./paths.mjs";
import { run, SetupError, step } from "./process.mjs";

const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Runs a command of npm in a folder, unless it was run for the same list of packages. */
function installFor(folder, list, title, args) {
  const stamp = path.join(folder, "node_modules/.zarr-wasm-lock");
  const hash = createHash("sha256")
    .update(readFileSync(path.join(folder, list)))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  step(title);
  run("npm", [...args, ...quietly], { cwd: folder });
  writeFileSync(stamp, hash);
}

/** Makes sure that node_modules matches package-lock.json. */
export function ensurePackages() {
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20) throw new SetupError(`Node 20 or newer is needed; this is ${process.version}`);
  installFor(root, "package-lock.json", "Installing npm packages from the lock file", ["ci"]);
}

/**
 * Installs the packages of a folder, of which package.json pins the versions. There is no lock file: platform packages
 * would make one that some registries cannot serve.
 */
export function ensurePackagesOf(folder, title, args = []) {
  installFor(folder, "package.json", title, ["install", "--no-package-lock", ...args]);
}

const siteFolder = path.join(root, "docs/site");

/** Installs the packages of the site and of the API report. */
export const ensureSitePackages = () =>
  ensurePackagesOf(siteFolder, "Installing the packages of the documentation");

/** The path of one of their programs, or of a package's main module. @param {"program" | "module"} kind */
export function siteTool(name, kind = "program") {
  if (kind === "program") return path.join(siteFolder, "node_modules/.bin", name);
  return createRequire(path.join(siteFolder, "package.json")).resolve(name);
}
