/** Folders from `webkitGetAsEntry` as stores, for browsers without handles. */
import { type RangeQuery, type Store, type StoreGetOptions, ZarrError } from "zarr-wasm";
import { readBlob } from "./blob-parts.js";

/** The required part of the File and Directory Entries API. */
export interface FileEntry {
  readonly isDirectory: false;
  readonly name: string;
  file(done: (file: File) => void, failed: (error: DOMException) => void): void;
}

export interface FolderEntry {
  readonly isDirectory: true;
  readonly name: string;
  getFile(
    path: string,
    options: Record<string, never>,
    done: (entry: FileEntry) => void,
    failed: (error: DOMException) => void,
  ): void;
  getDirectory(
    path: string,
    options: Record<string, never>,
    done: (entry: FolderEntry) => void,
    failed: (error: DOMException) => void,
  ): void;
  createReader(): {
    readEntries(
      done: (entries: readonly (FileEntry | FolderEntry)[]) => void,
      failed: (error: DOMException) => void,
    ): void;
  };
}

/** Maximum number of entries listed per folder. */
const maxEntries = 100_000;

/** A dropped folder. Read-only. */
export class FolderEntryStore implements Store {
  constructor(readonly root: FolderEntry) {}

  locate(key: string): string {
    return this.root.name + key;
  }

  async get(key: string, options?: StoreGetOptions): Promise<Uint8Array | undefined> {
    const file = await this.#file(key);
    return file && readBlob(file, this.locate(key), undefined, options);
  }

  async getRange(key: string, range: RangeQuery, options?: StoreGetOptions): Promise<Uint8Array | undefined> {
    const file = await this.#file(key);
    return file && readBlob(file, this.locate(key), range, options);
  }

  async listChildren(path: string): Promise<string[]> {
    const folder =
      path === ""
        ? this.root
        : await this.#found<FolderEntry>("getDirectory", path).catch(this.#failed(`/${path}`));
    if (!folder) return [];
    const reader = folder.createReader();
    const names: string[] = [];
    for (let count = 0; count < maxEntries; ) {
      // Browsers return them in batches; an empty batch is the end.
      const entries = await new Promise<readonly (FileEntry | FolderEntry)[]>((resolve, reject) => {
        reader.readEntries(resolve, reject);
      }).catch(this.#failed(`/${path}`));
      if (entries.length === 0) break;
      count += entries.length;
      for (const entry of entries) if (entry.isDirectory) names.push(entry.name);
    }
    return names.sort();
  }

  async #file(key: string): Promise<File | undefined> {
    const entry = await this.#found<FileEntry>("getFile", key.replace(/^\//, "")).catch(this.#failed(key));
    if (!entry) return undefined;
    return new Promise<File>((resolve, reject) => {
      entry.file(resolve, reject);
    }).catch(this.#failed(key));
  }

  /** The entry at a path; undefined if missing or of the other kind. */
  #found<T>(method: "getFile" | "getDirectory", path: string): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const failed = (error: DOMException) =>
        ["NotFoundError", "TypeMismatchError"].includes(error.name) ? resolve(undefined) : reject(error);
      this.root[method](path, {}, (entry) => resolve(entry as T), failed);
    });
  }

  #failed(key: string): (cause: unknown) => never {
    return (cause) => {
      const name = (cause as { name?: string } | null)?.name ?? String(cause);
      throw new ZarrError("Network", `${this.locate(key)} could not be read: ${name}`, {
        code: "file-failed",
        cause,
      });
    };
  }
}
