/** Chunks with strides of their own, in C order. */
import { invalidArgument } from "../../util/errors.js";
import { countOf, stridesOf } from "../../util/strides.js";

export interface Strided {
  readonly data: unknown;
  readonly shape: readonly number[];
  /** Default: C order. */
  readonly stride?: readonly number[] | undefined;
  /** Of the first element, as ndarray has it. Default 0. */
  readonly offset?: number | undefined;
}

/** What holds elements: a typed array, a list, or one of zarrita's arrays of booleans and strings. */
interface Elements {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly BYTES_PER_ELEMENT: number;
}

interface Places {
  readonly shape: readonly number[];
  readonly stride: readonly number[];
  readonly offset: number;
}

/**
 * The elements of a chunk in C order: the same memory where they are; else packed bytes of as many elements, or a list.
 * @throws InvalidArgument for strides that lead beyond the data.
 */
export function cOrder(chunk: Strided): { readonly data: unknown } {
  const { data, shape } = chunk;
  const isList = Array.isArray(data);
  const width = isList ? 1 : ((data as Elements | null)?.BYTES_PER_ELEMENT ?? 0);
  const held = isList ? data.length : width > 0 ? (data as Elements).byteLength / width : 0;
  const places = placesOf(chunk, held);
  const count = countOf(shape);
  const order = stridesOf(shape);
  const isPacked = shape.every((length, axis) => length === 1 || places.stride[axis] === order[axis]);
  if (isPacked && places.offset === 0 && held === count) return { data };
  if (isList) return { data: gathered(data as unknown[], new Array<unknown>(count), places, copyEntries) };
  if (width === 0)
    throw invalidArgument("the data of a chunk must be a typed array, one of zarrita's arrays, or a list");
  if (ArrayBuffer.isView(data)) {
    const Kind = data.constructor as new (length: number) => Uint8Array;
    return { data: gathered(data as Uint8Array, new Kind(count), places, copyEntries) };
  }
  const { buffer, byteOffset, byteLength } = data as Elements;
  const from = new Uint8Array(buffer, byteOffset, byteLength);
  return { data: gathered(from, new Uint8Array(count * width), places, copyItems(width)) };
}

/** Where the elements lie. @throws InvalidArgument for places that are none, or beyond what is held. */
function placesOf({ shape, stride = stridesOf(shape), offset = 0 }: Strided, held: number): Places {
  const isValid =
    Array.isArray(stride) &&
    stride.length === shape.length &&
    [offset, ...stride].every(Number.isSafeInteger);
  if (!isValid) throw invalidArgument("the strides of a chunk must be a list of integers, one per dimension");
  if (countOf(shape) === 0) return { shape, stride, offset };
  const ends = shape.map((length, axis) => (length - 1) * stride[axis]!);
  const sum = (list: readonly number[]) => list.reduce((total, end) => total + end, offset);
  const [first, last] = [sum(ends.filter((end) => end < 0)), sum(ends.filter((end) => end > 0))];
  if (first < 0 || !(last < held))
    throw invalidArgument(
      `the strides of the chunk lead from element ${first} to ${last}, and its data has ${held}`,
    );
  return { shape, stride, offset };
}

/** Copies `count` elements, `step` apart, from an element on. */
type Copy<T> = (from: T, at: number, step: number, to: T, toAt: number, count: number) => void;

/** Row by row: what is next to each other at once, where the kind of the data has a way to. */
function gathered<T>(from: T, to: T, { shape, stride, offset }: Places, copy: Copy<T>): T {
  let next = 0;
  const last = shape.length - 1;
  const visit = (axis: number, at: number): void => {
    if (axis >= last) {
      const count = shape[last] ?? 1;
      copy(from, at, stride[last] ?? 1, to, next, count);
      next += count;
      return;
    }
    for (let i = 0; i < shape[axis]!; i++) visit(axis + 1, at + i * stride[axis]!);
  };
  if (countOf(shape) > 0) visit(0, offset);
  return to;
}

function copyEntries<T extends Uint8Array | unknown[]>(
  from: T,
  at: number,
  step: number,
  to: T,
  toAt: number,
  count: number,
): void {
  if (step === 1 && ArrayBuffer.isView(from)) (to as Uint8Array).set(from.subarray(at, at + count), toAt);
  else for (let i = 0; i < count; i++) to[toAt + i] = from[at + i * step]!;
}

const copyItems =
  (width: number): Copy<Uint8Array> =>
  (from, at, step, to, toAt, count) => {
    for (let i = 0; i < count; i++) {
      const start = (at + i * step) * width;
      to.set(from.subarray(start, start + width), (toAt + i) * width);
    }
  };
