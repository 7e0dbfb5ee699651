/** Files from `<input type="file" webkitdirectory>` as a store. */
import type { RangeQuery, Store, StoreGetOptions } from "zarr-wasm";
import { readBlob } from "./blob-parts.js";

/** All files of a folder, by their path in it. Read-only. */
export class FileListStore implements Store {
  readonly #files = new Map<string, File>();

  /** @param files files whose `webkitRelativePath` begins with the folder's name. */
  constructor(
    readonly name: string,
    files: Iterable<File>,
  ) {
    for (const file of files) {
      const { webkitRelativePath: path } = file;
      if (path.startsWith(`${name}/`)) this.#files.set(path.slice(name.length), file);
    }
  }

  locate(key: string): string {
    return this.name + key;
  }

  async get(key: string, options?: StoreGetOptions): Promise<Uint8Array | undefined> {
    const file = this.#files.get(key);
    return file && readBlob(file, this.locate(key), undefined, options);
  }

  async getRange(key: string, range: RangeQuery, options?: StoreGetOptions): Promise<Uint8Array | undefined> {
    const file = this.#files.get(key);
    return file && readBlob(file, this.locate(key), range, options);
  }

  *list(path: string): Generator<string> {
    const prefix = path === "" ? "/" : `/${path}/`;
    for (const key of this.#files.keys()) if (key.startsWith(prefix)) yield key;
  }
}
