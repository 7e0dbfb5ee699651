/** Joins the references of several files along a dimension. */

import { getBytes } from "../../hierarchy/get.js";
import { dimensionsAttribute } from "../../metadata/new-array.js";
import { integersJson, withEntries } from "../../metadata/print.js";
import { isSameBytes, joinBytes } from "../../util/bytes.js";
import { invalidArgument, type OnWarning, type ZarrError } from "../../util/errors.js";
import { type Json, type JsonObject, jsonText } from "../../util/json.js";
import { countOf } from "../../util/shapes.js";
import {
  type ChunkReference,
  coordinates,
  gridOf,
  type ReferencedArray,
  type ReferencedFile,
  type ReferencedNode,
} from "./nodes.js";

/** Arrays with one dimension up to this size become part of the references if their chunks cannot be joined. */
const maxInlined = 2 ** 24;

/** An array of a file. */
interface Part {
  readonly file: string;
  readonly path: string;
  readonly attributes: JsonObject;
  readonly array: ReferencedArray;
}

/**
 * Joins the nodes of all files.
 * @param along name of the dimension. One that no array has becomes a new one, along which all arrays except coordinates
 *   are stacked.
 * @throws InvalidArgument, naming the file and the difference.
 */
export async function joinFiles(
  files: readonly ReferencedFile[],
  along: string,
  onWarning: OnWarning | undefined,
): Promise<ReferencedFile> {
  const [first, ...others] = files as [ReferencedFile, ...ReferencedFile[]];
  for (const file of others) checkNodes(first, file);
  const isNew = !files.some(({ nodes }) =>
    [...nodes.values()].some(({ array }) => array?.dimensions?.includes(along)),
  );
  const joiner = new Joiner(along, isNew, onWarning);
  const nodes = new Map<string, ReferencedNode>();
  for (const [path, node] of first.nodes) {
    const parts = files.flatMap(({ name, nodes }) => {
      const { array, attributes } = nodes.get(path)!;
      return array ? [{ file: name, path, array, attributes }] : [];
    });
    nodes.set(path, node.array ? await joiner.join(parts) : node);
  }
  return { name: first.name, nodes };
}

/** @throws InvalidArgument for a file with other nodes than the first. */
function checkNodes(first: ReferencedFile, file: ReferencedFile): void {
  for (const [from, to] of [
    [first, file],
    [file, first],
  ] as const)
    for (const { path, array } of from.nodes.values()) {
      const other = to.nodes.get(path);
      if (!other) throw invalidArgument(`"/${path}" of ${from.name} is missing in ${to.name}`);
      if ((other.array === undefined) !== (array === undefined))
        throw invalidArgument(`"/${path}" is an array in only one of ${from.name} and ${to.name}`);
    }
}

/** Attributes that determine what the values mean. */
const decodingAttributes =
  /^(units|calendar|scale_factor|add_offset|_FillValue|missing_value|_Unsigned|dtype|_ARRAY_DIMENSIONS)$/;

class Joiner {
  constructor(
    private readonly along: string,
    private readonly isNew: boolean,
    private readonly onWarning: OnWarning | undefined,
  ) {}

  async join(parts: readonly Part[]): Promise<ReferencedNode> {
    const [first] = parts as readonly [Part, ...Part[]];
    for (const part of parts.slice(1)) this.#checkAttributes(first, part);
    const { path, attributes } = first;
    const axis = this.#axis(first);
    if (axis === undefined) {
      await checkSame(parts, this.along);
      return { path, attributes, array: first.array };
    }
    if (this.isNew) {
      const names = [this.along, ...first.array.dimensions!];
      const named = withEntries(attributes, [[dimensionsAttribute, names]]);
      return { path, attributes: named, array: joinChunks(parts.map(stacked), 0, 1, first.array) };
    }
    for (const part of parts.slice(1)) checkForm(first, part, axis);
    const { array } = first;
    const step = commonStep(parts, axis);
    const isLine = array.shape.length === 1;
    const isCoordinate = isLine && path.split("/").at(-1) === this.along;
    const bytes = parts.reduce((sum, part) => sum + countOf(part.array.shape), 0) * itemBytes(array);
    if (isLine && (isCoordinate || step === undefined) && bytes <= maxInlined)
      return { path, attributes, array: await inlined(parts) };
    if (step === undefined) throw misaligned(parts, axis);
    return { path, attributes, array: joinChunks(parts, axis, step, array) };
  }

  /** Returns the axis along which an array is joined; undefined if it is the same in all files. */
  #axis({ path, file, array: { dimensions, shape } }: Part): number | undefined {
    if (!dimensions)
      throw invalidArgument(
        `"/${path}" of ${file} has no dimension names, so that it is unknown how to join it`,
      );
    if (!this.isNew) {
      const axis = dimensions.indexOf(this.along);
      return axis < 0 ? undefined : axis;
    }
    const isCoordinate = shape.length === 1 && path.split("/").at(-1) === dimensions[0];
    return isCoordinate ? undefined : 0;
  }

  /** Attributes that determine the values must be the same; of others, those of the first file are taken. */
  #checkAttributes(first: Part, part: Part): void {
    for (const name of new Set([...Object.keys(first.attributes), ...Object.keys(part.attributes)])) {
      const [own, other] = [first.attributes[name], part.attributes[name]].map(textOf);
      if (own === other) continue;
      const message = `"/${part.path}": the attribute ${name} is ${other} in ${part.file}, but ${own} in ${first.file}`;
      if (decodingAttributes.test(name)) throw invalidArgument(message);
      this.onWarning?.({ code: "attributes-differ", message });
    }
  }
}

const textOf = (json: Json | undefined): string => (json === undefined ? "missing" : jsonText(json));
const itemBytes = ({ source }: ReferencedArray): number => source.dtype.itemBytes;

/** @throws InvalidArgument unless two arrays have the same form, except for their lengths along an axis. */
function checkForm(first: Part, part: Part, axis: number | undefined): void {
  const [one, other] = [first.array.document, part.array.document].map((document) => {
    const shorten = (list: Json | undefined) =>
      (list as Json[]).map((length, i) => (i === axis ? null : length));
    const own = { ...document, shape: shorten(document["shape"]), chunks: shorten(document["chunks"]) };
    return own as JsonObject;
  });
  for (const name of Object.keys(one!)) {
    const [wanted, found] = [one![name], other![name]].map(textOf);
    const isUndefinedFill = name === "fill_value" && (wanted === "null" || found === "null");
    if (wanted !== found && !isUndefinedFill)
      throw invalidArgument(
        `"/${part.path}": ${name} is ${textOf(part.array.document[name])} in ${part.file}, but ${textOf(first.array.document[name])} in ${first.file}`,
      );
  }
}

/** @throws InvalidArgument unless all arrays have the same values. */
async function checkSame(parts: readonly Part[], along: string): Promise<void> {
  const [first, ...others] = parts as readonly [Part, ...Part[]];
  let values: Uint8Array | undefined;
  for (const part of others) {
    checkForm(first, part, undefined);
    if (haveSameBytes(first.array, part.array)) continue;
    values ??= await valuesOf(first.array);
    if (isSameBytes(values, await valuesOf(part.array))) continue;
    throw invalidArgument(
      `"/${part.path}" does not have the dimension "${along}", but other values in ${part.file} than in ${first.file}`,
    );
  }
}

/** Whether all chunks of two arrays are part of the references, and equal. */
function haveSameBytes({ chunks }: ReferencedArray, other: ReferencedArray): boolean {
  const isSame = ([index, bytes]: readonly [number, ChunkReference]) => {
    const found = other.chunks.get(index);
    return bytes instanceof Uint8Array && found instanceof Uint8Array && isSameBytes(bytes, found);
  };
  return chunks.size === other.chunks.size && [...chunks].every(isSame);
}

const valuesOf = async ({ source }: ReferencedArray): Promise<Uint8Array> => (await getBytes(source)).bytes;

/** Returns an array with a new first axis of length 1. */
function stacked(part: Part): Part {
  const { array } = part;
  return { ...part, array: { ...array, shape: [1, ...array.shape], chunkShape: [1, ...array.chunkShape] } };
}

/**
 * Returns the length of the joined chunks along the axis: their own if the chunks of all files but the last are full,
 * or a divisor if they can be cut. Undefined if there is none.
 */
function commonStep(parts: readonly Part[], axis: number): number | undefined {
  const lengths = parts.map(({ array }) => array.chunkShape[axis]!);
  const inner = parts.slice(0, -1).map(({ array }) => array.shape[axis]!);
  const [step] = lengths as [number];
  if (lengths.every((length) => length === step) && inner.every((length) => length % step === 0)) return step;
  const canBeCut = parts.every(({ array: { document, chunkShape } }) => {
    const isPlain = document["compressor"] === null && document["filters"] === null;
    const isRows = chunkShape.slice(0, axis).every((length) => length === 1);
    return isPlain && isRows && (document["order"] === "C" || chunkShape.length === 1);
  });
  return canBeCut ? [...lengths, ...inner].reduce(greatestDivisor) : undefined;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

function misaligned(parts: readonly Part[], axis: number): ZarrError {
  const [first] = parts as readonly [Part, ...Part[]];
  const chunk = first.array.chunkShape[axis]!;
  const other = parts.find(
    ({ array }, i) =>
      array.chunkShape[axis] !== chunk || (i < parts.length - 1 && array.shape[axis]! % chunk !== 0),
  )!;
  return invalidArgument(
    `"/${first.path}": chunks cannot be joined: ${other.file} has the length ${other.array.shape[axis]} in chunks of ${other.array.chunkShape[axis]}, where chunks of ${first.file} have ${chunk}`,
  );
}

/** Joins arrays; chunks that are longer than the step are cut. */
function joinChunks(
  parts: readonly Part[],
  axis: number,
  step: number,
  { document, dimensions, source }: ReferencedArray,
): ReferencedArray {
  const [first] = parts as readonly [Part, ...Part[]];
  const replaced = (list: readonly number[], value: number) =>
    list.map((own, i) => (i === axis ? value : own));
  const length = parts.reduce((sum, { array }) => sum + array.shape[axis]!, 0);
  const shape = replaced(first.array.shape, length);
  const chunkShape = replaced(first.array.chunkShape, step);
  const grid = gridOf(shape, chunkShape);
  const chunks = new Map<number, ChunkReference>();
  let start = 0;
  for (const { array } of parts) {
    const own = gridOf(array.shape, array.chunkShape);
    const pieces = array.chunkShape[axis]! / step;
    const end = start + array.shape[axis]!;
    for (const [index, reference] of array.chunks) {
      const at = coordinates(index, own);
      const from = start + at[axis]! * array.chunkShape[axis]!;
      for (let i = 0; i < pieces && from + i * step < end; i++) {
        at[axis] = (from + i * step) / step;
        chunks.set(
          at.reduce((sum, coordinate, dimension) => sum * grid[dimension]! + coordinate, 0),
          cut(reference, i, pieces),
        );
      }
    }
    start = end;
  }
  const fill = parts.map(({ array }) => array.document["fill_value"]!).find((value) => value !== null);
  const joined = withEntries(document, [
    ["shape", integersJson(shape)],
    ["chunks", integersJson(chunkShape)],
    ["fill_value", fill ?? null],
  ]);
  return { document: joined, shape, chunkShape, dimensions, chunks: sorted(chunks), source };
}

const sorted = (chunks: ReadonlyMap<number, ChunkReference>) =>
  new Map([...chunks].sort(([a], [b]) => a - b));

/** Returns one of several equal pieces of a chunk. */
function cut(reference: ChunkReference, i: number, pieces: number): ChunkReference {
  if (pieces === 1) return reference;
  if (reference instanceof Uint8Array) {
    const size = reference.byteLength / pieces;
    return reference.subarray(i * size, (i + 1) * size);
  }
  const [target, offset, length] = reference;
  return [target, offset + (i * length) / pieces, length / pieces];
}

/** Joins arrays with one dimension in a single chunk without codecs, which is part of the references. */
async function inlined(parts: readonly Part[]): Promise<ReferencedArray> {
  const { array } = parts[0]!;
  const type = array.document["dtype"];
  if (typeof type !== "string" || type.includes("O"))
    throw invalidArgument(`"/${parts[0]!.path}" of ${parts[0]!.file} has chunks that cannot be joined`);
  const values = joinBytes(await Promise.all(parts.map((part) => valuesOf(part.array))));
  const shape = [values.byteLength / itemBytes(array)];
  const chunkShape = [Math.max(1, shape[0]!)];
  const document = withEntries(array.document, [
    ["shape", integersJson(shape)],
    ["chunks", integersJson(chunkShape)],
    ["dtype", type.replace(">", "<")],
    ["compressor", null],
    ["filters", null],
  ]);
  const chunks = new Map(shape[0] === 0 ? [] : [[0, values]]);
  return { ...array, document, shape, chunkShape, chunks };
}
