// npm run build: builds everything that the published packages hold, into dist/ and web/viewer/dist/.
//   node scripts/build.mjs viewer     the viewer alone, with the built zarr-wasm in dist/
//   node scripts/build.mjs scripts    compiles the library and the command line alone, for most tests in Node
//   node scripts/build.mjs bundles    also bundles them, and the viewer, with the built modules in dist/
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildWasm, bundleLibrary, compileLibrary, copyWasm } from "./lib/build.mjs";
import { ensurePackages } from "./lib/npm.mjs";
import { distDir } from "./lib/paths.mjs";
import { runMain, SetupError, startScript, step } from "./lib/process.mjs";
import { writeBill } from "./lib/sbom.mjs";
import { ensureSources } from "./lib/sources.mjs";
import { ensureSystem } from "./lib/system.mjs";
import { buildViewer } from "./lib/viewer.mjs";

/**
 * Sets up and builds; parts that are up to date are skipped. TypeScript is compiled while tools are installed and C++ is
 * compiled. ZARR_WASM_PREBUILT=1 uses the existing `dist` unchanged: continuous integration tests the very archive that
 * is published.
 */
export async function buildAll() {
  if (process.env.ZARR_WASM_PREBUILT === "1") return takeBuilt();
  const scripts = startScript("scripts/build.mjs", ["scripts"]);
  ensureSystem(["build"]);
  await ensureSources();
  buildWasm();
  await scripts;
  copyWasm();
  bundleScripts();
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
function bundleScripts() {
  bundleLibrary("entries");
  buildViewer();
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

/** Parts of the build; `buildAll` runs the first in the background. */
const parts = { scripts: compileScripts, bundles: buildBundles, viewer: buildViewerAlone };

if (process.argv[1] === fileURLToPath(import.meta.url)) runMain(parts[process.argv[2]] ?? buildAll);
