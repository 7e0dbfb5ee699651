// npm start: set-up, build, the viewer with its sample data on localhost, and one decoded sample.
//   npm start -- --check     the same, once: fetches what the page would fetch, prints it, exits
//   npm start -- --port N    a port of your choice (default 8080, else any free one)
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { distDir, root } from "./lib/paths.mjs";
import { runMain, SetupError, step } from "./lib/process.mjs";
import { startServer } from "./lib/server.mjs";

// The viewer may open any source: like the strictest policy, but for connections.
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src *";
const defaultPort = 8080;

const mounts = {
  "/": path.join(distDir, "viewer"),
  "/viewer/": path.join(distDir, "viewer"),
  "/wasm/": path.join(distDir, "wasm"),
  "/examples/": path.join(root, "examples"),
};

async function serve(port) {
  if (port !== undefined) return startServer({ mounts, policy, port });
  return startServer({ mounts, policy, port: defaultPort }).catch(() => startServer({ mounts, policy }));
}

function readPort(text) {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new SetupError(`--port ${text} is not a port`);
  return port;
}

/** Fetches the page and what it loads, so that a broken build is noticed here and not in a browser. */
async function fetchPage(url) {
  for (const part of ["/viewer/", "/viewer/page.js", "/viewer/style.css", "/wasm/decode.wasm"]) {
    const response = await fetch(url + part);
    const bytes = (await response.arrayBuffer()).byteLength;
    if (!response.ok || bytes === 0)
      throw new SetupError(`${part} answered ${response.status} with ${bytes} bytes`);
    console.log(`  ${part}  ${bytes} bytes`);
  }
}

/** Reads a sample over HTTP with the library, checks it and shows a corner of it. */
async function showSample(url, { title, store, sha256 }) {
  const { getBytes, get, open, slice } = await import("zarr-wasm");
  const array = await open(`${url}/examples/${store}`, { onWarning: () => {} });
  const { bytes } = await getBytes(array);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== sha256)
    throw new SetupError(`sample ${store} was decoded wrongly: SHA-256 ${found}, expected ${sha256}`);
  console.log(`  ${store}: ${title}; ${bytes.length} bytes decoded, SHA-256 as expected`);
  return { array, corner: () => get(array, [slice(0, 4), slice(0, 5)]) };
}

async function main() {
  const { values } = parseArgs({ options: { check: { type: "boolean" }, port: { type: "string" } } });
  const port = readPort(values.port);
  buildAll();

  step("Serving the viewer");
  const server = await serve(port);
  const samples = JSON.parse(readFileSync(path.join(root, "examples/samples.json"), "utf8"));
  const shown = values.check ? samples : samples.slice(0, 1);
  if (values.check) await fetchPage(server.url);
  const [first] = await Promise.all(shown.map((sample) => showSample(server.url, sample)));
  const { data, shape } = await first.corner();
  console.log(`  its first elements:`);
  for (let row = 0; row < shape[0]; row++) {
    const cells = [...data.subarray(row * shape[1], (row + 1) * shape[1])];
    console.log(`    ${cells.map((value) => value.toFixed(4).padStart(9)).join(" ")}`);
  }
  if (values.check) {
    await server.close();
    console.log("check passed");
    return 0;
  }
  console.log(`\nThe viewer is at ${server.url}/viewer/ (Ctrl+C stops it)`);
  return 0;
}

runMain(main);
