// Runs the suite of tests/engines: the library and the viewer in real browsers.
import { step } from "./process.mjs";
import { runVitest } from "./reports.mjs";

/** The browsers, and the kind of set-up that each needs. */
export const engines = { chromium: "browser", firefox: "firefox", webkit: "webkit" };

/** Runs the suite in one browser and prints the counts of each context. */
export function runEngine(name) {
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
