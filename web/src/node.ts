/**
 * Stores for Node, Deno and Bun.
 * @packageDocumentation
 */
export { FileSystemStore, type FileSystemStoreOptions } from "./store/file.js";
