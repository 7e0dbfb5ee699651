/**
 * Reductions of boxes in the core: which fields a state accumulates, and the words and tables that describe
 * a reduction to the core.
 *
 * All requests are plain data, which can be posted to workers. A state is a slab, or a copy of one: planes of
 * `cells` 64-bit words, field by field (src/kernels/accumulate.hpp).
 */

import type { CodecSession, Slab } from "./session.js";

/** Numbers in the order of the core (src/kernels/numbers.hpp). */
const numbers = [
  "bool",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "float16",
  "float32",
  "float64",
  "bfloat16",
] as const;
export type NumberName = (typeof numbers)[number];

/** Fields in the order of the core, with their planes. */
const planes = {
  count: 1,
  weight: 2,
  sum: 2,
  squares: 2,
  min: 1,
  max: 1,
  argmin: 2,
  argmax: 2,
  first: 2,
  last: 2,
  nonzero: 1,
} as const;
export type Field = keyof typeof planes;
const fieldNames = Object.keys(planes) as readonly Field[];

/** In tables of cells: the element belongs to no cell. */
export const noCell = 0xffffffff;

/** How elements become values. */
export interface ValueRule {
  readonly number: NumberName;
  /** value = element * scale + offset in float64, then rounded to float32 if `isFloat32`. */
  readonly decode?:
    | { readonly scale: number; readonly offset: number; readonly isFloat32: boolean }
    | undefined;
  /** Elements that are missing, as stored. At most 64. */
  readonly missing: readonly (number | bigint)[];
  /**
   * Whether NaN and missing elements do not count. Otherwise, missing elements are NaN; those of integers
   * that are not decoded never count.
   */
  readonly skipsNaN: boolean;
}

/** The form of a state. */
export interface StateForm extends ValueRule {
  readonly fields: readonly Field[];
  readonly cells: number;
  /** At most 4 tables, each over some axes in C order, whose product is an element's weight. */
  readonly weights?:
    | readonly { readonly axes: readonly number[]; readonly values: Float64Array }[]
    | undefined;
}

export interface BoxAxis {
  /** Cell numbers of the indices: the index itself ("keep"), 0 ("single"), or a table with {@link noCell}. */
  readonly cells: "keep" | "single" | Uint32Array;
  /** Cells of the state between neighbouring cell numbers. */
  readonly stride: number;
  /** Index of the box's first element along this axis, and the stride of indices in positions. */
  readonly index: number;
  readonly indexStride: number;
}

/** Adds the elements of a box, in C order, to a state. */
export interface BoxReduction extends StateForm {
  readonly shape: readonly number[];
  readonly axes: readonly BoxAxis[];
  /** A further cell number, by a table over some axes in C order. */
  readonly labels?:
    | { readonly axes: readonly number[]; readonly table: Uint32Array; readonly stride: number }
    | undefined;
}

/** Counts the values of a box; a slab of `bins` float64 counts is added to. */
export interface Histogram extends ValueRule {
  readonly elements: number;
  readonly bins: number;
  readonly by: /** Bin i: first + i * width ≤ value < first + (i + 1) * width; the last one also includes its end. */
    | { readonly first: number; readonly width: number; readonly includesEnd: boolean }
    /** Bin i: (key >> shift) - base = i, of keys with `keyBits` bits in the order of the values. */
    | { readonly shift: number; readonly base: bigint };
}

/** Position of each field's first plane, and the number of planes. */
export function planesOf(fields: readonly Field[]): { first: Partial<Record<Field, number>>; count: number } {
  const first: Partial<Record<Field, number>> = {};
  let count = 0;
  for (const field of fields) {
    first[field] = count;
    count += planes[field];
  }
  return { first, count };
}

export function stateBytes({ fields, cells }: StateForm): number {
  return 8 * cells * planesOf(fields).count;
}

/** Whether values are integers that are not decoded; of 64 bits, min and max are integers. */
export function isExact({ number, decode }: ValueRule): boolean {
  return !decode && !number.includes("float");
}

type SlabKernel = "accumulate" | "mergeState" | "histogram";

const runWith = (session: CodecSession, kernel: SlabKernel, words: readonly number[], tables: Uint8Array) =>
  session.run(kernel, words, tables.byteLength, (input) => input.set(tables));

/** Sets a state to that of no elements. */
export function clearState(session: CodecSession, state: Slab, form: StateForm): void {
  mergeState(session, state, new Uint8Array(0), form);
}

/** Adds a state, for example one that a worker has accumulated. */
export function mergeState(session: CodecSession, state: Slab, from: Uint8Array, form: StateForm): void {
  runWith(session, "mergeState", [state.id, ...formWords(form)], from);
}

export function accumulate(session: CodecSession, box: Slab, state: Slab, reduction: BoxReduction): void {
  const { shape, axes, labels, weights = [], missing } = reduction;
  const kinds = axes.map(({ cells }) => (cells === "keep" ? 0 : cells === "single" ? 1 : 2));
  const words = [
    box.id,
    state.id,
    ...formWords(reduction),
    shape.length,
    ...shape.flatMap((length, axis) => [length, kinds[axis]!, axes[axis]!.stride]),
    missing.length,
    ...(labels ? [labels.axes.length, ...labels.axes, labels.stride] : [0]),
    weights.length,
    ...weights.flatMap((table) => [table.axes.length, ...table.axes]),
  ];
  const position = axes.reduce((sum, { index, indexStride }) => sum + index * indexStride, 0);
  const tables = packed([
    decoding(reduction),
    Float64Array.of(position, ...axes.map(({ indexStride }) => indexStride)),
    missingBits(reduction),
    ...axes.flatMap(({ cells }) => (typeof cells === "string" ? [] : [cells])),
    ...(labels ? [labels.table] : []),
    ...weights.map(({ values }) => values),
  ]);
  runWith(session, "accumulate", words, tables);
}

/** Adds a box to the counts of a histogram. */
export function addHistogram(session: CodecSession, box: Slab, counts: Slab, request: Histogram): void {
  const { by, bins, elements, missing } = request;
  const isLinear = "first" in by;
  const [kind, end, shift] = isLinear ? [0, Number(by.includesEnd), 0] : [1, 0, by.shift];
  const words = [box.id, counts.id, ...ruleWords(request), kind, end, bins, shift, elements, missing.length];
  const tables = packed([
    decoding(request),
    Float64Array.of(isLinear ? by.first : 0, isLinear ? by.width : 0),
    BigUint64Array.of(isLinear ? 0n : by.base),
    missingBits(request),
  ]);
  runWith(session, "histogram", words, tables);
}

/** Bits of a histogram's keys. */
export function keyBits({ number, decode }: ValueRule): 32 | 64 {
  if (decode) return decode.isFloat32 ? 32 : 64;
  return number.endsWith("64") ? 64 : 32;
}

function ruleWords({ number, decode, skipsNaN }: ValueRule): number[] {
  const flags = (decode ? 1 : 0) + (decode?.isFloat32 ? 2 : 0) + (skipsNaN ? 4 : 0);
  return [numbers.indexOf(number), flags];
}

function formWords(form: StateForm): number[] {
  const { fields, cells, weights = [] } = form;
  const numbersOfFields = fields.map((field) => fieldNames.indexOf(field));
  return [...ruleWords(form), Number(weights.length > 0), cells, fields.length, ...numbersOfFields];
}

const decoding = ({ decode }: ValueRule): Float64Array =>
  Float64Array.of(decode?.scale ?? 1, decode?.offset ?? 0);

/** Missing elements as the core compares them: float64, or integers of 64 bits. */
function missingBits({ number, missing }: ValueRule): Float64Array | BigInt64Array {
  if (number.includes("float")) return Float64Array.from(missing, Number);
  return BigInt64Array.from(missing, (value) => BigInt.asIntN(64, BigInt(value)));
}

/** Concatenates tables, each padded to 8 bytes. */
function packed(
  tables: readonly (Float64Array | BigInt64Array | BigUint64Array | Uint32Array)[],
): Uint8Array {
  const room = (bytes: number) => Math.ceil(bytes / 8) * 8;
  const all = new Uint8Array(tables.reduce((sum, { byteLength }) => sum + room(byteLength), 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of tables) {
    all.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += room(byteLength);
  }
  return all;
}
