/** Folders and files of the file system. */
// What is there anyway (see util/lazy.ts).
import "../codecs.js";
import "../hierarchy/get.js";
import "../hierarchy/open.js";

export { overlappingFile } from "../store/file/overlap.js";
export { modifiedTime, readFilePart } from "../store/file/read.js";
export { FileSystemStore } from "../store/file/store.js";
