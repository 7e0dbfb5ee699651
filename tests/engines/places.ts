/** Folders that the tests of engines read and write. */
import path from "node:path";
import { root } from "../shared/places.js";

export { distFolder, packageMounts, root } from "../shared/places.js";
/** One for each set of engines, so that several can be tested at a time. */
export const engineFolder = path.join(
  root,
  "build/tmp/engines",
  process.env["ZARR_WASM_ENGINES"] ?? "chromium",
);
/** Stores and the manifest. */
export const dataFolder = path.join(engineFolder, "data");
/** Bundles of the suite, by context. */
export const bundleFolder = path.join(engineFolder, "suite");
/** The viewer's stores: those of the browser tests. */
export const viewerStores = path.join(engineFolder, "stores");
export const pageFolder = path.join(root, "tests/engines/pages");
