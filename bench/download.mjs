// Measures the download size of showing a piece of an array: opens and reads one over HTTP with a bundle
// whose parts report when they are loaded.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { distDir, root } from "../scripts/lib/paths.mjs";

const entryName = "viewer.js";

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

/**
 * Opens an array on a server and reads a piece of it.
 * @param {Record<string, Uint8Array | string>} files of the array, by key
 * @returns {Promise<{name: string, contents: Uint8Array}[]>} the scripts and modules loaded for that
 */
export async function downloadedFor(files) {
  const { outputFiles: parts } = await bundleParts('export { get, open } from "zarr-wasm";');
  const dir = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-download-"));
  const { fetch } = globalThis;
  const server = createServer(({ url }, response) => {
    const file = files[url.slice(1)];
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  try {
    const loaded = writeParts(dir, parts);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { get, open } = await import(pathToFileURL(path.join(dir, "bundle", entryName)).href);
    globalThis.fetch = (...request) => fetch(...request); // as in browsers: Node's client is a part that they do not load
    const array = await open(`http://127.0.0.1:${server.address().port}/`, { kind: "array" });
    await get(array);
    const scripts = parts.filter(({ path: file }) => loaded.has(path.basename(file)));
    const modules = ["decode", "full"].filter((name) => scripts.some((part) => isGlue(part, name)));
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
  for (const name of ["decode", "full"]) {
    const file = `wasm/${name}.wasm`;
    writeFileSync(path.join(dir, file), readFileSync(path.join(distDir, file)));
  }
  writeFileSync(path.join(dir, "package.json"), '{ "type": "module" }');
  return loaded;
}
