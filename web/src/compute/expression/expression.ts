/** Expressions of arrays as virtual arrays: read-only stores that compute chunks when they are read. */

import { getSession } from "../../engine/engine.js";
import { arrayDocument, bytesCodec, zeroFill } from "../../formats/file/documents.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { openPlain } from "../../hierarchy/open.js";
import { parseChunkKey } from "../../metadata/chunk-key-encodings.js";
import { attributesJson, printDocument } from "../../metadata/print.js";
import type { Store, StoreGetOptions } from "../../store/store.js";
import { checkObject, checkOptions, type OptionNames } from "../../util/arguments.js";
import { Limiter, settledValues } from "../../util/async.js";
import { invalidArgument } from "../../util/errors.js";
import type { Limits } from "../../util/limits.js";
import { type Box, countOf, stridesOf } from "../../util/shapes.js";
import { moveItems } from "../../util/strided-copy.js";
import { boxLengths } from "../../walk/boxes.js";
import { type Binding, type Compiled, compile } from "./compile.js";
import { isFloatKind, kindBytes } from "./kinds.js";
import { broadcast, chunkShape, type Layout } from "./layout.js";
import { parseExpression } from "./parse.js";
import { type Operand, type ReadOptions, type Source, sourceOf } from "./sources.js";

/** Options of `expression` and `anomaly`. */
export interface ExpressionOptions extends ReadOptions {
  /** Attributes of the virtual array, such as `units`. Default: none. */
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Maximum number of chunks that are computed in parallel. Default: 4. */
  readonly concurrency?: number | undefined;
}

export const expressionOptions: OptionNames<ExpressionOptions> = {
  attributes: true,
  concurrency: true,
  decode: true,
  pool: true,
};

/** Maximum number of operands with dimensions. */
const maxSources = 64;

/**
 * Returns a virtual array whose elements are computed when they are read, by `get`, `copy` or any other function.
 *
 * Operators and their precedence are those of Python: `+ - * / ** %`, comparisons, `& | ~` for integers and booleans,
 * `and`, `or`, `not`. Functions: `where(condition, a, b)`, `min`, `max`, `clip(x, low, high)`, `abs`, `sqrt`, `exp`, `log`,
 * `log10`, `sin`, `cos`, `round`, `floor`, `ceil`, `isMissing`, and the names of types, such as `float32(x)`; constants:
 * `nan`, `inf`, `pi`. Types follow NumPy 2, dimensions are broadcast by name. Operands are decoded by their CF attributes;
 * missing values are NaN.
 * @param operands by name: arrays, `{ array, selection }`, regions in memory, or numbers.
 * @throws InvalidArgument ("bad-expression" for the text, with the position); InvalidSelection, Unsupported for operands.
 *   Reading throws the errors of the operands.
 */
export async function expression(
  text: string,
  operands: Readonly<Record<string, Operand>>,
  options: ExpressionOptions = {},
): Promise<ZarrArray> {
  checkOptions(options, expressionOptions);
  checkObject(operands, "operands");
  const term = parseExpression(text);
  const sources = new Map<string, Source>();
  const find = (name: string): Binding | undefined => {
    if (!Object.hasOwn(operands, name)) return undefined;
    const operand = operands[name]!;
    if (typeof operand === "bigint") return { constant: operand };
    if (typeof operand === "number") return { constant: weakNumber(operand) };
    const source = sources.get(name) ?? sourceOf(name, operand, options);
    sources.set(name, source);
    return { input: [...sources.keys()].indexOf(name), kind: source.kind };
  };
  const compiled = compile(text, term, find, Object.keys(operands));
  const array = Object.values(operands).find((operand) => operand instanceof ZarrArray) as ZarrArray | undefined;
  return openVirtual(text, compiled, sources, options, array?.limits);
}

/** Integers without a fraction are integers of Python. */
const weakNumber = (number: number): number | bigint =>
  Number.isSafeInteger(number) && !Object.is(number, -0) ? BigInt(number) : number;

/** Opens the array of a compiled expression. */
export async function openVirtual(
  text: string,
  compiled: Compiled,
  sources: ReadonlyMap<string, Source>,
  { attributes, concurrency = 4 }: ExpressionOptions,
  limits?: Limits,
): Promise<ZarrArray> {
  if (sources.size === 0 || sources.size > maxSources)
    throw invalidArgument(`an expression must name 1 to ${maxSources} arrays, got ${sources.size}`);
  const store = new ExpressionStore(text, compiled, broadcast(sources), attributes, new Limiter(concurrency));
  return openPlain(store, { kind: "array", limits });
}

/** A read-only store with one array, whose chunks are computed. */
class ExpressionStore implements Store {
  readonly #document: Uint8Array;
  readonly #chunks: readonly number[];

  constructor(
    private readonly text: string,
    private readonly compiled: Compiled,
    private readonly layout: Layout,
    attributes: unknown,
    private readonly limiter: Limiter,
  ) {
    const { kind } = compiled;
    const { shape, names } = layout;
    this.#chunks = chunkShape(layout);
    const parts = { shape, dataType: kind, chunks: this.#chunks, dimensionNames: names };
    const fillValue = isFloatKind(kind) ? "NaN" : zeroFill(kind);
    const codecs = [bytesCodec(true, kindBytes(kind))];
    this.#document = printDocument(
      arrayDocument({ ...parts, fillValue, codecs, attributes: attributesJson(attributes) }),
    );
  }

  locate(key: string): string {
    return `${this.text}!${key}`;
  }

  async get(key: string, { signal }: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    if (key === "/zarr.json") return this.#document;
    const { shape } = this.layout;
    const at = parseChunkKey({ name: "default", separator: "/" }, key.slice(1), shape.length);
    const from = at?.map((index, axis) => index * this.#chunks[axis]!);
    if (!from?.every((start, axis) => start < shape[axis]!)) return undefined;
    const to = from.map((start, axis) => Math.min(start + this.#chunks[axis]!, shape[axis]!));
    return this.limiter.run(async () => this.#padded(await this.#evaluate({ from, to }, signal), { from, to }), signal);
  }

  async #evaluate(box: Box, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const inputs = await settledValues(
      [...this.layout.axes].map(async ([source, axes]) => {
        // Along a dimension that is broadcast by position, the only element.
        const part = source.shape.map((length, own): readonly [number, number] => {
          const axis = axes.indexOf(own);
          return length === 1 ? [0, 1] : [box.from[axis]!, box.to[axis]!];
        });
        const own = { from: part.map(([start]) => start), to: part.map(([, end]) => end) };
        return { data: await source.read(own, signal), source, lengths: boxLengths(own), axes };
      }),
    );
    const session = await getSession("full");
    signal?.throwIfAborted();
    let bytes = 0;
    const places = inputs.map(({ data, source: { kind }, lengths, axes }) => {
      const strides = stridesOf(lengths, data.BYTES_PER_ELEMENT);
      const offset = bytes;
      bytes += Math.ceil(data.byteLength / 16) * 16;
      return { kind, offset, strides: axes.map((own) => (own < 0 || lengths[own] === 1 ? 0 : strides[own]!)) };
    });
    const words = this.compiled.program.words(boxLengths(box), places);
    let result: Uint8Array | undefined;
    session.reduce(
      words,
      bytes,
      (memory) => {
        for (const [i, { data }] of inputs.entries())
          memory.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), places[i]!.offset);
      },
      (output) => {
        result = output.slice();
      },
      "evaluate",
    );
    return result!;
  }

  /** Returns a whole chunk; elements outside the array are 0. */
  #padded(bytes: Uint8Array, box: Box): Uint8Array {
    const itemBytes = kindBytes(this.compiled.kind);
    const lengths = boxLengths(box);
    if (countOf(lengths) === countOf(this.#chunks)) return bytes;
    const whole = new Uint8Array(countOf(this.#chunks) * itemBytes);
    const [from, to] = [stridesOf(lengths, itemBytes), stridesOf(this.#chunks, itemBytes)];
    const axes = lengths.map((count, axis) => ({ count, from: from[axis]!, to: to[axis]! }));
    moveItems(bytes, whole, { from: 0, to: 0, itemBytes, axes });
    return whole;
  }
}
