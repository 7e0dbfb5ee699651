/** The file system as a store (Node, Deno, Bun). */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { networkError } from "../errors.js";
import { normalizePath } from "./path.js";
import type { GetOptions, Store } from "./store.js";

/** Codes that mean "no such file"; reading a folder (EISDIR) is not finding a file either. */
const missing = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

/** A store in a folder: the key "/a/b" is the file `a/b` below it. Keys cannot leave the folder. */
export class FileSystemStore implements Store {
  readonly root: string;

  constructor(root: string | URL) {
    this.root = typeof root === "string" ? path.resolve(root) : fileURLToPath(root);
  }

  async get(key: string, { signal }: GetOptions = {}): Promise<Uint8Array | undefined> {
    signal?.throwIfAborted();
    const file = path.join(this.root, ...normalizePath(key).split("/"));
    try {
      const bytes = await readFile(file, signal ? { signal } : {});
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== undefined && missing.has(code)) return undefined;
      throw networkError(`${file} could not be read: ${code ?? String(cause)}`, {
        code: "file-failed",
        cause,
      });
    }
  }
}
