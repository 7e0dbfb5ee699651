// `reduce` of random arrays, compared with a slow twin: types, chunks, shards, missing chunks, selections, groups, windows,
// weights, missing values and pools.
import { afterAll, expect, it } from "vitest";
import {
  create,
  type DimensionSelection,
  get,
  open,
  set,
  slice,
  WorkerPool,
  type ZarrArray,
} from "zarr-wasm";
import { type Method, type ReduceOptions, reduce } from "zarr-wasm/compute";
import { decodeCF } from "zarr-wasm/conventions";
import { amount } from "../support/amounts.js";
import { reduceSlowly, ulps } from "../support/reduce-reference.js";
import { randomizer } from "../support/support.js";

const pool = new WorkerPool({ size: 2 });
afterAll(() => pool.destroy());

const all: readonly Method[] = [
  ...(["count", "sum", "mean", "std", "var", "min", "max"] as const),
  ...(["argmin", "argmax", "any", "all", "first", "last"] as const),
];
const dtypes = [
  ...(["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32"] as const),
  ...(["int64", "uint64", "float16", "float32", "float64"] as const),
];

type Random = () => number;
type Value = number | bigint;

class Dice {
  constructor(readonly random: Random) {}
  below = (n: number): number => Math.floor(this.random() * n);
  pick = <T>(list: readonly T[]): T => list[this.below(list.length)]!;
  chance = (probability: number): boolean => this.random() < probability;
}

function elementsOf(dtype: string, count: number, dice: Dice): ArrayBufferView {
  const small = () => dice.below(20) - (dtype.startsWith("u") || dtype === "bool" ? 0 : 10);
  const integer = dice.chance(0.5) ? small : () => Math.floor((dice.random() - 0.3) * 2 ** 40);
  const float = () => (dice.chance(0.1) ? Number.NaN : (dice.random() - 0.4) * 10 ** (dice.below(6) - 2));
  if (dtype === "bool") return Uint8Array.from({ length: count }, () => dice.below(2));
  const Kind = {
    ...{ int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array },
    ...{ int32: Int32Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array },
  }[dtype];
  if (Kind) return Kind.from(Array.from({ length: count }, dtype.startsWith("float") ? float : integer));
  if (dtype === "float16") return Float32Array.from({ length: count }, float);
  const Big = dtype === "int64" ? BigInt64Array : BigUint64Array;
  return Big.from(
    Array.from({ length: count }, () => BigInt(integer()) * (dice.chance(0.2) ? 2n ** 22n : 1n)),
  );
}

interface Case {
  readonly array: ZarrArray;
  readonly dice: Dice;
}

async function makeArray(dice: Dice): Promise<Case> {
  const rank = 1 + dice.below(4);
  const shape = Array.from({ length: rank }, () => 1 + dice.below(12));
  const chunkShape = shape.map((length) => 1 + dice.below(length + 2));
  const isSharded = dice.chance(0.25);
  const dtype = dice.pick(dtypes);
  const attributes: Record<string, unknown> = {};
  if (dice.chance(0.3) && dtype !== "bool") attributes["_FillValue"] = 3;
  if (dice.chance(0.2) && dtype !== "bool") attributes["scale_factor"] = 0.25;
  if (dice.chance(0.2) && dtype !== "bool") attributes["add_offset"] = 7.5;
  if (dice.chance(0.2) && /^u?int(8|16)$/.test(dtype)) attributes["_Unsigned"] = dice.pick(["true", "false"]);
  const store = new Map<string, Uint8Array>();
  const array = await create(store, {
    shape,
    chunkShape,
    ...(isSharded ? { shardShape: chunkShape.map((length) => length * (1 + dice.below(3))) } : {}),
    dtype: dtype as "float32",
    codecs: dice.pick(["zstd", "gzip", []]),
    dimensionNames: shape.map((_, axis) => "wxyz"[axis]!),
    attributes: attributes as never,
    fillValue: (dtype === "bool" ? dice.chance(0.5) : dice.below(4)) as never,
  });
  const count = shape.reduce((a, b) => a * b, 1);
  await set(array as ZarrArray, null, floatsFor(dtype, elementsOf(dtype, count, dice)) as never);
  for (const key of [...store.keys()]) if (key.includes("c/") && dice.chance(0.15)) store.delete(key);
  return { array: await open(store, { kind: "array" }), dice };
}

/** Element data of float16 in the form of the engine. */
function floatsFor(dtype: string, data: ArrayBufferView): ArrayBufferView {
  const Half = (globalThis as { Float16Array?: { from(values: ArrayLike<number>): ArrayBufferView } })
    .Float16Array;
  return dtype === "float16" && Half ? Half.from(data as Float32Array) : data;
}

function randomEntry(length: number, dice: Dice): DimensionSelection {
  switch (dice.below(6)) {
    case 0:
      return dice.below(length);
    case 1: {
      const start = dice.below(length);
      return slice(start, start + 1 + dice.below(length - start), 1 + dice.below(3));
    }
    case 2:
      return Array.from({ length }, (_, i) => i)
        .filter((i) => i === 0 || dice.chance(0.6))
        .sort(() => dice.pick([-1, 1]));
    default:
      return null;
  }
}

const countOf = (entry: DimensionSelection, length: number): number => {
  if (entry === null) return length;
  if (typeof entry === "number") return 1;
  if (Array.isArray(entry)) return entry.length;
  const { start, stop, step } = entry as { start: number; stop: number; step: number };
  return Math.ceil((Math.min(stop, length) - start) / step);
};

async function runCase(seed: number): Promise<void> {
  const { array, dice } = await makeArray(new Dice(randomizer(seed)));
  const { shape } = array;
  const selection = shape.map((length) => randomEntry(length, dice));
  const counts = selection.map((entry, axis) => countOf(entry, shape[axis]!));
  const axes = [...shape.keys()];
  const over = axes.filter(() => dice.chance(0.5));
  // Lists in any order, which methods that depend on the order refuse.
  const hasList = selection.some(Array.isArray);
  const methods = hasList ? all.filter((method) => !/^(arg|first|last)/.test(method)) : all;
  const skipMissing = dice.chance(0.7);
  const decodes = dice.chance(0.8);
  const options: ReduceOptions = {
    method: methods,
    selection,
    skipMissing,
    ...(decodes ? {} : { decode: false }),
    ...(dice.chance(0.2) ? { pool } : {}),
  };
  const how: ("keep" | "single" | number[][])[] = axes.map((axis) =>
    over.includes(axis) ? "single" : "keep",
  );
  const cells = axes.map((axis) => (over.includes(axis) ? 1 : counts[axis]!));
  let minCount = 0;
  options.over = over.map((axis) => (dice.chance(0.5) ? axis : "wxyz"[axis]!));
  const grouped = dice.below(shape.length);
  const kind = dice.below(4);
  if (kind === 0) {
    const labels = Array.from({ length: shape[grouped]! }, () => dice.pick([5, 1, Number.NaN, 9]));
    options.groupBy = { dimension: grouped, labels };
    const own = indicesOf(selection[grouped]!, shape[grouped]!).map((index) => labels[index]!);
    const sorted = [...new Set(own.filter((label) => !Number.isNaN(label)))].sort((a, b) => a - b);
    how[grouped] = own.map((label) => (Number.isNaN(label) ? [] : [sorted.indexOf(label)]));
    cells[grouped] = sorted.length;
  } else if (kind === 1 && typeof selection[grouped] !== "number") {
    minCount = 1 + dice.below(4);
    const center = dice.chance(0.5);
    options.rolling = { ["wxyz"[grouped]!]: minCount };
    options.center = center;
    options.over = undefined;
    for (const axis of axes) [how[axis], cells[axis]] = ["keep", counts[axis]!];
    const n = counts[grouped]!;
    const before = center ? Math.floor(minCount / 2) : minCount - 1;
    how[grouped] = Array.from({ length: n }, (_, at) =>
      Array.from({ length: n }, (_, cell) => cell).filter(
        (cell) => at >= cell - before && at <= cell - before + minCount - 1,
      ),
    );
  }
  let weights: Float64Array | undefined;
  if (dice.chance(0.25)) {
    const axis = dice.below(shape.length);
    const own = Float64Array.from({ length: shape[axis]! }, () => dice.random() * 3);
    options.weights = { data: own, dimensionNames: ["wxyz"[axis]!] };
    const picked = indicesOf(selection[axis]!, shape[axis]!).map((index) => own[index]!);
    weights = spread(picked, counts, axis);
  }
  const region = await get(array, selection);
  const decoded = decodes ? decodeCF(array, region, { times: "counts" }).data : region.data;
  const values = decoded as ArrayLike<Value>;
  const isInteger = !/Float/.test((decoded as object).constructor.name);
  const given = { values, shape: counts, axes: how, weights, skipMissing, isInteger, minCount };
  const expected = reduceSlowly(given, methods, cells);
  const made = (await reduce(array, options)) as unknown as Record<
    Method,
    { data: ArrayLike<Value>; shape: number[] }
  >;
  // Accumulators have 106 bits: a variance is exact up to this part of the largest square.
  const rounding =
    2 ** -100 * Array.from(values, (value) => Number(value) ** 2 || 0).reduce((a, b) => Math.max(a, b), 0);
  const spreads = { var: 1, std: 2 } as const;
  for (const method of methods) {
    const own = expected[method]!;
    const power = spreads[method as "var"] as number | undefined;
    expect(made[method].data.length, method).toBe(own.length);
    for (const [i, value] of own.entries()) {
      const found = made[method].data[i]!;
      const isClose =
        ["mean", "std", "var"].includes(method) || (method === "sum" && typeof found === "number");
      const isSame = isClose
        ? ulps(Number(found), Number(value)) <= 4 ||
          (power && Math.abs(Number(found) ** power - Number(value) ** power) <= rounding)
        : Object.is(Number(found), Number(value)) || found === value;
      if (!isSame && Number(found) === 0 && Number(value) === 0) continue;
      if (!isSame)
        expect.fail(
          `${process.env["ZARR_WASM_SEED"] ? JSON.stringify([options, Array.from(values, String)]) : ""} seed ${seed}: ${method}[${i}] of ${array.dtype}: ${found} instead of ${value}`,
        );
    }
  }
}

function indicesOf(entry: DimensionSelection, length: number): number[] {
  if (typeof entry === "number") return [entry];
  if (Array.isArray(entry)) return entry as number[];
  const { start = 0, step = 1 } = (entry ?? {}) as { start?: number; step?: number };
  return Array.from({ length: countOf(entry, length) }, (_, i) => start + i * step);
}

/** Repeats values along one axis to all elements. */
function spread(values: readonly number[], shape: readonly number[], axis: number): Float64Array {
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const count = shape.reduce((a, b) => a * b, 1);
  return Float64Array.from({ length: count }, (_, n) => values[Math.floor(n / inner) % shape[axis]!]!);
}

const cases = amount(300, 3000, "ZARR_WASM_REDUCE_CASES");
const first = Number(process.env["ZARR_WASM_SEED"] ?? 1);

it(`equals the slow twin in ${cases} random cases`, async () => {
  for (let seed = first; seed < first + cases; seed++) await runCase(seed);
});
