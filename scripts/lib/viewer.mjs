// The viewer: its component, which the package exports, and its page, bundled with the library.
//
// The page lies one folder below dist, because the library finds the wasm modules at ../wasm/ from where its
// code lies. The glue of the modules stays in parts of its own, which are loaded with the modules.
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { compileProject } from "./build.mjs";
import { distDir, root } from "./paths.mjs";
import { capture, findTool, run, step } from "./process.mjs";

const source = path.join(root, "web/viewer");
const copied = [
  "page/index.html",
  "element/style.css",
  "element/style.css.d.ts",
  "page/page.css",
  "page/icon.svg",
];

/** Names that esbuild gives to shared and lazily loaded parts: they change with their content. */
const splitPart = /^[a-z0-9-]+-[A-Z0-9]{8}\.js$/;

/** Bundles by name, and what they begin with. Those of a list share their parts: the page's own are few, and load sooner. */
const bundles = [{ "page.min": "page.js" }, { "viewer.min": "define.js", "anywidget.min": "anywidget.js" }];

/** Builds dist/viewer. The library must be built: it is bundled from dist. */
export function buildViewer() {
  step("Building the viewer");
  const out = path.join(distDir, "viewer");
  compileProject("web/viewer/tsconfig.json", path.join(out, "viewer.js"));
  for (const name of copied) copyFileSync(path.join(source, name), path.join(out, path.basename(name)));
  writeStyleText(out);
  bundle(out);
  copyWorker(out);
  preloadParts(out);
}

/** The style sheet as a module: what lies in a shadow does not see the page's. */
function writeStyleText(out) {
  const css = capture(findTool("esbuild"), [path.join(source, "element/style.css"), "--minify"]).trim();
  writeFileSync(path.join(out, "element/style-text.js"), `export default ${JSON.stringify(css)};\n`);
  copyFileSync(path.join(source, "element/style-text.d.ts"), path.join(out, "element/style-text.d.ts"));
}

/** The script of the pool's workers, which the library looks for beside itself. */
export function copyWorker(out) {
  copyFileSync(path.join(distDir, "workers/worker.js"), path.join(out, "worker.js"));
}

/** Parts that are loaded when they are needed, which every first picture needs: they are asked for with the page. */
const neededSoon = ["shards", "http-ranges", "decode", "canvas2d", "legends", "overlay", "side"];

/** Names the parts of the page's script in the page, so that they are asked for at once, and not one after another. */
function preloadParts(out) {
  const textOf = (name) => readFileSync(path.join(out, name), "utf8");
  const imported = /\b(?:from|import)\s*"\.\/([a-z0-9-]+-[A-Z0-9]{8}\.js)"/g;
  const importedLater = /\bimport\("\.\/(([a-z0-9-]+)-[A-Z0-9]{8}\.js)"\)/g;
  const find = (name, parts) => {
    for (const [, part] of textOf(name).matchAll(imported)) {
      if (parts.has(part)) continue;
      parts.add(part);
      find(part, parts);
    }
    return parts;
  };
  const first = find("page.min.js", new Set());
  const soon = new Set();
  for (const name of ["page.min.js", ...first])
    for (const [, part, what] of textOf(name).matchAll(importedLater)) {
      if (!neededSoon.includes(what)) continue;
      soon.add(part);
      find(part, soon);
    }
  const link = (attributes) => (name) => `    <link rel="modulepreload" ${attributes}href="${name}">\n`;
  const links = [
    ...[...first].map(link("")),
    ...[...soon].filter((name) => !first.has(name)).map(link('fetchpriority="low" ')),
  ].join("");
  const page = path.join(out, "index.html");
  writeFileSync(page, readFileSync(page, "utf8").replace("  </head>", `${links}  </head>`));
}

/** From what was compiled: there the style sheet is a module. */
function bundle(out) {
  for (const name of readdirSync(out).filter((file) => splitPart.test(file))) rmSync(path.join(out, name));
  const options = ["--bundle", "--splitting", "--format=esm", "--target=es2022", "--minify"];
  if (process.env.ZARR_WASM_MAPS) options.push("--sourcemap"); // not in the package: three times its size
  const files = ["--external:../wasm/*-embedded.js", "--external:../wasm/worker-*.js"]; // for where modules are missing
  // web/src/base/lazy.ts says what the bare imports are for.
  const log = ["--log-level=warning", "--log-override:ignored-bare-import=silent"];
  for (const bundle of bundles) {
    const entries = Object.entries(bundle).map(([name, entry]) => `${name}=${path.join(out, entry)}`);
    run(findTool("esbuild"), [...entries, ...options, ...files, ...log, `--outdir=${out}`]);
  }
}
