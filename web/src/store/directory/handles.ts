/** What is used of the File System standard's handles: the types of TypeScript's libraries differ in what they know. */

export interface DirectoryHandle {
  readonly name: string;
  getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<DirectoryHandle>;
  getFileHandle(name: string, options?: { create?: boolean }): Promise<FileHandle>;
  removeEntry(name: string, options?: { recursive?: boolean }): Promise<void>;
  entries(): AsyncIterable<readonly [name: string, handle: { readonly kind: "file" | "directory" }]>;
}

export interface FileHandle {
  getFile(): Promise<File>;
  /** Not in workers of Safari before 26. */
  createWritable?(options?: { keepExistingData?: boolean }): Promise<WritableFile>;
}

/** A file that takes the place of the old one when it is closed. */
export interface WritableFile {
  write(data: Uint8Array<ArrayBuffer>): Promise<void>;
  close(): Promise<void>;
  abort(reason?: unknown): Promise<void>;
}

/** What workers have besides, in the private file system; `move` is not in the standard yet. */
export interface PrivateFileHandle extends FileHandle {
  createSyncAccessHandle?(): Promise<SyncAccessHandle>;
  move?(folder: DirectoryHandle, name: string): Promise<void>;
}

export interface SyncAccessHandle {
  write(data: Uint8Array, options?: { at?: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}
