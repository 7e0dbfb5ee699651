// npm run conformance: runs the shared runner over the shared fixtures if they lie beside the checkout, otherwise over
// the project's own golden set through the command line. Options are passed on to the shared runner.
import { existsSync } from "node:fs";
import path from "node:path";
import { buildAll } from "./build.mjs";
import { root } from "./lib/paths.mjs";
import { attempt, findTool, runMain } from "./lib/process.mjs";

runMain(async () => {
  await buildAll();
  const shared = path.join(root, "../shared/conformance/run.mjs");
  const ok = existsSync(shared)
    ? attempt(process.execPath, [shared, ...process.argv.slice(2)])
    : attempt(findTool("vitest"), ["run", "tests/node/read/golden.test.ts"]);
  return ok ? 0 : 1;
});
