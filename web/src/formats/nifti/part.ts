/** Lazy part: NIfTI files, also in gzip. A group with the image as the array "0"; its chunks are ranges of the file. */

import { jsonObject } from "../../metadata/print.js";
import { fileFormat, headBytes } from "../../store/source/file-formats.js";
import { blocksOf } from "../file/blocks.js";
import { unsupportedFile } from "../file/cursor.js";
import {
  type ArrayParts,
  bytesCodec,
  contiguousChunks,
  contiguousRange,
  zeroFill,
} from "../file/documents.js";
import { groupOf } from "../file/group.js";
import type { FileArray, FileChunk, FileContext, FileFormat, FileGroup } from "../file/model.js";
import { affineOf, omeOf } from "./geometry.js";
import { GzipFile } from "./gzip.js";
import { attributesOf, axisNames, type Header, headerBytes, parseHeader } from "./header.js";

export const format: FileFormat = {
  async open(context, signal): Promise<FileGroup> {
    const { name, blocks, limits } = context;
    const head = await blocks.head(headBytes, signal);
    const gzip = head[0] === 0x1f ? new GzipFile(name, blocks, limits) : undefined;
    const start = gzip ? await gzip.head(signal) : head;
    if (gzip) checkContent(name, start);
    const header = parseHeader(name, start.subarray(0, headerBytes), limits);
    const affine = affineOf(name, header);
    const ome = omeOf(header, affine);
    const image = new ImageArray(header, attributesOf(name, header, affine), source(context, header, gzip));
    return groupOf(jsonObject([["ome", ome]]), new Map([["0", image]]));
  },
};

/** Only NIfTI is read in gzip: its files are usually distributed so. */
function checkContent(name: string, start: Uint8Array): void {
  const found = fileFormat(start);
  if (found?.id === "nifti") return;
  const what = found?.name ?? "a file of an unknown format";
  throw unsupportedFile(`${name} is ${what} in gzip; only NIfTI files are read in gzip: decompress it first`);
}

/** Returns a part of the image. */
type Source = (
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
) => FileChunk | Promise<FileChunk>;

function source(context: FileContext, header: Header, gzip: GzipFile | undefined): Source {
  const { name, blocks, limits } = context;
  const unzipped = (file: GzipFile): Source => {
    return async (offset, length, signal) => {
      const bytes = await file.read(header.offset + header.bytes, signal);
      return { bytes: bytes.subarray(header.offset + offset, header.offset + offset + length) };
    };
  };
  if (!header.isPair) {
    if (gzip) return unzipped(gzip);
    return (offset, length) => {
      blocks.check(header.offset + offset, length);
      return { offset: header.offset + offset, length };
    };
  }
  const own = /([^/\\!]+\.)(?:(hdr)|HDR)(\.gz)?(?:[?#].*)?$/.exec(name);
  const other = own && `${own[1]}${own[2] ? "img" : "IMG"}${own[3] ?? ""}`;
  const file = other ? context.sibling(other) : undefined;
  if (!file)
    throw unsupportedFile(
      `${name} is the header of a pair of files, and the file of the image cannot be found`,
    );
  if (gzip) return unzipped(new GzipFile(file.name, blocksOf(file, limits.indexBytes), limits));
  return (offset, length) => ({ file, offset: header.offset + offset, length });
}

class ImageArray implements FileArray {
  readonly kind = "array";
  readonly #parts: ArrayParts & { readonly chunks: readonly number[] };
  readonly #itemBytes: number;

  constructor(
    header: Header,
    attributes: ArrayParts["attributes"],
    private readonly source: Source,
  ) {
    const { type, isLittle, lengths } = header;
    const samples = type.samples ? [type.samples] : [];
    const shape = [...lengths.toReversed(), ...samples];
    this.#itemBytes = type.bytes / (type.samples ?? 1);
    const names = axisNames.slice(0, lengths.length).reverse();
    this.#parts = {
      shape,
      dataType: type.name,
      chunks: contiguousChunks(shape, this.#itemBytes),
      fillValue: zeroFill(type.name),
      codecs: [bytesCodec(isLittle, this.#itemBytes)],
      dimensionNames: [...names, ...samples.map(() => "s")],
      attributes,
    };
  }

  describe(): ArrayParts {
    return this.#parts;
  }

  chunk(at: readonly number[], signal: AbortSignal | undefined): FileChunk | Promise<FileChunk> {
    const { shape, chunks } = this.#parts;
    const { offset, length } = contiguousRange(shape, chunks, at, this.#itemBytes);
    return this.source(offset, length, signal);
  }
}
