// Paths in the checkout that the scripts share. Nothing is written outside it, except by the system's package manager
// and npm.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const buildDir = path.join(root, "build");
export const thirdPartyDir = path.join(root, "third_party");
export const distDir = path.join(root, "dist");
/** The package zarr-wasm-viewer. */
export const viewerDir = path.join(root, "web/viewer");
export const viewerDist = path.join(viewerDir, "dist");
/** The viewer's compiled modules, from which its files are bundled. */
export const viewerModules = path.join(buildDir, "viewer");

/** Folder for temporary files of called tools; created on first use. */
export function tempDir() {
  const dir = path.join(buildDir, "tmp");
  mkdirSync(dir, { recursive: true });
  return dir;
}

/** The WebAssembly modules (docs/architecture.md): targets of CMake, files in dist/wasm. */
export const wasmModules = ["decode", "full", "images"];
