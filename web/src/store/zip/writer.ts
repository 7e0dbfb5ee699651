/**
 * Writes zip archives (.zip, .ozx) in one pass: uncompressed objects, names in UTF-8.
 * Spec: PKWARE APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory), 4.3.14 to 4.3.16 (its end), 4.5.3 (zip64).
 */

import { checkConstructor } from "../../util/arguments.js";
import { joinBytes, unshared } from "../../util/bytes.js";
import { crc32 } from "../../util/crc32.js";
import {
  alreadyExists,
  invalidArgument,
  isZarrError,
  messageOf,
  networkError,
  unsupported,
} from "../../util/errors.js";
import { textDecoder, textEncoder } from "../../util/platform.js";
import { addDisposal, addInspection, type MaybeAsyncDisposable } from "../../util/symbol-methods.js";
import { existsError } from "../concurrency.js";
import { documentNames } from "../deletion.js";
import { childNames, normalizePath } from "../path.js";
import {
  joinKey,
  type MaybePromise,
  type Store,
  type StoreSetOptions,
  type StoreWriteOptions,
} from "../store.js";

export interface ZipWriterOptions {
  /** The archive's comment. Default: that of OME-Zarr archives if the root is OME-Zarr. */
  comment?: string | undefined;
}

/** Maximum total size of documents that wait in memory for others. */
const maxWaitingBytes = 64 * 2 ** 20;
/** Shorter objects are written together with their headers. */
const shortBytes = 2 ** 16;
/** Approximate length of the pieces of the directory. */
const pieceBytes = 2 ** 18;

const baseName = (key: string) => key.slice(key.lastIndexOf("/") + 1);
const isDocument = (key: string) => documentNames.includes(baseName(key));

/** Sorts documents breadth first, beginning at the root. Spec: OME-Zarr RFC-9. */
function byDepth(a: string, b: string): number {
  const depth = (key: string) => key.split("/").length;
  return depth(a) - depth(b) || (a < b ? -1 : 1);
}

// The constructor adds the methods.
export interface ZipWriter extends MaybeAsyncDisposable {}

/**
 * A store that writes a zip archive to a sink in one pass: without compression, as chunks are compressed, with checksums
 * and zip64 fields if needed. The archive is incomplete until {@link close} returns.
 *
 * Written objects can be neither replaced nor deleted, nor read back. A node's documents (`zarr.json`, `.zarray`, …) can,
 * until the first chunk is written. Until then they wait in memory, so that they come first, beginning at the root, as
 * OME-Zarr requires. After that they can still be read back.
 *
 * `await using` closes the archive at the end of the block unless it was closed or aborted before.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor adds the methods
export class ZipWriter implements Store {
  /** Name in consoles, also in minified programs. */
  static get name(): string {
    return "ZipWriter";
  }

  readonly #sink: WritableStreamDefaultWriter<Uint8Array>;
  readonly #comment: string | undefined;
  readonly #entries = new Map<string, WrittenEntry>();
  /** Documents, and the keys of those that wait. */
  readonly #documents = new Map<string, Uint8Array>();
  readonly #waiting = new Set<string>();
  #waitingBytes = 0;
  #offset = 0;
  /** Whether all documents precede the other objects. */
  #isDocumentsFirst = true;
  #last: Promise<void> = Promise.resolve();
  #state: "open" | "closed" | { failure: unknown } = "open";

  /**
   * @param sink a stream (of a file, of a browser's file handle, …) or a function that is called with each piece. A
   *   piece may change once the promise that the function returns has settled.
   * @throws InvalidArgument for an invalid sink, and for a comment of more than 65 535 bytes.
   */
  constructor(sink: ZipSink, options: ZipWriterOptions = {}) {
    checkConstructor(options, "store", { comment: true });
    this.#sink = openSink(sink);
    this.#comment = options.comment;
    if (textEncoder().encode(options.comment).byteLength > 0xffff) {
      throw invalidArgument("the comment of an archive has at most 65 535 bytes");
    }
    addDisposal(this, "asyncDispose", async () => {
      if (this.#state === "open") await this.close();
    });
    addInspection(this, () => ({ objects: this.#entries.size + this.#waiting.size, bytes: this.#offset }));
  }

  /** Writes support `ifVersion: "absent"`. */
  get conditional(): "absent" {
    return "absent";
  }

  locate(key: string): string {
    return `archive!${key}`;
  }

  /** Returns a written document. @throws Unsupported ("append-only") for other written objects. */
  get(key: string): Uint8Array | undefined {
    const path = `/${normalizePath(key)}`;
    const document = this.#documents.get(path);
    if (document || !this.#entries.has(path)) return document?.slice();
    throw unsupported(`${this.locate(path)} cannot be read back while the archive is written`, {
      code: "append-only",
    });
  }

  /**
   * Writes an object.
   * @throws AlreadyExists for a key that the archive has already, as written objects cannot be replaced; Network
   *   ("store-failed") after the sink has failed; InvalidArgument ("closed", "bad-path"); the signal's reason.
   */
  set(key: string, value: Uint8Array, { signal, ifVersion }: StoreSetOptions = {}): Promise<void> {
    return this.#inTurn(signal, async () => {
      const path = checkKey(key);
      if (ifVersion !== undefined && ifVersion !== "absent") {
        throw unsupported(`${this.locate(path)} cannot be replaced`, { code: "no-conditions" });
      }
      if (this.#waiting.has(path) && ifVersion === "absent") throw existsError(this.locate(path));
      if (this.#entries.has(path)) {
        throw alreadyExists(`${this.locate(path)} is already in the archive and cannot be replaced`);
      }
      if (isDocument(path) && this.#isDocumentsFirst) return this.#wait(path, value);
      await this.#flush();
      if (isDocument(path)) this.#documents.set(path, value.slice());
      else this.#isDocumentsFirst = false;
      await this.#append(path, value);
    });
  }

  /** @throws Unsupported ("append-only") if the key was already written to the archive. */
  delete(key: string, { signal }: StoreWriteOptions = {}): Promise<void> {
    return this.#inTurn(signal, async () => this.#remove(`/${normalizePath(key)}`));
  }

  /** @throws Unsupported ("append-only") if something below the path is in the archive already; then nothing is removed. */
  deletePrefix(path: string, { signal }: StoreWriteOptions = {}): Promise<void> {
    return this.#inTurn(signal, async () => {
      const keys = [...this.list(path)];
      const written = keys.find((key) => this.#entries.has(key));
      for (const key of written ? [written] : keys) this.#remove(key);
    });
  }

  *list(path: string): Generator<string> {
    const prefix = joinKey(normalizePath(path), "");
    for (const key of [...this.#waiting, ...this.#entries.keys()]) if (key.startsWith(prefix)) yield key;
  }

  listChildren(path: string): string[] {
    return childNames(this.list(path), normalizePath(path));
  }

  /** Ends the archive, and closes the sink. Nothing can be written any more. */
  close(): Promise<void> {
    return this.#inTurn(undefined, async () => {
      await this.#flush();
      await this.#end();
      await this.#sinking(() => this.#sink.close());
      this.#state = "closed";
    });
  }

  /** Aborts the archive and the sink. */
  async abort(reason?: unknown): Promise<void> {
    if (this.#state === "closed") return;
    this.#state = { failure: reason ?? new Error("the archive was aborted") };
    await this.#sink.abort(reason).catch(() => {});
  }

  /** One after the other, in the order of the calls. */
  async #inTurn(signal: AbortSignal | undefined, work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(() => {
      signal?.throwIfAborted();
      if (this.#state === "closed") throw invalidArgument("the archive is closed", { code: "closed" });
      if (this.#state !== "open") throw sinkError(this.#state.failure);
      return work();
    });
    this.#last = turn.catch(() => {});
    await turn;
  }

  async #wait(path: string, value: Uint8Array): Promise<void> {
    const before = this.#documents.get(path)?.byteLength ?? 0;
    this.#documents.set(path, value.slice());
    this.#waiting.add(path);
    this.#waitingBytes += value.byteLength - before;
    if (this.#waitingBytes > maxWaitingBytes) await this.#flush();
  }

  #remove(path: string): void {
    if (this.#entries.has(path)) {
      throw unsupported(`${this.locate(path)} is already in the archive and cannot be removed`, {
        code: "append-only",
      });
    }
    if (!this.#waiting.delete(path)) return;
    this.#waitingBytes -= this.#documents.get(path)!.byteLength;
    this.#documents.delete(path);
  }

  /** Writes the waiting documents to the sink. */
  async #flush(): Promise<void> {
    for (const path of [...this.#waiting].sort(byDepth)) {
      this.#waiting.delete(path);
      await this.#append(path, this.#documents.get(path)!);
    }
    this.#waitingBytes = 0;
  }

  async #append(path: string, value: Uint8Array): Promise<void> {
    const name = textEncoder().encode(path.slice(1));
    if (name.byteLength > 0xffff) {
      throw invalidArgument(`a key of ${name.byteLength} bytes is too long for an archive`, {
        code: "bad-path",
      });
    }
    const entry = { name, crc: crc32(value), bytes: value.byteLength, offset: this.#offset };
    const header = localHeader(entry);
    if (value.byteLength <= shortBytes) {
      await this.#write(joinBytes([header, value]));
    } else {
      await this.#write(header);
      await this.#write(value);
    }
    this.#entries.set(path, entry);
  }

  /** The directory, the documents first, and the archive's end. */
  async #end(): Promise<void> {
    const offset = this.#offset;
    const documents = [...this.#entries.keys()].filter(isDocument).sort(byDepth);
    const others = [...this.#entries.keys()].filter((key) => !isDocument(key));
    let records: Uint8Array[] = [];
    let length = 0;
    for (const key of [...documents, ...others]) {
      const record = directoryRecord(this.#entries.get(key)!);
      records.push(record);
      length += record.byteLength;
      if (length < pieceBytes) continue;
      await this.#write(joinBytes(records));
      records = [];
      length = 0;
    }
    const bytes = this.#offset + length - offset;
    const ome = this.#omeComment();
    const comment = textEncoder().encode(this.#comment ?? ome ?? "");
    const end = directoryEnd({ entries: this.#entries.size, offset, bytes }, comment, ome !== undefined);
    await this.#write(joinBytes([...records, end]));
  }

  /** The comment that marks archives of OME-Zarr whose documents come first. Spec: OME-Zarr RFC-9. */
  #omeComment(): string | undefined {
    const root = this.#documents.get("/zarr.json");
    if (!root) return undefined;
    try {
      const version = JSON.parse(textDecoder().decode(root)).attributes.ome.version;
      if (typeof version !== "string") return undefined;
      const [first] = this.#entries.keys();
      if (first !== "/zarr.json" || !this.#areDocumentsFirst()) return undefined;
      return JSON.stringify({ ome: { version, zipFile: { centralDirectory: { jsonFirst: true } } } });
    } catch {
      return undefined;
    }
  }

  #areDocumentsFirst(): boolean {
    const keys = [...this.#entries.keys()];
    const sorted = keys.filter(isDocument).sort(byDepth);
    return sorted.every((key, i) => keys[i] === key);
  }

  async #write(piece: Uint8Array): Promise<void> {
    await this.#sinking(async () => {
      await this.#sink.ready;
      await this.#sink.write(unshared(piece));
    });
    this.#offset += piece.byteLength;
  }

  /** A sink that has failed holds part of an object: nothing can follow that. */
  async #sinking(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (failure) {
      this.#state = { failure };
      throw sinkError(failure);
    }
    // It may have been aborted in the meantime.
    if (typeof this.#state === "object") throw sinkError(this.#state.failure);
  }
}

function sinkError(cause: unknown): Error {
  if (isZarrError(cause)) return cause;
  return networkError(`the archive could not be written: ${messageOf(cause)}`, {
    code: "store-failed",
    cause,
  });
}

function checkKey(key: string): string {
  const path = normalizePath(key);
  if (path === "") throw invalidArgument(`${JSON.stringify(key)} is not a key`, { code: "bad-path" });
  return `/${path}`;
}

/** Destination of an archive: a stream, or a function that is called with one piece after the other. */
export type ZipSink =
  | WritableStream<Uint8Array>
  | ((piece: Uint8Array<ArrayBuffer>) => MaybePromise<unknown>);

/** @throws InvalidArgument for an invalid sink. */
function openSink(sink: ZipSink): WritableStreamDefaultWriter<Uint8Array> {
  const write = async (piece: Uint8Array) => void (await (sink as (piece: Uint8Array) => unknown)(piece));
  const stream = typeof sink === "function" ? new WritableStream<Uint8Array>({ write }) : sink;
  if (typeof (stream as { getWriter?: unknown } | undefined)?.getWriter !== "function") {
    throw invalidArgument("the destination of an archive must be a WritableStream or a function");
  }
  const writer = stream.getWriter();
  writer.closed.catch(() => {}); // reported by the failing write
  return writer;
}

/** An object in an archive. */
export interface WrittenEntry {
  readonly name: Uint8Array;
  readonly crc: number;
  readonly bytes: number;
  /** Offset of its local header. */
  readonly offset: number;
}

const utf8Names = 0x800;
/** Version needed to extract: 1.0, or 4.5 for zip64. */
const plainVersion = 10;
const zip64Version = 45;
/** Made by Unix: a regular file with read permission for all users. */
const madeBy = (3 << 8) | zip64Version;
const permissions = 0o100644 * 2 ** 16;
/** Larger numbers are in a zip64 field. */
const max32 = 0xffffffff;
const max16 = 0xffff;
/** 1980-01-01 00:00, the first possible time: the same objects always make the same archive. */
const date = (1 << 5) | 1;

/** Writes little-endian numbers. */
class Fields {
  readonly #view: DataView<ArrayBuffer>;
  #at = 0;

  constructor(bytes: number) {
    this.#view = new DataView(new ArrayBuffer(bytes));
  }

  u16(...values: number[]): this {
    for (const value of values) this.#view.setUint16(this.#take(2), value, true);
    return this;
  }

  u32(...values: number[]): this {
    for (const value of values) this.#view.setUint32(this.#take(4), value, true);
    return this;
  }

  u64(...values: number[]): this {
    for (const value of values) this.#view.setBigUint64(this.#take(8), BigInt(value), true);
    return this;
  }

  raw(bytes: Uint8Array): this {
    new Uint8Array(this.#view.buffer).set(bytes, this.#take(bytes.byteLength));
    return this;
  }

  #take(bytes: number): number {
    this.#at += bytes;
    return this.#at - bytes;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#view.buffer);
  }
}

const clamp = (value: number) => Math.min(value, max32);

/** Prints the local header of an object. */
export function localHeader({ name, crc, bytes }: WrittenEntry): Uint8Array<ArrayBuffer> {
  const isLarge = bytes >= max32;
  const extra = isLarge ? 20 : 0;
  const fields = new Fields(30 + name.byteLength + extra);
  fields.u32(0x04034b50).u16(isLarge ? zip64Version : plainVersion, utf8Names, 0, 0, date);
  fields.u32(crc, clamp(bytes), clamp(bytes)).u16(name.byteLength, extra).raw(name);
  if (isLarge) fields.u16(1, 16).u64(bytes, bytes);
  return fields.bytes;
}

/** Prints the record of an object in the central directory. */
export function directoryRecord({ name, crc, bytes, offset }: WrittenEntry): Uint8Array<ArrayBuffer> {
  const isLarge = bytes >= max32;
  const large = [...(isLarge ? [bytes, bytes] : []), ...(offset >= max32 ? [offset] : [])];
  const extra = large.length > 0 ? 4 + 8 * large.length : 0;
  const fields = new Fields(46 + name.byteLength + extra);
  fields.u32(0x02014b50).u16(madeBy, extra > 0 ? zip64Version : plainVersion, utf8Names, 0, 0, date);
  fields.u32(crc, clamp(bytes), clamp(bytes)).u16(name.byteLength, extra, 0, 0, 0);
  fields.u32(permissions, clamp(offset)).raw(name);
  if (extra > 0) fields.u16(1, extra - 4).u64(...large);
  return fields.bytes;
}

/** Prints the end of the central directory. */
export function directoryEnd(
  directory: { entries: number; offset: number; bytes: number },
  comment: Uint8Array,
  forceZip64: boolean,
): Uint8Array<ArrayBuffer> {
  const { entries, offset, bytes } = directory;
  const isLarge = forceZip64 || entries >= max16 || offset >= max32 || bytes >= max32;
  const fields = new Fields((isLarge ? 76 : 0) + 22 + comment.byteLength);
  if (isLarge) {
    fields.u32(0x06064b50).u64(44).u16(madeBy, zip64Version).u32(0, 0);
    fields.u64(entries, entries, bytes, offset);
    fields
      .u32(0x07064b50, 0)
      .u64(offset + bytes)
      .u32(1);
  }
  const count = Math.min(entries, max16);
  fields.u32(0x06054b50).u16(0, 0, count, count).u32(clamp(bytes), clamp(offset));
  return fields.u16(comment.byteLength).raw(comment).bytes;
}
