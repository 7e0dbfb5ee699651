// npm run test:compat -- runtimes [NAME…]: installs the packed package in a fresh project per runtime
// (tests/bundlers/runtimes.mjs) and reads arrays of every version, in the main thread and with workers. The runtimes
// come from npm, into build/runtimes.
import path from "node:path";
import { runtimes } from "../../tests/bundlers/runtimes.mjs";
import { writeStores } from "../../tests/bundlers/stores.mjs";
import { buildAll } from "../build.mjs";
import { buildDir } from "../lib/paths.mjs";
import { runMain, SetupError, step } from "../lib/process.mjs";
import { makeProject, packBuilt, runIn, serveIn, versionOf } from "../lib/projects.mjs";
import { runEach, summarise } from "../lib/reports.mjs";
import { startServer } from "../lib/server.mjs";

const home = path.join(buildDir, "runtimes");

/** Runs a program that prints its results; test runners only exit with 0. */
async function faultsOfCommand(folder, { command, env }, data) {
  const output = await runIn(folder, command(data), { seconds: 120, env });
  const line = output.split("\n").find((text) => text.startsWith('{"faults"'));
  return line ? JSON.parse(line).faults : [];
}

/** Sends a request to a server that reads arrays. */
async function faultsOfServer(folder, { serve, env }, data) {
  const server = await serveIn(folder, serve, { env });
  try {
    const answer = await fetch(`${server.url}/?data=${data}`, { signal: AbortSignal.timeout(60_000) });
    const text = await answer.text();
    return text.startsWith("{")
      ? JSON.parse(text).faults
      : [text.slice(0, 500), server.output().slice(-2000)];
  } finally {
    await server.close();
  }
}

async function testRuntime(archives, name, data) {
  const runtime = runtimes[name];
  const [main] = Object.keys(runtime.dependencies);
  const files = Object.fromEntries(
    Object.entries(runtime.files).map(([file, text]) => [file, text.replaceAll("DATA", data)]),
  );
  const folder = makeProject(archives, path.join(home, name), { ...runtime, files });
  const faults = await (runtime.serve ? faultsOfServer : faultsOfCommand)(folder, runtime, data);
  console.log(`  ${faults.length === 0 ? "✓" : "✗"} ${name} (${main} ${versionOf(folder, main)})`);
  return faults;
}

runMain(async () => {
  const chosen = process.argv.slice(2);
  const unknown = chosen.find((name) => !Object.hasOwn(runtimes, name));
  if (unknown)
    throw new SetupError(`unknown runtime "${unknown}"; expected one of ${Object.keys(runtimes).join(", ")}`);
  if (!process.env.ZARR_WASM_BUILT) await buildAll();
  const archives = packBuilt();
  const stores = path.join(home, "stores");
  writeStores(stores);
  step("Runtimes");
  const server = await startServer({ mounts: { "/": stores } });
  const data = server.url;
  const names = chosen.length > 0 ? chosen : Object.keys(runtimes);
  const counts = await runEach(names, (name) => testRuntime(archives, name, data));
  await server.close();
  return summarise([{ name: "runtimes", ...counts }]);
});
