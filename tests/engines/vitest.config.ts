import { defineConfig } from "vitest/config";
import base from "../../vitest.config.js";

export default defineConfig({
  ...base,
  test: {
    include: ["tests/engines/**/*.test.ts"],
    globalSetup: "tests/engines/setup.ts",
    // One engine at a time: test machines have few cores.
    fileParallelism: false,
    // Machines that build and test in parallel are slow; timing is not tested here.
    testTimeout: 180_000,
    hookTimeout: 900_000,
    // The built package is tested: no transformation of dist.
    server: { deps: { external: [/\/dist\//] } },
  },
});
