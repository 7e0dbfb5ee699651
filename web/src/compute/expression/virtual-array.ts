/** Virtual arrays: read-only stores that compute the chunks of an expression when they are read. */

import { getSession } from "../../engine/engine.js";
import { arrayDocument, bytesCodec, zeroFill } from "../../formats/file/documents.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { openPlain } from "../../hierarchy/open.js";
import { parseChunkKey } from "../../metadata/chunk-key-encodings.js";
import { attributesJson, printDocument } from "../../metadata/print.js";
import type { Store, StoreGetOptions } from "../../store/store.js";
import { Limiter, settledValues } from "../../util/async.js";
import type { Limits } from "../../util/limits.js";
import { type Box, countOf, stridesOf } from "../../util/shapes.js";
import { moveItems } from "../../util/strided-copy.js";
import { boxLengths } from "../../walk/boxes.js";
import type { Compiled } from "./compile.js";
import { isFloatKind, kindBytes } from "./kinds.js";
import { chunkShape, type Layout } from "./layout.js";
import { bytesOf, groupDocuments, ownName, type Passed, passedCoordinates } from "./passed-coordinates.js";
import type { Source } from "./sources.js";

export interface VirtualOptions {
  /** Attributes of the virtual array, such as `units`. Default: none. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Maximum number of chunks that are computed in parallel. Default: 4. */
  readonly concurrency?: number | undefined;
}

/** Opens the array of a compiled expression. @param name of the array in messages. */
export async function openVirtual(
  name: string,
  compiled: Compiled,
  layout: Layout,
  { attributes, concurrency = 4 }: VirtualOptions,
  limits: Limits | undefined,
): Promise<ZarrArray> {
  const beside = await passedCoordinates(layout);
  const store = new ExpressionStore(name, compiled, layout, attributes, new Limiter(concurrency), beside);
  return openPlain(store, { kind: "array", path: beside.size > 0 ? ownName : "", limits });
}

/** A store with one array: at its root, or in a group with the coordinates of the operands. It has no `getRange`: a part of a chunk costs as much as all of it. */
class ExpressionStore implements Store {
  readonly #documents: ReadonlyMap<string, Uint8Array>;
  readonly #folder: string;
  readonly #chunks: readonly number[];

  constructor(
    private readonly name: string,
    private readonly compiled: Compiled,
    private readonly layout: Layout,
    attributes: unknown,
    private readonly limiter: Limiter,
    private readonly beside: ReadonlyMap<string, Passed>,
  ) {
    const { kind } = compiled;
    this.#chunks = chunkShape(layout);
    this.#folder = beside.size > 0 ? `/${ownName}` : "";
    const own = arrayDocument({
      shape: layout.shape,
      dataType: kind,
      chunks: this.#chunks,
      fillValue: isFloatKind(kind) ? "NaN" : zeroFill(kind),
      codecs: [bytesCodec(true, kindBytes(kind))],
      dimensionNames: layout.names,
      attributes: attributesJson(attributes),
    });
    const documents = beside.size > 0 ? groupDocuments(own, beside) : [["", own] as const];
    this.#documents = new Map(
      documents.map(([path, document]) => [`${path}/zarr.json`, printDocument(document)]),
    );
  }

  locate(key: string): string {
    return `${this.name}!${key}`;
  }

  async get(key: string, { signal }: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    const document = this.#documents.get(key);
    if (document) return document;
    const [, name = "", rest = ""] = /^\/([^/]+)\/(c(?:\/0)*)$/.exec(key) ?? [];
    const coordinate = this.beside.get(name);
    if (coordinate && rest === `c${"/0".repeat(coordinate.array.shape.length)}`)
      return bytesOf(coordinate.array, signal);
    if (!key.startsWith(`${this.#folder}/`)) return undefined;
    const { shape } = this.layout;
    const at = parseChunkKey(
      { name: "default", separator: "/" },
      key.slice(this.#folder.length + 1),
      shape.length,
    );
    const from = at?.map((index, axis) => index * this.#chunks[axis]!);
    if (!from?.every((start, axis) => start < shape[axis]!)) return undefined;
    const to = from.map((start, axis) => Math.min(start + this.#chunks[axis]!, shape[axis]!));
    return this.limiter.run(() => this.#chunk({ from, to }, signal), signal);
  }

  /** Returns a whole chunk; elements outside the array are 0. */
  async #chunk(box: Box, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const lengths = boxLengths(box);
    const bytes = await this.#evaluate(box, lengths, signal);
    if (countOf(lengths) === countOf(this.#chunks)) return bytes;
    const itemBytes = kindBytes(this.compiled.kind);
    const [from, to] = [stridesOf(lengths, itemBytes), stridesOf(this.#chunks, itemBytes)];
    const axes = lengths.map((count, axis) => ({ count, from: from[axis]!, to: to[axis]! }));
    const whole = new Uint8Array(countOf(this.#chunks) * itemBytes);
    moveItems(bytes, whole, { from: 0, to: 0, itemBytes, axes });
    return whole;
  }

  async #evaluate(box: Box, shape: readonly number[], signal: AbortSignal | undefined): Promise<Uint8Array> {
    const read = await settledValues(
      this.layout.inputs.map(async ({ source, axes }) => {
        const part = partOf(box, source, axes);
        return { data: await source.read(part, signal), lengths: boxLengths(part) };
      }),
    );
    const session = await getSession("full");
    signal?.throwIfAborted();
    let bytes = 0;
    const places = this.layout.inputs.map(({ source: { stored }, axes }, i) => {
      const { data, lengths } = read[i]!;
      const strides = stridesOf(lengths, data.BYTES_PER_ELEMENT);
      const offset = bytes;
      bytes += Math.ceil(data.byteLength / 16) * 16;
      return {
        kind: stored.kind,
        offset,
        strides: axes.map((own) => (own < 0 || lengths[own] === 1 ? 0 : strides[own]!)),
      };
    });
    const fill = (memory: Uint8Array) => {
      for (const [i, { data }] of read.entries())
        memory.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), places[i]!.offset);
    };
    let result = new Uint8Array(0);
    const take = (output: Uint8Array) => {
      result = new Uint8Array(output);
    };
    session.run("evaluate", this.compiled.program.words(shape, places), bytes, fill, take);
    return result;
  }
}

/** Returns the part of an operand that a box of the result needs. */
function partOf(box: Box, { shape }: Source, axes: readonly number[]): Box {
  const side = (bound: readonly number[], broadcast: number) =>
    shape.map((length, own) => (length === 1 ? broadcast : bound[axes.indexOf(own)]!));
  return { from: side(box.from, 0), to: side(box.to, 1) };
}
