import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = new URL("./", import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
  exports: Record<string, string | { default: string }>;
};

/** The package's subpaths as the files that they are made of, which the tests' own imports from dist share. */
const alias = Object.entries(exports).flatMap(([subpath, entry]) => {
  if (typeof entry === "string") return [];
  const find = new RegExp(`^zarr-wasm${subpath.slice(1)}$`);
  return [{ find, replacement: fileURLToPath(new URL(entry.default, root)) }];
});

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
