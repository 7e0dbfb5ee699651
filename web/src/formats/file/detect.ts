/** The formats of array files: their first bytes, and the parts of the library that read them. */

import type { ByteReader } from "../../store/source/byte-reader.js";
import type { OnWarning } from "../../util/errors.js";
import { lazy } from "../../util/lazy.js";
import type { Limits } from "../../util/limits.js";
import { resolveLimits } from "../../util/limits.js";
import { BlockCache } from "./blocks.js";
import type { FileFormat } from "./model.js";
import { ArrayFileStore } from "./store.js";

/** Number of bytes at the start of a file that determine its format: HDF5 may have a user block before its signature. */
export const headBytes = 2048 + 8;

interface KnownFormat {
  readonly name: string;
  /** Whether a file starts like this format, by the characters of its first bytes. */
  readonly start: RegExp;
  readonly load: () => Promise<{ readonly format: FileFormat }>;
}

/** One row for each format. */
const formats: readonly KnownFormat[] = [
  {
    name: "HDF5",
    // biome-ignore lint/suspicious/noControlCharactersInRegex: signatures of binary files
    start: /^(?:[^]{512}|[^]{1024}|[^]{2048})?\x89HDF\r\n\x1a\n/,
    load: () => import("../hdf5/part.js"),
  },
];

export interface FileOptions {
  readonly limits?: Partial<Limits> | undefined;
  readonly onWarning?: OnWarning | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly sibling?: ((name: string) => ByteReader | undefined) | undefined;
}

/** Opens a file as a store; undefined if its format is not known. @throws errors of the parser and of the source. */
export async function openFile(file: ByteReader, options: FileOptions): Promise<ArrayFileStore | undefined> {
  const { signal, onWarning } = options;
  const blocks = new BlockCache(file);
  const head = String.fromCharCode(...(await blocks.head(headBytes, signal)));
  const found = formats.find(({ start }) => start.test(head));
  if (!found) return undefined;
  const { format } = await lazy(`${found.name} files`, found.load)();
  const context = {
    name: file.name,
    blocks,
    limits: resolveLimits(options.limits),
    onWarning,
    sibling: options.sibling ?? (() => undefined),
  };
  return new ArrayFileStore(file, blocks, await format.open(context, signal));
}
