/** Stores, and what they need, that are loaded where a source asks for them. */
import { part } from "../parts.js";

export const archives = part("ZIP archives", () => import("../parts/archives.js"));
export const fileSystem = part("files", () => import("../parts/file-system.js"));
