/** Folders of browsers as stores: the origin's private file system, and folders that a user has opened. */

import {
  conflict,
  invalidArgument,
  isZarrError,
  networkError,
  readOnly,
  type ZarrError,
} from "../../util/errors.js";
import { addInspection } from "../../util/symbol-methods.js";
import { checkCondition, inTurn } from "../concurrency.js";
import { documentNames, type EverythingStore, type StoredEntry } from "../deletion.js";
import { isSegment, joinPath, normalizePath } from "../path.js";
import { RangedStore, resolveRange } from "../read.js";
import {
  checkVersion,
  type ObjectVersion,
  type RangeQuery,
  type StoreGetOptions,
  type StoreSetOptions,
  type StoreWriteOptions,
} from "../store.js";
import { isHidden } from "../temp-names.js";
import { type DirectoryHandle, type FileHandle, replaceFile } from "./handles.js";

/** Maximum number of cached folder handles. Opening the folders of a path takes longer than reading a small file. */
const maxFolders = 1024;

const fileVersion = ({ size, lastModified }: File): ObjectVersion => ({
  etag: `${size}-${lastModified}`,
  size,
});

type FolderEntry = readonly [name: string, kind: string];

const errorName = (error: unknown): string => (error as { name?: string } | undefined)?.name ?? "";
/** Whether a file or folder is missing, or is of the other kind. */
const isMissing = (error: unknown): boolean =>
  ["NotFoundError", "TypeMismatchError"].includes(errorName(error));

/**
 * A `FileSystemDirectoryHandle` as a store: `await navigator.storage.getDirectory()` (OPFS), or a folder that the user
 * has picked with `showDirectoryPicker({ mode: "readwrite" })`. In pages and in workers; handles can be posted to them.
 *
 * The key "/a/b" is the file `b` in the folder `a`. Files that do not exist and folders are missing. Other failures
 * throw Network ("file-failed").
 */
export class DirectoryHandleStore extends RangedStore implements EverythingStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "DirectoryHandleStore";
  }

  readonly #folders = new Map<string, Promise<DirectoryHandle>>();

  /** @param root the folder. Methods that write need permission to write it. */
  constructor(readonly root: DirectoryHandle) {
    super();
    addInspection(this, () => ({ root: this.root.name }));
  }

  /** Writes support `ifVersion`, among the pages and workers of the origin that use it. */
  get conditional(): true {
    return true;
  }

  /** @internal Distinguishes this store from others. */
  directoryRoot(): DirectoryHandle {
    return this.root;
  }

  locate(key: string): string {
    return `${this.root.name || "(private folder)"}${key}`;
  }

  /**
   * Writes a file atomically. Creates its folders.
   * @throws AlreadyExists, Conflict if `ifVersion` does not hold, Conflict ("locked") for a file that is open elsewhere;
   *   Network ("disk-full", "file-failed"); ReadOnly ("permission-denied"); InvalidArgument ("bad-path") for names that
   *   the system rejects; Unsupported ("no-conditions") if the browser cannot replace files.
   */
  async set(key: string, value: Uint8Array, { signal, ifVersion }: StoreSetOptions = {}): Promise<void> {
    const [folder, name] = this.#split(key);
    signal?.throwIfAborted();
    const write = async () => replaceFile(await this.#folder(folder, true), name, value, signal);
    await this.#guarded(key, "written", signal, async () => {
      if (ifVersion === undefined) return this.#retryInFolder(folder, write);
      return this.#exclusively(key, signal, async () => {
        const file = await (await this.#file(key))?.getFile();
        checkCondition(ifVersion, file && fileVersion(file), this.locate(key));
        // A change within the same millisecond would have the same version.
        while (file && Date.now() <= file.lastModified && file.lastModified - Date.now() < 100) await tick();
        await this.#retryInFolder(folder, write);
      });
    });
  }

  async delete(key: string, { signal }: StoreWriteOptions = {}): Promise<void> {
    const [folder, name] = this.#split(key);
    signal?.throwIfAborted();
    await this.#guarded(key, "removed", signal, async () => {
      // `removeEntry` removes empty folders, too.
      if (await this.#file(key)) await (await this.#folder(folder, false)).removeEntry(name);
    });
  }

  /**
   * Removes a folder with its contents, Zarr or not; for the root only the contents. `deleteNode` removes Zarr nodes
   * only.
   */
  async deletePrefix(path: string, { signal }: StoreWriteOptions = {}): Promise<void> {
    const folder = normalizePath(path);
    signal?.throwIfAborted();
    await this.#guarded(`/${folder}`, "removed", signal, async () => {
      if (folder === "") {
        for (const name of await this.#names()) await removeEntry(this.root, name);
        return;
      }
      const [parent, name] = this.#split(folder);
      const handle = await this.#folder(parent, false);
      await handle.getDirectoryHandle(name); // fails for a file of that name
      await removeEntry(handle, name);
    });
    this.#folders.clear();
  }

  /** Lists the keys of all files below a path, sorted by name in each folder. */
  async *list(path: string): AsyncGenerator<string> {
    const folder = normalizePath(path);
    for (const [name, kind] of await this.#entries(folder)) {
      const below = folder === "" ? name : `${folder}/${name}`;
      if (kind === "directory") yield* this.list(below);
      else yield `/${below}`;
    }
  }

  async listChildren(path: string): Promise<string[]> {
    const entries = await this.#entries(normalizePath(path));
    return entries.filter(([, kind]) => kind === "directory").map(([name]) => name);
  }

  /** @internal */
  async readPart(
    key: string,
    range: RangeQuery | undefined,
    { signal, version }: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    for (let tries = 0; ; tries++) {
      signal?.throwIfAborted();
      try {
        const file = await (await this.#file(key))?.getFile();
        const now = file && fileVersion(file);
        checkVersion(version && { ...version }, now, this.locate(key));
        if (!file) return undefined;
        const { start, end } = range ? resolveRange(range, file.size) : { start: 0, end: file.size };
        const bytes = new Uint8Array(await file.slice(start, end).arrayBuffer());
        signal?.throwIfAborted();
        // Noted once the bytes are read: an attempt that fails has seen nothing of its version.
        checkVersion(version, now, this.locate(key));
        return bytes;
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        // A file that is being replaced may be missing or unreadable for a moment.
        const mayPass = ["NotReadableError", "NotFoundError"].includes(errorName(error));
        if (!mayPass || tries === 3) throw this.#error(key, "read", error);
        await tick();
      }
    }
  }

  /** @internal */
  async *everythingBelow(path: string): AsyncGenerator<StoredEntry[]> {
    this.#folders.clear(); // they may have been removed and created again
    yield* this.#entriesBelow(path);
  }

  async *#entriesBelow(path: string): AsyncGenerator<StoredEntry[]> {
    const found: StoredEntry[] = [];
    for (const [name, kind] of await this.#everything(path)) {
      const below = joinPath(path, name);
      if (kind === "directory" && isSegment(name)) yield* this.#entriesBelow(below);
      else found.push({ key: `/${below}`, kind: isSegment(name) ? "object" : "other" });
    }
    yield found;
  }

  /** @internal */
  async removeEmptyFolders(path: string): Promise<void> {
    for (const [name, kind] of await this.#everything(path))
      if (kind === "directory" && isSegment(name)) await this.removeEmptyFolders(joinPath(path, name));
    if (path === "") return;
    const [parent, name] = this.#split(path);
    try {
      const folder = await this.#folder(parent, false);
      await folder.getDirectoryHandle(name); // fails for a file of that name
      await folder.removeEntry(name);
    } catch {
      // It is missing, or not empty.
    }
    this.#folders.clear();
  }

  /** Runs work exclusively among the pages and workers of the origin; without Web Locks, among users of the folder's handle. */
  #exclusively<T>(key: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const { locks } = (globalThis as { navigator?: { locks?: LockManager } }).navigator ?? {};
    if (!locks) return inTurn(this.root as never, key, signal, work);
    return locks.request(`zarr-wasm ${this.root.name}${key}`, signal ? { signal } : {}, work);
  }

  /** Returns the handle of a file; undefined if it is missing. */
  async #file(key: string): Promise<FileHandle | undefined> {
    const [folder, name] = this.#split(key);
    try {
      return await (await this.#folder(folder, false)).getFileHandle(name);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return undefined;
    }
  }

  #split(key: string): [folder: string, name: string] {
    const path = normalizePath(key);
    if (path === "") {
      throw invalidArgument(`${JSON.stringify(key)} is not the key of a file`, { code: "bad-path" });
    }
    const slash = path.lastIndexOf("/");
    return [path.slice(0, Math.max(0, slash)), path.slice(slash + 1)];
  }

  /** Returns a folder, which may be cached. Methods of a folder that has been removed fail with NotFoundError. */
  async #folder(path: string, create: boolean): Promise<DirectoryHandle> {
    if (path === "") return this.root;
    const known = this.#folders.get(path);
    if (known) return known;
    const slash = path.lastIndexOf("/");
    const opening = this.#folder(path.slice(0, Math.max(0, slash)), create).then((parent) =>
      parent.getDirectoryHandle(path.slice(slash + 1), { create }),
    );
    const handle = await opening;
    if (this.#folders.size >= maxFolders) this.#folders.clear();
    this.#folders.set(path, opening);
    return handle;
  }

  /** Runs work in a folder. Repeats it if a cached folder has been removed. */
  async #retryInFolder(folder: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (errorName(error) !== "NotFoundError" || folder === "") throw error;
      this.#folders.clear();
      await work();
    }
  }

  /** Lists the root's entries, a node's documents first. */
  async #names(): Promise<string[]> {
    const names: string[] = [];
    for await (const [name] of this.root.entries()) names.push(name);
    const isDocument = (name: string) => Number(documentNames.includes(name));
    return names.sort((a, b) => isDocument(b) - isDocument(a));
  }

  /** Lists the entries of a folder that keys can name, sorted. */
  async #entries(path: string): Promise<FolderEntry[]> {
    const entries = (await this.#everything(path)).filter(([name]) => isSegment(name) && !isHidden(name));
    return entries.sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Lists the entries of a folder, without the .crswap files that Chrome creates while it writes. */
  async #everything(path: string): Promise<FolderEntry[]> {
    const entries: FolderEntry[] = [];
    try {
      for await (const [name, { kind }] of (await this.#folder(path, false)).entries())
        if (!name.endsWith(".crswap")) entries.push([name, kind]);
    } catch (error) {
      if (!isMissing(error)) throw this.#error(`/${path}`, "listed", error);
    }
    return entries;
  }

  async #guarded(
    key: string,
    what: string,
    signal: AbortSignal | undefined,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (what !== "removed" || !isMissing(error)) throw this.#error(key, what, error);
    }
  }

  #error(key: string, what: string, cause: unknown): ZarrError {
    if (isZarrError(cause)) return cause;
    const name = errorName(cause);
    const message = `${this.locate(key)} could not be ${what}: ${name || cause}`;
    if (name === "QuotaExceededError") return networkError(message, { code: "disk-full", cause });
    if (name === "TypeError") return invalidArgument(message, { code: "bad-path", cause });
    if (what !== "read" && what !== "listed") {
      if (name === "NotAllowedError") return readOnly(message, { code: "permission-denied", cause });
      if (name === "NoModificationAllowedError") return conflict(message, { code: "locked", cause });
    }
    return networkError(message, { code: "file-failed", cause });
  }
}

async function removeEntry(folder: DirectoryHandle, name: string): Promise<void> {
  await folder.removeEntry(name, { recursive: true }).catch((error) => {
    if (!isMissing(error)) throw error;
  });
}

const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

interface LockManager {
  request<T>(name: string, options: { signal?: AbortSignal }, work: () => Promise<T>): Promise<T>;
}
