/** The file system as a store (Node, Deno, Bun). */
import { checkConstructor, checkSignal } from "../../util/arguments.js";
import { describeValue, invalidArgument } from "../../util/errors.js";
import { defaultLimits } from "../../util/limits.js";
import { nodeModule } from "../../util/platform.js";
import { addInspection } from "../../util/symbol-methods.js";
import type { EverythingStore, StoredEntry } from "../deletion.js";
import { encodeKey, normalizePath } from "../path.js";
import { BufferLender, RangedStore } from "../read.js";
import {
  borrows,
  fileCalls,
  lend,
  type OwnStore,
  own,
  type RangeQuery,
  type Store,
  type StoreGetOptions,
  type StoreSetOptions,
  type StoreWriteOptions,
} from "../store.js";
import type { FileCalls } from "../transport.js";
import { CallRunner, maxBlockingBytes } from "./calls.js";
import { entriesIn, folderKind, refuseProtected, removeEmptyFoldersIn } from "./entries.js";
import { isLink, modifiedTime, namesIn, readFilePart, readFolder, realFolder } from "./read.js";
import { emptyFolder, removeFile, removeFolder, writeFileWhole } from "./write.js";

export interface FileSystemStoreOptions {
  /** Maximum number of bytes of one read; more are LimitExceeded. */
  maxBytes?: number | undefined;
  /**
   * Waits in `set` until the object has reached the disk, so that it survives a power failure. Default: false. Objects are
   * complete in any case if a process ends at any moment.
   */
  fsync?: boolean | undefined;
}

/** Location and options of a folder, to open it in another thread. */
export interface FolderLocation {
  /** With a "/" at its end. */
  readonly url: string;
  readonly options: FileSystemStoreOptions;
}

export { modifiedTime };

/**
 * A store in a folder: the key "/a/b" is the file `a/b` below it. Keys cannot leave the folder. Links in it are followed;
 * listing stops at circles. Files that do not exist and folders are missing. Other failures throw Network ("file-failed").
 */
export class FileSystemStore extends RangedStore implements OwnStore, EverythingStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "FileSystemStore";
  }

  /** The folder as passed by the caller. */
  readonly root: string | URL;
  readonly #maxBytes: number;
  readonly #fsync: boolean;
  readonly #lender = new BufferLender();
  /** @internal */
  [fileCalls]: OwnStore[typeof fileCalls];
  #base: Promise<URL> | undefined;
  #runner: Promise<CallRunner> | undefined;

  /** @param root path of a folder (relative to the current one), or its file URL. */
  constructor(root: string | URL, options: FileSystemStoreOptions = {}) {
    checkConstructor(options, "store", { maxBytes: true, fsync: true });
    super();
    this.root = checkRoot(root);
    this.#maxBytes = options.maxBytes ?? defaultLimits.encodedBytes;
    this.#fsync = options.fsync ?? false;
    addInspection(this, () => ({ root: String(this.root) }));
  }

  /** @internal */
  get [own](): Pick<Store, "get" | "set"> {
    return FileSystemStore.prototype;
  }

  /** @internal */
  get [borrows](): true {
    return true;
  }

  /** Writes support `ifVersion`: "absent" among all programs, versions among writers that use them. */
  get conditional(): true {
    return true;
  }

  locate(key: string): string {
    return `${String(this.root).replace(/\/$/, "")}${key}`;
  }

  /** @internal */
  async readPart(
    key: string,
    range: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    const reading = { ...options, range, maxBytes: this.#limit(options) };
    return readFilePart(await this.#fileUrl(key), reading, await this.#readCalls());
  }

  /** @internal Reads a file into a buffer that the reader returns: see store/read.ts. */
  async [lend](key: string, options: StoreGetOptions): Promise<Uint8Array | undefined> {
    checkSignal(options.signal);
    const url = await this.#fileUrl(key);
    return this.#lender.run(async () => {
      const reading = { ...options, maxBytes: this.#limit(options), bufferPool: this.#lender.pool };
      const bytes = await readFilePart(url, reading, await this.#readCalls());
      return bytes && this.#lender.lend(bytes);
    });
  }

  /** Returns the calls for reading the next file. */
  async #readCalls(): Promise<FileCalls> {
    this.#runner ??= CallRunner.make();
    return (this[fileCalls] ?? (await this.#runner)).next;
  }

  #limit({ maxBytes = Number.POSITIVE_INFINITY }: StoreGetOptions): number {
    return Math.min(maxBytes, this.#maxBytes);
  }

  /**
   * Writes a file: others see the old one or the new one, never a part of it.
   * @throws AlreadyExists, Conflict for an `ifVersion` that does not hold; Network ("disk-full", "file-failed"), also
   *   where a folder has the name; ReadOnly ("permission-denied"); InvalidArgument ("bad-path").
   */
  async set(key: string, value: Uint8Array, options: StoreSetOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    if (normalizePath(key) === "") throw invalidArgument(`"${key}" is not the key of a file`, badPath);
    const isShort = value.byteLength <= maxBlockingBytes && !this.#fsync;
    const calls = isShort ? this[fileCalls]?.next : undefined;
    await writeFileWhole(await this.#fileUrl(key), value, { ...options, fsync: this.#fsync, calls });
  }

  /** @internal Undefined for a subclass, or if a method was replaced. */
  async location(): Promise<FolderLocation | undefined> {
    const isPlain = Object.getPrototypeOf(this) === FileSystemStore.prototype;
    if (!isPlain || ["get", "getRange", "set", "delete"].some((name) => Object.hasOwn(this, name)))
      return undefined;
    const { href } = await this.#folderUrl("");
    return { url: href, options: { maxBytes: this.#maxBytes, fsync: this.#fsync } };
  }

  async delete(key: string, options: StoreWriteOptions = {}): Promise<void> {
    await removeFile(await this.#fileUrl(key), { ...options, calls: this[fileCalls]?.next });
  }

  /**
   * Removes a folder with its contents, Zarr or not; for the root only the contents. `deleteNode` removes Zarr nodes
   * only.
   * @throws NotAllowed ("protected-folder") for the root of the file system, the home folder and the folders above it,
   *   and those above the working directory.
   */
  async deletePrefix(path: string, options: StoreWriteOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    const folder = normalizePath(path);
    await refuseProtected(await this.#fileUrl(folder));
    if (folder === "") await emptyFolder(await this.#folderUrl(""), options);
    else await removeFolder(await this.#fileUrl(folder), options);
  }

  /** @internal */
  async *everythingBelow(path: string): AsyncGenerator<StoredEntry[]> {
    const folder = normalizePath(path);
    const kind = folder === "" ? "folder" : await folderKind(await this.#fileUrl(folder));
    if (kind === "link") yield [{ key: `/${folder}`, kind }];
    else if (kind === "folder") yield* entriesIn(await this.#folderUrl(folder), folder);
  }

  /** @internal */
  async removeEmptyFolders(path: string): Promise<void> {
    const folder = normalizePath(path);
    const kind = folder === "" ? "folder" : await folderKind(await this.#fileUrl(folder));
    if (kind === "folder") await removeEmptyFoldersIn(await this.#folderUrl(folder), folder === "");
  }

  /** @internal */
  async *placesRead(path: string, isFile: boolean): AsyncGenerator<URL> {
    if (isFile) yield await this.#fileUrl(normalizePath(path));
  }

  /** Lists the keys of all files below a path, sorted by name in each folder. */
  async *list(path: string): AsyncGenerator<string> {
    yield* this.#walk(normalizePath(path), undefined);
  }

  /** @internal Lists names of files and folders below a path, unsorted: see `namesIn`. */
  async *namesBelow(
    path: string,
    depth: number,
    isEntered: (name: string) => boolean,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<string> {
    for await (const name of namesIn(await this.#folderUrl(path), depth, isEntered)) {
      signal?.throwIfAborted();
      yield name;
    }
  }

  /** Lists the folders in a folder, without links that lead in a circle. */
  async listChildren(path: string): Promise<string[]> {
    const folder = normalizePath(path);
    const entries = (await readFolder(await this.#folderUrl(folder))).filter((entry) => entry.isFolder);
    if (entries.length === 0) return [];
    const links = await this.#countLinks(folder);
    const names: string[] = [];
    for (const { name, isLink } of entries)
      if (await this.#isEntered(below(folder, name), links, isLink)) names.push(name);
    return names;
  }

  /** @param known number of links on the way to the folder, if known. */
  async *#walk(folder: string, known: number | undefined): AsyncGenerator<string> {
    const entries = await readFolder(await this.#folderUrl(folder));
    if (entries.length === 0) return;
    const links = known ?? (await this.#countLinks(folder));
    for (const { name, isFolder, isLink } of entries) {
      const path = below(folder, name);
      if (!isFolder) yield `/${path}`;
      else if (await this.#isEntered(path, links, isLink)) yield* this.#walk(path, links + Number(isLink));
    }
  }

  /** Returns the number of links on the way from the root to a folder. */
  async #countLinks(folder: string): Promise<number> {
    let count = 0;
    for (const path of wayTo(folder)) if (path !== "" && (await isLink(await this.#fileUrl(path)))) count++;
    return count;
  }

  /** Whether listing enters a folder. @param links number of links on the way to the folder that contains it. */
  async #isEntered(path: string, links: number, isLink: boolean): Promise<boolean> {
    if (links + Number(isLink) === 0) return true; // there are no circles without links
    if (isLink && links >= maxLinks) return false;
    const way = wayTo(path).map(async (folder) => realFolder(await this.#folderUrl(folder)));
    const reals = await Promise.all(way);
    return reals.indexOf(reals.at(-1)!) === reals.length - 1;
  }

  async #folderUrl(path: string): Promise<URL> {
    const url = await this.#fileUrl(path);
    if (!url.pathname.endsWith("/")) url.pathname += "/";
    return url;
  }

  async #fileUrl(key: string): Promise<URL> {
    const path = normalizePath(key);
    if (onWindows()) checkWindowsPath(path);
    this.#base ??= folderUrl(this.root);
    return new URL(encodeKey(path), await this.#base);
  }
}

/**
 * Maximum number of links on one way that listing follows. Each link below a link multiplies the ways: listing folders
 * full of links to each other would never end.
 */
const maxLinks = 2;

const below = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

/** Returns the paths of the folders from the root to a folder: "", "a" and "a/b" for "a/b". */
function wayTo(folder: string): string[] {
  const names = folder === "" ? [] : folder.split("/");
  return ["", ...names.map((_, i) => names.slice(0, i + 1).join("/"))];
}

const badPath = { code: "bad-path" } as const;

function onWindows(): boolean {
  return (globalThis as { process?: { platform?: string } }).process?.platform === "win32";
}

/**
 * Rejects names that mean something else to Windows: devices, streams, and names that it truncates (".. " becomes
 * "..").
 * @throws InvalidArgument.
 */
export function checkWindowsPath(path: string): void {
  for (const segment of path.split("/")) {
    const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i.test(
      segment.trimEnd(),
    );
    if (device || /[<>:"|?*]|[. ]$/.test(segment)) {
      throw invalidArgument(`${JSON.stringify(segment)} is not the name of a file on Windows`, badPath);
    }
  }
}

/** @throws InvalidArgument for a value that is neither a path nor a file URL. */
function checkRoot(root: string | URL): string | URL {
  const isUrl = root instanceof URL || (typeof root === "string" && /^[a-z][a-z\d+.-]+:\/\//i.test(root));
  if (isUrl && !/^file:/i.test(String(root)))
    throw invalidArgument(`${root} is not a folder: pass the URL to open(), or to HttpStore`);
  if (!isUrl && (typeof root !== "string" || root === ""))
    throw invalidArgument(`the folder must be a path or a file URL, got ${describeValue(root) || '""'}`);
  return root;
}

/** Returns the folder's URL with a trailing "/", so that keys resolve below it. */
async function folderUrl(root: string | URL): Promise<URL> {
  const text = String(root);
  if (root instanceof URL || /^file:\/\//i.test(text)) {
    return new URL(text.endsWith("/") ? text : `${text}/`);
  }
  const { pathToFileURL } = await nodeModule<typeof import("node:url")>("node:url");
  return pathToFileURL(`${text}/`);
}
