/** `FileSystemStore` as the drop-in for zarrita exports it; archive.ts says why. */
import { FileSystemStore as Store } from "./file/store.js";

export const FileSystemStore = Store;
export type FileSystemStore = Store;
