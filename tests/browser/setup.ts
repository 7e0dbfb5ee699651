/** Once before all browser tests: the stores that they read, and the page that embeds the component. */
import { buildSync } from "esbuild";
import { embedFolder, storesFolder } from "../shared/places.js";
import { writeStores } from "../shared/viewer-stores.js";

export default function setup(): void {
  writeStores(storesFolder);
  buildSync({
    entryPoints: [new URL("pages/embed.ts", import.meta.url).pathname],
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    outdir: embedFolder,
    logLevel: "warning",
  });
}
