// Part of npm run test:compat -- frameworks: compiles examples/react and tests/frameworks/types against the packed
// packages and the frameworks' own types, strictly.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installArchives, packPackages } from "../lib/packages.mjs";
import { buildDir, root } from "../lib/paths.mjs";
import { capture, findTool } from "../lib/process.mjs";

const home = path.join(root, "tests/frameworks");
const types = path.join(home, "types");

const options = {
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

/** Programs by name: a file, and compiler options. */
const programs = {
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
  // A scope of its own, or "zarr-wasm" would be the checkout.
  writeFileSync(path.join(dir, "package.json"), JSON.stringify({ type: "module", private: true }));
  symlinkSync(types, path.join(dir, "types"));
  symlinkSync(path.join(root, "examples/react/ArrayView.tsx"), path.join(dir, "ArrayView.tsx"));
}

/** Compiles every program. @returns {Record<string, string>} the compiler's output, empty if there are no errors */
export function compileFrameworks() {
  mkdirSync(buildDir, { recursive: true });
  const dir = mkdtempSync(path.join(buildDir, "framework-types-"));
  try {
    install(dir);
    return Object.fromEntries(
      Object.entries(programs).map(([name, [file, own]]) => [name, compile(dir, file, own)]),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function compile(dir, file, own) {
  const config = path.join(dir, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...options, ...own }, files: [file] }));
  try {
    return capture(findTool("tsc"), ["-p", config]);
  } catch (error) {
    return error.message;
  }
}
