// npm start: sets up, builds, makes samples, serves the viewer with them on localhost, and decodes one sample.
//   npm start -- --check     the same, once: fetches the page's files, prints them, exits
//   npm start -- --port N    port to listen on (default: 8080, or any free one)
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ensureSamples, samplesDir } from "../examples/samples/samples.mjs";
import { buildAll } from "./build.mjs";
import { distDir, root, viewerDist } from "./lib/paths.mjs";
import { runMain, SetupError, step } from "./lib/process.mjs";

const defaultPort = 8080;

const mounts = {
  "/": viewerDist,
  "/viewer/": viewerDist,
  "/wasm/": path.join(distDir, "wasm"),
  "/examples/": { root: path.join(root, "examples"), isData: true },
  "/samples/": { root: samplesDir, isData: true },
};

/** Imports the command line's server, which has been built by now. */
async function serve(port) {
  const { startServer, viewerPolicy: policy } = await import("../dist/cli/server/server.js");
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

/** Fetches the page and the files that it loads, so that a broken build is noticed here. */
async function fetchPage(url) {
  for (const part of ["/viewer/", "/viewer/page.min.js", "/viewer/style.css", "/wasm/decode.wasm"]) {
    const response = await fetch(url + part);
    const bytes = (await response.arrayBuffer()).byteLength;
    if (!response.ok || bytes === 0)
      throw new SetupError(`${part} answered ${response.status} with ${bytes} bytes`);
    console.log(`  ${part}  ${bytes} bytes`);
  }
}

/** Reads an array over HTTP with the library, and compares it with the expected values. */
async function readArray(source, arrayPath, sha256) {
  const { getBytes, open } = await import("zarr-wasm");
  const array = await open(source, { path: arrayPath, kind: "array", onWarning: () => {} });
  const { bytes } = await getBytes(array);
  const found = createHash("sha256").update(bytes).digest("hex");
  const name = `${new URL(source).pathname.slice(1)}${arrayPath === "" ? "" : `/${arrayPath}`}`;
  if (found !== sha256)
    throw new SetupError(`sample ${name} was decoded wrongly: SHA-256 ${found}, expected ${sha256}`);
  return { array, name, bytes: bytes.length };
}

async function showArray(source, arrayPath, title, sha256) {
  const { array, name, bytes } = await readArray(source, arrayPath, sha256);
  console.log(`  ${name}: ${title}; ${bytes} bytes decoded, SHA-256 as expected`);
  return array;
}

/** A corner of a two-dimensional array, as a table. */
async function showCorner(array) {
  const { get, slice } = await import("zarr-wasm");
  const { data, shape } = await get(array, [slice(0, 4), slice(0, 5)]);
  console.log(`  its first elements:`);
  for (let row = 0; row < shape[0]; row++) {
    const cells = [...data.subarray(row * shape[1], (row + 1) * shape[1])];
    console.log(`    ${cells.map((value) => value.toFixed(4).padStart(9)).join(" ")}`);
  }
}

const readList = (name) => JSON.parse(readFileSync(path.join(root, "examples", name), "utf8"));

/** All files of the page. */
async function showAll(url) {
  await fetchPage(url);
  for (const { source, title, arrays } of readList("gallery.json"))
    for (const [arrayPath, sha256] of Object.entries(arrays))
      await showArray(url + source, arrayPath, title, sha256);
  for (const { store, title, sha256 } of readList("samples.json").slice(1))
    await showArray(`${url}/examples/${store}`, "", title, sha256);
}

async function main() {
  const { values } = parseArgs({ options: { check: { type: "boolean" }, port: { type: "string" } } });
  const port = readPort(values.port);
  await buildAll();

  step("Making samples");
  await ensureSamples();

  step("Serving the viewer");
  const server = await serve(port);
  const [{ store, title, sha256 }] = readList("samples.json");
  const first = await showArray(`${server.url}/examples/${store}`, "", title, sha256);
  await showCorner(first);
  if (!values.check) console.log(`\nThe viewer is at ${server.url}/viewer/ (Ctrl+C stops it)`);
  if (values.check) {
    await showAll(server.url);
    await server.close();
    console.log("check passed");
  }
  return 0;
}

runMain(main);
