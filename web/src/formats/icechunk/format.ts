/**
 * Common parts of Icechunk's metadata files: header, zstd compression with any content size or a dictionary, object ids,
 * and FlatBuffers.
 * Spec: FlatBuffers "internals" and "FlexBuffers"; Icechunk 1 and 2.
 */

import { decodeBytes } from "../../engine/bytes.js";
import { getSession } from "../../engine/engine.js";
import type { ChainStep } from "../../engine/plan.js";
import type { CodecSession } from "../../engine/session.js";
import { callStore, locateKey } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { utf8Text } from "../../util/bytes.js";
import {
  corruptChunk,
  invalidMetadata,
  isZarrError,
  limitExceeded,
  networkError,
  ZarrError,
} from "../../util/errors.js";
import { uninitialised } from "../../util/platform.js";

/** "ICE🧊CHUNK" in UTF-8. */
const magic = [0x49, 0x43, 0x45, 0xf0, 0x9f, 0xa7, 0x8a, 0x43, 0x48, 0x55, 0x4e, 0x4b];
const headerBytes = 39;
const newestVersion = 2;

export const fileTypes = { snapshot: 1, manifest: 2, repo: 6 } as const;
export type FileType = keyof typeof fileTypes;

/** Whether bytes begin as a metadata file of Icechunk does. */
export const hasMagic = (bytes: Uint8Array): boolean => magic.every((byte, i) => bytes[i] === byte);

/** The error of a version that is newer than this library. */
export function futureVersion(name: string, version: number): ZarrError {
  return new ZarrError(
    "FutureVersion",
    `${name} has version ${version} of Icechunk's format; this library reads versions 1 and 2`,
  );
}

/**
 * Opens a metadata file.
 * @param maxBytes maximum decompressed size.
 * @throws InvalidMetadata; FutureVersion; LimitExceeded.
 */
export async function readFile(
  bytes: Uint8Array,
  type: FileType,
  name: string,
  maxBytes: number,
): Promise<FlatBuffer> {
  const compression = checkHeader(bytes, type, name);
  const body = bytes.subarray(headerBytes);
  if (compression === 0) {
    if (body.byteLength > maxBytes) throw tooLarge(name, maxBytes);
    return new FlatBuffer(body, name);
  }
  return new FlatBuffer(await expand(body, name, maxBytes), name);
}

/** Checks a header. @returns the compression: 0 none, 1 zstd. */
function checkHeader(bytes: Uint8Array, type: FileType, name: string): number {
  if (!hasMagic(bytes))
    throw invalidMetadata(`${name}: not an Icechunk metadata file`, { code: "bad-icechunk" });
  if (bytes.byteLength < headerBytes) throw malformed(name, "it ends within its header");
  const [version, kind, compression] = bytes.subarray(36, headerBytes) as unknown as [number, number, number];
  if (version > newestVersion) throw futureVersion(name, version);
  if (version === 0) throw malformed(name, "it states format version 0");
  if (kind !== fileTypes[type]) throw malformed(name, `expected a ${type} file, found file type ${kind}`);
  if (compression > 1) throw malformed(name, `compression ${compression} is unknown`);
  return compression;
}

async function expand(body: Uint8Array, name: string, maxBytes: number): Promise<Uint8Array> {
  try {
    return await expandZstd(body, maxBytes);
  } catch (error) {
    if (!(error instanceof ZarrError)) throw error;
    if (error._tag === "LimitExceeded" && error.code === "limit-exceeded") throw tooLarge(name, maxBytes);
    if (error._tag !== "CorruptChunk") throw error;
    throw invalidMetadata(`${name} cannot be decompressed: ${error.message}`, {
      code: "bad-icechunk",
      cause: error,
    });
  }
}

const tooLarge = (name: string, maxBytes: number): ZarrError =>
  limitExceeded(`${name} has more than the limit of ${maxBytes} bytes`);

/** Crockford's base 32: no I, L, O, U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const idPattern = /^[0-9A-HJKMNP-TV-Z]{19}[0G]$/;

/** Whether a string is an object id, which is safe in a path. */
export const isObjectId = (text: string): boolean => idPattern.test(text);

/** Formats the 12 bytes of an object id. */
export function objectId(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31];
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

/** The error for a missing object that metadata refers to. */
export function lostObject(what: string, name: string): ZarrError {
  return networkError(
    `${name} is missing: ${what} that the repository refers to was lost or garbage-collected`,
    { code: "bad-target" },
  );
}

/** Reads an object of at most `maxBytes`; undefined if it is missing. */
export type ReadObject = (key: string, maxBytes: number) => Promise<Uint8Array | undefined>;

/** @throws LimitExceeded; errors of the store. */
export function objectReader(store: Store, signal: AbortSignal | undefined): ReadObject {
  return async (key, maxBytes) => {
    const bytes = await callStore(store, key, () => store.get(key, { signal, maxBytes }), signal);
    if (bytes && bytes.byteLength > maxBytes)
      throw limitExceeded(`${locateKey(store, key)} has more than the limit of ${maxBytes} bytes`);
    return bytes;
  };
}

/** Frames of at most `smallFrame` bytes with at most `smallContent` bytes of content are decoded in one step. */
const smallFrame = 2 ** 20;
const smallContent = 2 ** 23;

const steps: readonly ChainStep[] = [{ core: "zstd", params: [0, 0], name: "zstd" }];

/**
 * Decodes one frame. A large one is decoded twice, piece by piece: the first pass determines the content
 * size, so that no more memory is allocated than that and the frame itself.
 * @param limit maximum number of decoded bytes.
 * @throws CorruptChunk; LimitExceeded.
 */
export async function expandZstd(frame: Uint8Array, limit: number): Promise<Uint8Array> {
  checkMagic(frame);
  if (frame.byteLength <= smallFrame) {
    const bound = Math.min(limit, smallContent);
    try {
      return await decodeBytes(steps, frame, bound);
    } catch (error) {
      if (!isZarrError(error, "LimitExceeded") || error.code !== "limit-exceeded" || bound === limit)
        throw error;
    }
  }
  return expandIn(await getSession("full"), frame, undefined, limit);
}

/**
 * Returns a decoder for small frames that were made with a dictionary.
 * @returns a function that decodes one frame; it throws like {@link expandZstd}.
 */
export async function expanderWith(
  dictionary: Uint8Array,
): Promise<(frame: Uint8Array, limit: number) => Uint8Array> {
  const session = await getSession("full");
  return (frame, limit) => {
    checkMagic(frame);
    return expandIn(session, frame, dictionary, limit);
  };
}

function expandIn(
  session: CodecSession,
  frame: Uint8Array,
  dictionary: Uint8Array | undefined,
  limit: number,
): Uint8Array {
  let total = 0;
  session.expandFrame(frame, dictionary, (piece) => {
    total += piece.byteLength;
    if (total > limit) throw limitExceeded(`a zstd frame holds more than ${limit} bytes`);
  });
  const out = uninitialised(total);
  let filled = 0;
  session.expandFrame(frame, dictionary, (piece) => {
    out.set(piece, filled);
    filled += piece.byteLength;
  });
  return out;
}

/** Rejects frames from before zstd 1.0 and skippable frames, which Icechunk never writes. */
function checkMagic(frame: Uint8Array): void {
  if ([0x28, 0xb5, 0x2f, 0xfd].some((byte, i) => frame[i] !== byte))
    throw corruptChunk("not a zstd frame", { code: "bad-header", codec: "zstd" });
}

/** The error for bytes that violate the format. */
export function malformed(name: string, what: string): ZarrError {
  return invalidMetadata(`${name}: ${what}`, { code: "bad-icechunk" });
}

/** Maximum number of fields in Icechunk's tables; later ones are unknown here. */
const maxFields = 16;

/**
 * Reads FlatBuffers in place: every offset is checked against the buffer and the table before it is followed. Positions
 * are byte offsets in the buffer; 0 means "absent", as the offset of the root table is stored there.
 */
export class FlatBuffer {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  readonly #length: number;
  /** The vtable last read: adjacent tables share theirs. */
  #vtable = -1;
  #fields = 0;
  #tableBytes = 0;
  readonly #slots = new Uint16Array(maxFields);

  /** @param name of the file, for messages. */
  constructor(
    bytes: Uint8Array,
    readonly name: string,
  ) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#length = bytes.byteLength;
  }

  /** Position of the root table. */
  get root(): number {
    return this.#follow(0);
  }

  fail(what: string): never {
    throw malformed(this.name, what);
  }

  u8(at: number): number {
    this.#need(at, 1);
    return this.bytes[at]!;
  }
  u32(at: number): number {
    this.#need(at, 4);
    return this.#view.getUint32(at, true);
  }
  i32(at: number): number {
    this.#need(at, 4);
    return this.#view.getInt32(at, true);
  }
  /** Reads an unsigned 64-bit integer; Infinity above 2⁵³, where numbers are not exact. */
  u64(at: number): number {
    const value = this.u32(at + 4) * 2 ** 32 + this.u32(at);
    return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
  }

  /**
   * Returns the position of a field in a table; 0 if it is absent.
   * @param width bytes of the field in the table.
   */
  field(table: number, id: number, width = 4): number {
    this.#useVtable(table);
    const slot = id < this.#fields ? this.#slots[id]! : 0;
    if (slot === 0) return 0;
    if (slot < 4 || slot + width > this.#tableBytes) this.fail(`field ${id} lies outside its table`);
    return table + slot;
  }

  /** Returns the position of a required field. */
  required(table: number, id: number, width = 4): number {
    return this.field(table, id, width) || this.fail(`a table lacks its field ${id}`);
  }

  /** Follows a field, or an entry of a vector of tables, to its table. */
  table(at: number): number {
    return this.#follow(at);
  }

  /**
   * Returns the start of a vector: a 4-byte count, then the elements. All of them are in the buffer.
   * @param width bytes of an element.
   */
  vector(at: number, width: number): number {
    const start = this.#follow(at);
    const count = this.u32(start);
    if (count * width > this.#length - start - 4) this.fail(`a list of ${count} entries is truncated`);
    return start;
  }

  /** Number of entries of a vector. */
  count(vector: number): number {
    return this.u32(vector);
  }

  /** Returns an entry of a vector of tables. */
  tableIn(vector: number, index: number): number {
    return this.#follow(vector + 4 + 4 * index);
  }

  /** Returns a view of a vector of bytes or of a string. */
  bytesAt(at: number): Uint8Array {
    const start = this.vector(at, 1);
    return this.bytes.subarray(start + 4, start + 4 + this.u32(start));
  }

  /** Reads a string. @throws InvalidMetadata for invalid UTF-8 and for more than `maxBytes` bytes. */
  text(at: number, maxBytes: number): string {
    const bytes = this.bytesAt(at);
    if (bytes.byteLength > maxBytes)
      this.fail(`a string has ${bytes.byteLength} bytes, more than the limit of ${maxBytes}`);
    return utf8Text(bytes) ?? this.fail("a string is not UTF-8");
  }

  /** Reads a string field; "" if it is absent. */
  textField(table: number, id: number, maxBytes: number): string {
    const at = this.field(table, id);
    return at === 0 ? "" : this.text(at, maxBytes);
  }

  /** Returns a view of a struct of bytes in a table. */
  struct(at: number, width: number): Uint8Array {
    this.#need(at, width);
    return this.bytes.subarray(at, at + width);
  }

  /**
   * Searches a sorted vector of tables.
   * @param compare returns a negative number for tables before the wanted one, positive for those after it.
   * @returns the table; 0 if it is missing.
   */
  search(vector: number, compare: (table: number) => number): number {
    let [low, high] = [0, this.count(vector)];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const table = this.tableIn(vector, middle);
      const order = compare(table);
      if (order === 0) return table;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return 0;
  }

  /** Compares bytes of the buffer with others, as unsigned numbers; shorter ones come first. */
  compare(at: number, length: number, other: Uint8Array): number {
    const { bytes } = this;
    const common = Math.min(length, other.byteLength);
    for (let i = 0; i < common; i++) {
      const difference = bytes[at + i]! - other[i]!;
      if (difference !== 0) return difference;
    }
    return length - other.byteLength;
  }

  #need(at: number, width: number): void {
    if (!(at >= 0 && at + width <= this.#length)) this.fail("an offset points outside the file");
  }

  /** Follows an offset, which counts forwards from its own position. */
  #follow(at: number): number {
    const offset = this.u32(at);
    const target = at + offset;
    if (offset === 0 || target + 4 > this.#length) this.fail("an offset points outside the file");
    return target;
  }

  #useVtable(table: number): void {
    const vtable = table - this.i32(table);
    if (vtable !== this.#vtable) this.#readVtable(vtable);
    if (table + this.#tableBytes > this.#length) this.fail("a table is truncated");
  }

  #readVtable(vtable: number): void {
    this.#need(vtable, 4);
    const view = this.#view;
    const bytes = view.getUint16(vtable, true);
    const tableBytes = view.getUint16(vtable + 2, true);
    if (bytes < 4 || bytes % 2 !== 0 || tableBytes < 4) this.fail("a table's list of fields is damaged");
    this.#need(vtable, bytes);
    const fields = Math.min(maxFields, (bytes - 4) / 2);
    this.#vtable = -1; // until it is checked
    for (let id = 0; id < fields; id++) this.#slots[id] = view.getUint16(vtable + 4 + 2 * id, true);
    this.#fields = fields;
    this.#tableBytes = tableBytes;
    this.#vtable = vtable;
  }
}
