/**
 * Stores for Node, Deno and Bun.
 * @packageDocumentation
 */
export { FileSystemStore } from "./store/file.js";
