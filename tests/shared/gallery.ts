/** The samples that the page offers: examples/gallery.json. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { examplesFolder } from "./places.js";

interface GallerySample {
  readonly name: string;
  readonly source: string;
  readonly path?: string;
  readonly view: Readonly<Record<string, string>>;
}

const file = path.join(examplesFolder, "gallery.json");

export const gallerySamples = JSON.parse(readFileSync(file, "utf8")) as GallerySample[];

/** The query of the viewer that shows a sample. */
export const sampleQuery = ({ source, path, view }: GallerySample): URLSearchParams =>
  new URLSearchParams({ source, ...(path ? { path } : {}), ...view });
