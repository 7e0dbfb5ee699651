/** Chunks with strides of their own, in C order. */
import { countOf, stridesOf } from "../base/strides.js";

interface Strided {
  readonly data: unknown;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

/** What holds elements: a typed array, a list, or one of zarrita's arrays of booleans and strings. */
interface Elements {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly BYTES_PER_ELEMENT: number;
}

/** The elements of a chunk in C order: the same memory where they are; else packed bytes of as many elements, or a list. */
export function cOrder({ data, shape, stride }: Strided): { readonly data: unknown } {
  const order = stridesOf(shape);
  if (stride.every((step, axis) => step === order[axis] || shape[axis] === 1)) return { data };
  const places = placesOf(shape, stride);
  if (Array.isArray(data)) return { data: places.map((place) => data[place] as unknown) };
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: width } = data as Elements;
  const from = new Uint8Array(buffer, byteOffset, byteLength);
  const to = new Uint8Array(places.length * width);
  places.forEach((place, i) => {
    to.set(from.subarray(place * width, (place + 1) * width), i * width);
  });
  if (!ArrayBuffer.isView(data)) return { data: to };
  const Kind = data.constructor as new (buffer: ArrayBuffer) => unknown;
  return { data: new Kind(to.buffer) };
}

/** Where each element lies, in C order. */
function placesOf(shape: readonly number[], stride: readonly number[]): number[] {
  const places: number[] = new Array<number>(countOf(shape));
  let next = 0;
  const visit = (axis: number, place: number): void => {
    if (axis === shape.length) {
      places[next++] = place;
      return;
    }
    for (let i = 0; i < shape[axis]!; i++) visit(axis + 1, place + i * stride[axis]!);
  };
  visit(0, 0);
  return places;
}
