/** Structures with a checksum: Bob Jenkins' lookup3 of their bytes, in the last four of them. */

import { badFile, Cursor } from "../file/cursor.js";
import { checkSignature, type HdfFile } from "./file.js";

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** Returns lookup3 (`hashlittle` with the initial value 0) of bytes, unsigned. */
export function lookup3(bytes: Uint8Array): number {
  let a = (0xdeadbeef + bytes.length) | 0;
  let [b, c] = [a, a];
  let at = 0;
  const word = () => {
    const value =
      (bytes[at] ?? 0) |
      ((bytes[at + 1] ?? 0) << 8) |
      ((bytes[at + 2] ?? 0) << 16) |
      ((bytes[at + 3] ?? 0) << 24);
    at += 4;
    return value;
  };
  for (; bytes.length - at > 12; ) {
    a = (a + word()) | 0;
    b = (b + word()) | 0;
    c = (c + word()) | 0;
    a = (a - c) ^ rotated(c, 4);
    c = (c + b) | 0;
    b = (b - a) ^ rotated(a, 6);
    a = (a + c) | 0;
    c = (c - b) ^ rotated(b, 8);
    b = (b + a) | 0;
    a = (a - c) ^ rotated(c, 16);
    c = (c + b) | 0;
    b = (b - a) ^ rotated(a, 19);
    a = (a + c) | 0;
    c = (c - b) ^ rotated(b, 4);
    b = (b + a) | 0;
  }
  if (bytes.length === 0) return c >>> 0;
  a = (a + word()) | 0;
  b = (b + word()) | 0;
  c = (c + word()) | 0;
  c = (c ^ b) - rotated(b, 14);
  a = (a ^ c) - rotated(c, 11);
  b = (b ^ a) - rotated(a, 25);
  c = (c ^ b) - rotated(b, 16);
  a = (a ^ c) - rotated(c, 4);
  b = (b ^ a) - rotated(a, 14);
  c = (c ^ b) - rotated(b, 24);
  return c >>> 0;
}

/** Reads a structure whose last four bytes are its checksum. @returns a cursor after the signature. */
export async function checkedStructure(
  file: HdfFile,
  { address, length, what, signature }: { address: number; length: number; what: string; signature?: string },
): Promise<Cursor> {
  const { bytes } = await file.cursor(address, length, what);
  const cursor = new Cursor(bytes.subarray(0, length - 4), `the ${what} at ${address}`);
  if (signature !== undefined) checkSignature(cursor, signature);
  checkSum(cursor, cursor.bytes, new Cursor(bytes, cursor.what, true, length - 4).u32());
  return cursor;
}

/** Checks the bytes of a structure. */
export function checkSum({ what }: Cursor, bytes: Uint8Array, stored: number): void {
  const found = lookup3(bytes);
  if (found !== stored) throw badFile(`${what} is damaged: its checksum is ${found}, not ${stored}`);
}
