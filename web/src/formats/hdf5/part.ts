/** HDF5 and NetCDF-4 files. */

import type { FileContext, FileFormat, FileNode } from "../file/model.js";
import type { HdfFile } from "./file.js";
import { messageType, type ObjectHeader, readHeader } from "./header.js";
import { Objects } from "./nodes.js";
import { MessageReader, readSharedIndexes } from "./shared.js";
import { readSuperblock } from "./superblock.js";

async function open(context: FileContext, signal: AbortSignal | undefined): Promise<FileNode> {
  const { file, root, extension } = await readSuperblock(context, signal);
  const header = extension === undefined ? undefined : await readHeader(file, extension, signal);
  if (header) checkExtension(file, header);
  const indexes = header ? await readSharedIndexes(file, header, signal) : [];
  return new Objects(new MessageReader(file, indexes), root).openRoot(signal);
}

/** Messages of the superblock extension that change how a file is read. */
const refused = new Map<number, string>([
  [messageType.driverInfo, "files of several parts are not read"],
  [messageType.cacheImage, "files with an image of the metadata cache are not read"],
]);

function checkExtension(file: HdfFile, { messages }: ObjectHeader): void {
  for (const { type } of messages) {
    const reason = refused.get(type);
    if (reason) throw file.unsupported(reason);
  }
}

export const format: FileFormat = { open };
