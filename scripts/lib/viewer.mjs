// Building the viewer into dist/viewer: its modules with types by tsc (the component that the package
// exports), the page bundled by esbuild. Bundles lie directly in dist/viewer, because the library finds
// the wasm modules at ../wasm/ from where its code lies.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { distDir, root } from "./paths.mjs";
import { findTool, run, step } from "./process.mjs";

const source = path.join(root, "web/viewer");
const out = path.join(distDir, "viewer");
const copied = ["index.html", "style.css", "page.css", "icon.svg"];

/** Names that esbuild gives to shared and lazily loaded parts: they change with their content. */
const splitPart = /^(chunk|decode|full)-[A-Z0-9]{8}\.js(\.map)?$/;

/** Builds the viewer. The library must be built: the page is bundled with what is in dist. */
export function buildViewer() {
  step("Building the viewer");
  mkdirSync(out, { recursive: true });
  run(findTool("tsc"), ["-p", "web/viewer/tsconfig.json"]);
  for (const name of readdirSync(out).filter((file) => splitPart.test(file))) rmSync(path.join(out, name));
  run(findTool("esbuild"), [
    "web/viewer/page.ts",
    "--bundle",
    "--splitting",
    "--format=esm",
    "--target=es2022",
    "--minify",
    "--sourcemap",
    "--log-level=warning",
    `--outdir=${out}`,
  ]);
  for (const name of copied) copyFileSync(path.join(source, name), path.join(out, name));
}
