/** Stores, and what they need, that are loaded where a source asks for them. */
import { lazy } from "../util/lazy.js";

export const archives = lazy("ZIP archives", () => import("../lazy/archives.js"));
export const fileSystem = lazy("files", () => import("../lazy/file-system.js"));
export const icechunk = lazy("Icechunk repositories", () => import("../lazy/icechunk.js"));
export const references = lazy("references", () => import("../lazy/references.js"));
export const parquet = lazy("references in Parquet files", () => import("../lazy/parquet.js"));
