/** Computes CRC-32 as ZIP and gzip use it. */

/** tables[k][b]: the effect of byte b on the checksum if k more bytes follow it. */
let tables: Int32Array[] | undefined;

function makeTables(): Int32Array[] {
  const first = new Int32Array(256).map((_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });
  const all = [first];
  while (all.length < 8) all.push(all.at(-1)!.map((value) => (value >>> 8) ^ first[value & 255]!));
  return all;
}

/**
 * Returns the checksum as an unsigned number: reflected polynomial 0xEDB88320, start and end inverted. Eight bytes per
 * step, each with its own table: the lookups are independent.
 */
export function crc32(bytes: Uint8Array): number {
  tables ??= makeTables();
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as [Int32Array, ...Int32Array[]] & { length: 8 };
  let crc = -1;
  let at = 0;
  for (const end = bytes.length - 7; at < end; at += 8) {
    const low = crc ^ (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
    crc =
      t7![low & 255]! ^
      t6![(low >>> 8) & 255]! ^
      t5![(low >>> 16) & 255]! ^
      t4![low >>> 24]! ^
      t3![bytes[at + 4]!]! ^
      t2![bytes[at + 5]!]! ^
      t1![bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!;
  }
  for (; at < bytes.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 255]!;
  return ~crc >>> 0;
}
