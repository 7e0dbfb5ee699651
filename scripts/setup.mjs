// npm run setup -- build node …: installs the programs for the given kinds of work, on Debian as root, or lists the
// missing ones. Default kinds: those of npm test. The Dockerfile uses it, so that there is one list (lib/system.mjs).
import { runMain } from "./lib/process.mjs";
import { ensureSystem } from "./lib/system.mjs";

const ofTests = ["build", "native", "fuzz", "node", "browser"];

runMain(() => {
  const kinds = process.argv.slice(2);
  ensureSystem(kinds.length > 0 ? kinds : ofTests);
});
