/** Arrays of pages: one page, or a stack of pages of one shape and type. */

import type { MaybePromise } from "../../store/store.js";
import { limitExceeded } from "../../util/errors.js";
import type { Json, JsonObject } from "../../util/json.js";
import { blocksOf } from "../file/blocks.js";
import { badFile } from "../file/cursor.js";
import { type ArrayParts, type AxisChunks, bytesCodec, named, shorterLast } from "../file/documents.js";
import type { FileArray, FileChunk, FileContext, FilePart } from "../file/model.js";
import { convertChunk, rowBytes } from "./bits.js";
import type { Page } from "./ifd.js";
import { isImage, isSameLayout, type PageLayout, readLayout } from "./layout.js";
import { tags } from "./tags.js";

/** A dimension across pages. */
export interface OuterAxis {
  readonly name: string | null;
  readonly length: number;
}

/** A plane of a stack: its page, or bytes that follow the data of a page. */
export interface Plane {
  readonly page: Page;
  /** Added to the offsets of the page's chunks. */
  readonly shift?: number;
}

export interface StackOptions {
  readonly context: FileContext;
  readonly page: Page;
  readonly layout: PageLayout;
  readonly attributes: JsonObject;
  readonly fillValue: Json;
  readonly outer?: readonly OuterAxis[];
  /** Returns the plane at an index; undefined for a missing one. Default: the page. */
  plane?(at: readonly number[]): MaybePromise<Plane | undefined>;
  /**
   * Place of the samples: "last", as stored in most files; "first", before rows; or the outer axis whose elements have
   * them. Samples of planes that are apart come first in any case.
   */
  readonly samples: "last" | "first" | number;
  readonly sampleName?: string;
}

interface Axis {
  readonly name: string | null;
  readonly length: number;
  readonly chunks: AxisChunks;
  /** Rank of the axis among those of a stored chunk. */
  readonly order: number;
}

/** Number of strips or tiles across and down. */
const gridOf = ({ width, height, chunkWidth, chunkHeight }: PageLayout) => ({
  across: Math.ceil(width / chunkWidth),
  down: Math.ceil(height / chunkHeight),
});

export class PageArray implements FileArray {
  readonly kind = "array";
  readonly #parts: ArrayParts;
  /** Whether samples have a separate axis. */
  readonly #isApart: boolean;
  /** Whether that axis precedes the rows. */
  readonly #isFirst: boolean;
  /** The chunk converted last. */
  #converted: (Pick<FilePart, "offset" | "file"> & { readonly bytes: Uint8Array }) | undefined;

  constructor(private readonly options: StackOptions) {
    const { layout, attributes, fillValue, samples } = options;
    this.#isApart = layout.samples > 1 && typeof samples === "string";
    this.#isFirst = this.#isApart && (samples === "first" || layout.isPlanar);
    const axes = this.#axes();
    this.#parts = {
      shape: axes.map(({ length }) => length),
      dataType: layout.dataType,
      chunks: axes.map(({ chunks }) => chunks),
      fillValue,
      codecs: this.#codecs(axes),
      dimensionNames: axes.map(({ name }) => name),
      attributes,
    };
  }

  describe(): ArrayParts {
    return this.#parts;
  }

  /** Rows and columns come last, except for samples at the end. */
  #axes(): Axis[] {
    const { layout, outer = [], samples: place, sampleName = "s" } = this.options;
    const { width, height, samples, isPlanar, isTiled, chunkWidth, chunkHeight } = layout;
    const count = isPlanar ? 1 : samples;
    const axes: Axis[] = outer.map(({ name, length }, i) =>
      place === i && samples > 1
        ? { name, length: length * samples, chunks: count, order: isPlanar ? i : 99 }
        : { name, length, chunks: 1, order: i },
    );
    const rows = isTiled ? chunkHeight : shorterLast(height, chunkHeight);
    const sample: Axis = { name: sampleName, length: samples, chunks: count, order: isPlanar ? 96 : 99 };
    if (this.#isFirst) axes.push(sample);
    axes.push({ name: "y", length: height, chunks: rows, order: 97 });
    axes.push({ name: "x", length: width, chunks: chunkWidth, order: 98 });
    if (this.#isApart && !this.#isFirst) axes.push(sample);
    return axes;
  }

  #codecs(axes: readonly Axis[]): Json[] {
    const { isLittle, predictor, isPlanar, samples, compression, compressor, conversion } =
      this.options.layout;
    const order = axes.map((_, i) => i).sort((a, b) => axes[a]!.order - axes[b]!.order);
    const codecs: Json[] = order.some((axis, i) => axis !== i) ? [named("transpose", { order })] : [];
    const axis = samples > 1 && !isPlanar ? -2 : -1;
    if (predictor > 1)
      codecs.push(named(predictor === 2 ? "imagecodecs_delta" : "imagecodecs_floatpred", { axis, dist: 1 }));
    const isConverted = conversion !== undefined && conversion.kind !== "as-stored";
    codecs.push(bytesCodec(isLittle || isConverted || isImage(compression)));
    if (compressor && !conversion) codecs.push(compressor);
    return codecs;
  }

  async chunk(at: readonly number[], signal: AbortSignal | undefined): Promise<FileChunk | undefined> {
    const { layout, outer = [], samples: place, plane = () => ({ page: this.options.page }) } = this.options;
    const { isPlanar, samples } = layout;
    const rest = at.slice(outer.length);
    const [row, column] = rest.slice(this.#isFirst ? 1 : 0) as [number, number];
    const planeAt = at.slice(0, outer.length);
    let sample = this.#isApart && isPlanar ? rest[0]! : 0;
    if (typeof place === "number" && isPlanar) {
      sample = at[place]! % samples;
      planeAt[place] = Math.floor(at[place]! / samples);
    }
    const found = await plane(planeAt);
    signal?.throwIfAborted();
    if (!found) return undefined;
    await this.#check(found.page);
    const { across, down } = gridOf(layout);
    const part = await this.#locate(found, (sample * down + row) * across + column, row);
    if (!part || !layout.conversion) return part;
    // Parts of a chunk are read one after another.
    const { offset, file } = part;
    const last = this.#converted;
    const known = last?.offset === offset && last.file === file ? last.bytes : undefined;
    const bytes = known ?? (await this.#convert(part, row, signal));
    this.#converted = { offset, file, bytes };
    return { bytes };
  }

  /** Checks that a page has the layout of the array. */
  async #check(page: Page): Promise<void> {
    if (page === this.options.page || checked.get(page) === this.options.layout) return;
    if (!isSameLayout(await readLayout(page), this.options.layout))
      throw badFile(`the page at ${page.offset} differs from that at ${this.options.page.offset}`);
    checked.set(page, this.options.layout);
  }

  /** Returns the range of a strip or tile; undefined if it is missing. */
  async #locate({ page, shift = 0 }: Plane, index: number, row: number): Promise<FilePart | undefined> {
    const { layout, context } = this.options;
    const [offsetTag, countTag] =
      page.count(tags.tileOffsets) > 0
        ? [tags.tileOffsets, tags.tileByteCounts]
        : [tags.stripOffsets, tags.stripByteCounts];
    const hasCounts = page.count(countTag) > 0;
    const [offset, count] = await Promise.all([
      page.item(offsetTag, index),
      hasCounts ? page.item(countTag, index) : 0,
    ]);
    const isPlain = layout.compression === 1;
    if (offset === 0 || (count === 0 && (hasCounts || !isPlain))) {
      if (count === 0) return undefined;
      throw badFile(`strip or tile ${index} of the page at ${page.offset} has no offset`);
    }
    // A strip may have more bytes than its rows: some writers complete the last one.
    const full = this.#rows(row) * rowBytes(layout, this.#values());
    const length = isPlain ? (hasCounts ? Math.min(count, full) : full) : count;
    const { blocks } = page.file;
    const file = blocks === context.blocks ? undefined : blocks.file;
    return { offset: offset + shift, length: shift > 0 ? full : length, file };
  }

  #values(): number {
    const { chunkWidth, isPlanar, samples } = this.options.layout;
    return chunkWidth * (isPlanar ? 1 : samples);
  }

  #rows(row: number): number {
    const { height, chunkHeight, isTiled } = this.options.layout;
    return isTiled ? chunkHeight : Math.min(chunkHeight, height - row * chunkHeight);
  }

  async #convert(
    { offset, length, file }: FilePart,
    row: number,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const { layout, context } = this.options;
    const { blocks, limits } = context;
    const { encodedBytes } = limits;
    if (length > encodedBytes)
      throw limitExceeded(`a chunk of ${length} bytes; ${encodedBytes} is the limit`);
    const source = file ? blocksOf(file) : blocks;
    const raw = await source.readChunk(offset, length, { signal, maxBytes: length });
    return convertChunk(raw, layout, this.#rows(row), this.#values(), limits, signal);
  }
}

/** Layouts that pages have been found to have. */
const checked = new WeakMap<Page, PageLayout>();
