// Builds the package zarr-wasm-viewer: its component, and its page and scripts, bundled with the library.
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { compileProject } from "./build.mjs";
import { viewerEntries } from "./entries.mjs";
import { root, viewerDir as source, viewerDist, viewerModules } from "./paths.mjs";
import { capture, findTool, run, step } from "./process.mjs";
import { copyTypes } from "./types.mjs";

const copied = ["page/index.html", "element/style.css.d.ts", "page/icon.svg"];

/** Bundled files: parts of the scripts, whose names change with their content, and modules. */
const bundled = /^[a-z0-9-]+-[A-Za-z0-9_-]+\.js$/;

/** Builds web/viewer/dist. The library must be built: it is bundled from dist. */
export function buildViewer() {
  step("Building the viewer");
  compileProject("web/viewer/tsconfig.json", path.join(viewerModules, "viewer.js"));
  mkdirSync(viewerDist, { recursive: true });
  for (const name of copied)
    copyFileSync(path.join(source, name), path.join(viewerDist, path.basename(name)));
  copyTypes(viewerEntries, viewerModules, path.join(viewerDist, "types"));
  // Written by hand, as they augment packages that are not installed.
  cpSync(path.join(source, "frameworks"), path.join(viewerDist, "types/frameworks"), { recursive: true });
  for (const name of ["LICENSE", "THIRD_PARTY_NOTICES.md"])
    copyFileSync(path.join(root, name), path.join(source, name));
  writeStyles();
  for (const name of readdirSync(viewerDist).filter((file) => bundled.test(file)))
    rmSync(path.join(viewerDist, name));
  run(process.execPath, [path.join(root, "scripts/lib/viewer-bundles.mjs")]);
}

/** Style sheets by the module that holds them for shadow roots, to which the page's style sheets do not apply. */
const sheets = {
  "style-text": ["style", "picture", "foot"],
  "tool-style-text": ["tools"],
  "panel-style-text": ["panels", "controls", "contents", "panes"],
};

const minified = (name) =>
  capture(findTool("esbuild"), [path.join(source, `${name}.css`), "--minify"]).trim();

/** Writes the style sheets: as one file for pages, and as modules. */
function writeStyles() {
  writeFileSync(path.join(viewerDist, "page.css"), minified("page/page"));
  const all = [];
  for (const [module, names] of Object.entries(sheets)) {
    const css = names.map((name) => minified(`element/${name}`)).join("");
    all.push(css);
    writeFileSync(
      path.join(viewerModules, `element/${module}.js`),
      `export default ${JSON.stringify(css)};\n`,
    );
    const types = `element/${module}.d.ts`;
    copyFileSync(path.join(source, types), path.join(viewerModules, types));
  }
  writeFileSync(path.join(viewerDist, "style.css"), all.join("\n"));
}
