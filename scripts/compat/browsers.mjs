// npm run test:compat -- browsers: runs tests/engines, the suite of the library and the viewer that all engines share, in
// Chromium, Firefox and WebKitGTK.
//   npm run test:compat -- browsers firefox webkit     only in these
// The last line is "N passed, N failed".
import { buildAll } from "../build.mjs";
import { runMain, SetupError, step } from "../lib/process.mjs";
import { runVitest, summarise } from "../lib/reports.mjs";
import { ensureSystem } from "../lib/system.mjs";

/** The browsers, and the kind of set-up that each needs. */
const engines = { chromium: "browser", firefox: "firefox", webkit: "webkit" };

/** Runs the suite in one browser and prints the counts of each context. */
function runEngine(name) {
  step(`One suite for all engines: ${name}`);
  const { report, ...total } = runVitest(`engine-${name}`, {
    args: ["--config=tests/engines/vitest.config.ts"],
    env: { ZARR_WASM_ENGINES: name },
  });
  const contexts = new Map();
  for (const { assertionResults = [] } of report.testResults ?? []) {
    for (const { ancestorTitles, status } of assertionResults) {
      const title = ancestorTitles.join(", ");
      const counts = contexts.get(title) ?? { passed: 0, failed: 0, skipped: 0 };
      counts[status in counts ? status : "skipped"]++;
      contexts.set(title, counts);
    }
  }
  for (const [title, counts] of contexts)
    console.log(
      `  ${title}: ${Object.entries(counts)
        .map(([what, n]) => `${n} ${what}`)
        .join(", ")}`,
    );
  return { name, ...total };
}

async function main() {
  const chosen = process.argv.slice(2);
  const names = chosen.length > 0 ? chosen : Object.keys(engines);
  const unknown = names.find((name) => !Object.hasOwn(engines, name));
  if (unknown)
    throw new SetupError(`unknown engine "${unknown}"; expected one of ${Object.keys(engines).join(", ")}`);
  ensureSystem(["build", ...names.map((name) => engines[name])]);
  await buildAll();
  return summarise(names.map(runEngine));
}

runMain(main);
