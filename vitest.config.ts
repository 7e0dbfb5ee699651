import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/node/**/*.test.ts"],
    // Machines that build and test at once are slow; nothing here measures time.
    testTimeout: 120_000,
    // The built package is what is tested: no transformation of dist.
    server: { deps: { external: [/\/dist\//] } },
  },
});
