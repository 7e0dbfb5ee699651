import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { programEntries } from "./scripts/lib/entries.mjs";

/** The package's subpaths as the modules that they are bundled from, which the tests' own imports from dist share. */
const alias = programEntries
  .filter(({ subpath }) => subpath.startsWith("."))
  .map(({ subpath, module }) => ({
    find: new RegExp(`^zarr-wasm${subpath.slice(1)}$`),
    replacement: module,
  }));

export default defineConfig({
  resolve: { alias },
  test: {
    include: ["tests/node/**/*.test.ts"],
    // Much of the time is spent waiting, for servers, timers and other processes.
    maxWorkers: Math.max(2, availableParallelism()),
    // Machines that build and test at once are slow; nothing here measures time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The built package is what is tested: no transformation of dist.
    server: { deps: { external: [/\/dist\//] } },
  },
});
