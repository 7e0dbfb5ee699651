// Browser tests: the viewer and the package in Chromium, under the strictest page policy.
import { defineConfig } from "@playwright/test";
import { findHeadlessShell } from "./scripts/lib/system.mjs";

const executablePath = findHeadlessShell();

export default defineConfig({
  testDir: "tests/browser",
  testMatch: "**/*.spec.ts",
  globalSetup: "./tests/browser/setup.ts",
  outputDir: "build/reports/browser",
  snapshotPathTemplate: "{testDir}/looks/{arg}{ext}",
  fullyParallel: true,
  workers: 2,
  // Machines that build and test in parallel are slow; timing is not tested here.
  expect: { timeout: 60_000 },
  timeout: 300_000,
  // A test that passes at the second attempt is listed at the end of the run.
  retries: 1,
  forbidOnly: Boolean(process.env["CI"]),
  reporter: "list",
  use: {
    headless: true,
    // Starting a renderer takes longer than most tests; site.ts clears what the reset between tests leaves.
    reuseContext: true,
    viewport: { width: 960, height: 640 },
    screenshot: "only-on-failure",
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      // Containers provide neither user namespaces nor much shared memory.
      args: ["--no-sandbox", "--disable-dev-shm-usage"],
    },
  },
});
