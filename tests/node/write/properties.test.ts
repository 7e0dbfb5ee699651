// Random sequences of writes against a plain array. ZARR_WASM_SEQUENCES sets how many.
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  append,
  type CreateOptions,
  create,
  type DimensionSelection,
  type ElementData,
  get,
  open,
  resize,
  set,
  setChunk,
  slice,
  type ZarrArray,
} from "zarr-wasm";
import { amount } from "../support/amounts.js";
import { randomizer } from "../support/support.js";

const sequences = amount(400, 2000, "ZARR_WASM_SEQUENCES");

const kinds = {
  bool: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;
type Kind = keyof typeof kinds;
const codecs = ["none", "zstd:1", "gzip:1", "blosc:lz4", "blosc:zstd:1", "lz4"];

type Value = number | bigint;
const count = (shape: readonly number[]) => shape.reduce((a, b) => a * b, 1);

/** The plain array. */
class Reference {
  data: Value[];
  constructor(
    public shape: number[],
    private readonly fill: Value,
  ) {
    this.data = new Array<Value>(count(shape)).fill(fill);
  }

  offset(index: readonly number[]): number {
    return index.reduce((at, i, axis) => at * this.shape[axis]! + i, 0);
  }

  /** Visits the positions of a selection, given as indices per axis, in C order. */
  *places(lists: readonly (readonly number[])[], at: number[] = []): Generator<number> {
    if (at.length === lists.length) yield this.offset(at);
    else for (const index of lists[at.length]!) yield* this.places(lists, [...at, index]);
  }

  resize(shape: number[]): void {
    const longer = new Reference(shape, this.fill);
    const lists = shape.map((length, axis) =>
      Array.from({ length: Math.min(length, this.shape[axis]!) }, (_, i) => i),
    );
    const from = [...this.places(lists)];
    for (const [i, to] of [...longer.places(lists)].entries()) longer.data[to] = this.data[from[i]!]!;
    [this.shape, this.data] = [shape, longer.data];
  }
}

interface Picked {
  readonly entry: DimensionSelection;
  readonly indices: number[];
}

/** One dimension of a selection, and its indices. */
function pick(g: fc.GeneratorValue, length: number): Picked {
  const all = Array.from({ length }, (_, i) => i);
  const kind = g(fc.integer, { min: 0, max: length === 0 ? 1 : 5 });
  if (kind === 0) return { entry: null, indices: all };
  if (kind <= 2) {
    const [start, stop] = [g(fc.integer, { min: 0, max: length }), g(fc.integer, { min: 0, max: length })];
    const step = g(fc.integer, { min: 1, max: 3 });
    return {
      entry: slice(start, stop, step),
      indices: all.filter((i) => i >= start && i < stop && (i - start) % step === 0),
    };
  }
  if (kind === 3) {
    const index = g(fc.integer, { min: -length, max: length - 1 });
    return { entry: index, indices: [(index + length) % length] };
  }
  if (kind === 4) {
    const mask = all.map(() => g(fc.boolean));
    return { entry: mask, indices: all.filter((i) => mask[i]) };
  }
  // In any order, and more than once.
  const indices = g(fc.array<number>, fc.integer({ min: 0, max: length - 1 }), { maxLength: 4 });
  return { entry: indices, indices };
}

/** Random values as an array's elements, often the fill value. */
function valuesFor(g: fc.GeneratorValue, kind: Kind, length: number, fill: Value): ElementData {
  const seed = g(fc.integer, { min: 1, max: 2 ** 31 - 2 });
  const isFill = g(fc.integer, { min: 0, max: 5 }) === 0;
  const random = randomizer(seed);
  const next = () => Math.floor(random() * (kind === "bool" ? 2 : 100));
  const data = new kinds[kind](length);
  for (let i = 0; i < length; i++)
    data[i] = (isFill ? fill : kind === "int64" ? BigInt(next()) : next()) as never;
  return data;
}

it(
  `${sequences} random sequences of set, setChunk, append and resize match a plain array`,
  async () => {
    const property = fc.asyncProperty(fc.gen(), async (g) => {
      const kind = g(fc.constantFrom<Kind[]>, ...(Object.keys(kinds) as Kind[]));
      const zarrFormat = g(fc.constantFrom<(1 | 2 | 3)[]>, 3, 3, 2, 1);
      const rank = g(fc.integer, { min: 0, max: 3 });
      const lengths = (max: number, min = 1) =>
        Array.from({ length: rank }, () => g(fc.integer, { min, max }));
      const chunkShape = lengths(5);
      const isSharded = zarrFormat === 3 && g(fc.boolean);
      const shardShape = isSharded ? lengths(3).map((n, axis) => n * chunkShape[axis]!) : undefined;
      const number =
        kind === "bool" ? g(fc.integer, { min: 0, max: 1 }) : g(fc.constantFrom<number[]>, 0, 0, 3);
      const fill: Value = kind === "int64" ? BigInt(number) : number;
      const codec =
        zarrFormat === 1
          ? g(fc.constantFrom<string[]>, "none", "blosc:lz4")
          : g(fc.constantFrom<string[]>, ...codecs);
      const options: CreateOptions = {
        shape: rank === 0 && zarrFormat === 1 ? [3] : lengths(9, 0),
        chunkShape: rank === 0 && zarrFormat === 1 ? [2] : chunkShape,
        shardShape,
        dtype: kind,
        fillValue: kind === "bool" ? number === 1 : number,
        codecs: codec,
        order: zarrFormat === 1 && codec === "none" ? "C" : g(fc.constantFrom<("C" | "F")[]>, "C", "F"),
        zarrFormat,
      };
      const store = new Map<string, Uint8Array>();
      const array = await create(store, options);
      const plain = new Reference([...options.shape], fill);
      const concurrency = g(fc.integer, { min: 1, max: 4 });
      const writing = { concurrency, writeEmptyChunks: g(fc.boolean) };
      const steps = g(fc.integer, { min: 1, max: 5 });
      for (let step = 0; step < steps; step++) {
        const { shape } = plain;
        const action = g(fc.integer, { min: 0, max: shape.length === 0 ? 3 : 6 });
        if (action <= 3) {
          const picked = shape.map((length) => pick(g, length));
          const places = [...plain.places(picked.map(({ indices }) => indices))];
          const isScalar = g(fc.boolean);
          const data = valuesFor(g, kind, isScalar ? 1 : places.length, fill);
          const scalar = kind === "bool" ? data[0] === 1 : data[0]!;
          await set(
            array,
            picked.map(({ entry }) => entry),
            isScalar ? scalar : data,
            writing,
          );
          places.forEach((place, i) => {
            plain.data[place] = data[isScalar ? 0 : i]!;
          });
        } else if (action === 4 && count(shape) > 0) {
          const chunk = array.gridShape.map((length) => g(fc.integer, { min: 0, max: length - 1 }));
          const size = array.chunkShape;
          const data = valuesFor(g, kind, count(size), fill);
          const padded = Array.from(data as Iterable<Value>);
          const local = new Reference([...size], fill);
          const ranges = size.map((n, axis) =>
            Array.from({ length: n }, (_, i) => i).filter((i) => chunk[axis]! * n + i < shape[axis]!),
          );
          const inside = [...local.places(ranges)];
          // Elements outside the array, which a larger shape would show, have the fill value.
          for (let i = 0; i < padded.length; i++) if (!inside.includes(i)) data[i] = fill as never;
          await setChunk(array, chunk, data, writing);
          const to = ranges.map((list, axis) => list.map((i) => chunk[axis]! * size[axis]! + i));
          for (const [i, place] of [...plain.places(to)].entries()) plain.data[place] = data[inside[i]!]!;
        } else if (action === 5) {
          const axis = g(fc.integer, { min: 0, max: shape.length - 1 });
          const more = g(fc.integer, { min: 0, max: 6 });
          const given = shape.map((length, i) => (i === axis ? more : length));
          const data = valuesFor(g, kind, count(given), fill);
          const before = shape[axis]!;
          await append(array, { data, shape: given }, axis, writing);
          plain.resize(shape.map((length, i) => (i === axis ? length + more : length)));
          const lists = given.map((length, i) =>
            Array.from({ length }, (_, at) => (i === axis ? before + at : at)),
          );
          for (const [i, place] of [...plain.places(lists)].entries()) plain.data[place] = data[i]!;
        } else if (action === 6) {
          const wanted = shape.map(() => g(fc.integer, { min: 0, max: 12 }));
          await resize(array, wanted);
          plain.resize(wanted);
        }
      }
      const reader = (await open(store)) as ZarrArray;
      expect(reader.shape).toEqual(plain.shape);
      const { data } = await get(reader);
      expect(Array.from(data as Iterable<Value>)).toEqual(plain.data);
    });
    await fc.assert(property, { numRuns: sequences });
  },
  Math.max(60_000, 60 * sequences),
);
