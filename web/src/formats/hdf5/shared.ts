/** Messages of objects, shared ones included: committed datatypes and the table of shared messages. */

import { badFile, Cursor } from "../file/cursor.js";
import { NodeCache } from "../file/node-cache.js";
import { checkSignature, checkVersion, type HdfFile } from "./file.js";
import { FractalHeap } from "./fractal-heap.js";
import { type Message, messageType, type ObjectHeader, readHeader } from "./header.js";

/** Bounds chains of shared messages. */
const maxDepth = 8;

/** The indexes of shared messages of a file. */
interface SharedIndex {
  /** Bit n: messages of type n are in this index. */
  readonly types: number;
  readonly heap: number | undefined;
}

/** Reads messages of the objects of a file. */
export class MessageReader {
  /** The heaps of shared messages by address. */
  readonly #heaps = new NodeCache<FractalHeap>();

  constructor(
    readonly file: HdfFile,
    readonly indexes: readonly SharedIndex[],
  ) {}

  /** Returns the content of the first message of a type; undefined if there is none. */
  async find(header: ObjectHeader, type: number, depth = 0): Promise<Cursor | undefined> {
    const message = header.messages.find((candidate) => candidate.type === type);
    return message && this.content(message, header.address, depth);
  }

  /** Returns the content of a message of the object at an address. */
  async content({ type, isShared, bytes }: Message, address: number, depth = 0): Promise<Cursor> {
    const cursor = new Cursor(bytes, `the object at ${address}`);
    return isShared ? this.shared(cursor, type, depth) : cursor;
  }

  /** Follows a shared message. */
  async shared(cursor: Cursor, type: number, depth = 0): Promise<Cursor> {
    if (depth > maxDepth) throw badFile(`${cursor.what} has shared messages in a cycle`);
    const version = checkVersion(cursor, 1, 2, 3);
    const kind = cursor.u8();
    if (version === 1) cursor.skip(6 + this.file.lengthBytes);
    else if (kind === 1) return this.heapMessage(cursor.take(8), type);
    const address = this.file.address(cursor);
    if (address === undefined) throw badFile(`${cursor.what} has a shared message without address`);
    const header = await readHeader(this.file, address);
    const found = await this.find(header, type, depth + 1);
    if (!found) throw badFile(`the object at ${address} has no message to share`);
    return found;
  }

  /** Returns a message of a heap of shared messages. */
  async heapMessage(id: Uint8Array, type: number): Promise<Cursor> {
    const index = this.indexes.find(({ types }) => (types >> type) & 1);
    if (index?.heap === undefined) throw badFile(`${this.file.context.name} has no heap of shared messages`);
    const { heap: address } = index;
    const heap = await this.#heaps.get(address, () => FractalHeap.open(this.file, address));
    return new Cursor(await heap.object(id), "a shared message");
  }
}

/** Reads the table of shared messages that the superblock extension names. */
export async function readSharedIndexes(
  file: HdfFile,
  extension: ObjectHeader,
): Promise<readonly SharedIndex[]> {
  const message = extension.messages.find(({ type }) => type === messageType.sharedTable);
  if (!message) return [];
  const place = new Cursor(message.bytes, "the superblock extension");
  checkVersion(place, 0, 1);
  const address = file.address(place);
  const count = place.u8();
  if (address === undefined) return [];
  const size = 4 + count * (14 + 2 * file.offsetBytes);
  const cursor = await file.cursor(address, size, "table of shared messages");
  checkSignature(cursor, "SMTB");
  return Array.from({ length: count }, () => {
    checkVersion(cursor, 0, 1);
    cursor.skip(1);
    const types = cursor.u16();
    cursor.skip(10);
    file.address(cursor);
    return { types, heap: file.address(cursor) };
  });
}
