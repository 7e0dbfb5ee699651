/** Names of temporary files, folders and locks, and their digits. None of the names is a key, and no listing shows them. */
import { textEncoder } from "../util/platform.js";

const hidden = /^\.zw-[0-9a-z]+\.tmp$/;

/** Whether a file or folder with this name is temporary: no data of a node. */
export const isHidden = (name: string): boolean => hidden.test(name);

/** Whether a folder has a name that {@link hiddenName} gives: it was renamed in order to be deleted. */
export const isDeletedFolder = (name: string): boolean => /^\.zw-[0-9a-f]{32}\.tmp$/.test(name);

let prefix = "";
let count = 0;

/** Returns a name for a temporary file or folder that no other caller, thread or process gets. */
export function hiddenName(): string {
  if (count === 2 ** 32) count = 0;
  if (count === 0) prefix = `.zw-${randomHex().slice(0, 24)}`;
  return `${prefix}${(count++).toString(16).padStart(8, "0")}.tmp`;
}

/** Returns a name for the scratch folder of one process (transfer/scratch.ts). */
export const scratchName = (): string => hiddenName().replace(".zw-", ".zw-scratch");

/** Whether a name belongs to a scratch folder. */
export const isScratchName = (name: string): boolean => isHidden(name) && name.startsWith(".zw-scratch");

/** Name of the lock of one file (file/write.ts). @param hash of the file's name, in hexadecimal. */
export const fileLockName = (hash: string): string => `.zw-lock${hash}.tmp`;

/**
 * Name of the lock of a destination (transfer/lock.ts): in the destination itself, or for an archive in its folder.
 * @param hash of the archive's name, in hexadecimal.
 */
export const writerLockName = (hash = ""): string => `.zw-writer${hash}.tmp`;

/** Whether a name belongs to the lock of a destination. */
export const isWriterLockName = (name: string): boolean => /^\.zw-writer[0-9a-f]*\.tmp$/.test(name);

/**
 * Name of the record of a deletion: the arrays whose chunks are being deleted. Their documents are deleted
 * first, so after an interruption only the record distinguishes the remaining chunks from foreign files.
 */
export const recordName = ".zw-deleted.tmp";

/** Returns 128 random bits in hexadecimal. Pages without a secure context have no `crypto.randomUUID`. */
export const randomHex = (): string => hex(crypto.getRandomValues(new Uint8Array(16)));

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Returns the SHA-256 of a string, in hexadecimal. */
export const sha256 = async (text: string): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest("SHA-256", textEncoder().encode(text))));
