// npm run check -- reproducible: checks that the WebAssembly modules and their glue do not depend on the build folder.
// Builds them here and in a deeper folder with another name, and compares the bytes. Takes minutes.
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { compileWasm } from "../lib/build.mjs";
import { buildDir, root, wasmModules } from "../lib/paths.mjs";
import { runMain, step } from "../lib/process.mjs";
import { ensureSources } from "../lib/sources.mjs";
import { ensureSystem } from "../lib/system.mjs";

/** The inputs of CMake. */
const inputs = [
  "CMakeLists.txt",
  "bench/inheap",
  "bindings",
  "cmake",
  "scripts/sources.json",
  "src",
  "third_party",
];
const outputs = wasmModules.flatMap((name) => [`${name}.wasm`, `${name}.mjs`]);

const sha256Of = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

function compare(here, there) {
  const different = outputs.filter((name) => {
    const [a, b] = [here, there].map((dir) => sha256Of(path.join(dir, name)));
    console.log(`  ${a === b ? "✓" : "✗"} ${name}  ${a}${a === b ? "" : ` here, ${b} there`}`);
    return a !== b;
  });
  return different.length === 0 ? 0 : 1;
}

runMain(async () => {
  ensureSystem(["build"]);
  await ensureSources();
  step("Building the WebAssembly modules here");
  const here = path.join(buildDir, "wasm");
  compileWasm(here);
  const elsewhere = mkdtempSync(path.join(tmpdir(), "another place for zarr-wasm "));
  try {
    step(`Building them in ${elsewhere}`);
    const copy = path.join(elsewhere, "deeper/checkout");
    for (const name of inputs.filter((input) => existsSync(path.join(root, input))))
      cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
    const there = path.join(copy, "out/of the way");
    compileWasm(there, undefined, copy);
    return compare(here, there);
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
});
