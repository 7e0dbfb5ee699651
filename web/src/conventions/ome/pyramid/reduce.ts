/** Reduces boxes of elements with the core's kernels: each block of a box becomes one element. */

import type { DType } from "../../../dtypes/dtype.js";
import { arrayNameOf, type ElementData, isConverted } from "../../../dtypes/elements.js";
import { floatsOf } from "../../../dtypes/floats.js";
import type { CodecSession } from "../../../engine/session.js";
import { countOf, stridesOf } from "../../../util/shapes.js";
import { moveItems } from "../../../util/strided-copy.js";
import { boxLengths, tileBox } from "../../../walk/boxes.js";

/** Methods with a kernel. "nearest" needs none: it reads only the first element of each block. */
export type ReducingMethod = "mean" | "mode" | "max";

/** A kernel, as the first of the core's words: method, kind of number, whether means are rounded to odd. */
export type Kernel = readonly [method: number, number: number, toOdd: number];

/** Numbers of the methods in the core (kernels/reduce.hpp). */
const methods: Readonly<Record<ReducingMethod, number>> = { mean: 0, max: 1, mode: 2 };

/** Typed arrays by their kinds of numbers in the core (kernels/numbers.hpp); 0 is bool, a Uint8Array. */
const arrays: readonly string[] = [
  ...["", "Int8Array", "Int16Array", "Int32Array", "BigInt64Array"],
  ...["Uint8Array", "Uint16Array", "Uint32Array", "BigUint64Array"],
  ...["Float16Array", "Float32Array", "Float64Array"],
];

/** Returns the kernel for a data type; undefined if the method does not apply to it. */
export function findKernel(method: ReducingMethod, dtype: DType): Kernel | undefined {
  if (dtype.isVariable) return undefined;
  const { core } = dtype;
  const isNumber = floatsOf(dtype) !== undefined || /^(bool|u?int\d+|float64|complex128)$/.test(core);
  if (method !== "mode" && !isNumber) return undefined;
  if (method === "max" && core.startsWith("complex")) return undefined;
  const array = arrayNameOf(dtype);
  // Float32 may represent a smaller type, to which means are rounded when they are stored.
  const toOdd = array === "Float32Array" && isConverted(dtype);
  return [methods[method], arrays.indexOf(array), toOdd ? 1 : 0];
}

/**
 * Returns the shape of blocks: as many whole units as memory allows.
 * @param unit the smallest indivisible box: a chunk or shard to write, or chunks to decode.
 * @param atLeast lengths that blocks should reach before they grow further, so that chunks of the source are
 *   decoded once.
 * @param most maximum number of elements of a block; a single unit may have more.
 */
export function blockShape(
  unit: readonly number[],
  whole: readonly number[],
  atLeast: readonly number[],
  maxElements: number,
): number[] {
  const shape = unit.map((length, axis) => Math.min(length, whole[axis]!));
  const counts = unit.map(() => 1);
  const grownLength = (axis: number, count: number) => Math.min(unit[axis]! * count, whole[axis]!);
  for (;;) {
    const growing = counts
      .map((_, axis) => axis)
      .filter((axis) => shape[axis]! < whole[axis]!)
      .filter(
        (axis) => (countOf(shape) / shape[axis]!) * grownLength(axis, 2 * counts[axis]!) <= maxElements,
      );
    if (growing.length === 0) return shape;
    const lacking = growing.filter((axis) => shape[axis]! < atLeast[axis]!);
    const axis = (lacking.length > 0 ? lacking : growing).at(-1)!;
    counts[axis]! *= 2;
    shape[axis] = grownLength(axis, counts[axis]!);
  }
}

/** A box inside a larger array in memory. */
export interface ElementBox {
  readonly data: ElementData;
  /** Start of the box, in elements. */
  readonly at: number;
  /** Distance between neighbours of the larger array along each axis, in elements; 1 for the last one. */
  readonly strides: readonly number[];
}

/** Bytes that are reduced at a time, unless a single block is larger: few enough to stay in a cache. */
const pieceBytes = 2 ** 20;

/**
 * Reduces a box into another one, which has ⌈length / factor⌉ elements along each axis.
 * @param session of the full module.
 * @param shape lengths of the source.
 * @param itemBytes size of an element in memory.
 * @param factors of each axis, positive integers.
 * @throws LimitExceeded if a block does not fit in memory.
 */
export function reduceBox(
  session: CodecSession,
  kernel: Kernel,
  source: ElementBox,
  shape: readonly number[],
  itemBytes: number,
  factors: readonly number[],
  to: ElementBox,
): void {
  const [from, into] = [bytesOf(source.data), bytesOf(to.data)];
  const strides = source.strides.map((stride) => stride * itemBytes);
  const toStrides = to.strides.map((stride) => stride * itemBytes);
  const whole = shape.map((length, axis) => Math.ceil(length / factors[axis]!));
  const ones = shape.map(() => 1);
  const most = pieceBytes / itemBytes / countOf(factors);
  const all = { from: whole.map(() => 0), to: whole };
  for (const piece of tileBox(all, blockShape(ones, whole, ones, most))) {
    const [start, size] = [piece.from, boxLengths(piece)];
    const first = start.map((at, axis) => at * factors[axis]!);
    const lengths = size.map((n, axis) => Math.min(n * factors[axis]!, shape[axis]! - first[axis]!));
    const axes = lengths.flatMap((length, axis) => [length, factors[axis]!]);
    session.run(
      "reduce",
      [...kernel, itemBytes, shape.length, ...axes],
      countOf(lengths) * itemBytes,
      (box) =>
        copyBox(
          lengths,
          itemBytes,
          [from, source.at * itemBytes + offsetOf(first, strides), strides],
          [box, 0],
        ),
      (result) =>
        copyBox(
          size,
          itemBytes,
          [result, 0],
          [into, to.at * itemBytes + offsetOf(start, toStrides), toStrides],
        ),
    );
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ElementData) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Returns the offset of an element. */
export const offsetOf = (index: readonly number[], strides: readonly number[]): number =>
  index.reduce((sum, at, axis) => sum + at * strides[axis]!, 0);

/** Memory and offset of a box, and its strides unless it is packed. */
type Side = readonly [memory: Uint8Array, offset: number, strides?: readonly number[]];

function copyBox(shape: readonly number[], itemBytes: number, source: Side, target: Side): void {
  const packed = stridesOf(shape, itemBytes);
  const [from, to] = [source[2] ?? packed, target[2] ?? packed];
  const axes = shape.map((count, axis) => ({ count, from: from[axis]!, to: to[axis]! }));
  moveItems(source[0], target[0], { from: source[1], to: target[1], itemBytes, axes });
}
