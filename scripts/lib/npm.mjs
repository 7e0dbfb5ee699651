// Installs npm packages from the lock file if it has changed.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";
import { run, SetupError, step } from "./process.mjs";

const stamp = path.join(root, "node_modules/.zarr-wasm-lock");

/** Makes sure that node_modules matches package-lock.json. */
export function ensurePackages() {
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20) throw new SetupError(`Node 20 or newer is needed; this is ${process.version}`);
  const lock = createHash("sha256")
    .update(readFileSync(path.join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  step("Installing npm packages from the lock file");
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(stamp, lock);
}
