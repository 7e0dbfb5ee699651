/** Global setup of the browser tests: their stores, and the page that embeds the component. */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { buildSync } from "esbuild";
import { makeSamples } from "../../examples/samples/samples.mjs";
import { embedFolder, groupsFolder, layersFolder, looksFolder, storesFolder } from "../shared/places.js";
import { writeGroups } from "../shared/viewer-groups.js";
import { writeImages } from "../shared/viewer-images.js";
import { writeLayers } from "../shared/viewer-layers.js";
import { writeStores } from "../shared/viewer-stores.js";

export default async function setup(): Promise<void> {
  writeStores(storesFolder);
  writeImages(storesFolder);
  await writeGroups(groupsFolder);
  await writeLayers(layersFolder);
  rmSync(looksFolder, { recursive: true, force: true });
  mkdirSync(looksFolder, { recursive: true });
  // Small enough to show single elements, and to keep pictures small.
  await makeSamples(looksFolder, { terrain: 256, volume: 64, cells: 128, days: 21, skeleton: 64 });
  buildSync({
    entryPoints: [new URL("pages/embed.ts", import.meta.url).pathname],
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    outdir: embedFolder,
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" }, // see scripts/lib/chunks.mjs
  });
  const worker = new URL("../../dist/workers/worker.js", import.meta.url).pathname;
  copyFileSync(worker, path.join(embedFolder, "worker.js"));
}
