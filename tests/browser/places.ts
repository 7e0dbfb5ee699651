/** Folders that the tests read and write. */
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const distFolder = path.join(root, "dist");
export const examplesFolder = path.join(root, "examples");
export const storesFolder = path.join(root, "build/tmp/browser-stores");
export const embedFolder = path.join(root, "build/tmp/browser-embed");
export const pagesFolder = path.join(root, "tests/browser/pages");
