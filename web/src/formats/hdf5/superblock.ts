/** Finds and reads the superblock. Spec: HDF5 File Format Specification, II.A and II.B. */

import { badFile, Cursor } from "../file/cursor.js";
import type { FileContext } from "../file/model.js";
import { checkVersion, definedUint, HdfFile } from "./file.js";

const signature = "\x89HDF\r\n\x1a\n";
/** User blocks have 0 or 512 · 2ⁿ bytes. */
const maxUserBlock = 2 ** 26;

interface Superblock {
  readonly file: HdfFile;
  /** Address of the header of the root group. */
  readonly root: number;
  /** Address of the header of the superblock extension. */
  readonly extension: number | undefined;
}

export async function readSuperblock(context: FileContext): Promise<Superblock> {
  const at = await findSignature(context);
  const { blocks, name } = context;
  const what = `the superblock of ${name}`;
  const head = new Cursor(await blocks.read(at, 16, undefined), what);
  head.skip(signature.length);
  const version = checkVersion(head, 0, 1, 2, 3);
  if (version < 2) head.skip(4);
  const [offsetBytes, lengthBytes] = [head.u8(), head.u8()];
  for (const size of [offsetBytes, lengthBytes])
    if (![2, 4, 8].includes(size)) throw badFile(`${name} has offsets or lengths of ${size} bytes`);
  const start = version === 0 ? 24 : version === 1 ? 28 : 12;
  const cursor = new Cursor(
    await blocks.read(at, start + (version < 2 ? 5 * offsetBytes + lengthBytes : 4 * offsetBytes), undefined),
    what,
  );
  cursor.skip(start);
  const address = () => definedUint(cursor, offsetBytes);
  const base = address() ?? 0;
  const second = address();
  const end = (address() ?? Number.MAX_SAFE_INTEGER) - base;
  const size = blocks.fileSize ?? Number.POSITIVE_INFINITY;
  const file = new HdfFile(context, { base: at, offsetBytes, lengthBytes, end: Math.min(end, size - at) });
  if (version < 2) {
    if (address() !== undefined) throw file.unsupported("files of several parts are not read");
    cursor.skip(lengthBytes); // the name of the root
  }
  const root = address();
  if (root === undefined) throw badFile(`${name} has no root group`);
  return { file, root, extension: version < 2 ? undefined : second };
}

async function findSignature({ blocks, name }: FileContext): Promise<number> {
  for (let at = 0; at <= maxUserBlock; at = Math.max(512, 2 * at)) {
    if (at + signature.length > (blocks.fileSize ?? Number.POSITIVE_INFINITY)) break;
    const bytes = await blocks.read(at, signature.length, undefined);
    if (String.fromCharCode(...bytes) === signature) return at;
  }
  throw badFile(`${name} has no HDF5 signature`);
}
