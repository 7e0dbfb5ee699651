import { defineConfig } from "vitest/config";
import base from "../../vitest.config.js";

export default defineConfig({
  ...base,
  test: {
    include: ["tests/engines/**/*.test.ts"],
    globalSetup: "tests/engines/setup.ts",
    // One engine at a time: the machines that this runs on have few cores.
    fileParallelism: false,
    // Machines that build and test at once are slow; nothing here measures time.
    testTimeout: 180_000,
    hookTimeout: 900_000,
    // The built package is what is tested: no transformation of dist.
    server: { deps: { external: [/\/dist\//] } },
  },
});
