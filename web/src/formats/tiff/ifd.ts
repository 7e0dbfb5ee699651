/** Reads the directories of TIFF files (IFDs): their chain, and values of their tags when they are needed. */

import { isZarrError, limitExceeded, type OnWarning } from "../../util/errors.js";
import type { BlockCache } from "../file/blocks.js";
import { badFile, Cursor, textOf } from "../file/cursor.js";
import { NodeCache } from "../file/node-cache.js";
import { Turns } from "../file/turns.js";
import { readTags, tags, typeBytes } from "./tags.js";

/** Maximum number of pages of a file. */
const maxPages = 2 ** 20;
/** Maximum number of tags of a page; classic files cannot have more. */
const maxTags = 2 ** 16;
/** Maximum number of values of a tag that is read whole. */
const maxValues = 2 ** 16;
/** Values of long tags are read in aligned parts of this size, so that no byte is read twice. */
const partBytes = 2 ** 15;
/** Pages at equal distances are read ahead if they are at least so far from one another. */
const minDistance = 2 ** 16;
const pagesAhead = 32;
/** Typical size of a page's tags. */
const pageBytes = 2 ** 9;
/** Number of pages whose tags are kept. */
const keptPages = 1024;

/** The place of a page, with the value that decides which pages belong together. */
export interface PageEntry {
  readonly offset: number;
  /** NewSubfileType: 1 reduced resolution, 4 mask. */
  readonly subfile: number;
}

interface Tag {
  readonly type: number;
  readonly count: number;
  /** Position of the values in the file. */
  readonly at: number;
  /** The value, if it is a single integer in the list of tags. */
  readonly value: number | undefined;
}

/** Widths of numbers in classic files and in BigTIFF. */
interface Widths {
  readonly count: 2 | 8;
  readonly entry: 12 | 20;
  readonly offset: 4 | 8;
}

/** A file: its byte order, the place of its first page, and the pages read last. */
export class TiffFile {
  readonly #pages = new NodeCache<Page>(keptPages);
  readonly widths: Widths;
  readonly chain: PageChain;

  private constructor(
    readonly blocks: BlockCache,
    readonly name: string,
    readonly isLittle: boolean,
    isBig: boolean,
    readonly first: number,
    onWarning: OnWarning | undefined,
  ) {
    this.chain = new PageChain(this, onWarning);
    this.widths = isBig ? { count: 8, entry: 20, offset: 8 } : { count: 2, entry: 12, offset: 4 };
  }

  static async open(
    blocks: BlockCache,
    name: string,
    onWarning: OnWarning | undefined,
    signal: AbortSignal | undefined,
  ): Promise<TiffFile> {
    const head = await blocks.head(16, signal);
    const cursor = new Cursor(head, `the header of ${name}`);
    const order = cursor.text(2);
    if (order !== "II" && order !== "MM") throw badFile(`${name} is not a TIFF file`);
    cursor.isLittle = order === "II";
    const magic = cursor.u16();
    const { isLittle } = cursor;
    if (magic === 42) return new TiffFile(blocks, name, isLittle, false, cursor.u32(), onWarning);
    if (magic !== 43 || cursor.u16() !== 8 || cursor.u16() !== 0)
      throw badFile(`${name} is not a TIFF file: version ${magic}`);
    return new TiffFile(blocks, name, isLittle, true, cursor.u64(), onWarning);
  }

  /** Returns the page at an offset. Recent pages are kept. */
  page(offset: number): Promise<Page> {
    return this.#pages.get(offset, async () => (await this.read(offset, undefined)).page);
  }

  /** Reads a page, and the offset of the next one. */
  async read(offset: number, signal: AbortSignal | undefined): Promise<{ page: Page; next: number }> {
    const { count, entry, offset: width } = this.widths;
    const what = `the page at ${offset}`;
    const first = this.blocks.cached(offset, count) ?? (await this.blocks.read(offset, count, signal));
    const head = new Cursor(first, what, this.isLittle);
    const tagCount = head.uint(count);
    if (tagCount > maxTags) throw badFile(`${what} has ${tagCount} tags`);
    const bytes = tagCount * entry + width;
    const start = offset + count;
    const list = this.blocks.cached(start, bytes) ?? (await this.blocks.read(start, bytes, signal));
    const cursor = new Cursor(list, what, this.isLittle);
    const page = new Page(this, offset);
    for (let i = 0; i < tagCount; i++) page.add(cursor, start);
    return { page, next: cursor.uint(width) };
  }
}

/** The chain of pages, followed as far as it is needed. Damage after the first page ends it, as in libtiff. */
class PageChain {
  readonly #found: PageEntry[] = [];
  readonly #seen = new Set<number>();
  /** Offset of the next page; 0 after the last one. */
  #next: number | undefined;
  /** Ends when the walks before have ended. */
  #turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: TiffFile,
    private readonly onWarning: OnWarning | undefined,
  ) {}

  /** Returns a page; undefined after the last one. */
  async at(index: number, signal?: AbortSignal): Promise<PageEntry | undefined> {
    if (index >= this.#found.length && this.#next !== 0) {
      const walk = this.#turn.then(() => this.#walk(index, signal));
      this.#turn = walk.catch(() => undefined);
      await walk;
    }
    return this.#found[index];
  }

  /** @throws LimitExceeded for more than 2²⁰ pages. */
  async all(signal: AbortSignal | undefined): Promise<readonly PageEntry[]> {
    await this.at(Number.POSITIVE_INFINITY, signal);
    return this.#found;
  }

  async #walk(index: number, signal: AbortSignal | undefined): Promise<void> {
    const { file } = this;
    const turns = new Turns();
    this.#next ??= file.first;
    while (this.#found.length <= index && this.#next !== 0) {
      if (this.#found.length >= maxPages) throw limitExceeded(`${file.name} has more than ${maxPages} pages`);
      const turn = turns.next();
      if (turn) await turn;
      signal?.throwIfAborted();
      this.#readAhead(this.#next, index);
      try {
        if (this.#seen.has(this.#next)) throw badFile(`the chain returns to the page at ${this.#next}`);
        const { page, next } = await file.read(this.#next, signal);
        this.#found.push(page.entry());
        this.#seen.add(this.#next);
        this.#next = next;
      } catch (error) {
        if (this.#found.length === 0 || !isZarrError(error, "InvalidMetadata")) throw error;
        const message = `${file.name} ends after ${this.#found.length} pages: ${error.message}`;
        this.onWarning?.({ code: "bad-page", message });
        this.#next = 0;
      }
    }
    if (this.#found.length === 0) throw badFile(`${file.name} has no pages`);
  }

  /** Pages far from one another at equal distances, as in stacks without compression, are read in parallel. */
  #readAhead(offset: number, index: number): void {
    const { blocks } = this.file;
    const { fileSize = 0 } = blocks;
    const [before, last] = this.#found.slice(-2);
    const distance = offset - (last?.offset ?? 0);
    const isEven = before && last && distance === last.offset - before.offset && distance >= minDistance;
    if (!isEven || blocks.cached(offset, 2)) return;
    const count = Math.min(pagesAhead, index - this.#found.length);
    for (let i = 0; i <= count && offset + i * distance + pageBytes <= fileSize; i++)
      Promise.resolve(blocks.read(offset + i * distance, pageBytes, undefined)).catch(() => undefined);
  }
}

/** Types of unsigned integers. */
const integerTypes: readonly number[] = [1, 3, 4, 13, 16, 18];

/** Reads a value by its type; types of one byte are the default. */
const readers: Readonly<Record<number, (cursor: Cursor) => number>> = {
  3: (cursor) => cursor.u16(),
  4: (cursor) => cursor.u32(),
  5: (cursor) => cursor.u32() / cursor.u32(),
  6: (cursor) => (cursor.u8() << 24) >> 24,
  8: (cursor) => (cursor.u16() << 16) >> 16,
  9: (cursor) => cursor.i32(),
  10: (cursor) => cursor.i32() / cursor.i32(),
  11: (cursor) => cursor.f32(),
  12: (cursor) => cursor.f64(),
  13: (cursor) => cursor.u32(),
  16: (cursor) => cursor.u64(),
  17: (cursor) => cursor.u64(),
  18: (cursor) => cursor.u64(),
};

const readValue = (cursor: Cursor, type: number): number => readers[type]?.(cursor) ?? cursor.u8();

/** A page: its tags, whose values are read on demand. */
export class Page {
  readonly #tags = new Map<number, Tag>();

  constructor(
    readonly file: TiffFile,
    readonly offset: number,
  ) {}

  /** Adds the tag at a cursor, unless its type is unknown. @param start offset of the cursor's bytes in the file. */
  add(cursor: Cursor, start: number): void {
    const { offset: width } = this.file.widths;
    const [tag, type] = [cursor.u16(), cursor.u16()];
    const count = Number(width === 4 ? cursor.u32() : cursor.big64());
    const itemBytes = typeBytes[type] ?? 0;
    const inline = cursor.at;
    const place = width === 4 ? cursor.u32() : Number(cursor.big64());
    if (itemBytes === 0 || !readTags.has(tag) || this.#tags.has(tag)) return;
    const isInline = count * itemBytes <= width;
    let value: number | undefined;
    if (count === 1 && itemBytes === width) value = Number.isSafeInteger(place) ? place : undefined;
    else if (count === 1 && isInline) {
      cursor.at = inline;
      value = cursor.uint(itemBytes);
      cursor.at = inline + width;
    }
    if (!integerTypes.includes(type)) value = undefined;
    this.#tags.set(tag, { type, count, at: isInline ? start + inline : place, value });
  }

  entry(): PageEntry {
    const value = (tag: number) => this.#tags.get(tag)?.value;
    return {
      offset: this.offset,
      subfile: value(tags.newSubfileType) ?? (value(tags.subfileType) === 2 ? 1 : 0),
    };
  }

  /** Number of values of a tag; 0 for a missing one. */
  count(tag: number): number {
    return this.#tags.get(tag)?.count ?? 0;
  }

  /** Returns the first value of a tag. @throws InvalidMetadata ("bad-file") if it is missing and has no default. */
  async number(tag: number, fallback?: number): Promise<number> {
    if (this.count(tag) > 0) return this.item(tag, 0);
    if (fallback === undefined) throw badFile(`the page at ${this.offset} lacks tag ${tag}`);
    return fallback;
  }

  /** Returns a value of a tag, reading only the part of the list that holds it. */
  async item(tag: number, index: number): Promise<number> {
    const found = this.#found(tag);
    const itemBytes = typeBytes[found.type]!;
    if (index >= found.count) throw badFile(`tag ${tag} has ${found.count} values, ${index + 1} are needed`);
    if (found.value !== undefined) return found.value;
    const own = this.file.blocks.cached(found.at + index * itemBytes, itemBytes);
    if (own) return readValue(new Cursor(own, `tag ${tag}`, this.file.isLittle), found.type);
    const first = Math.floor((index * itemBytes) / partBytes) * partBytes;
    const length = Math.min(partBytes, found.count * itemBytes - first);
    const part = await this.file.blocks.read(found.at + first, length, undefined);
    const cursor = new Cursor(part, `tag ${tag}`, this.file.isLittle, index * itemBytes - first);
    return readValue(cursor, found.type);
  }

  /** Returns all values of a tag; an empty list for a missing one. */
  async numbers(tag: number): Promise<number[]> {
    if (!this.#tags.has(tag)) return [];
    const { type, count } = this.#found(tag);
    const bytes = await this.bytes(tag, maxValues * typeBytes[type]!);
    const cursor = new Cursor(bytes, `tag ${tag}`, this.file.isLittle);
    return Array.from({ length: count }, () => readValue(cursor, type));
  }

  /** Returns numerators and denominators. */
  async rationals(tag: number): Promise<[number, number][]> {
    const found = this.#tags.get(tag);
    if (found?.type !== 5) return [];
    const bytes = await this.bytes(tag, maxValues);
    const cursor = new Cursor(bytes, `tag ${tag}`, this.file.isLittle);
    return Array.from({ length: found.count }, () => [cursor.u32(), cursor.u32()]);
  }

  /** Returns the text of a tag; undefined for a missing one. */
  async text(tag: number, maxBytes: number): Promise<string | undefined> {
    return this.#tags.has(tag) ? textOf(await this.bytes(tag, maxBytes)) : undefined;
  }

  /** Returns the bytes of a tag's values. @throws LimitExceeded if there are more than the limit. */
  async bytes(tag: number, maxBytes: number): Promise<Uint8Array> {
    const { type, count, at } = this.#found(tag);
    const length = count * typeBytes[type]!;
    if (length > maxBytes) throw limitExceeded(`tag ${tag} has ${length} bytes; ${maxBytes} is the limit`);
    return this.file.blocks.read(at, length, undefined);
  }

  #found(tag: number): Tag {
    const found = this.#tags.get(tag);
    if (!found) throw badFile(`the page at ${this.offset} lacks tag ${tag}`);
    return found;
  }
}
