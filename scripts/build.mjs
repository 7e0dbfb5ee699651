// npm run build: everything that the published package holds, into dist/.
import { fileURLToPath } from "node:url";
import { buildLibrary, buildWasm } from "./lib/build.mjs";
import { ensurePackages } from "./lib/npm.mjs";
import { runMain } from "./lib/process.mjs";
import { ensureSources } from "./lib/sources.mjs";
import { ensureSystem } from "./lib/system.mjs";
import { buildViewer } from "./lib/viewer.mjs";

/** Set-up and build; each part does nothing where nothing is to be done. */
export function buildAll() {
  ensureSystem(["build"]);
  ensurePackages();
  ensureSources();
  buildWasm();
  buildLibrary();
  buildViewer();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runMain(buildAll);
