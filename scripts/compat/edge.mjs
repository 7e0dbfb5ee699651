// npm run test:compat -- edge [--built] [-- --load]: examples/edge-tiles on workerd, from npm, over stores on loopback.
// Runs tests, then a load test of about a minute whose results it prints. --load runs only the load test; --built uses
// the existing package in dist. The last line is "N passed, N failed".
import path from "node:path";
import { pathToFileURL } from "node:url";
import { buildAll } from "../build.mjs";
import { buildWorker } from "../lib/edge.mjs";
import { root } from "../lib/paths.mjs";
import { runMain, step } from "../lib/process.mjs";
import { count, runVitest, summarise } from "../lib/reports.mjs";

await runMain(async () => {
  const options = process.argv.slice(2);
  if (!options.includes("--built")) buildAll();
  buildWorker();
  const results = [];
  if (!options.includes("--load")) {
    step("Tiles, answers, faults");
    const { passed, failed, skipped } = runVitest("edge", { args: ["--config=tests/edge/vitest.config.ts"] });
    results.push({ name: "edge", passed, failed, skipped });
  }
  step("Load");
  const { runLoad } = await import(pathToFileURL(path.join(root, "tests/edge/load.mjs")));
  const failures = await runLoad();
  for (const failure of failures) console.error(`  ${failure}`);
  results.push({ name: "load", ...count(failures.length === 0, 1, failures.length) });
  if (failures.length > 0) results.at(-1).passed = 0;
  return summarise(results);
});
