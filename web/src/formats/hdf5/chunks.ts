/** Chunks of datasets: their codecs, and their bytes as these codecs decode them. */

import { createCodecChain } from "../../chain/codec-chain.js";
import { frameItems } from "../../codecs/vlen-codec.js";
import { utf8Text } from "../../util/bytes.js";
import { limitExceeded } from "../../util/errors.js";
import type { Json } from "../../util/json.js";
import { textEncoder } from "../../util/platform.js";
import { badFile, Cursor, textOf } from "../file/cursor.js";
import { named } from "../file/documents.js";
import type { FileChunk } from "../file/model.js";
import { chunkLocator } from "./chunk-index.js";
import { Budget, type HdfFile } from "./file.js";
import {
  checksumBytes,
  decodedType,
  isShuffle,
  type Pipeline,
  type PipelineCodec,
  pipelineOf,
  unshuffled,
} from "./filters.js";
import { readVariable } from "./global-heap.js";
import type { Mapping } from "./mapping.js";
import type { ChunkedLayout, DatasetParts, Datatype, FilterCodec } from "./types.js";

/** Returns the bytes of a chunk; undefined if it is not stored. @param at index of the chunk per dimension. */
export type ChunkReader = (at: readonly number[]) => Promise<FileChunk | undefined>;

/** Bit of the layout's flags: chunks that the edge of the array cuts are not filtered. */
const plainEdges = 1;
const optional = 1;

/** Returns the codecs of a dataset with a chunked layout. Filters of values of variable length are left to the reader. */
export function codecsOf(file: HdfFile, parts: DatasetParts, mapping: Mapping): Json[] {
  const pipeline = chunkPipeline(file, parts);
  const { array, codecs } = pipeline;
  if (mapping.dtype.isVariable || pipeline.isRead) return [mapping.codec];
  const filters = codecs.map(({ codec }) => codec);
  const further = isConditional(parts, pipeline) ? [conditional(filters)] : filters;
  const json = [...array, ...further].map(({ name, configuration }) => named(name, configuration));
  return array.length > 0 ? json : [mapping.codec, ...json];
}

const conditional = (codecs: readonly FilterCodec[]): FilterCodec => ({
  name: "conditional",
  configuration: { codecs: codecs.map((codec) => ({ ...codec })) },
});

function chunkPipeline(file: HdfFile, { filters, type, layout }: DatasetParts): Pipeline {
  return pipelineOf(file, filters, type, (layout as ChunkedLayout).chunk);
}

/**
 * Whether a byte before each chunk tells which filters have been applied. Chunks without some of the filters are
 * otherwise encoded again, which needs encoders.
 */
const isConditional = (parts: DatasetParts, { array, codecs, canEncode, isRead }: Pipeline): boolean =>
  !canEncode &&
  !isRead &&
  array.length === 0 &&
  decodedType(parts) === parts.type &&
  codecs.length <= 8 &&
  (parts.filters.some(({ flags }) => (flags & optional) !== 0) ||
    ((parts.layout as ChunkedLayout).flags & plainEdges) !== 0);

/** Returns the reader of the chunks of a dataset with a chunked layout. */
export function chunkReader(file: HdfFile, parts: DatasetParts): ChunkReader {
  const layout = parts.layout as ChunkedLayout;
  const { chunk, chunkBytes, flags } = layout;
  const { shape = [] } = parts.space;
  const locate = chunkLocator(file, layout, parts.space);
  const pipeline = chunkPipeline(file, parts);
  const { array, codecs, shuffles, canEncode, isRead } = pipeline;
  const { limits, name } = file.context;
  if (chunkBytes > limits.chunkBytes)
    throw limitExceeded(
      `${name} has chunks of ${chunkBytes} bytes, more than the limit of ${limits.chunkBytes}`,
    );
  const isVariable = itemType(parts.type).kind === "variable";
  const hasHeaders = !isVariable && isConditional(parts, pipeline);
  const isEdge = (at: readonly number[]) => at.some((i, axis) => (i + 1) * chunk[axis]! > shape[axis]!);
  return async (at) => {
    const stored = await locate(at);
    if (!stored) return undefined;
    const mask = (flags & plainEdges) !== 0 && isEdge(at) ? 0xffffffff : stored.mask;
    const isApplied = ({ bit }: PipelineCodec) => ((mask >>> bit) & 1) === 0;
    const { address, length } = stored;
    const isAsIs = hasHeaders || (!isVariable && !isRead && codecs.every(isApplied));
    const header = hasHeaders ? [{ bytes: appliedBits(codecs, isApplied) }] : [];
    if (array.length > 0 && (mask & 1) !== 0) throw file.unsupported("a chunk lacks its ZFP filter");
    const undone = shuffles.filter(isApplied);
    if (isAsIs && undone.length === 0) {
      const range = { offset: file.locate(address, length), length };
      return hasHeaders ? { parts: [...header, range] } : range;
    }
    const bytes = undone.reduceRight(
      (rest, { codec }) => unshuffled(rest, codec),
      await file.read(address, length),
    );
    if (isAsIs) return { parts: [...header, { bytes }] };
    const raw = await decode(file, codecs.filter(isApplied), bytes, chunkBytes);
    if (isVariable) return { bytes: await encodeVariable(file, parts.type, raw) };
    if (isRead) return { bytes: raw };
    if (canEncode) return { bytes: await encode(file, codecs, raw) };
    throw file.unsupported("a chunk lacks a filter that cannot encode");
  };
}

/** Returns the header of the codec `conditional`. */
const appliedBits = (
  pipeline: readonly PipelineCodec[],
  isApplied: (codec: PipelineCodec) => boolean,
): Uint8Array =>
  new Uint8Array([pipeline.reduce((bits, codec, i) => bits | (isApplied(codec) ? 1 << i : 0), 0)]);

const chainOf = (
  file: HdfFile,
  pipeline: readonly PipelineCodec[],
  bytes: number,
  direction: "both" | "decode",
) =>
  createCodecChain({
    dtype: "uint8",
    shape: [bytes],
    codecs: [{ name: "bytes" }, ...pipeline.map(({ codec }) => codec)],
    direction,
    limits: file.context.limits,
  });

/** Undoes filters. Shuffles within them get bytes that need not be whole items, as their codec requires. */
async function decode(
  file: HdfFile,
  pipeline: readonly PipelineCodec[],
  bytes: Uint8Array,
  size: number,
): Promise<Uint8Array> {
  const shuffle = pipeline.findLastIndex(isShuffle);
  if (shuffle < 0) return decodePart(file, pipeline, bytes, size);
  const before = pipeline.slice(0, shuffle);
  const shuffled = await decodePart(file, pipeline.slice(shuffle + 1), bytes, size + checksumBytes(before));
  return decode(file, before, unshuffled(shuffled, pipeline[shuffle]!.codec), size);
}

async function decodePart(
  file: HdfFile,
  pipeline: readonly PipelineCodec[],
  bytes: Uint8Array,
  size: number,
): Promise<Uint8Array> {
  if (pipeline.length === 0) return bytes;
  const chain = await chainOf(file, pipeline, size, "decode");
  return chain.decode<Uint8Array<ArrayBuffer>>(bytes);
}

async function encode(
  file: HdfFile,
  pipeline: readonly PipelineCodec[],
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const chain = await chainOf(file, pipeline, bytes.byteLength, "both");
  return chain.encode(bytes as Uint8Array<ArrayBuffer>);
}

/** Number of values between turns of the event loop. */
const turn = 2 ** 12;

/** Returns elements of variable length in the form of vlen-utf8 or vlen-bytes. @param bytes the elements in the file. */
export async function encodeVariable(file: HdfFile, type: Datatype, bytes: Uint8Array): Promise<Uint8Array> {
  const item = itemType(type);
  const isText = item.kind === "variable" && item.isString;
  const maxBytes = Math.max(file.form.end, file.context.limits.metadataBytes);
  const budget = new Budget(
    maxBytes,
    `a chunk of ${file.context.name} has more than ${maxBytes} bytes of values`,
  );
  const cursor = new Cursor(bytes, "a chunk of values of variable length");
  const values: Uint8Array[] = [];
  while (cursor.left > 0) {
    if (values.length % turn === turn - 1) await file.turn();
    const { length, object: found } = readVariable(file, cursor);
    const object = found instanceof Promise ? await found : found;
    if (object.byteLength < length) throw badFile(`${cursor.what} has one that ends early`);
    const own = object.subarray(0, length);
    const value = isText ? textBytes(own) : own;
    budget.spend(value.byteLength);
    values.push(value);
  }
  return frameItems(isText ? "vlen-utf8" : "vlen-bytes", values);
}

/** Returns a string as UTF-8, up to the first NUL. */
function textBytes(bytes: Uint8Array): Uint8Array {
  let [end, all] = [0, 0];
  for (; end < bytes.length && bytes[end] !== 0; end++) all |= bytes[end]!;
  const own = bytes.subarray(0, end);
  return all < 0x80 || utf8Text(own) !== undefined ? own : textEncoder().encode(textOf(own));
}

/** Returns the type of the elements of array types. */
const itemType = (type: Datatype): Datatype => (type.kind === "array" ? itemType(type.base) : type);
