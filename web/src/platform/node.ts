/** Node, Deno and Bun: packaged files are read from disk. */
import { readFile } from "node:fs/promises";
import { FileSystemStore } from "../store/file.js";
import type { Store } from "../store/store.js";

export function loadWasm(url: URL): Promise<Uint8Array<ArrayBuffer> | Response> {
  return url.protocol === "file:" ? readFile(url) : fetch(url);
}

export function openUrl(url: URL): Store | undefined {
  return url.protocol === "file:" ? new FileSystemStore(url) : undefined;
}
