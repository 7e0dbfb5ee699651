// npm run test:compat -- compute [COUNT [SEED]]: random reductions (default: 2000) must equal exact results, which
// tests/compute/cases.py computes with Debian's Python and compares with xarray. A failing case is repeated by its seed. The
// expected output of the recipes in docs/compute.md must be that of xarray, too.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { buildAll } from "../build.mjs";
import { buildDir, root } from "../lib/paths.mjs";
import { capture, runMain, step } from "../lib/process.mjs";
import { runVitest, summarise } from "../lib/reports.mjs";
import { ensureSystem } from "../lib/system.mjs";

/** Whether xarray's results of the recipes are the recorded ones. */
function compareRecipes() {
  step("Recipes of docs/compute.md in xarray");
  const found = JSON.parse(capture("/usr/bin/python3", [path.join(root, "tests/compute/recipes.py")]));
  const recorded = JSON.parse(readFileSync(path.join(root, "tests/golden/compute/recipes.json"), "utf8"));
  const other = Object.keys({ ...found, ...recorded }).filter((name) => found[name] !== recorded[name]);
  for (const name of other)
    console.log(`  ${name}: xarray has ${found[name]}, recorded is ${recorded[name]}`);
  return other.length === 0;
}

runMain(async () => {
  const [count = "2000", seed = String(Date.now() % 1e6)] = process.argv.slice(2);
  ensureSystem(["build", "files"]);
  if (!process.env.ZARR_WASM_BUILT) await buildAll();
  step(`Computing ${count} cases with seed ${seed}`);
  const file = path.join(buildDir, "compute/cases.jsonl");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, capture("/usr/bin/python3", [path.join(root, "tests/compute/cases.py"), count, seed]));
  step("Reducing them");
  const tests = runVitest("compute", {
    args: ["tests/node/compute/xarray.test.ts"],
    env: { ZARR_WASM_COMPUTE: file },
  });
  const isSame = compareRecipes();
  const recipes = { name: "recipes in xarray", passed: Number(isSame), failed: Number(!isSame) };
  return summarise([{ name: `compute, seed ${seed}`, ...tests }, recipes]);
});
