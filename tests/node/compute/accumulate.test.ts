// Accumulators of reductions, compared with a slow twin in exact arithmetic: all types, fields and kinds of axes.
import { describe, expect, it } from "vitest";
import {
  accumulate,
  addHistogram,
  type BoxReduction,
  clearState,
  type Field,
  isExact,
  keyBits,
  mergeState,
  type NumberName,
  noCell,
  planesOf,
  stateBytes,
} from "#src/engine/box-reduction.js";
import { getSession } from "#src/engine/engine.js";
import { exact, nearest } from "../support/exact.js";
import { product, randomizer } from "../support/support.js";

const session = await getSession("full");

type Values = readonly (number | bigint)[];

/** Elements of each type: stored bytes and their numbers. */
const arrays = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  bfloat16: Uint16Array,
} as const;
const names = Object.keys(arrays) as NumberName[];

function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

function brainValue(bits: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits << 16);
  return view.getFloat32(0);
}

type Random = () => number;

/** Random elements: moderate numbers with ties, or anything with NaN and infinities. */
function elements(name: NumberName, count: number, random: Random, style: number): [Uint8Array, Values] {
  const array = new arrays[name](count);
  for (let i = 0; i < count; i++) {
    if (array instanceof BigInt64Array || array instanceof BigUint64Array)
      array[i] = style ? BigInt(Math.floor(random() * 2 ** 53)) * 2048n : BigInt(Math.floor(random() * 9));
    else if (name === "bool") array[i] = random() < 0.5 ? 0 : 1;
    else if (name === "float32" || name === "float64")
      array[i] =
        style === 0
          ? Math.floor(random() * 9) - 4
          : style === 1
            ? (random() - 0.5) * 10 ** Math.floor(random() * 12)
            : [Number.NaN, Infinity, -Infinity, 0, -0, 1e-40, 3.5][Math.floor(random() * 7)]!;
    else array[i] = style ? Math.floor(random() * 2 ** 32) : Math.floor(random() * 9);
  }
  const bytes = new Uint8Array(array.buffer);
  const values: (number | bigint)[] = Array.from(array as ArrayLike<number | bigint>);
  if (name === "float16") return [bytes, values.map((bits) => halfValue(Number(bits)))];
  if (name === "bfloat16") return [bytes, values.map((bits) => brainValue(Number(bits)))];
  return [bytes, values];
}

interface Element {
  readonly value: number | bigint;
  readonly weight: bigint;
  readonly position: number;
}

/** The elements of each cell, by definition. */
function cellsOf(request: BoxReduction, values: Values): Element[][] {
  const cells: Element[][] = Array.from({ length: request.cells }, () => []);
  const { shape, axes, labels, weights = [], missing, decode } = request;
  const jointIndex = (over: readonly number[], index: readonly number[]) =>
    over.reduce((sum, axis) => sum * shape[axis]! + index[axis]!, 0);
  const index = shape.map(() => 0);
  for (const raw of values) {
    let cell = 0;
    let isInside = true;
    axes.forEach(({ cells: kind, stride }, axis) => {
      const number = kind === "keep" ? index[axis]! : kind === "single" ? 0 : kind[index[axis]!]!;
      if (number === noCell) isInside = false;
      cell += number * stride;
    });
    if (labels) {
      const label = labels.table[jointIndex(labels.axes, index)]!;
      if (label === noCell) isInside = false;
      cell += label * labels.stride;
    }
    const isMissing = missing.some((value) => value === raw);
    let value: number | bigint = raw;
    if (decode) {
      const decoded = Number(raw) * decode.scale + decode.offset;
      value = decode.isFloat32 ? Math.fround(decoded) : decoded;
    }
    if (isMissing && !isExact(request)) value = Number.NaN;
    if (isExact(request) ? isMissing : request.skipsNaN && Number.isNaN(value)) isInside = false;
    if (isInside) {
      const weight = weights
        .map((table) => table.values[jointIndex(table.axes, index)]!)
        .reduce((all, one) => all * one, 1);
      const position = axes.reduce((sum, axis, a) => sum + (axis.index + index[a]!) * axis.indexStride, 0);
      cells[cell]!.push({ value, weight: exact(weight), position });
    }
    for (let a = shape.length; a-- > 0; index[a] = 0) if (++index[a]! < shape[a]!) break;
  }
  return cells;
}

const unit = 1n << 1074n;

/** Sum of exact numbers in units of 2^-(1074 * factors). */
function expectSum(high: number, low: number, items: readonly (readonly bigint[])[], what: string): void {
  const factors = items[0]?.length ?? 1;
  const sum = items.reduce((all, item) => all + item.reduce((a, b) => a * b, 1n), 0n);
  const size = items.reduce((all, item) => {
    const one = item.reduce((a, b) => a * b, 1n);
    return all + (one < 0n ? -one : one);
  }, 0n);
  const wanted = nearest(sum, 1074 * factors);
  const made = high + low;
  // Within 4 ulp; where numbers cancel, to 100 bits of their size.
  const room = Math.abs(wanted) * 2 ** -51 + nearest(size, 1074 * factors) * 2 ** -100 + Number.MIN_VALUE;
  if (!(Math.abs(made - wanted) <= room)) expect(made, what).toBe(wanted);
}

const isNoNumber = (value: number | bigint) => typeof value === "number" && Number.isNaN(value);

/** The minimum or maximum; NaN if any value is. */
function extreme(all: readonly Element[], isMin: boolean): Element | undefined {
  return all.reduce<Element | undefined>((best, one) => {
    if (!best) return one;
    if (isNoNumber(best.value)) return isNoNumber(one.value) && one.position < best.position ? one : best;
    const isBetter = isNoNumber(one.value) || (isMin ? one.value < best.value : one.value > best.value);
    const isTie = !(one.value < best.value || one.value > best.value) && !isNoNumber(one.value);
    return isBetter || (isTie && one.position < best.position) ? one : best;
  }, undefined);
}

function check(request: BoxReduction, values: Values, state: Uint8Array<ArrayBuffer>, what: string): void {
  const { cells, fields } = request;
  const { first } = planesOf(fields);
  const doubles = new Float64Array(state.buffer);
  const integers =
    request.number === "uint64" ? new BigUint64Array(state.buffer) : new BigInt64Array(state.buffer);
  const isWide = isExact(request) && request.number.endsWith("64");
  const isInteger = isExact(request) && !request.weights?.length;
  const wanted = cellsOf(request, values);
  const at = (field: Field, cell: number, plane = 0) => (first[field]! + plane) * cells + cell;
  const valueAt = (field: Field, cell: number) => (isWide ? integers : doubles)[at(field, cell)]!;
  const same = (made: number | bigint, value: number | bigint | undefined, note: string) => {
    if (made !== value && !(isNoNumber(made) && value !== undefined && isNoNumber(value)))
      expect(made, `${what} ${note}`).toBe(value);
  };
  wanted.forEach((all, cell) => {
    const note = `cell ${cell}`;
    const areFinite = all.every(({ value }) => typeof value === "bigint" || Number.isFinite(value));
    const numbers = all.map(({ value }) =>
      typeof value === "bigint" ? value * unit : areFinite ? exact(value) : 0n,
    );
    const weights = request.weights?.length ? all.map(({ weight }) => [weight]) : all.map(() => []);
    for (const field of fields) {
      const text = `${note} ${field}`;
      const made = doubles[at(field, cell)]!;
      if (field === "count") same(made, all.length, text);
      else if (field === "nonzero") same(made, all.filter(({ value }) => Number(value) !== 0).length, text);
      else if (field === "weight") expectSum(made, doubles[at(field, cell, 1)]!, weights, `${what} ${text}`);
      else if (field === "sum" && isInteger) {
        const low = new BigUint64Array(state.buffer)[at(field, cell)]!;
        const high = new BigInt64Array(state.buffer)[at(field, cell, 1)]!;
        same(
          high * 2n ** 64n + low,
          all.reduce((sum, { value }) => sum + BigInt(value), 0n),
          text,
        );
      } else if (field === "sum" || field === "squares") {
        const items = numbers.map((n, i) => [n, ...(field === "squares" ? [n] : []), ...weights[i]!]);
        if (areFinite) expectSum(made, doubles[at(field, cell, 1)]!, items, `${what} ${text}`);
        else if (Number.isFinite(made)) expect(made, `${what} ${text}`).toBe("not finite");
      } else if (field === "min" || field === "max") {
        const best = extreme(all, field === "min");
        if (best) same(valueAt(field, cell), best.value, text);
      } else {
        const best =
          field === "argmin" || field === "argmax"
            ? extreme(all, field === "argmin")
            : [...all].sort((a, b) => (field === "first" ? 1 : -1) * (a.position - b.position))[0];
        same(doubles[at(field, cell, 1)]!, best?.position ?? -1, text);
        if (best) same(valueAt(field, cell), best.value, text);
      }
    }
  });
}

/** Accumulates a box in a new state. */
function run(request: BoxReduction, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const box = session.makeSlab(bytes.length);
  const state = session.makeSlab(stateBytes(request));
  session.withSlab(box, (memory) => memory.set(bytes));
  clearState(session, state, request);
  accumulate(session, box, state, request);
  const result = session.copySlab(state);
  session.freeSlab(box);
  session.freeSlab(state);
  return result;
}

const allFields: readonly Field[] = [
  "count",
  "sum",
  "min",
  "squares",
  "argmax",
  "max",
  "first",
  "argmin",
  "last",
  "nonzero",
];

function randomRequest(
  number: NumberName,
  values: Values,
  shape: readonly number[],
  random: Random,
): BoxReduction {
  const below = (n: number) => Math.floor(random() * n);
  let cells = 1;
  const axes = shape.map((length, axis) => {
    const kind = below(3);
    const stride = cells;
    const count = kind === 0 ? length : kind === 1 ? 1 : 1 + below(3);
    cells *= count;
    const indexStride = kind === 0 ? 0 : product(shape.slice(axis + 1)) * (below(2) ? 1 : 3);
    const table = Uint32Array.from({ length }, () => (below(5) ? below(count) : noCell));
    return {
      cells: kind === 0 ? ("keep" as const) : kind === 1 ? ("single" as const) : table,
      stride,
      index: below(50),
      indexStride,
    };
  });
  const pick = () => shape.map((_, axis) => axis).filter(() => below(2));
  const labelled = below(3) === 0 ? pick() : [];
  const labels = labelled.length
    ? {
        axes: below(2) ? labelled : labelled.reverse(),
        table: Uint32Array.from({ length: product(labelled.map((axis) => shape[axis]!)) }, () =>
          below(4) ? below(3) : noCell,
        ),
        stride: cells,
      }
    : undefined;
  if (labels) cells *= 3;
  const weightCount = below(4) === 0 ? 1 + below(3) : 0;
  const weights = Array.from({ length: weightCount }, () => {
    const over = pick();
    const length = product(over.map((axis) => shape[axis]!));
    return {
      axes: over,
      values: Float64Array.from({ length }, () => 2 ** below(4) * (below(2) ? 1 : random())),
    };
  });
  const fields = allFields.filter(() => below(2));
  const isFloat = number.includes("float");
  const decodes = number !== "bool" && below(3) === 0;
  const small = number.endsWith("8") || number.endsWith("16");
  return {
    number,
    decode: decodes
      ? { scale: below(2) ? 0.01 : 1, offset: below(2) ? 273.15 : 0, isFloat32: small && below(2) > 0 }
      : undefined,
    missing:
      below(3) === 0 ? [values[below(values.length)]!, values[0]!].filter((value) => !isNoNumber(value)) : [],
    skipsNaN: below(2) > 0,
    fields: weightCount && below(2) ? [...fields, "weight"] : fields,
    cells,
    weights: weights.length ? weights : undefined,
    shape,
    axes,
    labels: isFloat || labels ? labels : undefined,
  };
}

describe("accumulate matches its slow twin", () => {
  it.each(names)("%s", (name) => {
    const random = randomizer(name.length * 7 + name.charCodeAt(0));
    for (let round = 0; round < 150; round++) {
      const rank = 1 + Math.floor(random() * 4);
      const length = rank === 1 ? 900 : rank === 2 ? 60 : 9;
      const shape = Array.from({ length: rank }, () => 1 + Math.floor(random() * length));
      const [bytes, values] = elements(name, product(shape), random, Math.floor(random() * 3));
      const request = randomRequest(name, values, shape, random);
      check(request, values, run(request, bytes), `${name} round ${round}`);
    }
  });
});

it("merges states of disjoint boxes", () => {
  const random = randomizer(5);
  for (const name of names)
    for (let round = 0; round < 20; round++) {
      const shape = [4, 1 + Math.floor(random() * 9), 3];
      const [bytes, values] = elements(name, product(shape), random, round % 3);
      const request = randomRequest(name, values, shape, random);
      const { weights: _weights, labels: _labels, ...rest } = request;
      const whole = {
        ...rest,
        axes: rest.axes.map((axis, a) =>
          a ? axis : { ...axis, cells: "single" as const, indexStride: 1e6 },
        ),
      };
      const half = { ...whole, shape: [2, shape[1]!, 3] };
      const later = {
        ...half,
        axes: half.axes.map((axis, a) => (a ? axis : { ...axis, index: axis.index + 2 })),
        fields: half.fields.filter((field) => field !== "weight"),
      };
      const first = { ...half, fields: later.fields };
      const state = session.makeSlab(stateBytes(first));
      clearState(session, state, first);
      mergeState(session, state, run(later, bytes.subarray(bytes.length / 2)), first);
      mergeState(session, state, run(first, bytes.subarray(0, bytes.length / 2)), first);
      check({ ...whole, fields: first.fields }, values, session.copySlab(state), `${name} round ${round}`);
      session.freeSlab(state);
    }
});

function histogram(request: Parameters<typeof addHistogram>[3], bytes: Uint8Array): number[] {
  const box = session.makeSlab(bytes.length);
  const counts = session.makeSlab(8 * request.bins);
  session.withSlab(box, (memory) => memory.set(bytes));
  session.withSlab(counts, (memory) => memory.fill(0));
  addHistogram(session, box, counts, request);
  const result = Array.from(new Float64Array(session.copySlab(counts).buffer));
  session.freeSlab(box);
  session.freeSlab(counts);
  return result;
}

it("counts values in bins of equal width", () => {
  const random = randomizer(8);
  for (const number of names) {
    const [bytes, values] = elements(number, 700, random, 1);
    const [first, width, bins] = [-3.7, 0.1 + random() * 5, 57];
    for (const includesEnd of [false, true]) {
      const by = { first, width, includesEnd };
      const made = histogram({ number, missing: [], skipsNaN: true, elements: 700, bins, by }, bytes);
      const wanted = Array.from({ length: bins }, (_, i) => {
        const isLast = includesEnd && i === bins - 1;
        return values.filter((value) => {
          const x = Number(value);
          const end = first + (i + 1) * width;
          return x >= first + i * width && (x < end || (isLast && x === end));
        }).length;
      });
      expect(made, number).toEqual(wanted);
    }
  }
});

it("counts ordered keys", () => {
  const random = randomizer(9);
  for (const number of names) {
    const [bytes, values] = elements(number, 500, random, 1);
    const rule = { number, missing: [], skipsNaN: true };
    const numbersOnly = values
      .filter((value) => !isNoNumber(value))
      .sort((a, b) => (a < b ? -1 : Number(a > b)));
    const by = { shift: keyBits(rule) - 16, base: 0n };
    const counts = histogram({ ...rule, elements: 500, bins: 2 ** 16, by }, bytes);
    expect(counts.reduce((a, b) => a + b)).toBe(numbersOnly.length);
    // The keys of the values, one at a time, are in the order of the values.
    const width = bytes.length / values.length;
    const keys = values.slice(0, 30).map((value, i) => {
      const one = histogram(
        { ...rule, elements: 1, bins: 2 ** 16, by },
        bytes.subarray(i * width, (i + 1) * width),
      );
      return { value, key: one.indexOf(1) };
    });
    const sorted = keys.filter(({ value }) => !isNoNumber(value)).sort((a, b) => a.key - b.key);
    for (let i = 1; i < sorted.length; i++)
      if (sorted[i]!.key > sorted[i - 1]!.key)
        expect(sorted[i]!.value > sorted[i - 1]!.value, `${number} ${sorted[i]!.value}`).toBe(true);
  }
});
