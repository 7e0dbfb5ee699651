// Samples for the viewer, made on this machine: computed, the same everywhere, a few seconds' work.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildDir } from "./paths.mjs";

/** Where they lie; git ignores it. */
export const samplesDir = path.join(buildDir, "samples");

/** How large they are: what is shown, and what tests have the time for. */
export const sizes = {
  full: { terrain: 4096, volume: 256, cells: 1024, days: 365 },
  small: { terrain: 512, volume: 128, cells: 256, days: 20 },
};

/** Makes the samples in a folder. @param {typeof sizes.full} size */
export async function makeSamples(folder, size) {
  const url = pathToFileURL(folder + path.sep);
  const [{ writeTerrain }, { writeVolume, writeCells }, { writeClimate }] = await Promise.all([
    import("./samples/terrain.mjs"),
    import("./samples/cells.mjs"),
    import("./samples/climate.mjs"),
  ]);
  await writeTerrain(url, size.terrain);
  await writeVolume(url, size.volume);
  await writeCells(url, size.cells);
  await writeClimate(url, size.days);
}

/** Makes the samples where they are not there yet, or were made by other code. */
export async function ensureSamples() {
  const recipe = recipeHash();
  const stamp = path.join(samplesDir, "made-by.txt");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === recipe) return;
  const begun = `${samplesDir}.begun`;
  for (const folder of [begun, samplesDir]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(begun, { recursive: true });
  await makeSamples(begun, sizes.full);
  writeFileSync(path.join(begun, "made-by.txt"), recipe);
  renameSync(begun, samplesDir); // whole or not there at all
}

/** Changes with the code that makes them. */
function recipeHash() {
  const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "samples");
  const hash = createHash("sha256").update(JSON.stringify(sizes));
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(path.join(folder, name)));
  return hash.digest("hex");
}
