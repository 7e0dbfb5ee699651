// npm run build: builds everything that the published package holds, into dist/.
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildLibrary, buildWasm } from "./lib/build.mjs";
import { ensurePackages } from "./lib/npm.mjs";
import { distDir } from "./lib/paths.mjs";
import { runMain, SetupError, step } from "./lib/process.mjs";
import { writeBill } from "./lib/sbom.mjs";
import { ensureSources } from "./lib/sources.mjs";
import { ensureSystem } from "./lib/system.mjs";
import { buildViewer } from "./lib/viewer.mjs";

/**
 * Sets up and builds; parts that are up to date are skipped. ZARR_WASM_PREBUILT=1 uses the existing `dist` unchanged:
 * continuous integration tests the very archive that is published.
 */
export function buildAll() {
  if (process.env.ZARR_WASM_PREBUILT === "1") return takeBuilt();
  ensureSystem(["build"]);
  ensurePackages();
  ensureSources();
  buildWasm();
  buildLibrary();
  buildViewer();
  writeBill();
}

function takeBuilt() {
  if (!existsSync(path.join(distDir, "wasm/decode.wasm")))
    throw new SetupError("ZARR_WASM_PREBUILT is set, but dist does not exist");
  step("Using the existing dist");
  ensurePackages();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runMain(buildAll);
