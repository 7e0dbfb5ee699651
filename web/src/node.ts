/**
 * Stores for Node, Deno and Bun.
 * @packageDocumentation
 */

export { type FileSinkOptions, fileSink } from "./store/file/sink.js";
export { FileSystemStore, type FileSystemStoreOptions } from "./store/file/store.js";
