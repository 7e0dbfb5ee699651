// npm run test:compat -- frameworks: the examples of <zarr-viewer> in React, Vue, Svelte and Observable Framework, in
// Chromium; and examples/react and tests/frameworks/types, compiled strictly against the packed packages. The frameworks come from npm, into tests/frameworks/node_modules.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { buildAll } from "../build.mjs";
import { ensurePackagesOf } from "../lib/npm.mjs";
import { installArchives, packPackages } from "../lib/packages.mjs";
import { buildDir, distDir, root, viewerDist } from "../lib/paths.mjs";
import { capture, findTool, run, runMain, step } from "../lib/process.mjs";
import { launchChromium, startServer } from "../lib/server.mjs";

const home = path.join(root, "tests/frameworks");
const examples = path.join(root, "examples/viewer");
const out = path.join(buildDir, "frameworks");
const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

const fromHome = createRequire(path.join(home, "package.json"));
const example = (name) => readFileSync(path.join(examples, name), "utf8");
const props = '{ src: "/examples/field.zarr", colormap: "magma" }';

/** Files of each program, by its name. */
function programs() {
  const { parse, compileScript } = fromHome("@vue/compiler-sfc");
  const { compile } = fromHome("svelte/compiler");
  const { descriptor } = parse(example("ArrayView.vue"), { filename: "ArrayView.vue" });
  const isCustomElement = (tag) => tag === "zarr-viewer";
  const vue = compileScript(descriptor, {
    id: "view",
    inlineTemplate: true,
    templateOptions: { compilerOptions: { isCustomElement } },
  });
  const svelte = compile(example("ArrayView.svelte"), { generate: "client", filename: "ArrayView.svelte" });
  return {
    react: {
      "view.jsx": example("React.jsx"),
      "main.jsx": `import { createRoot } from "react-dom/client"; import { createElement } from "react"; import { ArrayView } from "./view.jsx";
        createRoot(document.getElementById("app")).render(createElement(ArrayView, ${props}));`,
    },
    vue: {
      "view.js": vue.content,
      "main.js": `import { createApp } from "vue"; import View from "./view.js"; createApp(View, ${props}).mount("#app");`,
    },
    svelte: {
      "view.js": svelte.js.code,
      "main.js": `import { mount } from "svelte"; import View from "./view.js";
        mount(View, { target: document.getElementById("app"), props: ${props} });`,
    },
  };
}

async function bundle(name, files) {
  const dir = path.join(home, "node_modules/.programs", name); // where the frameworks and this package are found
  mkdirSync(dir, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(dir, file), text);
  await build({
    entryPoints: { [name]: path.join(dir, Object.keys(files)[1]) },
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    outdir: path.join(out, "js"),
    jsx: "automatic",
    conditions: ["browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [ownPackage],
    logOverride: { "ignored-bare-import": "silent" }, // see scripts/lib/chunks.mjs
  });
  const page = `<!doctype html><title>${name}</title><div id="app"></div><script type="module" src="/js/${name}.js"></script>`;
  writeFileSync(path.join(out, `${name}.html`), page);
}

/** Observable Framework builds the page itself; the viewer's script and data come from the server. */
function buildObservable(url) {
  const dir = path.join(home, "node_modules/.programs/observable");
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(path.join(dir, "src"), { recursive: true });
  const output = JSON.stringify(path.join(out, "observable"));
  const config = `export default { root: "src", output: ${output}, globalStylesheets: [] };`;
  writeFileSync(path.join(dir, "observablehq.config.js"), config);
  const local = example("observable.md")
    .replace("https://example.org/data/image.zarr", "/examples/field.zarr")
    .replace("https://cdn.jsdelivr.net/", `${url}/`);
  writeFileSync(path.join(dir, "src/index.md"), local);
  run(
    process.execPath,
    [
      ...["--import", pathToFileURL(path.join(home, "cdn.mjs")).href],
      path.join(home, "node_modules/@observablehq/framework/dist/bin/observable.js"),
      "build",
    ],
    { cwd: dir, env: { ...process.env, OBSERVABLE_TELEMETRY_DISABLE: "true" } },
  );
}

/** Waits for the value under the pointer. */
async function readValue(page) {
  await page.locator(".zw-box").hover();
  await page.locator("figcaption", { hasText: /\d/ }).waitFor({ timeout: 10_000 });
}

/** Selects the colour map in the page's own control, and waits for the page to show the value under the pointer. */
async function useObservable(page) {
  await page.locator("form select").first().selectOption({ label: "magma" });
  await page.waitForFunction(
    () => document.querySelector("zarr-viewer").view.settings.colormap === "magma",
    undefined,
    { timeout: 10_000 },
  );
  await page.locator(".zw-box").hover();
  await page.locator("p", { hasText: /Value: .*\d/ }).waitFor({ timeout: 10_000 });
}

/** Resolves the packages by their names, as if they were installed. */
const ownPackage = {
  name: "own packages",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^zarr-wasm/ }, (asked) =>
      asked.pluginData === "own"
        ? undefined
        : resolve(asked.path, { resolveDir: root, kind: asked.kind, pluginData: "own" }),
    );
  },
};

/** Returns an error; undefined if the program shows the array, passes on its properties and receives events. */
async function faultsOf(browser, url, use = readValue) {
  const page = await browser.newPage();
  const faults = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  try {
    await page.goto(url);
    await page.locator('.zw-viewer[data-state="ready"]').waitFor({ timeout: 30_000 });
    await use(page);
    const colormap = await page.locator("zarr-viewer").evaluate((viewer) => viewer.view.settings.colormap);
    if (colormap !== "magma") faults.push(`the colour map is ${colormap}`);
  } catch ({ message }) {
    faults.push(message.split("\n")[0]);
  }
  await page.close();
  return faults;
}

const types = path.join(home, "types");

const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  noEmit: true,
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  types: [],
  module: "esnext",
  moduleResolution: "bundler",
  preserveSymlinks: true,
};

/** Programs that are only compiled, by name: a file, and compiler options. */
const typed = {
  react: ["types/react.tsx", { jsx: "react-jsx" }],
  "examples/react": ["ArrayView.tsx", { jsx: "react-jsx", exactOptionalPropertyTypes: true }],
  preact: ["types/preact.tsx", { jsx: "react-jsx", jsxImportSource: "preact" }],
  solid: ["types/solid.tsx", { jsx: "preserve", jsxImportSource: "solid-js" }],
  vue: ["types/vue.tsx", { jsx: "preserve", jsxImportSource: "vue" }],
  svelte: ["types/svelte.ts", {}],
};

/** Installs the packed packages beside the frameworks, in a separate folder. */
function install(dir) {
  const modules = path.join(dir, "node_modules");
  mkdirSync(modules);
  for (const name of readdirSync(path.join(home, "node_modules")))
    if (!name.startsWith(".")) symlinkSync(path.join(home, "node_modules", name), path.join(modules, name));
  installArchives(modules, packPackages(dir));
  // Another scope, or "zarr-wasm" would be the checkout.
  writeFileSync(path.join(dir, "package.json"), JSON.stringify({ type: "module", private: true }));
  symlinkSync(types, path.join(dir, "types"));
  symlinkSync(path.join(root, "examples/react/ArrayView.tsx"), path.join(dir, "ArrayView.tsx"));
}

/** Compiles every program. @returns {Record<string, string>} the compiler's output, empty if there are no errors */
function compileFrameworks() {
  mkdirSync(buildDir, { recursive: true });
  const dir = mkdtempSync(path.join(buildDir, "framework-types-"));
  try {
    install(dir);
    return Object.fromEntries(
      Object.entries(typed).map(([name, [file, own]]) => [name, compile(dir, file, own)]),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function compile(dir, file, own) {
  const config = path.join(dir, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...compilerOptions, ...own }, files: [file] }));
  try {
    return capture(findTool("tsc"), ["-p", config]);
  } catch (error) {
    return error.message;
  }
}

async function main() {
  if (!process.env.ZARR_WASM_BUILT) await buildAll();
  ensurePackagesOf(home, "Installing the frameworks");
  step("Compiling against the types of the frameworks");
  const errors = Object.entries(compileFrameworks()).filter(([, text]) => text !== "");
  for (const [name, text] of errors) console.log(`  ✗ types of ${name}:\n${text}`);
  rmSync(out, { recursive: true, force: true });
  const all = Object.entries(programs());
  for (const [name, files] of all) await bundle(name, files);
  const pages = [
    ...all.map(([name]) => [name, `${name}.html`]),
    ["observable", "observable/index.html", useObservable],
  ];
  const mounts = {
    "/": out,
    "/examples/": path.join(root, "examples"),
    // As on a CDN.
    "/npm/zarr-wasm-viewer/dist/": viewerDist,
    [`/npm/zarr-wasm@${version}/dist/`]: distDir,
  };
  const server = await startServer({ mounts });
  step("Building with Observable Framework");
  buildObservable(server.url);
  const browser = await launchChromium();
  let failed = errors.length;
  for (const [name, place, use] of pages) {
    const faults = await faultsOf(browser, `${server.url}/${place}`, use);
    console.log(faults.length === 0 ? `  ✓ ${name}` : `  ✗ ${name}: ${faults.join("; ")}`);
    if (faults.length > 0) failed++;
  }
  await Promise.all([browser.close(), server.close()]);
  console.log(`\n${pages.length + errors.length - failed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

await runMain(main);
