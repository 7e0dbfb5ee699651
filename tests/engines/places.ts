/** Folders that the engine tests read and write. */
import path from "node:path";
import { root } from "../shared/places.js";

export { distFolder, packageMounts, root, viewerFolder } from "../shared/places.js";
/** A folder per set of engines, so that several sets can be tested in parallel. */
export const engineFolder = path.join(
  root,
  "build/tmp/engines",
  process.env["ZARR_WASM_ENGINES"] ?? "chromium",
);
/** Stores and the manifest. */
export const dataFolder = path.join(engineFolder, "data");
/** Bundles of the suite, by context. */
export const bundleFolder = path.join(engineFolder, "suite");
/** The viewer's stores, the same as in the browser tests. */
export const viewerStores = path.join(engineFolder, "stores");
export const pageFolder = path.join(root, "tests/engines/pages");
