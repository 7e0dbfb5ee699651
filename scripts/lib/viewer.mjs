// Builds the viewer: its component, which the package exports, and its page, bundled with the library.
//
// The page lies one folder below dist, because the library finds the wasm modules at ../wasm/ relative to its code. The
// glue of the modules stays in separate parts, which are loaded with the modules.
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { compileProject } from "./build.mjs";
import { buildDir, distDir, root } from "./paths.mjs";
import { capture, findTool, run, step } from "./process.mjs";
import { copyTypes } from "./types.mjs";

const source = path.join(root, "web/viewer");
const copied = ["page/index.html", "element/style.css.d.ts", "page/icon.svg"];

/** Bundled files: parts of the scripts, whose names change with their content, and modules. */
const bundled = /^[a-z0-9-]+-[A-Za-z0-9_-]+\.js$/;

/**
 * Builds dist/viewer. The library must be built: it is bundled from dist.
 * @param {{keepsOld?: boolean}} [options] whether bundled files of the build before are kept in {@link beforeDir}
 */
export function buildViewer({ keepsOld = false } = {}) {
  step("Building the viewer");
  const out = path.join(distDir, "viewer");
  compileProject("web/viewer/tsconfig.json", path.join(out, "viewer.js"));
  for (const name of copied) copyFileSync(path.join(source, name), path.join(out, path.basename(name)));
  copyTypes();
  writeStyles(out);
  rmSync(beforeDir, { recursive: true, force: true });
  if (keepsOld) moveBundled(out, beforeDir);
  else moveBundled(out);
  run(process.execPath, [path.join(root, "scripts/lib/viewer-bundles.mjs")]);
  writeFileSync(path.join(out, "worker.js"), workerText);
}

/** The script of the pool's workers, which the library expects beside itself: starts the one beside the modules. */
const workerText = 'import { startWorker } from "../wasm/worker-chunk.js";\n\nstartWorker();\n';

/** Style sheets by the module that holds them for shadow roots, to which the page's style sheets do not apply. */
const sheets = {
  "style-text": ["style", "picture", "foot"],
  "tool-style-text": ["tools"],
  "panel-style-text": ["panels", "controls", "contents", "panes"],
};

const minified = (name) =>
  capture(findTool("esbuild"), [path.join(source, `${name}.css`), "--minify"]).trim();

/** Writes the style sheets: as one file for pages, and as modules. */
function writeStyles(out) {
  writeFileSync(path.join(out, "page.css"), minified("page/page"));
  const all = [];
  for (const [module, names] of Object.entries(sheets)) {
    const css = names.map((name) => minified(`element/${name}`)).join("");
    all.push(css);
    writeFileSync(path.join(out, `element/${module}.js`), `export default ${JSON.stringify(css)};\n`);
    copyFileSync(path.join(source, `element/${module}.d.ts`), path.join(out, `element/${module}.d.ts`));
  }
  writeFileSync(path.join(out, "style.css"), all.join("\n"));
}

/** Copies the script of the pool's workers, for programs without the package's other files. */
export function copyWorker(out) {
  copyFileSync(path.join(distDir, "workers/worker.js"), path.join(out, "worker.js"));
}

/** Bundled files of the build before: `npm start` serves them to pages that are open. The package has none of them. */
export const beforeDir = path.join(buildDir, "viewer-before");

/**
 * Removes bundled files, or moves them to another folder.
 * @param {string} out
 * @param {string} [to]
 */
export function moveBundled(out, to) {
  if (to !== undefined) mkdirSync(to, { recursive: true });
  for (const name of readdirSync(out).filter((file) => bundled.test(file)))
    if (to === undefined) rmSync(path.join(out, name));
    else renameSync(path.join(out, name), path.join(to, name));
}
