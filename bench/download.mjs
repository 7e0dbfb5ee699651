// Measures the downloads of a page: runs a program over HTTP with a bundle whose parts report when they are loaded.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { distDir, root } from "../scripts/lib/paths.mjs";

const entryName = "viewer.js";
const moduleNames = ["decode", "full", "images"];

/** The parts that a bundler creates from an entry point. */
export function bundleParts(contents) {
  return build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root, sourcefile: entryName },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    external: ["node:*"],
    outdir: "out",
    entryNames: "viewer",
    write: false,
    metafile: true,
    logOverride: { "ignored-bare-import": "silent" }, // see scripts/lib/chunks.mjs
  });
}

/** Opens an array and reads all of it. */
const openAndGet = async ({ get, open }, url) => get(await open(url, { kind: "array" }));

/**
 * Runs a program with a server.
 * @param {Record<string, Uint8Array | string>} files on the server, by path
 * @param {{imports?: string, run?: (library: object, url: string) => Promise<unknown>}} program the entry of its
 *   bundle, and its function, which receives the entry's exports; default: opens and reads an array
 * @returns {Promise<{name: string, contents: Uint8Array}[]>} the scripts and modules loaded for that
 */
export async function downloadedFor(
  files,
  { imports = 'export { get, open } from "zarr-wasm";', run = openAndGet } = {},
) {
  const { outputFiles: parts } = await bundleParts(imports);
  const dir = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-download-"));
  const { fetch } = globalThis;
  const server = createServer((request, response) => answer(files, request, response));
  try {
    const loaded = writeParts(dir, parts);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const library = await import(pathToFileURL(path.join(dir, "bundle", entryName)).href);
    globalThis.fetch = (...request) => fetch(...request); // as in browsers: Node's client is a part that they do not load
    await run(library, `http://127.0.0.1:${server.address().port}/`);
    const scripts = parts.filter(({ path: file }) => loaded.has(path.basename(file)));
    const modules = moduleNames.filter((name) => scripts.some((part) => isGlue(part, name)));
    return [
      ...scripts.map(({ path: file, contents }) => ({ name: path.basename(file), contents })),
      ...modules.map((name) => ({
        name: `${name}.wasm`,
        contents: readFileSync(path.join(distDir, `wasm/${name}.wasm`)),
      })),
    ];
  } finally {
    globalThis.fetch = fetch;
    server.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Sends a file, or the range of it that was requested. */
function answer(files, { url, headers }, response) {
  const file = files[url.slice(1)];
  if (file === undefined) return response.writeHead(404).end();
  const bytes = Buffer.from(file);
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "") ?? [];
  if (first === undefined) return response.writeHead(200).end(bytes);
  const start = first === "" ? Math.max(0, bytes.length - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes.length : Math.min(bytes.length, Number(last) + 1);
  response.writeHead(206, { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` });
  response.end(bytes.subarray(start, end));
}

const isGlue = ({ path: file }, name) => path.basename(file).startsWith(`${name}-`);

/** Writes the parts, each with a line that records its name when it is loaded. */
function writeParts(dir, parts) {
  const loaded = new Set();
  globalThis.loadedParts = loaded;
  mkdirSync(path.join(dir, "bundle"));
  for (const { path: file, text } of parts) {
    const name = path.basename(file);
    writeFileSync(path.join(dir, "bundle", name), `globalThis.loadedParts.add("${name}");${text}`);
  }
  mkdirSync(path.join(dir, "wasm"));
  for (const name of moduleNames) {
    const file = `wasm/${name}.wasm`;
    writeFileSync(path.join(dir, file), readFileSync(path.join(distDir, file)));
  }
  writeFileSync(path.join(dir, "package.json"), '{ "type": "module" }');
  return loaded;
}
