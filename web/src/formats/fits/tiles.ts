/**
 * Images that are stored as tables of compressed tiles. Spec: FITS standard 4.0, section 10
 *
 *   row   descriptors (number of elements, offset in the heap) of the tile's data; its scale, offset and blank value
 */

import type { Json } from "../../util/json.js";
import { badFile, unsupportedFile } from "../file/cursor.js";
import { type AxisChunks, bytesCodec, chunkCount, named, shorterLast } from "../file/documents.js";
import type { ChunkBytes, FileChunk, FileContext, FilePart } from "../file/model.js";
import type { Header } from "./header.js";

/** Bytes of an element by the letter of TFORM. */
const widths: Readonly<Record<string, number>> = {
  ...{ L: 1, X: 1 / 8, B: 1, I: 2, J: 4, K: 8, A: 1, E: 4, D: 8, C: 8, M: 16, P: 8, Q: 16 },
};
const dithers: Readonly<Record<string, string>> = {
  NO_DITHER: "none",
  SUBTRACTIVE_DITHER_1: "subtractive_1",
  SUBTRACTIVE_DITHER_2: "subtractive_2",
};
const gzip = named("gzip", { level: 6 });
/** Random numbers of the standard. */
const randoms = 10_000;
const headBytes = 24;
const maxColumns = 999;

interface Column {
  readonly offset: number;
  readonly letter: string;
  /** Letter of the elements in the heap. */
  readonly element: string;
}

export class Tiles {
  readonly chunks: readonly AxisChunks[];
  /** The codecs of the stored values, without that for the other sign. */
  readonly codecs: readonly Json[];
  readonly #columns: ReadonlyMap<string, Column>;
  readonly #lengths: readonly number[];
  readonly #rowBytes: number;
  readonly #heap: number;
  /** The codecs of COMPRESSED_DATA, and then gzip if a tile may be stored so. */
  readonly #packing: readonly Json[];
  /** Bits of the codecs that are applied to COMPRESSED_DATA and GZIP_COMPRESSED_DATA. */
  readonly #applied: readonly [packed: number, zipped: number];
  readonly #isLittle: boolean;
  readonly #isQuantized: boolean;
  /** Whether each tile states which codecs were applied. */
  readonly #isConditional: boolean;

  /** @throws Unsupported, InvalidMetadata ("bad-file"). */
  constructor(
    private readonly context: FileContext,
    private readonly header: Header,
    private readonly shape: readonly number[],
    private readonly type: { readonly name: string; readonly bytes: number },
  ) {
    const rank = shape.length;
    this.#lengths = shape.map((length, axis) => this.#tileLength(rank - axis, length));
    this.chunks = shape.map((length, axis) => shorterLast(length, this.#lengths[axis]!));
    this.#rowBytes = header.integer("NAXIS1");
    const rows = header.integer("NAXIS2");
    this.#heap = header.end + header.integer("THEAP", this.#rowBytes * rows);
    if (this.#heap < header.end) throw this.#bad("a heap before the table");
    this.#columns = this.#readColumns();
    const tiles = shape.reduce((count, length, axis) => count * chunkCount(length, this.chunks[axis]!), 1);
    if (rows < tiles) throw this.#bad(`${rows} rows for ${tiles} tiles`);
    if (this.#columns.has("NULL_PIXEL_MASK")) throw this.#unsupported("with masks of pixels");
    const isFloat = type.name.startsWith("float");
    const quantization = this.#text("ZQUANTIZ", "NO_DITHER");
    const hasScale = ["ZSCALE", "ZZERO"].some((name) => this.#columns.has(name) || header.values.has(name));
    if (hasScale && !isFloat) throw this.#unsupported("of scaled integers");
    const method = this.#text("ZCMPTYPE", "").replace(/^RICE_ONE$/, "RICE_1");
    this.#isQuantized = hasScale && quantization !== "NONE" && method !== "NOCOMPRESS";
    this.#isLittle = method === "RICE_1";
    const packing = this.#packingOf(method, isFloat);
    const isZip = method.startsWith("GZIP");
    const hasZip = isZip || !this.#columns.has("GZIP_COMPRESSED_DATA");
    this.#packing = hasZip ? packing : [...packing, gzip];
    this.#applied = [2 ** packing.length - 1, 2 ** (packing.length - (isZip ? 1 : 0))];
    const hasOthers = ["UNCOMPRESSED_DATA", "GZIP_COMPRESSED_DATA"].some((name) => this.#columns.has(name));
    this.#isConditional = hasOthers && method !== "NOCOMPRESS";
    this.codecs = this.#isQuantized ? [this.#quantize(quantization)] : this.#plainCodecs();
  }

  async chunk(at: readonly number[], signal: AbortSignal | undefined): Promise<FileChunk> {
    const { header, context } = this;
    const tile = at.reduce(
      (sum, own, axis) => sum * chunkCount(this.shape[axis]!, this.chunks[axis]!) + own,
      0,
    );
    const bytes = await context.blocks.read(header.end + tile * this.#rowBytes, this.#rowBytes, signal);
    const row = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const packed = this.#part(row, "COMPRESSED_DATA");
    const zipped = packed ? undefined : this.#part(row, "GZIP_COMPRESSED_DATA");
    const data = packed ?? zipped ?? this.#part(row, "UNCOMPRESSED_DATA");
    if (!data) throw this.#bad(`no data of tile ${tile}`);
    if (!this.#isQuantized && !this.#isConditional) return data;
    const head = this.#isQuantized ? this.#head(row, tile, packed !== undefined) : new Uint8Array(1);
    if (packed || zipped) head[head.length - 1] = this.#applied[packed ? 0 : 1];
    const isSwapped = !packed && this.#isLittle && !this.#isQuantized;
    return { parts: [{ bytes: head }, isSwapped ? await this.#swapped(data, zipped, signal) : data] };
  }

  /** Returns integers in the byte order of RICE_1. */
  async #swapped(
    { offset, length }: FilePart,
    zipped: FilePart | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ChunkBytes> {
    if (zipped) throw this.#unsupported("by RICE_1, and tiles of integers by gzip");
    const { blocks, limits } = this.context;
    const found = await blocks.readChunk(offset, length, { signal, maxBytes: limits.chunkBytes });
    const bytes = found.slice();
    const width = this.type.bytes;
    for (let i = 0; i < bytes.length; i += width) bytes.subarray(i, i + width).reverse();
    return { bytes };
  }

  /** Returns the range of a tile's data in a column; undefined if it has none there. */
  #part(row: DataView, name: string): FilePart | undefined {
    const column = this.#columns.get(name);
    if (!column) return undefined;
    const { offset, letter, element } = column;
    const isWide = letter === "Q";
    if (!isWide && letter !== "P") throw this.#bad(`a column ${name} without descriptors`);
    const [count, start] = [0, 1].map((i) =>
      isWide ? Number(row.getBigInt64(offset + 8 * i)) : row.getInt32(offset + 4 * i),
    ) as [number, number];
    if (count === 0) return undefined;
    const length = Math.ceil(count * widths[element]!);
    const part = { offset: this.#heap + start, length };
    if (count < 0 || start < 0 || !Number.isSafeInteger(part.offset + length))
      throw this.#bad(`a tile of ${count} elements at ${start}`);
    this.context.blocks.check(part.offset, length);
    return part;
  }

  /** Returns the header of a chunk of the codec fits_quantize. */
  #head(row: DataView, tile: number, isPacked: boolean): Uint8Array {
    const head = new Uint8Array(headBytes);
    const view = new DataView(head.buffer);
    const blank = this.#number(row, "ZBLANK", undefined) ?? this.#number(row, "BLANK", undefined);
    const first = this.header.integer("ZDITHER0", 1);
    if (first < 1) throw this.#bad(`ZDITHER0 = ${first}`);
    view.setFloat64(0, this.#number(row, "ZSCALE", 1)!, true);
    view.setFloat64(8, this.#number(row, "ZZERO", 0)!, true);
    view.setInt32(16, blank ?? 0, true);
    view.setUint16(20, (tile + first - 1) % randoms, true);
    head[22] = isPacked ? Number(blank !== undefined) : 2;
    return head;
  }

  /** Returns a number of a tile: of a column or a keyword. */
  #number(row: DataView, name: string, fallback: number | undefined): number | undefined {
    const column = this.#columns.get(name);
    if (!column) return this.header.values.has(name) ? this.header.number(name, 0) : fallback;
    const { offset, letter } = column;
    if (letter === "D") return row.getFloat64(offset);
    if (letter === "E") return row.getFloat32(offset);
    if (letter === "J") return row.getInt32(offset);
    throw this.#unsupported(`with ${name} of the type ${letter}`);
  }

  #packingOf(method: string, isFloat: boolean): Json[] {
    const elementsize = this.#isQuantized ? 4 : this.type.bytes;
    if (method === "NOCOMPRESS") return [];
    if (method === "GZIP_1") return [gzip];
    if (method === "GZIP_2")
      return [...(elementsize > 1 ? [named("numcodecs.shuffle", { elementsize })] : []), gzip];
    if (method !== "RICE_1" || (isFloat && !this.#isQuantized))
      throw this.#unsupported(`by ${method || "an unknown method"}`);
    return [named("fits_rice", { block_size: this.#option("BLOCKSIZE", 32), bytepix: this.#bytepix() })];
  }

  #bytepix(): number {
    const bytes = this.#option("BYTEPIX", 4);
    if (![1, 2, 4].includes(bytes) || (this.#isQuantized && bytes !== 4))
      throw this.#unsupported(`by RICE_1 with integers of ${bytes} bytes`);
    return bytes;
  }

  #plainCodecs(): Json[] {
    const { bytes } = this.type;
    const packing = this.#isConditional
      ? [named("conditional", { codecs: [...this.#packing] })]
      : this.#packing;
    const width = this.#isLittle ? this.#bytepix() : bytes;
    if (width === bytes) return [bytesCodec(this.#isLittle, bytes), ...packing];
    if (this.#isConditional)
      throw this.#unsupported(`by RICE_1 with integers of ${width} bytes, and otherwise`);
    const numpy = (own: number) => (own === 1 ? "|u1" : `<i${own}`);
    const types = { encode_dtype: numpy(width), decode_dtype: numpy(bytes) };
    return [named("numcodecs.astype", types), bytesCodec(true, width), ...packing];
  }

  #quantize(quantization: string): Json {
    const dither = dithers[quantization];
    if (!dither) throw this.#unsupported(`with the quantization ${quantization}`);
    const endian = this.#isLittle ? "little" : "big";
    return named("fits_quantize", { dither, endian, codecs: [...this.#packing] });
  }

  /** Returns an option of the method, from a pair of ZNAMEn and ZVALn. */
  #option(name: string, fallback: number): number {
    for (let i = 1; this.header.values.has(`ZNAME${i}`); i++)
      if (this.#text(`ZNAME${i}`, "") === name) return this.header.integer(`ZVAL${i}`);
    return fallback;
  }

  #tileLength(axis: number, length: number): number {
    const tile = this.header.integer(`ZTILE${axis}`, axis === 1 ? Math.max(1, length) : 1);
    if (tile < 1) throw this.#bad(`ZTILE${axis} = ${tile}`);
    return Math.min(tile, Math.max(1, length));
  }

  #readColumns(): Map<string, Column> {
    const columns = new Map<string, Column>();
    const count = this.header.integer("TFIELDS");
    let offset = 0;
    for (let i = 1; i <= Math.min(count, maxColumns); i++) {
      const [, repeat, letter = "", element = ""] =
        /^(\d*)([LXBIJKAEDCMPQ])([A-Z]?)/.exec(this.#text(`TFORM${i}`, "")) ?? [];
      const isArray = letter === "P" || letter === "Q";
      if (letter === "" || (isArray && !widths[element])) throw this.#bad(`the format of column ${i}`);
      columns.set(this.#text(`TTYPE${i}`, ""), { offset, letter, element });
      offset += Math.ceil(Number(repeat || 1) * widths[letter]!);
    }
    if (offset > this.#rowBytes) throw this.#bad(`rows of ${this.#rowBytes} bytes`);
    return columns;
  }

  #text(keyword: string, fallback: string): string {
    const value = this.header.values.get(keyword) ?? fallback;
    return typeof value === "string" ? value.trim().toUpperCase() : "";
  }

  #bad(what: string): Error {
    return badFile(`the compressed image at ${this.header.start} has ${what}`);
  }

  #unsupported(what: string): Error {
    return unsupportedFile(`the image at ${this.header.start} is compressed ${what}`);
  }
}
