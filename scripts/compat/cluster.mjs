// npm run test:compat -- cluster: runs examples/cluster on a Slurm cluster of this one machine, which the tests start
// and stop. The last line is "N passed, N failed".
import { buildAll } from "../build.mjs";
import { runMain, step } from "../lib/process.mjs";
import { runVitest, summarise } from "../lib/reports.mjs";
import { ensureSystem } from "../lib/system.mjs";

runMain(async () => {
  ensureSystem(["build", "cluster"]);
  await buildAll();
  step("Copies, verifications and pyramids on a cluster");
  const { passed, failed, skipped } = runVitest("cluster", {
    args: ["--config=tests/cluster/vitest.config.ts"],
  });
  return summarise([{ name: "cluster", passed, failed, skipped }]);
});
