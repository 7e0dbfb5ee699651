import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { programEntries } from "./scripts/lib/entries.mjs";

/**
 * Maps the package's subpaths to the modules that they are bundled from, so that tests share them with imports from
 * dist; `#internal`, which the sources of the viewer import from another package, to the bundle that the command line
 * shares.
 */
const alias = programEntries.map(({ subpath, module, targets }) => ({
  find: new RegExp(`^${subpath.replace(/^\./, "zarr-wasm")}$`),
  replacement: subpath.startsWith(".")
    ? module
    : fileURLToPath(new URL(targets["default"]!, import.meta.url)),
}));

/** Folders of tests of modules without state: their files share a process and its modules. */
const pure = ["codecs", "dtypes", "metadata"].map((folder) => `tests/node/${folder}/**/*.test.ts`);

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      { extends: true, test: { name: "node", include: ["tests/node/**/*.test.ts"], exclude: pure } },
    ],
    // Tests wait much of the time, for servers, timers and other processes.
    maxWorkers: 2 * Math.max(2, availableParallelism()),
    // Machines that build and test in parallel are slow; timing is not tested here.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that passes at the second attempt is listed at the end of the run.
    retry: 1,
    setupFiles: ["tests/node/support/repeats.ts"],
    // The built package is tested: no transformation of dist.
    server: { deps: { external: [/\/(?:dist|build\/viewer)\//] } },
  },
});
