// npm run docs: builds the documentation site into build/site/dist. Its dependencies come from npm into
// docs/site/node_modules.
//   npm run docs -- dev             serves it, and reloads docs/*.md when they are saved; -- --port N
//   npm run docs -- --base /x/   for a site that is not at the root of its host
import { rmSync, watch } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { ensureSitePackages, siteTool } from "./lib/npm.mjs";
import { distDir, root } from "./lib/paths.mjs";
import { run, runMain, step } from "./lib/process.mjs";
import { documents, pagesDir, siteDir, siteOutput, stageAssets, stagePages } from "./lib/site.mjs";

/** Writes the API pages from the docstrings of the built package's types. */
function writeReference() {
  step("Writing the reference from docstrings");
  run(
    siteTool("typedoc"),
    ["--options", path.join(siteDir, "typedoc.json"), "--out", path.join(pagesDir, "api")],
    { cwd: siteDir },
  );
}

function stage() {
  stagePages();
  stageAssets();
}

/** Stages saved files again. VitePress notices which pages have changed. */
function follow() {
  let timer;
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      try {
        stagePages();
      } catch (error) {
        console.error(error.message); // the file may be half saved
      }
    }, 100);
  };
  const folders = new Set([...documents(), "docs/site/pages/index.md"].map((file) => path.dirname(file)));
  for (const folder of folders) watch(path.join(root, folder), again);
}

async function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { base: { type: "string" }, port: { type: "string" } },
  });
  const isServing = positionals[0] === "dev";
  // Only the built package is documented. A build needs the compilers, so an existing one is reused.
  const { existsSync } = await import("node:fs");
  if (!existsSync(path.join(distDir, "index.js"))) await (await import("./build.mjs")).buildAll();
  ensureSitePackages();
  step("Gathering pages");
  rmSync(pagesDir, { recursive: true, force: true });
  stage();
  writeReference();
  process.env.ZARR_WASM_SITE_BASE = values.base ?? "/";
  step(isServing ? "Serving the site" : "Building the site");
  const { build, createServer } = await import(siteTool("vitepress", "module"));
  if (!isServing) {
    await build(siteDir);
    console.log(`The site is in ${path.relative(root, siteOutput)}`);
    return 0;
  }
  follow();
  const server = await createServer(siteDir, { port: Number(values.port ?? 5173) });
  await server.listen();
  server.printUrls();
  return 0;
}

runMain(main);
