/** HDF5 and NetCDF-4 files. */

import { Cursor } from "../file/cursor.js";
import type { FileContext, FileFormat, FileNode } from "../file/model.js";
import type { HdfFile } from "./file.js";
import { messageType, type ObjectHeader, readHeader } from "./header.js";
import { Objects } from "./nodes.js";
import { MessageReader, readSharedIndexes } from "./shared.js";
import { readSuperblock } from "./superblock.js";

async function open(context: FileContext): Promise<FileNode> {
  const { file, root, extension } = await readSuperblock(context);
  const header = extension === undefined ? undefined : await readHeader(file, extension);
  if (header) readExtension(file, header);
  const indexes = header ? await readSharedIndexes(file, header) : [];
  return new Objects(new MessageReader(file, indexes), root).openRoot();
}

/** Messages of the superblock extension that change how a file is read. */
const refused = new Map<number, string>([
  [messageType.driverInfo, "files of several parts are not read"],
  [messageType.cacheImage, "files with an image of the metadata cache are not read"],
]);

function readExtension(file: HdfFile, { messages }: ObjectHeader): void {
  for (const { type, bytes } of messages) {
    const reason = refused.get(type);
    if (reason) throw file.unsupported(reason);
    if (type === messageType.fileSpace) alignToPages(file, new Cursor(bytes, "the superblock extension"));
  }
}

/** Strategy of files whose metadata fills whole pages. */
const paged = 1;

function alignToPages(file: HdfFile, cursor: Cursor): void {
  const version = cursor.u8();
  const strategy = cursor.u8();
  if (version !== 1 || strategy !== paged) return;
  cursor.skip(1 + file.lengthBytes);
  file.context.blocks.pageSize = cursor.uint(file.lengthBytes);
}

export const format: FileFormat = { open };
