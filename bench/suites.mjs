// All suites, in order of execution.
import { chromiumHost } from "./browser/chromium.mjs";
import { inheapSuite } from "./suites/inheap.mjs";
import { overheadSuite } from "./suites/overhead.mjs";
import { packageSuites } from "./suites/package.mjs";
import { reduceSuite } from "./suites/reduce.mjs";
import { viewerSuite } from "./viewer/suite.mjs";
import { zarrBenchmarksSuite } from "./zarr-benchmarks/suite.mjs";

/**
 * Measures the rows requested by a report.
 * @param {import("./report.mjs").Report} report
 * @param {{wasm: string, native: string, libraries: string, workDir: string}} files the in-heap module, our
 *   native program, the program of the native libraries, a folder for data
 */
export async function runSuites(report, { workDir, ...programs }) {
  const files = { ...programs, inputDir: `${workDir}/inputs`, pageDir: `${workDir}/page` };
  const chromium = chromiumHost(files);
  try {
    await report.run(await inheapSuite(files, chromium));
    await report.run(await overheadSuite(files));
    await report.run(packageSuites(workDir));
    await report.run(reduceSuite());
    await report.run(chromium.suites());
  } finally {
    await chromium.close();
  }
  await runViewer(report, workDir);
}

/**
 * Measures the viewer rows requested by a report.
 * @param {import("./report.mjs").Report} report
 * @param {string} workDir a persistent folder for the npm packages to compare with
 */
export async function runViewer(report, workDir) {
  const viewer = viewerSuite(workDir);
  try {
    await report.run(viewer.suite);
  } finally {
    await viewer.close();
  }
}

/**
 * Measures the rows of zarr_benchmarks requested by a report.
 * @param {import("./report.mjs").Report} report
 * @param {string} workDir a persistent folder for the arrays
 */
export function runZarrBenchmarks(report, workDir) {
  return report.run(zarrBenchmarksSuite(`${workDir}/zarr-benchmarks`));
}
