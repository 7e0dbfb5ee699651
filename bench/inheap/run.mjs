// node bench/inheap/run.mjs --wasm FILE.wasm [--native PROGRAM] [--chromium PATH] [--json FILE]
//   [--rounds N] [--milliseconds N] [--no-node] [REGEXP…]
// Prints, per case, GB/s and the ratio to a copy of as many bytes on the same engine, and where the
// native program is given, linked to c-blosc, the ratio to that one's kernel of the same name.
// --chromium needs playwright-core, resolved from the working directory.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadInheap, timeCases, wanted } from "./inheap.mjs";

const { values: args, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    wasm: { type: "string" },
    native: { type: "string" },
    chromium: { type: "string" },
    json: { type: "string" },
    rounds: { type: "string", default: "3" },
    milliseconds: { type: "string", default: "60" },
    "no-node": { type: "boolean", default: false },
  },
});
const options = { filters, rounds: +args.rounds, milliseconds: +args.milliseconds };

/** Notes and prints a result; beside c-blosc's where the native run has a row of that name. */
function report(engine, results) {
  return (result) => {
    const gbps = result.bytes / result.seconds / 1e9;
    const ratio = result.copySeconds / result.seconds;
    const cblosc = results.find(({ name }) => name === `c-blosc ${result.name}`);
    const entry = { engine, ...result, ratio };
    let line = `${engine.padEnd(9)} ${result.name.padEnd(44)}`;
    line += `${gbps.toFixed(2).padStart(8)} GB/s ${ratio.toFixed(2).padStart(6)} of a copy`;
    if (cblosc) {
      entry.cbloscRatio = cblosc.seconds / result.seconds;
      line += `${entry.cbloscRatio.toFixed(2).padStart(7)} of c-blosc`;
    }
    results.push(entry);
    console.log(line);
  };
}

function runNative(program, onResult) {
  const capture = (argv) => {
    const { stdout, status } = spawnSync(program, argv, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${program} failed`);
    return stdout.trim().split("\n");
  };
  capture([]).forEach((name, i) => {
    if (!wanted(filters)({ name })) return;
    const [line] = capture([options.milliseconds, options.rounds, i].map(String));
    onResult(JSON.parse(line));
  });
}

/** Serves the page, the module and inheap.mjs; the headers give the page a fine clock. */
function serve() {
  const files = {
    "/": ["text/html", () => readFileSync(new URL("page.html", import.meta.url))],
    "/inheap.mjs": ["text/javascript", () => readFileSync(new URL("inheap.mjs", import.meta.url))],
    "/inheap.wasm": ["application/wasm", () => readFileSync(args.wasm)],
  };
  const server = createServer((request, response) => {
    const [type, read] = files[request.url] ?? [];
    if (!read) return response.writeHead(404).end();
    response.writeHead(200, {
      "content-type": type,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    });
    response.end(read());
  });
  return new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(server)));
}

async function runChromium(executablePath, onResult) {
  const require = createRequire(join(process.cwd(), "noop.js"));
  const { chromium } = require("playwright-core");
  const server = await serve();
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.exposeFunction("onResult", onResult);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.evaluate((o) => globalThis.runInheap(o), options);
  } finally {
    await browser.close();
    server.close();
  }
}

const results = [];
if (args.native) runNative(args.native, report("native", results));
if (args.wasm && !args["no-node"]) {
  await timeCases(await loadInheap(readFileSync(args.wasm)), options, report("node", results));
}
if (args.wasm && args.chromium) await runChromium(args.chromium, report("chromium", results));
if (args.json) writeFileSync(args.json, `${JSON.stringify(results, null, 2)}\n`);
