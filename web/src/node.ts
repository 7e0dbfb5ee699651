/**
 * Stores for Node, Deno and Bun.
 * @packageDocumentation
 */
export { FileSystemStore, type FileSystemStoreOptions } from "./store/file.js";
export { type FileSinkOptions, fileSink } from "./store/file-sink.js";
