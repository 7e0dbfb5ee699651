/** Lazy part: FITS files. Images are arrays of one group, named by EXTNAME; tables are omitted. */

import { withEntries } from "../../metadata/print.js";
import { limitExceeded } from "../../util/errors.js";
import { type Json, JsonNumber, type JsonObject } from "../../util/json.js";
import { badFile, unsupportedFile } from "../file/cursor.js";
import {
  type ArrayParts,
  bytesCodec,
  contiguousChunks,
  contiguousRange,
  floatJson,
  named,
  zeroFill,
} from "../file/documents.js";
import { groupOf } from "../file/group.js";
import type { FileArray, FileChunk, FileContext, FileFormat, FileGroup } from "../file/model.js";
import { Turns } from "../file/turns.js";
import { blockBytes, type Header, readHeader } from "./header.js";
import { Tiles } from "./tiles.js";

/** Maximum number of extensions, and of bytes of all headers, whose cards are kept. */
const maxExtensions = 2 ** 16;
const maxHeaders = 2 ** 25;

export const format: FileFormat = {
  async open(context, signal): Promise<FileGroup> {
    const images = new Map<string, ImageArray>();
    const { blocks } = context;
    const turns = new Turns();
    let attributes: JsonObject | undefined;
    let headerBytes = 0;
    for (let [at, index] = [0, 0]; index === 0 || hasHeader(context, at); index++) {
      if (index > maxExtensions)
        throw limitExceeded(`${context.name} has more than ${maxExtensions} extensions`);
      const header = await readHeader(context, at, turns, signal);
      headerBytes += header.end - header.start;
      if (headerBytes > maxHeaders)
        throw limitExceeded(`${context.name} has more than ${maxHeaders} bytes of headers`);
      attributes ??= header.attributes();
      const shape = shapeOf(header, context.limits.rank);
      if (header.isTiled || isImage(header, index)) {
        const own = header.isTiled ? shapeOf(header, context.limits.rank, "Z") : shape;
        if (own.length > 0) images.set(nameOf(header, index, images), new ImageArray(context, header, own));
      } else leaveOut(context, header);
      at = header.end + dataBytes(header, shape);
      if (!Number.isSafeInteger(at))
        throw badFile(`${context.name}: the data at ${header.end} are too large`);
      if (blocks.fileSize === undefined) break;
    }
    return groupOf(attributes!, images);
  },
};

/** Whether a header can begin at a position: zeros and other bytes after the last extension are ignored. */
function hasHeader({ blocks }: FileContext, at: number): boolean {
  return at + blockBytes <= (blocks.fileSize ?? 0);
}

function isImage(header: Header, index: number): boolean {
  if (index === 0) return header.values.get("GROUPS") !== true;
  return header.values.get("XTENSION") === "IMAGE";
}

function leaveOut({ name, onWarning }: FileContext, header: Header): void {
  const own = header.values.get("EXTNAME") ?? `at ${header.start}`;
  const message = `${name}: the extension ${JSON.stringify(own)} is left out: it is not an image`;
  onWarning?.({ code: "unsupported-member", message });
}

function nameOf(header: Header, index: number, known: ReadonlyMap<string, unknown>): string {
  const isPrimary = index === 0 || (header.isTiled && header.values.has("ZSIMPLE"));
  const name = header.name ?? (isPrimary ? "PRIMARY" : `HDU${index}`);
  return known.has(name) ? `${name}.${index}` : name;
}

/** @param prefix of the keywords. */
function shapeOf(header: Header, maxRank: number, prefix = ""): number[] {
  const rank = header.integer(`${prefix}NAXIS`);
  if (rank < 0) throw badFile(`the header at ${header.start} has ${rank} axes`);
  if (rank > maxRank)
    throw limitExceeded(`the header at ${header.start} has ${rank} axes, more than the limit of ${maxRank}`);
  const shape = Array.from({ length: rank }, (_, i) => header.integer(`${prefix}NAXIS${rank - i}`));
  if (shape.some((length) => length < 0))
    throw badFile(`the header at ${header.start} has an axis of negative length`);
  return shape;
}

/** Size of the data after a header. Those of random groups have a first axis of length 0. */
function dataBytes(header: Header, shape: readonly number[]): number {
  const isGroups = header.values.get("GROUPS") === true && shape.at(-1) === 0;
  const elements = (isGroups ? shape.slice(0, -1) : shape).reduce((product, length) => product * length, 1);
  const groups = header.integer("GCOUNT", 1) * (header.integer("PCOUNT", 0) + elements);
  const bytes = shape.length === 0 ? 0 : (Math.abs(header.integer("BITPIX")) / 8) * groups;
  if (!(bytes >= 0)) throw badFile(`the header at ${header.start} has data of a negative size`);
  return blockBytes * Math.ceil(bytes / blockBytes);
}

interface PixelType {
  readonly name: string;
  readonly bytes: number;
  /** The type with the other sign, and BZERO of images that have it. */
  readonly other?: readonly [name: string, zero: number];
}

/** Types by BITPIX. */
const types: Readonly<Record<number, PixelType>> = {
  8: { name: "uint8", bytes: 1, other: ["int8", -128] },
  16: { name: "int16", bytes: 2, other: ["uint16", 2 ** 15] },
  32: { name: "int32", bytes: 4, other: ["uint32", 2 ** 31] },
  64: { name: "int64", bytes: 8, other: ["uint64", 2 ** 63] },
  [-32]: { name: "float32", bytes: 4 },
  [-64]: { name: "float64", bytes: 8 },
};

/** Values of an image that are not compressed. */
class Contiguous {
  readonly chunks: readonly number[];
  readonly codecs: readonly Json[];

  constructor(
    private readonly start: number,
    private readonly shape: readonly number[],
    private readonly itemBytes: number,
  ) {
    this.chunks = contiguousChunks(shape, itemBytes);
    this.codecs = [bytesCodec(false, itemBytes)];
  }

  range(at: readonly number[]): { offset: number; length: number } {
    const { offset, length } = contiguousRange(this.shape, this.chunks, at, this.itemBytes);
    return { offset: this.start + offset, length };
  }
}

class ImageArray implements FileArray {
  readonly kind = "array";
  readonly #type: PixelType;
  readonly #hasOtherSign: boolean;
  #layout: Contiguous | Tiles | undefined;

  constructor(
    private readonly context: FileContext,
    private readonly header: Header,
    private readonly shape: readonly number[],
  ) {
    const bits = header.integer(header.isTiled ? "ZBITPIX" : "BITPIX");
    const type = types[bits];
    if (!type) throw badFile(`the header at ${header.start} has BITPIX ${bits}`);
    this.#type = type;
    this.#hasOtherSign = header.number("BSCALE", 1) === 1 && header.number("BZERO", 0) === type.other?.[1];
  }

  describe(): ArrayParts {
    const { header, shape } = this;
    const { name, bytes, other } = this.#type;
    const { chunks, codecs } = this.#stored;
    const dataType = this.#hasOtherSign ? other![0] : name;
    const offset: Json[] = this.#hasOtherSign && bytes < 8 ? [this.#offsetCodec(other![1])] : [];
    return {
      shape,
      dataType,
      chunks,
      fillValue: zeroFill(dataType),
      codecs: [...offset, ...codecs],
      attributes: withEntries(header.attributes(), this.#scaling()),
    };
  }

  chunk(at: readonly number[], signal: AbortSignal | undefined): FileChunk | Promise<FileChunk> {
    const stored = this.#stored;
    if (stored instanceof Tiles) return stored.chunk(at, signal);
    const range = stored.range(at);
    this.context.blocks.check(range.offset, range.length);
    return this.#hasOtherSign && this.#type.bytes === 8 ? this.#flipped(range, signal) : range;
  }

  get #stored(): Contiguous | Tiles {
    const { header, shape } = this;
    this.#layout ??= header.isTiled ? this.#tiles() : new Contiguous(header.end, shape, this.#type.bytes);
    return this.#layout;
  }

  #tiles(): Tiles {
    const { context, header, shape } = this;
    if (this.#hasOtherSign && this.#type.bytes === 8)
      throw unsupportedFile(`the image at ${header.start} has compressed integers of 64 bits without sign`);
    return new Tiles(context, header, shape, this.#type);
  }

  /** Adds what BZERO has added; exact for integers of up to 32 bits. */
  #offsetCodec(offset: number): Json {
    const { name, bytes } = this.#type;
    const order = bytes === 1 ? "|" : "<";
    const [stored, own] = name.startsWith("u") ? ["u", "i"] : ["i", "u"];
    const kinds = { dtype: `${order}${own}${bytes}`, astype: `${order}${stored}${bytes}` };
    return named("numcodecs.fixedscaleoffset", { offset, scale: 1, ...kinds });
  }

  /** Returns scale, offset and missing value as attributes of CF. */
  #scaling(): [string, Json | undefined][] {
    const { header } = this;
    const blank = header.values.get("BLANK") ?? (header.isTiled ? header.values.get("ZBLANK") : undefined);
    const isBlank = blank instanceof JsonNumber && blank.isInteger && !this.#type.name.startsWith("float");
    const zero = this.#hasOtherSign ? BigInt(this.#type.other![1]) : 0n;
    const scale = header.number("BSCALE", 1);
    const offset = this.#hasOtherSign ? 0 : header.number("BZERO", 0);
    return [
      ["scale_factor", scale === 1 ? undefined : floatJson(scale)],
      ["add_offset", offset === 0 ? undefined : floatJson(offset)],
      ["_FillValue", isBlank ? new JsonNumber(String(blank.bigint + zero)) : undefined],
    ];
  }

  /** Reads integers of 64 bits with the other sign: their first bit is inverted. */
  async #flipped(
    range: { offset: number; length: number },
    signal: AbortSignal | undefined,
  ): Promise<FileChunk> {
    const { offset, length } = range;
    const found = await this.context.blocks.readChunk(offset, length, { signal, maxBytes: length });
    const bytes = found.slice();
    for (let i = 0; i < bytes.length; i += 8) bytes[i]! ^= 128;
    return { bytes };
  }
}
