// Makes the viewer's samples: computed locally, identical on every machine, in a few seconds.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildDir } from "../../scripts/lib/paths.mjs";

/** Folder of the samples; git ignores it. */
export const samplesDir = path.join(buildDir, "samples");

/** Sizes: one for the gallery, one that is small enough for tests. */
export const sizes = {
  full: { terrain: 4096, volume: 256, cells: 1024, days: 365, skeleton: 192 },
  small: { terrain: 512, volume: 128, cells: 256, days: 20, skeleton: 64 },
};

/** Makes the samples in a folder. @param {typeof sizes.full} size */
export async function makeSamples(folder, size) {
  const url = pathToFileURL(folder + path.sep);
  const { writeTerrain } = await import("./terrain.mjs");
  const { writeVolume, writeCells } = await import("./cells.mjs");
  const { writeClimate } = await import("./climate.mjs");
  const { writeSkeleton } = await import("./skeleton.mjs");
  const { writeFiles } = await import("./files.mjs");
  const { writeScience } = await import("./science.mjs");
  await writeTerrain(url, size.terrain);
  await writeVolume(url, size.volume);
  await writeCells(url, size.cells);
  await writeClimate(url, size.days);
  await writeSkeleton(url, size.skeleton);
  await writeFiles(url);
  await writeScience(url);
}

/** Makes the samples if they are missing or were made by other code. */
export async function ensureSamples() {
  const recipe = recipeHash();
  const stamp = path.join(samplesDir, "made-by.txt");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === recipe) return;
  const begun = `${samplesDir}.begun`;
  for (const folder of [begun, samplesDir]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(begun, { recursive: true });
  await makeSamples(begun, sizes.full);
  writeFileSync(path.join(begun, "made-by.txt"), recipe);
  renameSync(begun, samplesDir); // atomic: never a partial folder
}

/** Hash of the code that makes the samples. */
function recipeHash() {
  const folder = path.dirname(fileURLToPath(import.meta.url));
  const hash = createHash("sha256").update(JSON.stringify(sizes));
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(path.join(folder, name)));
  return hash.digest("hex");
}
