/** Bytes as text: hexadecimal digits, base64; comparison. */

import { strictUtf8 } from "./platform.js";

type Getter<T> = { call(value: unknown): T };

function getter<T>(prototype: object, name: PropertyKey): Getter<T> {
  return Object.getOwnPropertyDescriptor(prototype, name)!.get as Getter<T>;
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
/** Returns the kind of a typed array ("Uint8Array"); undefined for any other value. */
const getKind = getter<string | undefined>(typedArray, Symbol.toStringTag);
const getByteLength = getter<number>(typedArray, "byteLength");
const getByteOffset = getter<number>(typedArray, "byteOffset");
const getBuffer = getter<ArrayBufferLike>(typedArray, "buffer");

/**
 * Whether a value is a Uint8Array of any realm, including Node's Buffer and other subclasses; false for
 * look-alikes.
 */
export function isBytes(value: unknown): value is Uint8Array {
  return getKind.call(value) === "Uint8Array";
}

/** Returns the actual byte length of a typed array: 0 if its memory is detached. */
export function sizeOf(bytes: unknown): number {
  return getByteLength.call(bytes);
}

/**
 * Returns the bytes of a Uint8Array, another typed array of single bytes, or a buffer, as a plain Uint8Array.
 * It shares their memory, unless that is resizable or shared between threads: then the bytes are copied.
 * @returns undefined for values that are not bytes, including wider typed arrays, and for detached memory.
 */
export function asBytes(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (isPlain(value)) return value;
  try {
    const view = viewBytes(value);
    return view && (isFixed(view.buffer) ? (view as Uint8Array<ArrayBuffer>) : new Uint8Array(view));
  } catch {
    return undefined; // not a buffer, or detached
  }
}

/** Fast path for nearly all bytes: an unmodified Uint8Array of this realm over fixed memory. */
function isPlain(value: unknown): value is Uint8Array<ArrayBuffer> {
  if (!isBytes(value) || Object.getPrototypeOf(value) !== Uint8Array.prototype) return false;
  const size = sizeOf(value);
  return size > 0 && value.byteLength === size && isFixed(getBuffer.call(value));
}

function isFixed(buffer: ArrayBufferLike): boolean {
  return buffer instanceof ArrayBuffer && !(buffer as { resizable?: boolean }).resizable;
}

/** @throws TypeError for detached memory and for values that are not buffers. */
function viewBytes(value: unknown): Uint8Array | undefined {
  const kind = getKind.call(value);
  if (kind)
    return /8/.test(kind)
      ? new Uint8Array(getBuffer.call(value), getByteOffset.call(value), sizeOf(value))
      : undefined;
  // DataView accepts only real buffers, of any realm; the Uint8Array constructor would read other objects as
  // lists.
  new DataView(value as ArrayBuffer);
  return new Uint8Array(value as ArrayBuffer);
}

/** Returns the bytes, or a copy if threads share their memory, which streams and `fetch` do not accept. */
export function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : bytes.slice();
}

/** Decodes UTF-8; undefined for invalid bytes. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8().decode(bytes);
  } catch {
    return undefined;
  }
}

/** Describes the kind of a value for messages: "null", "string", "Int32Array". */
export function kindName(value: unknown): string {
  return value === null ? "null" : (getKind.call(value) ?? typeof value);
}

/** Decodes a base64 string; returns undefined if it is invalid or decodes to more than `maxBytes` bytes. */
export function decodeBase64(text: string, maxBytes = Number.POSITIVE_INFINITY): Uint8Array | undefined {
  if (text.length % 4 !== 0 || (text.length / 4) * 3 - 2 > maxBytes || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Number of bytes per step, limited by the number of arguments of one call. */
const step = 0x6000;

export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += step) {
    binary += String.fromCharCode(...bytes.subarray(at, at + step));
  }
  return btoa(binary);
}

/** Reverses each run of `width` bytes in place, which changes the byte order of numbers of that size. */
export function swapBytes(bytes: Uint8Array, width: number): void {
  for (let at = 0; at < bytes.length; at += width) bytes.subarray(at, at + width).reverse();
}

/** Returns the parts one after the other in one array. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.byteLength;
  }
  return joined;
}
