// npm run test:compat -- bundlers [NAME…]: installs the packed package in a fresh project per bundler
// (tests/bundlers/tools.mjs), builds it without configuration and opens it in Chromium. The pages read arrays of every
// version, in their own thread and with workers. The bundlers come from npm, into build/bundlers.
import path from "node:path";
import { writeStores } from "../../tests/bundlers/stores.mjs";
import { tools } from "../../tests/bundlers/tools.mjs";
import { buildAll } from "../build.mjs";
import { buildDir } from "../lib/paths.mjs";
import { runMain, SetupError, step } from "../lib/process.mjs";
import { makeProject, packBuilt, runIn, serveIn, versionOf } from "../lib/projects.mjs";
import { runEach, summarise } from "../lib/reports.mjs";
import { launchChromium, startServer, strictPolicy } from "../lib/server.mjs";

const home = path.join(buildDir, "bundlers");
const stores = path.join(home, "stores");

/** Serves the stores to pages of any origin, as each tool has its own server. */
const startData = () =>
  startServer({
    mounts: { "/": stores },
    headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "range" },
    route({ method }, response, headers) {
      if (method !== "OPTIONS") return false;
      response.writeHead(204, headers).end();
      return true;
    },
  });

/** Serves a tool's output under the strict policy, together with the stores. */
const startPage = (folder, { out, policy }) =>
  startServer({
    mounts: { "/": path.join(folder, out), "/data/": stores },
    policy: policy ? `default-src 'self'; ${policy}` : strictPolicy,
  });

/** Errors that a page reports, apart from its results. */
async function openPage(browser, url) {
  const page = await browser.newPage();
  const faults = [];
  page.on("console", (message) => {
    const { url: at } = message.location();
    // Documents that `open` probes for, and requests that browsers make for every page.
    if (/\/(zarr\.json|\.zarray|\.zattrs|\.zgroup|\.zmetadata|attrs|favicon\.ico)$/.test(at)) return;
    if (["error", "warning"].includes(message.type())) faults.push(`console: ${message.text()} (${at})`);
  });
  page.on("pageerror", ({ message }) => faults.push(`uncaught: ${message}`));
  try {
    await page.goto(url);
    await page.waitForFunction(() => globalThis.found, undefined, { timeout: 60_000 });
    const found = await page.evaluate(() => globalThis.found);
    return { ...found, faults: [...found.faults, ...faults] };
  } catch (error) {
    return { faults: [error.message.split("\n")[0], ...faults] };
  } finally {
    await page.close();
  }
}

async function testTool(browser, data, archives, name) {
  const tool = tools[name];
  const [program = "plain"] = Object.keys(tool.dependencies);
  const version = tool.dependencies[program] ?? "";
  // Variants of a tool share its folder.
  const folder = makeProject(archives, path.join(home, `${program.replaceAll("/", "+")}-${version}`), tool);
  if (tool.build) await runIn(folder, tool.build, { seconds: 600 });
  const server = tool.serve ? await serveIn(folder, tool.serve) : await startPage(folder, tool);
  const base = tool.serve ? data.url : "/data";
  const faults = [];
  try {
    const found = await openPage(browser, `${server.url}/?data=${base}`);
    faults.push(...found.faults);
    if (tool.route) {
      const answer = await fetch(`${server.url}${tool.route}?data=${base}`, {
        signal: AbortSignal.timeout(60_000),
      }).then((response) => response.text());
      const { faults: more } = answer.startsWith("{")
        ? JSON.parse(answer)
        : { faults: [answer.slice(0, 500)] };
      faults.push(...more.map((fault) => `on the server: ${fault}`));
    }
    const took = found.milliseconds === undefined ? "" : `, ${found.milliseconds} ms`;
    console.log(
      `  ${faults.length === 0 ? "✓" : "✗"} ${name} (${version ? `${program} ${versionOf(folder, program)}` : "no bundler"}${took})`,
    );
    if (faults.length > 0 && server.output) console.error(server.output().slice(-2000));
  } finally {
    await server.close();
  }
  return faults;
}

runMain(async () => {
  const chosen = process.argv.slice(2);
  const unknown = chosen.find((name) => !Object.hasOwn(tools, name));
  if (unknown)
    throw new SetupError(`unknown bundler "${unknown}"; expected one of ${Object.keys(tools).join(", ")}`);
  if (!process.env.ZARR_WASM_BUILT) await buildAll();
  const archives = packBuilt();
  writeStores(stores);
  step("Bundlers");
  const browser = await launchChromium();
  const data = await startData();
  const names = chosen.length > 0 ? chosen : Object.keys(tools);
  const counts = await runEach(names, (name) => testTool(browser, data, archives, name));
  await Promise.all([browser.close(), data.close()]);
  return summarise([{ name: "bundlers", ...counts }]);
});
