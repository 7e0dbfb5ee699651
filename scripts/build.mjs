// npm run build: builds everything that the published packages hold, into dist/ and web/viewer/dist/.
//   node scripts/build.mjs viewer     the viewer alone, with the built zarr-wasm in dist/
//   node scripts/build.mjs scripts    compiles the library and the command line alone, for most tests in Node
//   node scripts/build.mjs bundles    also bundles them, and the viewer, with the built modules in dist/
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildWasm, bundleLibrary, compileLibrary, copyWasm, writeMissingGlue } from "./lib/build.mjs";
import { ensurePackages } from "./lib/npm.mjs";
import { distDir, servedModules, wasmModules } from "./lib/paths.mjs";
import { runMain, SetupError, startScript, step } from "./lib/process.mjs";
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
  ensureSources();
  compileScripts();
  buildWasm(wasmModules);
  copyWasm(wasmModules);
  bundleScripts();
  bundleLibrary("copies");
  writeBill();
}

/**
 * Sets up and builds what the samples need. `npm start` serves it while {@link buildRest} adds the image decoders and
 * the other files of the package. TypeScript is compiled while tools are installed and C++ is compiled.
 */
export async function buildServed() {
  if (process.env.ZARR_WASM_PREBUILT === "1") return takeBuilt();
  const scripts = startScript("scripts/build.mjs", ["scripts"]);
  ensureSystem(["build"]);
  ensureSources();
  buildWasm(servedModules);
  await scripts;
  copyWasm(servedModules);
  writeMissingGlue();
  bundleScripts();
}

function buildRest() {
  if (process.env.ZARR_WASM_PREBUILT === "1") return;
  buildWasm(wasmModules);
  // Pages that are open keep loading the files of the first build.
  if (copyWasm(wasmModules)) bundleScripts({ keepsOld: true });
  bundleLibrary("copies");
  writeBill();
}

function compileScripts() {
  ensurePackages();
  compileLibrary();
}

function buildBundles() {
  compileScripts();
  bundleScripts();
}

/** Bundles the library and the viewer; both contain the glue of all modules. */
function bundleScripts(options) {
  bundleLibrary("entries");
  buildViewer(options);
}

function takeBuilt() {
  if (!existsSync(path.join(distDir, "wasm/decode.wasm")))
    throw new SetupError("dist has no zarr-wasm: run `npm run build`, or unpack `dist` of its archive here");
  step("Using the existing dist");
  ensurePackages();
}

/** Builds the viewer alone: needs no C++ toolchain, but the modules of a build or an archive. */
export function buildViewerAlone() {
  takeBuilt();
  compileLibrary();
  buildViewer();
}

/** Parts of the build; `npm start` runs the first two in the background. */
const parts = { scripts: compileScripts, rest: buildRest, bundles: buildBundles, viewer: buildViewerAlone };

if (process.argv[1] === fileURLToPath(import.meta.url)) runMain(parts[process.argv[2]] ?? buildAll);
