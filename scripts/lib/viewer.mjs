// What esbuild makes for browsers: the viewer's page, and the library for pages without a bundler.
//
// Both lie one folder below dist, because the library finds the wasm modules at ../wasm/ from where its
// code lies. The glue of the modules stays in parts of its own, which are loaded with the modules.
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { buildDir, distDir, root } from "./paths.mjs";
import { findTool, run, step } from "./process.mjs";

const source = path.join(root, "web/viewer");
const copied = ["index.html", "style.css", "page.css", "icon.svg"];

/** Names that esbuild gives to shared and lazily loaded parts: they change with their content. */
const splitPart = /^(chunk|decode|full)-[A-Z0-9]{8}\.js(\.map)?$/;

/** Builds dist/viewer and dist/browser. The library must be built: it is bundled from dist. */
export function buildViewer() {
  step("Building the viewer");
  const out = path.join(distDir, "viewer");
  compile(out);
  bundle(["web/viewer/page.ts"], out);
  for (const name of copied) copyFileSync(path.join(source, name), path.join(out, name));
  bundle(["dist/index.js", "dist/codecs.js"], path.join(distDir, "browser"));
}

/** Types and modules of the component, which the package exports. */
function compile(out) {
  // An incremental compiler believes its notes, not its eyes: without output they are void.
  if (!existsSync(path.join(out, "viewer.js")))
    rmSync(path.join(buildDir, "ts/viewer.tsbuildinfo"), { force: true });
  run(findTool("tsc"), ["-p", "web/viewer/tsconfig.json"]);
}

function bundle(entries, out) {
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out).filter((file) => splitPart.test(file))) rmSync(path.join(out, name));
  const options = ["--bundle", "--splitting", "--format=esm", "--target=es2022", "--minify", "--sourcemap"];
  run(findTool("esbuild"), [...entries, ...options, "--log-level=warning", `--outdir=${out}`]);
}
