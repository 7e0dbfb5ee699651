// The viewer: its component, which the package exports, and its page, bundled with the library.
//
// The page lies one folder below dist, because the library finds the wasm modules at ../wasm/ from where its
// code lies. The glue of the modules stays in parts of its own, which are loaded with the modules.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { compileProject } from "./build.mjs";
import { distDir, root } from "./paths.mjs";
import { findTool, run, step } from "./process.mjs";

const source = path.join(root, "web/viewer");
const copied = ["index.html", "style.css", "style.css.d.ts", "page.css", "icon.svg"];

/** Names that esbuild gives to shared and lazily loaded parts: they change with their content. */
const splitPart = /^[a-z-]+-[A-Z0-9]{8}\.js(\.map)?$/;

/** Builds dist/viewer. The library must be built: it is bundled from dist. */
export function buildViewer() {
  step("Building the viewer");
  const out = path.join(distDir, "viewer");
  compileProject("web/viewer/tsconfig.json", path.join(out, "viewer.js"));
  bundle(["web/viewer/page.ts"], out);
  for (const name of copied) copyFileSync(path.join(source, name), path.join(out, name));
}

function bundle(entries, out) {
  mkdirSync(out, { recursive: true });
  for (const name of readdirSync(out).filter((file) => splitPart.test(file))) rmSync(path.join(out, name));
  const options = ["--bundle", "--splitting", "--format=esm", "--target=es2022", "--minify", "--sourcemap"];
  // web/src/base/lazy.ts says what the bare imports are for.
  const log = ["--log-level=warning", "--log-override:ignored-bare-import=silent"];
  run(findTool("esbuild"), [...entries, ...options, ...log, `--outdir=${out}`]);
}
