/** Files of this machine as stores, for browsers without handles of folders. Read-only. */
import { type RangeQuery, type Store, type StoreGetOptions, ZarrError } from "zarr-wasm";

/** The required part of the File and Directory Entries API. */
export interface FileEntry {
  readonly isDirectory: false;
  readonly name: string;
  file(done: (file: File) => void, failed: (error: DOMException) => void): void;
}

type GetEntry<T> = (
  path: string,
  options: Record<string, never>,
  done: (entry: T) => void,
  failed: (error: DOMException) => void,
) => void;

export interface FolderEntry {
  readonly isDirectory: true;
  readonly name: string;
  readonly getFile: GetEntry<FileEntry>;
  readonly getDirectory: GetEntry<FolderEntry>;
  createReader(): {
    readEntries(
      done: (entries: readonly (FileEntry | FolderEntry)[]) => void,
      failed: (error: DOMException) => void,
    ): void;
  };
}

/** Maximum number of entries listed per folder. */
const maxEntries = 100_000;

/** Finds the file of a key, and the names of folders below a path. */
interface Folder {
  readonly name: string;
  fileAt(key: string): Promise<File | undefined>;
  foldersIn(path: string): Promise<readonly string[]>;
}

/** A folder as a store. @throws Network ("file-failed") if a file has changed or been removed since; LimitExceeded. */
class FolderStore implements Store {
  constructor(private readonly folder: Folder) {}

  locate(key: string): string {
    return this.folder.name + key;
  }

  get(key: string, options?: StoreGetOptions): Promise<Uint8Array | undefined> {
    return this.#read(key, undefined, options);
  }

  getRange(key: string, range: RangeQuery, options?: StoreGetOptions): Promise<Uint8Array | undefined> {
    return this.#read(key, range, options);
  }

  async listChildren(path: string): Promise<string[]> {
    return [...(await this.folder.foldersIn(path).catch(this.#failed(`/${path}`)))].sort();
  }

  async #read(
    key: string,
    range: RangeQuery | undefined,
    { signal, maxBytes = Number.POSITIVE_INFINITY }: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    signal?.throwIfAborted();
    const file = await this.folder.fileAt(key).catch(this.#failed(key));
    if (!file) return undefined;
    const { size } = file;
    const start = !range ? 0 : "offset" in range ? range.offset : Math.max(0, size - range.suffixLength);
    const end = range && "offset" in range ? Math.min(size, range.offset + range.length) : size;
    if (end - start > maxBytes)
      throw new ZarrError(
        "LimitExceeded",
        `${this.locate(key)} has ${end - start} bytes, more than the limit of ${maxBytes}`,
      );
    const bytes = await file.slice(start, Math.max(start, end)).arrayBuffer().catch(this.#failed(key));
    signal?.throwIfAborted();
    return new Uint8Array(bytes);
  }

  #failed(key: string): (cause: unknown) => never {
    return (cause) => {
      const name = (cause as { name?: string } | null)?.name ?? String(cause);
      const message = `${this.locate(key)} could not be read: ${name}`;
      throw new ZarrError("Network", message, { code: "file-failed", cause });
    };
  }
}

/** The store of a dropped folder, from `webkitGetAsEntry`. */
export function folderEntryStore(root: FolderEntry): Store {
  /** The entry at a path; undefined if missing or of the other kind. */
  const find = <T>(get: GetEntry<T>, path: string): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      const failed = (error: DOMException) =>
        ["NotFoundError", "TypeMismatchError"].includes(error.name) ? resolve(undefined) : reject(error);
      get.call(root, path, {}, resolve, failed);
    });
  return new FolderStore({
    name: root.name,
    async fileAt(key) {
      const entry = await find(root.getFile, key.replace(/^\//, ""));
      return entry && new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    },
    async foldersIn(path) {
      const reader = (path === "" ? root : await find(root.getDirectory, path))?.createReader();
      const names: string[] = [];
      for (let count = 0; reader && count < maxEntries; ) {
        // Browsers return them in batches; an empty batch is the end.
        const entries = await new Promise<readonly (FileEntry | FolderEntry)[]>((resolve, reject) => {
          reader.readEntries(resolve, reject);
        });
        if (entries.length === 0) break;
        count += entries.length;
        for (const entry of entries) if (entry.isDirectory) names.push(entry.name);
      }
      return names;
    },
  });
}

/**
 * The store of a chosen folder, from `<input type="file" webkitdirectory>`.
 * @param list files whose `webkitRelativePath` begins with the folder's name.
 */
export function fileListStore(name: string, list: Iterable<File>): Store {
  const files = new Map<string, File>();
  for (const file of list)
    if (file.webkitRelativePath.startsWith(`${name}/`))
      files.set(file.webkitRelativePath.slice(name.length), file);
  return new FolderStore({
    name,
    fileAt: async (key) => files.get(key),
    async foldersIn(path) {
      const prefix = path === "" ? "/" : `/${path}/`;
      const below = [...files.keys()].filter((key) => key.startsWith(prefix));
      const paths = below.map((key) => key.slice(prefix.length).split("/"));
      return [...new Set(paths.flatMap(([first, ...rest]) => (rest.length > 0 ? [first!] : [])))];
    },
  });
}
