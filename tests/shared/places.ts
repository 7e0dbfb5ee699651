/** Folders that the tests read and write. */
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const distFolder = path.join(root, "dist");
export const viewerFolder = path.join(root, "web/viewer/dist");
export const examplesFolder = path.join(root, "examples");
export const storesFolder = path.join(root, "build/tmp/browser-stores");
export const groupsFolder = path.join(root, "build/tmp/browser-groups");
export const layersFolder = path.join(root, "build/tmp/browser-layers");
export const looksFolder = path.join(root, "build/tmp/browser-looks");
export const embedFolder = path.join(root, "build/tmp/browser-embed");
export const pagesFolder = path.join(root, "tests/browser/pages");

/**
 * The parts of the package that every test server offers, by path: the viewer, the library and the samples.
 */
export const packageMounts = {
  "/viewer/": viewerFolder,
  "/wasm/": path.join(distFolder, "wasm"),
  "/lib/": distFolder,
  "/examples/": examplesFolder,
};
