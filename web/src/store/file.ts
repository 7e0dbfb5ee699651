/** The file system as a store (Node, Deno, Bun). */
import { networkError } from "../errors.js";
import { isFileUrl, nodeModule, readFileUrl } from "../platform.js";
import { normalizePath } from "./path.js";
import type { GetOptions, Store } from "./store.js";

/** Codes that mean "no such file"; reading a folder (EISDIR) is not finding a file either. */
const missing = new Set(["ENOENT", "ENOTDIR", "EISDIR"]);

/** A store in a folder: the key "/a/b" is the file `a/b` below it. Keys cannot leave the folder. */
export class FileSystemStore implements Store {
  /** The folder as it was given. */
  readonly root: string | URL;
  #base: Promise<URL> | undefined;

  /** @param root path of a folder (relative to the current one), or its file URL. */
  constructor(root: string | URL) {
    this.root = root;
  }

  locate(key: string): string {
    return `${String(this.root).replace(/\/$/, "")}${key}`;
  }

  async get(key: string, { signal }: GetOptions = {}): Promise<Uint8Array | undefined> {
    signal?.throwIfAborted();
    const path = normalizePath(key).split("/").map(encodeURIComponent).join("/");
    this.#base ??= folderUrl(this.root);
    const file = new URL(path, await this.#base);
    try {
      return await readFileUrl(file, signal);
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const { code } = cause as { code?: string };
      if (code !== undefined && missing.has(code)) return undefined;
      throw networkError(`${file} could not be read: ${code ?? String(cause)}`, {
        code: "file-failed",
        cause,
      });
    }
  }
}

/** The folder's URL with a "/" at its end, so that keys resolve below it. */
async function folderUrl(root: string | URL): Promise<URL> {
  const text = String(root);
  if (root instanceof URL || /^file:\/\//i.test(text)) {
    const url = new URL(text.endsWith("/") ? text : `${text}/`);
    if (!isFileUrl(url)) throw networkError(`${text} is not the URL of a folder`, { code: "file-failed" });
    return url;
  }
  const { pathToFileURL } = await nodeModule<typeof import("node:url")>("node:url");
  return pathToFileURL(`${text}/`);
}
