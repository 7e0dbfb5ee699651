/**
 * Stores for Node, Deno and Bun.
 * @packageDocumentation
 */

export { FileSystemStore, type FileSystemStoreOptions } from "./store/file/store.js";
export { type FileSinkOptions, fileSink } from "./store/file/write.js";
