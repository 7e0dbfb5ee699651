// npm run test:compat -- browsers: runs the suite shared by all engines in Chromium, Firefox and WebKitGTK.
//   npm run test:compat -- browsers firefox webkit     only in these
// The last line is "N passed, N failed".
import { buildAll } from "../build.mjs";
import { engines, runEngine } from "../lib/engines.mjs";
import { runMain, SetupError } from "../lib/process.mjs";
import { summarise } from "../lib/reports.mjs";
import { ensureSystem } from "../lib/system.mjs";

function main() {
  const chosen = process.argv.slice(2);
  const names = chosen.length > 0 ? chosen : Object.keys(engines);
  const unknown = names.find((name) => !Object.hasOwn(engines, name));
  if (unknown)
    throw new SetupError(`unknown engine "${unknown}"; expected one of ${Object.keys(engines).join(", ")}`);
  ensureSystem(["build", ...names.map((name) => engines[name])]);
  buildAll();
  return summarise(names.map(runEngine));
}

runMain(main);
