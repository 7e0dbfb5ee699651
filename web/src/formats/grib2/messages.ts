/** Finds the fields of GRIB 2 files: a walk over the headers of sections, which skips their data. */

import { isZarrError, limitExceeded } from "../../util/errors.js";
import { nextTask } from "../../util/platform.js";
import { badFile, Cursor, unsupportedFile } from "../file/cursor.js";
import type { FileContext, FilePart } from "../file/model.js";
import { type Identification, type Product, readIdentification, readProduct } from "./product.js";

/** A field: the sections of a message that belong to it. */
export interface Field {
  readonly product: Product;
  /** Section 3. */
  readonly grid: Uint8Array;
  readonly packing: Packing;
  /** The message, or its sections if it has several fields. */
  readonly parts: FilePart | readonly FilePart[];
}

/** Section 5. */
export interface Packing {
  readonly template: number;
  /** Bits per value, or the precision of floats. */
  readonly bits: number;
}

/** Section 0. */
interface MessageHeader {
  readonly discipline: number;
  readonly edition: number;
  readonly length: number;
}

/** Why a message is left out. */
type LeftOut = "bad-message" | "unsupported-message";

const headerBytes = 16;
const trailer = [..."7777"].map((character) => character.charCodeAt(0));
/** Maximum number of messages and of fields, and bytes of sections that are read. */
const maxFields = 2 ** 20;
const maxSection = 2 ** 22;
/** Maximum number of bytes between messages that are searched. */
const maxGarbage = 2 ** 26;
const searchBytes = 2 ** 16;

/** Reads the fields of files. */
export class MessageReader {
  /** Sections 3, by their bytes. */
  readonly #grids = new Map<string, Uint8Array>();
  #lastGrid: Uint8Array | undefined;
  #count = 0;
  #firstLeftOut: { readonly code: LeftOut; readonly text: string } | undefined;

  constructor(private readonly context: FileContext) {}

  /** Reads all messages of the file. Damaged messages are omitted with a warning. */
  async scan(signal: AbortSignal | undefined): Promise<Field[]> {
    const fields: Field[] = [];
    let garbage = 0;
    for (let at = 0; ; ) {
      const start = await this.#find(at, signal);
      if (start === undefined) return fields;
      garbage += start - at;
      if (garbage > maxGarbage)
        throw limitExceeded(`${this.context.name} has more than ${maxGarbage} bytes between its messages`);
      if (++this.#count % 256 === 0) await nextTask();
      at = await this.#readNext(start, fields, signal);
      if (fields.length > maxFields || this.#count > maxFields)
        throw limitExceeded(`${this.context.name} has more than ${maxFields} fields`);
    }
  }

  /** Reads a message. @returns the position where the search goes on. */
  async #readNext(start: number, fields: Field[], signal: AbortSignal | undefined): Promise<number> {
    try {
      const header = await this.#header(start, signal);
      const { edition, length } = header;
      const end = await this.context.blocks.read(start + length - 4, 4, signal);
      if (!trailer.every((byte, i) => end[i] === byte)) throw badFile("it does not end with 7777");
      if (edition === 2) fields.push(...(await this.#fields(start, header, signal)));
      else this.#warn("unsupported-message", start, `it is of edition ${edition}`);
      return start + length;
    } catch (error) {
      if (!isZarrError(error, "InvalidMetadata") && !isZarrError(error, "LimitExceeded")) throw error;
      this.#warn("bad-message", start, error.message);
      return start + 4;
    }
  }

  #warn(code: LeftOut, start: number, reason: string): void {
    const { name, onWarning } = this.context;
    this.#firstLeftOut ??= { code, text: `the message at ${start} is left out: ${reason}` };
    onWarning?.({ code, message: `${name}: the message at ${start} is left out: ${reason}` });
  }

  /** Returns the error of a file without messages that can be read. */
  noMessages(): Error {
    const found = this.#firstLeftOut;
    const message = `${this.context.name} has no message that can be read${found ? `; ${found.text}` : ""}`;
    return found?.code === "unsupported-message" ? unsupportedFile(message) : badFile(message);
  }

  /** Returns the position of the next message; undefined at the end of the file. */
  async #find(from: number, signal: AbortSignal | undefined): Promise<number | undefined> {
    if (indexOfMessage(await this.#upTo(from, 4, signal)) === 0) return from;
    for (let at = from; at - from <= maxGarbage; at += searchBytes - 3) {
      const bytes = await this.#upTo(at, searchBytes, signal);
      const found = indexOfMessage(bytes);
      if (found >= 0) return at + found;
      if (bytes.byteLength < searchBytes) return undefined;
      await nextTask();
    }
    return from + maxGarbage + 1;
  }

  /** Reads bytes; fewer at the end of the file. */
  async #upTo(at: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { blocks } = this.context;
    for (let isFirst = true; ; isFirst = false) {
      const end = Math.min(at + length, blocks.fileSize ?? Number.POSITIVE_INFINITY);
      if (end <= at) return new Uint8Array(0);
      try {
        return await blocks.read(at, end - at, signal);
      } catch (error) {
        // The size is known after the first read beyond the end.
        if (!isFirst || !isZarrError(error, "InvalidMetadata")) throw error;
      }
    }
  }

  /** Reads section 0. */
  async #header(start: number, signal: AbortSignal | undefined): Promise<MessageHeader> {
    const { blocks } = this.context;
    const cursor = new Cursor(await blocks.read(start, headerBytes, signal), "section 0", false, 6);
    const [discipline, edition] = [cursor.u8(), cursor.u8()];
    cursor.at = edition === 1 ? 4 : 8;
    const length = edition === 1 ? cursor.uint(3) : cursor.u64();
    if (length < headerBytes + 4) throw badFile(`it has ${length} bytes`);
    blocks.check(start, length);
    return { discipline, edition, length };
  }

  /**
   * Reads the fields of the message at a position, without a check of its end.
   * @throws InvalidMetadata ("bad-file"), Unsupported, LimitExceeded.
   */
  async read(start: number, signal: AbortSignal | undefined): Promise<Field[]> {
    const header = await this.#header(start, signal);
    const { edition } = header;
    if (edition !== 2)
      throw unsupportedFile(`${this.context.name}: messages of edition ${edition} are not read`);
    return this.#fields(start, header, signal);
  }

  async #fields(
    start: number,
    { discipline, length }: MessageHeader,
    signal: AbortSignal | undefined,
  ): Promise<Field[]> {
    const fields: Field[] = [];
    const found = new Sections(discipline, { offset: start, length });
    for (let at = start + headerBytes; at < start + length - 4; ) {
      const head = new Cursor(await this.context.blocks.read(at, 5, signal), "a section", false);
      const [size, id] = [head.u32(), head.u8()];
      if (size < 5 || at + size > start + length - 4)
        throw badFile(`section ${id} at ${at} has ${size} bytes`);
      const part = { offset: at, length: size };
      const content = await this.#content(id, part, signal);
      found.add(id, part, content);
      if (id === 7) {
        const field = this.#field(found, start);
        if (field) fields.push(field);
        if (++this.#count % 256 === 0) await nextTask();
      }
      at += size;
    }
    return found.fields === 1 ? fields.map((field) => ({ ...field, parts: found.message })) : fields;
  }

  /** Reads a section; of the bitmap and of data only the first bytes. */
  async #content(id: number, { offset, length }: FilePart, signal: AbortSignal | undefined) {
    if (length > maxSection && id < 6)
      throw limitExceeded(
        `section ${id} at ${offset} has ${length} bytes, more than the limit of ${maxSection}`,
      );
    const bytes = await this.context.blocks.read(offset, id < 6 ? length : Math.min(length, 6), signal);
    return id === 3 ? this.#intern(bytes) : bytes;
  }

  /** Returns one copy for equal sections. */
  #intern(section: Uint8Array): Uint8Array {
    const last = this.#lastGrid;
    if (last?.byteLength === section.byteLength && last.every((byte, i) => byte === section[i])) return last;
    const key = Array.from(section, (byte) => String.fromCharCode(byte)).join("");
    this.#lastGrid = this.#grids.get(key) ?? section.slice();
    this.#grids.set(key, this.#lastGrid);
    return this.#lastGrid;
  }

  #field(sections: Sections, start: number): Field | undefined {
    try {
      return sections.field();
    } catch (error) {
      if (!isZarrError(error, "Unsupported")) throw error;
      this.#warn("unsupported-message", start, error.message);
      return undefined;
    }
  }
}

interface Section {
  readonly part: FilePart;
  readonly content: Uint8Array;
}

/** The sections that apply to the next field of a message: those before it are repeated only if they change. */
class Sections {
  readonly #known = new Map<number, Section>();
  #identification: Identification | undefined;
  /** The last bitmap that is not a reference to an earlier one. */
  #bitmap: Section | undefined;
  fields = 0;

  constructor(
    private readonly discipline: number,
    readonly message: FilePart,
  ) {}

  add(id: number, part: FilePart, content: Uint8Array): void {
    if (id < 1 || id > 7) throw badFile(`there is a section ${id} at ${part.offset}`);
    if (id === 1) this.#identification = readIdentification(content, this.discipline);
    if (id === 6 && content[5] !== 254) this.#bitmap = { part, content };
    // A section ends the validity of later sections except for bitmaps.
    for (const later of this.#known.keys()) if (later > id && later !== 6) this.#known.delete(later);
    this.#known.set(id, { part, content });
    if (id === 7) this.fields++;
  }

  /** Returns the field whose data has been added. */
  field(): Field {
    const [grid, product, packing] = [this.#need(3), this.#need(4), this.#need(5)];
    if (!this.#identification) throw badFile("section 1 is missing");
    const bitmap = this.#need(6).content[5] === 254 ? this.#bitmap : this.#known.get(6);
    if (!bitmap) throw badFile("the bitmap refers to an earlier one, but there is none");
    const local = this.#known.get(2);
    const all = [this.#need(1), ...(local ? [local] : []), grid, product, packing, bitmap, this.#need(7)];
    return {
      product: readProduct(product.content, this.#identification),
      grid: grid.content,
      packing: readPacking(packing.content),
      parts: all.map(({ part }) => part),
    };
  }

  #need(id: number): Section {
    const found = this.#known.get(id);
    if (!found) throw badFile(`section ${id} is missing`);
    return found;
  }
}

function readPacking(section: Uint8Array): Packing {
  const cursor = new Cursor(section, "section 5", false, 9);
  const template = cursor.u16();
  cursor.at = template === 4 ? 11 : 19;
  return { template, bits: cursor.u8() };
}

/** Returns the position of "GRIB" in bytes; -1 if they do not have it. */
function indexOfMessage(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(71); at >= 0; at = bytes.indexOf(71, at + 1))
    if (bytes[at + 1] === 82 && bytes[at + 2] === 73 && bytes[at + 3] === 66) return at;
  return -1;
}

/** Returns a message of one field from its sections. */
export function joinMessage(discipline: number, parts: readonly FilePart[]): FileChunkParts {
  const head = new Uint8Array(headerBytes);
  head.set([71, 82, 73, 66, 0, 0, discipline, 2]);
  const length = parts.reduce((sum, part) => sum + part.length, headerBytes + trailer.length);
  new DataView(head.buffer).setBigUint64(8, BigInt(length));
  return { parts: [{ bytes: head }, ...parts, { bytes: Uint8Array.from(trailer) }] };
}

interface FileChunkParts {
  readonly parts: readonly (FilePart | { readonly bytes: Uint8Array })[];
}
