/**
 * The File System standard's folders in memory, faithful in everything that stores can observe: names, errors,
 * snapshots, streams that replace a file when they are closed, and differences between browsers.
 */
type Entry = MemoryFile | MemoryFolder;

export interface Browser {
  /** `createWritable`: not in workers of Safari before 26. */
  streams?: boolean;
  /** `createSyncAccessHandle`: in workers, in the private file system. */
  syncHandles?: boolean;
  /** `move`, and its behaviour if the file already exists. */
  move?: "replaces" | "refuses" | undefined;
  /** Capacity in bytes. */
  quota?: number;
  /** Called before anything is changed; may return an error to throw. */
  fault?: (what: string, name: string) => Error | undefined;
  /** Whether the user has allowed writing. */
  readOnly?: boolean;
}

const fail = (name: string, message = name) => new DOMException(message, name);

function checkName(name: string): void {
  if (name === "" || name === "." || name === ".." || /[/\\]/.test(name)) {
    throw Object.assign(new TypeError("Name is not allowed."), { name: "TypeError" });
  }
}

class MemoryFile {
  readonly kind = "file";
  bytes = new Uint8Array();
  lastModified = Date.now();
  isLocked = false;
}

class MemoryFolder {
  readonly kind = "directory";
  readonly entries = new Map<string, Entry>();
}

/** A handle refers to a path: it is valid again once a file exists there again. */
export class MemoryDirectoryHandle {
  readonly kind = "directory";

  constructor(
    readonly browser: Browser = { streams: true, syncHandles: true, move: "replaces" },
    readonly path: readonly string[] = [],
    readonly root = new MemoryFolder(),
  ) {}

  get name(): string {
    return this.path.at(-1) ?? "";
  }

  folder(): MemoryFolder {
    let at: Entry | undefined = this.root;
    for (const name of this.path) at = at instanceof MemoryFolder ? at.entries.get(name) : undefined;
    if (!(at instanceof MemoryFolder)) throw fail("NotFoundError");
    return at;
  }

  check(what: string, name: string): void {
    const error = this.browser.fault?.(what, name);
    if (error) throw error;
    if (this.browser.readOnly) throw fail("NotAllowedError");
  }

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<MemoryDirectoryHandle> {
    checkName(name);
    const { entries } = this.folder();
    const found = entries.get(name);
    if (found instanceof MemoryFile) throw fail("TypeMismatchError");
    if (!found && !create) throw fail("NotFoundError");
    if (!found) {
      this.check("mkdir", name);
      entries.set(name, new MemoryFolder());
    }
    return new MemoryDirectoryHandle(this.browser, [...this.path, name], this.root);
  }

  async getFileHandle(name: string, { create = false } = {}): Promise<MemoryFileHandle> {
    checkName(name);
    const { entries } = this.folder();
    const found = entries.get(name);
    if (found instanceof MemoryFolder) throw fail("TypeMismatchError");
    if (!found && !create) throw fail("NotFoundError");
    if (!found) {
      this.check("create", name);
      entries.set(name, new MemoryFile());
    }
    return fileHandle(this, name);
  }

  async removeEntry(name: string, { recursive = false } = {}): Promise<void> {
    checkName(name);
    const { entries } = this.folder();
    const found = entries.get(name);
    if (!found) throw fail("NotFoundError");
    this.check("remove", name);
    if (found instanceof MemoryFolder && found.entries.size > 0 && !recursive) {
      throw fail("InvalidModificationError");
    }
    entries.delete(name);
  }

  async resolve(other: MemoryDirectoryHandle): Promise<string[] | null> {
    const isInside = other.root === this.root && this.path.every((name, i) => other.path[i] === name);
    return isInside ? other.path.slice(this.path.length) : null;
  }

  async *entries(): AsyncGenerator<[string, { readonly kind: "file" | "directory" }]> {
    for (const [name, { kind }] of [...this.folder().entries]) yield [name, { kind }];
  }
}

interface MemoryFileHandle {
  getFile(): Promise<File>;
  createWritable?(options?: { keepExistingData?: boolean }): Promise<{
    write(data: Uint8Array<ArrayBuffer>): Promise<void>;
    close(): Promise<void>;
    abort(): Promise<void>;
  }>;
  createSyncAccessHandle?(): Promise<{
    write(data: Uint8Array, options?: { at?: number }): number;
    truncate(size: number): void;
    flush(): void;
    close(): void;
  }>;
  move?(folder: unknown, name: string): Promise<void>;
}

function fileHandle(folder: MemoryDirectoryHandle, name: string): MemoryFileHandle {
  const { browser } = folder;
  let [at, own] = [folder, name];
  const find = () => {
    const file = at.folder().entries.get(own);
    if (!(file instanceof MemoryFile)) throw fail("NotFoundError");
    return file;
  };
  const replace = (bytes: Uint8Array<ArrayBuffer>) => {
    if (bytes.byteLength > (browser.quota ?? Number.POSITIVE_INFINITY)) throw fail("QuotaExceededError");
    const file = find();
    file.bytes = bytes;
    file.lastModified = Date.now();
  };
  return {
    async getFile() {
      const { bytes, lastModified } = find();
      return new File([bytes], own, { lastModified });
    },
    ...(browser.streams && {
      async createWritable({ keepExistingData = false } = {}) {
        at.check("stream", own);
        if (find().isLocked) throw fail("NoModificationAllowedError");
        let bytes = keepExistingData ? find().bytes.slice() : new Uint8Array();
        let isOpen = true;
        return {
          async write(data: Uint8Array<ArrayBuffer>) {
            at.check("write", own);
            await new Promise((resolve) => setTimeout(resolve));
            const longer = new Uint8Array(bytes.byteLength + data.byteLength);
            longer.set(bytes);
            longer.set(data, bytes.byteLength);
            bytes = longer;
          },
          async close() {
            if (!isOpen) throw new TypeError("closed");
            isOpen = false;
            at.check("close", own);
            replace(bytes);
          },
          async abort() {
            isOpen = false;
          },
        };
      },
    }),
    ...(browser.syncHandles && {
      async createSyncAccessHandle() {
        at.check("sync", own);
        const file = find();
        if (file.isLocked) throw fail("NoModificationAllowedError");
        file.isLocked = true;
        return {
          write(data: Uint8Array, { at: offset = 0 } = {}) {
            at.check("write", own);
            const room = (browser.quota ?? Number.POSITIVE_INFINITY) - offset;
            const length = Math.min(data.byteLength, 1000, room); // writes may be short
            if (length <= 0) return 0;
            const longer = new Uint8Array(Math.max(file.bytes.byteLength, offset + length));
            longer.set(file.bytes);
            longer.set(data.subarray(0, length), offset);
            file.bytes = longer;
            return length;
          },
          truncate(size: number) {
            file.bytes = file.bytes.slice(0, size);
          },
          flush() {},
          close() {
            file.isLocked = false;
            file.lastModified = Date.now();
          },
        };
      },
    }),
    ...(browser.move && {
      async move(target: MemoryDirectoryHandle, newName: string) {
        at.check("move", newName);
        const { entries } = target.folder();
        const there = entries.get(newName);
        if (there instanceof MemoryFolder || (there && browser.move === "refuses")) {
          throw fail("InvalidModificationError");
        }
        const file = find();
        at.folder().entries.delete(own);
        entries.set(newName, file);
        [at, own] = [target, newName];
      },
    }),
  };
}
