/**
 * Reads the central directory of zip archives.
 * Spec: PKWARE APPNOTE 6.3.10, sections 4.3.12 (directory), 4.3.14 to 4.3.16 (its end), 4.5.3 (zip64).
 *
 *     … entries …  │ directory │ zip64 end │ zip64 locator │ end (22 bytes + comment)
 *
 * The directory is not trusted. Entries must precede it and must not overlap. Names are normalised, and names outside of
 * the archive are ignored.
 */

import { invalidMetadata, limitExceeded, notFound, unsupported, type ZarrError } from "../../util/errors.js";
import { cached, isFileUrl, textDecoder } from "../../util/platform.js";
import { inSlices, type Steps, sortSteps } from "../../util/slices.js";
import { LargeMap } from "../key-index.js";
import { normalizePath } from "../path.js";
import type { ByteReader } from "../source/byte-reader.js";
import { fileFormat, formatHint, formatOf } from "../source/file-formats.js";
import type { StoreGetOptions } from "../store.js";

/** An object in the archive. */
export interface ZipEntry {
  /** Offset of its local header. */
  readonly offset: number;
  /** Bytes in the archive. */
  readonly storedBytes: number;
  /** Bytes of the object. */
  readonly bytes: number;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly crc: number;
  /** Estimated length of its local header. */
  readonly headerBytes: number;
}

export interface ZipDirectory {
  /** Objects by key, with a leading "/". */
  readonly entries: Pick<LargeMap<ZipEntry>, "get">;
  /** The keys, in the order of the directory. */
  readonly keys: readonly string[];
  /** Offset of the directory, and maximum end of the entries. */
  readonly offset: number;
  /** The archive's comment; "" for none. */
  readonly comment: string;
}

interface DirectorySpan {
  offset: number;
  bytes: number;
}

const endBytes = 22;
const locatorBytes = 20;
const end64Bytes = 56;
const maxCommentBytes = 0xffff;
const endSignature = 0x06054b50;
const locatorSignature = 0x07064b50;
const end64Signature = 0x06064b50;
const entrySignature = 0x02014b50;
const entryBytes = 46;

/**
 * Reads the directory: the archive's last 64 KiB, and the directory itself if it starts before them.
 * @throws NotFound for a missing archive; InvalidMetadata ("bad-zip") for a damaged or invalid one; Unsupported for one
 *   in several parts; LimitExceeded for a directory above `maxBytes`.
 */
export async function readDirectory(
  source: ByteReader,
  maxBytes: number,
  options: StoreGetOptions,
): Promise<ZipDirectory> {
  const tail = await source.read({ suffixLength: endBytes + maxCommentBytes }, options);
  if (!tail) throw notFound(`${source.name} does not exist`);
  const end = findEnd(tail);
  if (end < 0) throw badZip(source, await whyNoZip(source, tail, options));
  const { place, behind, count } = await findDirectory(source, tail, end, options);
  if (place.bytes > maxBytes) {
    throw limitExceeded(
      `${source.name} has a directory of ${place.bytes} bytes, more than the limit of ${maxBytes}`,
    );
  }
  const inTail = place.bytes <= behind ? tail.subarray(behind - place.bytes, behind) : undefined;
  const bytes =
    inTail ?? (await source.read({ offset: place.offset, length: place.bytes }, options)) ?? new Uint8Array();
  if (bytes.byteLength !== place.bytes) throw badZip(source, "its directory is truncated");
  const { entries, keys } = await inSlices(entrySteps(bytes, place.offset, count, source), options.signal);
  const commentAt = end + endBytes;
  const commentBytes = dataView(tail).getUint16(commentAt - 2, true);
  const comment = decodeName(tail.subarray(commentAt, commentAt + commentBytes), false);
  return { entries, keys, offset: place.offset, comment };
}

/** Returns the position of the end record: the last one whose comment fits, preferably exactly; -1 for none. */
function findEnd(tail: Uint8Array): number {
  const view = dataView(tail);
  let loose = -1;
  for (let at = tail.byteLength - endBytes; at >= 0; at--) {
    if (view.getUint32(at, true) !== endSignature) continue;
    const after = at + endBytes + view.getUint16(at + 20, true);
    if (after === tail.byteLength) return at;
    if (after < tail.byteLength && loose < 0) loose = at;
  }
  return loose;
}

/** Returns the place of the directory, and its end within the archive's last bytes. */
async function findDirectory(source: ByteReader, tail: Uint8Array, end: number, options: StoreGetOptions) {
  const view = dataView(tail);
  const locator = end - locatorBytes;
  if (locator >= 0 && view.getUint32(locator, true) === locatorSignature) {
    if (view.getUint32(locator + 16, true) > 1) throw severalParts(source);
    const { record, behind } = await findEnd64(source, tail, locator, options);
    return { place: place64(record, source), behind, count: uint64(dataView(record), 32, source) };
  }
  if (view.getUint16(end + 4, true) !== 0 || view.getUint16(end + 6, true) !== 0) throw severalParts(source);
  const place = { bytes: view.getUint32(end + 12, true), offset: view.getUint32(end + 16, true) };
  return { place, behind: end, count: view.getUint16(end + 10, true) };
}

/** Returns the zip64 end record. It usually precedes its locator, which otherwise has its offset. */
async function findEnd64(source: ByteReader, tail: Uint8Array, locator: number, options: StoreGetOptions) {
  const usual = locator - end64Bytes;
  if (usual >= 0 && dataView(tail).getUint32(usual, true) === end64Signature) {
    return { record: tail.subarray(usual, locator), behind: usual };
  }
  const offset = uint64(dataView(tail), locator + 8, source);
  const record = await source.read({ offset, length: end64Bytes }, options);
  if (record?.byteLength !== end64Bytes || dataView(record).getUint32(0, true) !== end64Signature) {
    throw badZip(source, "its zip64 end-of-central-directory record is missing");
  }
  return { record, behind: 0 };
}

function place64(record: Uint8Array, source: ByteReader): DirectorySpan {
  const view = dataView(record);
  if (view.getUint32(16, true) !== 0 || view.getUint32(20, true) !== 0) throw severalParts(source);
  const place = { bytes: uint64(view, 40, source), offset: uint64(view, 48, source) };
  if (!Number.isSafeInteger(place.offset + place.bytes))
    throw badZip(source, "its directory lies beyond 2^53 bytes");
  return place;
}

/** Parses the entries. The last one with a key counts, as zarr-python rewrites objects by adding them again. */
function* entrySteps(
  bytes: Uint8Array,
  offset: number,
  count: number,
  source: ByteReader,
): Steps<Pick<ZipDirectory, "entries" | "keys">> {
  const view = dataView(bytes);
  const entries = new LargeMap<ZipEntry>();
  const keys: string[] = [];
  const extents = new Extents();
  let found = 0;
  for (let at = 0; at < bytes.byteLength; ) {
    if (at + entryBytes > bytes.byteLength || view.getUint32(at, true) !== entrySignature) {
      throw badZip(source, `its directory is damaged ${at} bytes from its start`);
    }
    const nameAt = at + entryBytes;
    const extraAt = nameAt + view.getUint16(at + 28, true);
    const commentAt = extraAt + view.getUint16(at + 30, true);
    const next = commentAt + view.getUint16(at + 32, true);
    if (next > bytes.byteLength) throw badZip(source, "its directory is truncated");
    const isUtf8 = (view.getUint16(at + 8, true) & 0x800) !== 0;
    const key = entryKey(decodeName(bytes.subarray(nameAt, extraAt), isUtf8));
    if (key !== undefined) {
      const entry = parseEntry(view, at, extraAt, commentAt, source);
      if (entry.offset + entry.storedBytes > offset) throw badZip(source, `${key} lies outside the archive`);
      if (entries.set(key, entry)) keys.push(key);
      extents.add(entry);
    }
    yield;
    at = next;
    found++;
  }
  // Without zip64 the count has 16 bits. Lost entries must not look like missing objects.
  if (count !== found && count !== found % 2 ** 16)
    throw badZip(source, `its directory has ${found} entries, but its end record states ${count}`);
  if (yield* extents.overlap()) throw badZip(source, "its objects overlap");
  return { entries, keys };
}

function parseEntry(
  view: DataView,
  at: number,
  extraAt: number,
  extraEnd: number,
  source: ByteReader,
): ZipEntry {
  const wide = zip64Field(view, extraAt, extraEnd);
  // The zip64 field holds, in this order, only the numbers that did not fit.
  let used = wide?.start ?? 0;
  const number = (position: number) => {
    const value = view.getUint32(position, true);
    if (value !== 0xffffffff || !wide) return value;
    if (used + 8 > wide.end) throw badZip(source, "an entry lacks a zip64 field");
    used += 8;
    return uint64(view, used - 8, source);
  };
  const bytes = number(at + 24);
  const storedBytes = number(at + 20);
  const offset = number(at + 42);
  if (![0, 0xffff].includes(view.getUint16(at + 34, true))) throw severalParts(source);
  return {
    offset,
    storedBytes,
    bytes,
    method: view.getUint16(at + 10, true),
    isEncrypted: (view.getUint16(at + 8, true) & 1) !== 0,
    crc: view.getUint32(at + 16, true),
    headerBytes: 30 + (extraEnd - at - entryBytes),
  };
}

/** The zip64 field among the extra fields. */
function zip64Field(view: DataView, from: number, end: number): { start: number; end: number } | undefined {
  for (let at = from; at + 4 <= end; ) {
    const start = at + 4;
    const after = start + view.getUint16(at + 2, true);
    if (after > end) return undefined;
    if (view.getUint16(at, true) === 1) return { start, end: after };
    at = after;
  }
  return undefined;
}

/** Returns the key for a name; undefined for folders and for names that keys cannot have. */
function entryKey(name: string): string | undefined {
  if (/[/\\]$/.test(name)) return undefined;
  try {
    const path = normalizePath(name.replace(/^(\.[/\\])+/, ""));
    return path === "" ? undefined : `/${path}`;
  } catch {
    return undefined;
  }
}

export function dataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function uint64(view: DataView, at: number, source: ByteReader): number {
  const value = view.getBigUint64(at, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw badZip(source, "it has a number beyond 2^53");
  return Number(value);
}

function badZip(source: ByteReader, what: string): ZarrError {
  return invalidMetadata(`${source.name} is not a valid zip archive: ${what}`, { code: "bad-zip" });
}

/** Names the format of a file; of a remote one only if it is in memory. */
async function whyNoZip(source: ByteReader, tail: Uint8Array, { signal }: StoreGetOptions): Promise<string> {
  const isWhole = tail.byteLength < endBytes + maxCommentBytes;
  const url = await source.url?.();
  const isLocal = url !== undefined && isFileUrl(url);
  const format = isWhole ? fileFormat(tail) : isLocal ? await formatOf(source, signal) : undefined;
  if (!format || format.id === "zip") return "it has no end-of-central-directory record";
  return `it is ${formatHint(format)}`;
}

function severalParts(source: ByteReader): ZarrError {
  return unsupported(`${source.name} is part of a multi-volume zip archive, which is not supported`, {
    code: "unsupported-zip",
  });
}

/** Upper half of code page 437, the encoding of names without the UTF-8 flag. */
const page437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

const loose = cached(() => textDecoder("utf-8", { ignoreBOM: true }));
const strict = cached(() => textDecoder("utf-8", { ignoreBOM: true, fatal: true }));

/**
 * Decodes a name. Many writers omit the UTF-8 flag: names that are valid UTF-8 are decoded as such, all others as code
 * page 437.
 */
function decodeName(bytes: Uint8Array, isUtf8: boolean): string {
  if (isUtf8) return loose().decode(bytes);
  try {
    return strict().decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : page437[byte - 128]!)).join(
      "",
    );
  }
}

/** Length of a local header without its name. */
const headerBytes = 30;

/** Detects overlapping entries, by which a small archive can expand to any size: each entry inflates the same bytes. */
export class Extents {
  #starts: number[] = [];
  #ends: number[] = [];
  #isSorted = true;
  #end = 0;

  add({ offset, storedBytes }: { offset: number; storedBytes: number }): void {
    if (offset < this.#end) this.#isSorted = false;
    this.#end = offset + headerBytes + storedBytes;
    this.#starts.push(offset);
    this.#ends.push(this.#end);
  }

  /**
   * Whether any two entries overlap. Sorts starts and ends separately unless the entries come in order: some end exceeds
   * the next start if and only if entries overlap.
   */
  *overlap(): Steps<boolean> {
    if (this.#isSorted) return false;
    this.#starts = yield* sortSteps(this.#starts);
    this.#ends = yield* sortSteps(this.#ends);
    return this.#starts.some((start, i) => i > 0 && this.#ends[i - 1]! > start);
  }
}
