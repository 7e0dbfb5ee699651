/** Stores, and what they need, that are loaded where a source asks for them. */
import { part } from "../base/lazy.js";

export const archives = part("ZIP archives", () => import("../lazy/archives.js"));
export const fileSystem = part("files", () => import("../lazy/file-system.js"));
