/** Reads the directories of TIFF files (IFDs): their chain, and values of their tags when they are needed. */

import { isZarrError, limitExceeded } from "../../util/errors.js";
import { nextTask } from "../../util/platform.js";
import { sliceTime } from "../../util/slices.js";
import type { BlockCache } from "../file/blocks.js";
import { badFile, Cursor, textOf } from "../file/cursor.js";
import type { FileContext } from "../file/model.js";
import { tags, typeBytes } from "./tags.js";

/** Maximum number of pages of a file. */
const maxPages = 2 ** 20;
/** Maximum number of tags of a page; classic files cannot have more. */
const maxTags = 2 ** 16;
/** Maximum number of values of a tag that is read whole. */
const maxValues = 2 ** 16;
/** Values of long tags are read in aligned parts of this size, so that no byte is read twice. */
const partBytes = 2 ** 15;
/** Number of pages whose tags are kept. */
const keptPages = 1024;

/** The place of a page, with the values that decide which pages belong together. */
export interface PageEntry {
  readonly offset: number;
  /** NewSubfileType: 1 reduced resolution, 4 mask. */
  readonly subfile: number;
  readonly width: number;
  readonly height: number;
}

interface Tag {
  readonly type: number;
  readonly count: number;
  /** Position of the values in the file. */
  readonly at: number;
}

/** Widths of numbers in classic files and in BigTIFF. */
interface Widths {
  readonly count: 2 | 8;
  readonly entry: 12 | 20;
  readonly offset: 4 | 8;
}

/** A file: its byte order, the place of its first page, and the pages read last. */
export class TiffFile {
  readonly #pages = new Map<number, Promise<Page>>();
  readonly widths: Widths;

  private constructor(
    readonly blocks: BlockCache,
    readonly name: string,
    readonly isLittle: boolean,
    readonly isBig: boolean,
    readonly first: number,
  ) {
    this.widths = isBig ? { count: 8, entry: 20, offset: 8 } : { count: 2, entry: 12, offset: 4 };
  }

  static async open(blocks: BlockCache, name: string, signal: AbortSignal | undefined): Promise<TiffFile> {
    const head = await blocks.head(16, signal);
    const cursor = new Cursor(head, `the header of ${name}`);
    const order = cursor.text(2);
    if (order !== "II" && order !== "MM") throw badFile(`${name} is not a TIFF file`);
    cursor.isLittle = order === "II";
    const magic = cursor.u16();
    if (magic === 42) return new TiffFile(blocks, name, cursor.isLittle, false, cursor.u32());
    if (magic !== 43 || cursor.u16() !== 8 || cursor.u16() !== 0)
      throw badFile(`${name} is not a TIFF file: version ${magic}`);
    return new TiffFile(blocks, name, cursor.isLittle, true, cursor.u64());
  }

  /**
   * Follows the chain of pages. Damage after the first page and cycles end it with a warning, as in libtiff.
   * @throws InvalidMetadata ("bad-file") if the first page is damaged; LimitExceeded for more than 2²⁰ pages.
   */
  async chain({ onWarning }: FileContext, signal: AbortSignal | undefined): Promise<PageEntry[]> {
    const found: PageEntry[] = [];
    const seen = new Set<number>();
    let pause = performance.now() + sliceTime;
    for (let offset = this.first; offset !== 0; ) {
      if (found.length >= maxPages) throw limitExceeded(`${this.name} has more than ${maxPages} pages`);
      if (performance.now() > pause) {
        await nextTask();
        signal?.throwIfAborted();
        pause = performance.now() + sliceTime;
      }
      try {
        if (seen.has(offset)) throw badFile(`the chain returns to the page at ${offset}`);
        seen.add(offset);
        const { page, next } = await this.#read(offset, signal);
        found.push(await page.entry());
        offset = next;
      } catch (error) {
        if (found.length === 0 || !isZarrError(error, "InvalidMetadata")) throw error;
        onWarning?.({
          code: "bad-page",
          message: `${this.name} ends after ${found.length} pages: ${error.message}`,
        });
        break;
      }
    }
    if (found.length === 0) throw badFile(`${this.name} has no pages`);
    return found;
  }

  /** Returns the page at an offset. Pages used last are kept. */
  page(offset: number): Promise<Page> {
    const known = this.#pages.get(offset);
    if (known) return known;
    const read = this.#read(offset, undefined).then(({ page }) => page);
    const [oldest] = this.#pages.keys();
    if (oldest !== undefined && this.#pages.size >= keptPages) this.#pages.delete(oldest);
    this.#pages.set(offset, read);
    read.catch(() => this.#pages.delete(offset));
    return read;
  }

  async #read(offset: number, signal: AbortSignal | undefined): Promise<{ page: Page; next: number }> {
    const { count, entry, offset: width } = this.widths;
    const what = `the page at ${offset}`;
    const known = this.blocks.cached(offset, count);
    const head = new Cursor(known ?? (await this.blocks.read(offset, count, signal)), what, this.isLittle);
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
    const inline = start + cursor.at;
    const value = width === 4 ? cursor.u32() : Number(cursor.big64());
    if (itemBytes === 0 || this.#tags.has(tag)) return;
    this.#tags.set(tag, { type, count, at: count * itemBytes <= width ? inline : value });
  }

  async entry(): Promise<PageEntry> {
    const old = (await this.number(tags.subfileType, 0)) === 2 ? 1 : 0;
    return {
      offset: this.offset,
      subfile: await this.number(tags.newSubfileType, old),
      width: await this.number(tags.imageWidth, 0),
      height: await this.number(tags.imageLength, 0),
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
    const own = this.file.blocks.cached(found.at + index * itemBytes, itemBytes);
    if (own) return this.#value(new Cursor(own, `tag ${tag}`, this.file.isLittle), found.type);
    const first = Math.floor((index * itemBytes) / partBytes) * partBytes;
    const length = Math.min(partBytes, found.count * itemBytes - first);
    const part = await this.file.blocks.read(found.at + first, length, undefined);
    const cursor = new Cursor(part, `tag ${tag}`, this.file.isLittle, index * itemBytes - first);
    return this.#value(cursor, found.type);
  }

  /** Returns all values of a tag; an empty list for a missing one. */
  async numbers(tag: number): Promise<number[]> {
    if (!this.#tags.has(tag)) return [];
    const { type, count } = this.#found(tag);
    const bytes = await this.bytes(tag, maxValues * typeBytes[type]!);
    const cursor = new Cursor(bytes, `tag ${tag}`, this.file.isLittle);
    return Array.from({ length: count }, () => this.#value(cursor, type));
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

  #value(cursor: Cursor, type: number): number {
    switch (type) {
      case 3:
        return cursor.u16();
      case 4:
      case 13:
        return cursor.u32();
      case 5:
        return cursor.u32() / cursor.u32();
      case 6:
        return (cursor.u8() << 24) >> 24;
      case 8:
        return (cursor.u16() << 16) >> 16;
      case 9:
        return cursor.i32();
      case 10:
        return cursor.i32() / cursor.i32();
      case 11:
        return cursor.f32();
      case 12:
        return cursor.f64();
      case 16:
      case 17:
      case 18:
        return cursor.u64();
      default:
        return cursor.u8();
    }
  }
}
