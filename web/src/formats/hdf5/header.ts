/** Object headers: messages, their continuations, and shared messages. Spec: HDF5 File Format Specification, IV.A. */

import { badFile, Cursor } from "../file/cursor.js";
import { checkedStructure } from "./checksum.js";
import { checkVersion, type HdfFile } from "./file.js";

/** Types of messages. */
export const messageType = {
  /** Free space. */
  none: 0x00,
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  oldFill: 0x04,
  fill: 0x05,
  link: 0x06,
  externalFiles: 0x07,
  layout: 0x08,
  groupInfo: 0x0a,
  filters: 0x0b,
  attribute: 0x0c,
  sharedTable: 0x0f,
  continuation: 0x10,
  symbolTable: 0x11,
  driverInfo: 0x14,
  attributeInfo: 0x15,
  fileSpace: 0x17,
  cacheImage: 0x18,
} as const;

/** The last type of the specification. */
export const lastMessageType = 0x18;

export interface Message {
  readonly type: number;
  readonly isShared: boolean;
  /** Whether objects with an unknown message of this type must not be opened. */
  readonly isRequired: boolean;
  /** Undefined if the order is not tracked. */
  readonly order: number | undefined;
  readonly bytes: Uint8Array;
}

export interface ObjectHeader {
  readonly address: number;
  readonly messages: readonly Message[];
}

/** Bytes before the messages, at most. */
const maxPrefix = 34;
/** Maximum numbers of continuations and messages of a header, above those of any writer. */
const maxBlocks = 2 ** 16;
const maxMessages = 2 ** 17;
const what = "object header";

/**
 * Reads the messages of an object.
 * @param isEnough whether the messages read suffice, so that the continuation that follows is not read. Default: all are
 *   read.
 */
export async function readHeader(
  file: HdfFile,
  address: number,
  isEnough?: (header: ObjectHeader) => Promise<boolean>,
): Promise<ObjectHeader> {
  await file.turn();
  const head = await file.cursor(address, Math.min(maxPrefix, Math.max(file.form.end - address, 0)), what);
  const isNew = String.fromCharCode(...head.bytes.subarray(0, 4)) === "OHDR";
  const { start, length, hasOrder } = isNew ? newForm(head) : oldForm(head);
  const blocks = [isNew ? { address, length: start + length + 4 } : { address: address + start, length }];
  const messages: Message[] = [];
  let count = 0;
  const seen = new Set<number>();
  for (const [i, block] of blocks.entries()) {
    if (i > 0 && (await isEnough?.({ address, messages }))) break;
    if (seen.has(block.address)) throw badFile(`${head.what} continues in a cycle`);
    seen.add(block.address);
    await file.turn();
    const signature = i === 0 ? "OHDR" : "OCHK";
    const body = isNew
      ? await checkedStructure(file, { ...block, what, signature })
      : await file.cursor(block.address, block.length, what);
    if (isNew && i === 0) body.at = start;
    for (const message of isNew ? newMessages(body, hasOrder) : oldMessages(body)) {
      if (++count > maxMessages || blocks.length > maxBlocks)
        throw badFile(`${head.what} has too many messages`);
      if (message.type === messageType.continuation) blocks.push(readContinuation(file, message));
      else if (message.type !== messageType.none) messages.push(message);
    }
  }
  return { address, messages };
}

/** Position and length of the first messages, and whether messages have their order of creation. */
interface HeaderForm {
  readonly start: number;
  readonly length: number;
  readonly hasOrder: boolean;
}

function oldForm(head: Cursor): HeaderForm {
  checkVersion(head, 1);
  head.skip(7);
  return { start: 16, length: head.u32(), hasOrder: false };
}

function newForm(head: Cursor): HeaderForm {
  head.skip(4);
  checkVersion(head, 2);
  const flags = head.u8();
  head.skip((flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0));
  const length = head.uint(2 ** (flags & 3));
  return { start: head.at, length, hasOrder: (flags & 4) !== 0 };
}

function readContinuation(file: HdfFile, { bytes }: Message): { address: number; length: number } {
  const cursor = new Cursor(bytes, "a continuation of an object header");
  const address = file.address(cursor);
  if (address === undefined) throw badFile(`${cursor.what} has no address`);
  return { address, length: cursor.uint(file.lengthBytes) };
}

function* oldMessages(cursor: Cursor): Generator<Message> {
  while (cursor.left >= 8) {
    const type = cursor.u16();
    const length = cursor.u16();
    const flags = cursor.u8();
    cursor.skip(3);
    yield message(cursor, type, length, flags, undefined);
  }
}

function* newMessages(cursor: Cursor, hasOrder: boolean): Generator<Message> {
  const prefix = hasOrder ? 6 : 4;
  while (cursor.left >= prefix) {
    const type = cursor.u8();
    const length = cursor.u16();
    const flags = cursor.u8();
    yield message(cursor, type, length, flags, hasOrder ? cursor.u16() : undefined);
  }
}

function message(
  cursor: Cursor,
  type: number,
  length: number,
  flags: number,
  order: number | undefined,
): Message {
  return {
    type,
    isShared: (flags & 2) !== 0,
    isRequired: (flags & 0x80) !== 0,
    order,
    bytes: cursor.take(length),
  };
}
