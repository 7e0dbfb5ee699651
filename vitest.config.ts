import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/node/**/*.test.ts"],
    testTimeout: 30_000,
    // The built package is what is tested: no transformation of dist.
    server: { deps: { external: [/\/dist\//] } },
  },
});
