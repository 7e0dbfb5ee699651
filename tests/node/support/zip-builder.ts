/** Writes zip archives for the tests, slowly and with any requested errors. */
import { crc32, deflateRawSync } from "node:zlib";
import { bytesOf } from "./support.js";

export interface ZipPart {
  name: string;
  bytes: Uint8Array;
  /** 0 (default) or 8; others are written unchanged. */
  method?: number;
  /** General purpose flags: 1 encrypted, 8 data descriptor, 0x800 UTF-8. */
  flags?: number;
  /** The raw name, if it is not UTF-8. */
  rawName?: Uint8Array;
  /** Extra field of the local header. */
  extra?: Uint8Array;
  /** Writes the numbers of the directory in a zip64 field. */
  zip64?: boolean;
  /** Wrong values for the directory. */
  lie?: { crc?: number; bytes?: number; storedBytes?: number; offset?: number; disk?: number };
  /** Compressed bytes to use instead of a compressor's output. */
  body?: Uint8Array;
}

export interface ZipOptions {
  comment?: Uint8Array;
  /** Writes a zip64 end and its locator. */
  zip64?: boolean;
  /** Bytes between the zip64 end and its locator. */
  gap?: number;
  /** Wrong values for the end record. */
  lie?: { disk?: number; disks?: number; directoryBytes?: number; directoryOffset?: number };
}

/** Little-endian numbers, each as [value, width in bytes]. */
function numbers(...fields: [value: number, width: number][]): Uint8Array {
  const out = new Uint8Array(fields.reduce((sum, [, width]) => sum + width, 0));
  let at = 0;
  for (const [value, width] of fields) {
    let rest = BigInt(value);
    for (let end = at + width; at < end; at++, rest >>= 8n) out[at] = Number(rest & 255n);
  }
  return out;
}

const join = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts));

export function writeZip(parts: ZipPart[], options: ZipOptions = {}): Uint8Array<ArrayBuffer> {
  const bodies: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const part of parts) {
    const local = localOf(part);
    bodies.push(local);
    directory.push(directoryOf(part, offset));
    offset += local.byteLength;
  }
  return join(...bodies, ...directory, endOf(parts.length, join(...directory).byteLength, offset, options));
}

function bodyOf({ bytes, method, body }: ZipPart): Uint8Array {
  return body ?? (method === 8 ? deflateRawSync(bytes) : bytes);
}

function localOf(part: ZipPart): Uint8Array {
  const { bytes, method = 0, flags = 0, extra = new Uint8Array() } = part;
  const name = part.rawName ?? bytesOf(part.name);
  const body = bodyOf(part);
  const sizes: [number, number][] = [
    [crc32(bytes), 4],
    [body.byteLength, 4],
    [bytes.byteLength, 4],
  ];
  // With a data descriptor, the header holds zeros and the numbers follow the body.
  const inHeader = flags & 8 ? sizes.map(([, width]): [number, number] => [0, width]) : sizes;
  const head: [number, number][] = [[0x04034b50, 4], [20, 2], [flags, 2], [method, 2], [0, 4], ...inHeader];
  const header = numbers(...head, [name.byteLength, 2], [extra.byteLength, 2]);
  const descriptor = flags & 8 ? numbers([0x08074b50, 4], ...sizes) : new Uint8Array();
  return join(header, name, extra, body, descriptor);
}

function directoryOf(part: ZipPart, at: number): Uint8Array {
  const { bytes, method = 0, flags = 0, lie = {}, zip64 = false } = part;
  const name = part.rawName ?? bytesOf(part.name);
  const stored = lie.storedBytes ?? bodyOf(part).byteLength;
  const offset = lie.offset ?? at;
  const size = lie.bytes ?? bytes.byteLength;
  const wide = numbers([0x5455, 2], [1, 2], [0, 1], [1, 2], [24, 2], [size, 8], [stored, 8], [offset, 8]);
  const extra = zip64 ? wide : new Uint8Array();
  const narrow = (value: number): [number, number] => [zip64 ? 0xffffffff : value, 4];
  const header = numbers(
    [0x02014b50, 4],
    [20, 2],
    [20, 2],
    [flags, 2],
    [method, 2],
    [0, 4],
    [lie.crc ?? crc32(bytes), 4],
    narrow(stored),
    narrow(size),
    [name.byteLength, 2],
    [extra.byteLength, 2],
    [3, 2],
    [lie.disk ?? 0, 2],
    [0, 6],
    narrow(offset),
  );
  return join(header, name, extra, bytesOf("hey"));
}

function endOf(count: number, bytes: number, offset: number, options: ZipOptions): Uint8Array {
  const { comment = new Uint8Array(), lie = {}, zip64, gap = 0 } = options;
  const size = lie.directoryBytes ?? bytes;
  const start = lie.directoryOffset ?? offset;
  const disk = lie.disk ?? 0;
  const record = numbers(
    [0x06064b50, 4],
    [44, 8],
    [45, 2],
    [45, 2],
    [disk, 4],
    [disk, 4],
    [count, 8],
    [count, 8],
    [size, 8],
    [start, 8],
  );
  const locator = numbers([0x07064b50, 4], [0, 4], [offset + bytes, 8], [lie.disks ?? 1, 4]);
  const most = zip64 ? 0xffffffff : Number.POSITIVE_INFINITY;
  const end = numbers(
    [0x06054b50, 4],
    [disk, 2],
    [disk, 2],
    [zip64 ? 0xffff : count, 2],
    [zip64 ? 0xffff : count, 2],
    [zip64 ? most : size, 4],
    [zip64 ? most : start, 4],
    [comment.byteLength, 2],
  );
  return zip64 ? join(record, new Uint8Array(gap), locator, end, comment) : join(end, comment);
}
