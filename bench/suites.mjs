// All suites, in the order in which they run.
import { chromiumHost } from "./browser/chromium.mjs";
import { inheapSuite } from "./suites/inheap.mjs";
import { overheadSuite } from "./suites/overhead.mjs";
import { packageSuites } from "./suites/package.mjs";
import { viewerSuite } from "./viewer/suite.mjs";

/**
 * Measures the rows that a report wants.
 * @param {import("./report.mjs").Report} report
 * @param {{wasm: string, native: string, libraries: string, workDir: string}} files the in-heap module, our native
 * program, the one of the native libraries, a folder for data
 */
export async function runSuites(report, { workDir, ...programs }) {
  const files = { ...programs, inputDir: `${workDir}/inputs`, pageDir: `${workDir}/page` };
  const chromium = chromiumHost(files);
  try {
    await report.run(await inheapSuite(files, chromium));
    await report.run(await overheadSuite(files));
    await report.run(packageSuites(workDir));
    await report.run(chromium.suites());
  } finally {
    await chromium.close();
  }
  await runViewer(report, workDir);
}

/**
 * Measures those of the viewer's rows that a report wants.
 * @param {import("./report.mjs").Report} report
 * @param {string} workDir a folder that stays, for npm packages to compare with
 */
export async function runViewer(report, workDir) {
  const viewer = viewerSuite(workDir);
  try {
    await report.run(viewer.suite);
  } finally {
    await viewer.close();
  }
}
