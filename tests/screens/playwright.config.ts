// Screenshots of the viewer: npm run check -- screens.
import { defineConfig } from "@playwright/test";
import base from "../../playwright.config.js";
import { root } from "../shared/places.js";

export default defineConfig({
  ...base,
  testDir: ".",
  globalSetup: "../browser/setup.ts",
  outputDir: "../../build/reports/screens",
  retries: 0,
  use: { ...base.use, samples: `${root}build/samples` },
});
