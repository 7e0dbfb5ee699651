/** Once before all browser tests: the stores that they read, and the page that embeds the component. */
import { buildSync } from "esbuild";
import { bundleWorker } from "../../scripts/lib/viewer.mjs";
import { embedFolder, groupsFolder, storesFolder } from "../shared/places.js";
import { writeGroups } from "../shared/viewer-groups.js";
import { writeImages } from "../shared/viewer-images.js";
import { writeStores } from "../shared/viewer-stores.js";

export default async function setup(): Promise<void> {
  writeStores(storesFolder);
  writeImages(storesFolder);
  await writeGroups(groupsFolder);
  buildSync({
    entryPoints: [new URL("pages/embed.ts", import.meta.url).pathname],
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    outdir: embedFolder,
    logLevel: "warning",
  });
  bundleWorker(embedFolder);
}
