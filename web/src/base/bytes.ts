/**
 * Bytes, in whatever a caller or a store hands them over. What a value holds is asked of the engine itself (the getters
 * of its prototypes read internal slots, of objects of other realms, too): properties, names and tags of objects can
 * say anything, and a length that is not one lets stale memory through.
 */

type Getter<T> = { call(value: unknown): T };

function getterOf<T>(prototype: object, name: PropertyKey): Getter<T> {
  return Object.getOwnPropertyDescriptor(prototype, name)!.get as Getter<T>;
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
/** The name of a typed array's kind; undefined for everything else. */
const kindOf = getterOf<string | undefined>(typedArray, Symbol.toStringTag);
const lengthOf = getterOf<number>(typedArray, "byteLength");
const offsetOf = getterOf<number>(typedArray, "byteOffset");
const bufferOf = getterOf<ArrayBufferLike>(typedArray, "buffer");

/** True for a Uint8Array of any realm, Node's Buffers and other subclasses included; for nothing that only looks like one. */
export function isBytes(value: unknown): value is Uint8Array {
  return kindOf.call(value) === "Uint8Array";
}

/** How many bytes a Uint8Array really has: none, where its memory is gone. */
export function sizeOf(bytes: Uint8Array): number {
  return lengthOf.call(bytes);
}

/**
 * The bytes of a value as a plain Uint8Array: of a Uint8Array, another typed array of single bytes, a DataView or a
 * buffer. It shares their memory, unless that can be resized or is shared between threads: those bytes are copied.
 * @returns undefined for what is not bytes, wider typed arrays included; for memory that has been detached.
 */
export function asBytes(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (isPlain(value)) return value;
  try {
    const view = viewOf(value);
    return view && (isFixed(view.buffer) ? (view as Uint8Array<ArrayBuffer>) : new Uint8Array(view));
  } catch {
    return undefined; // detached
  }
}

/** What nearly all bytes are: a Uint8Array of this realm, as it was made, over memory that stays. */
function isPlain(value: unknown): value is Uint8Array<ArrayBuffer> {
  if (!isBytes(value) || Object.getPrototypeOf(value) !== Uint8Array.prototype) return false;
  const size = lengthOf.call(value);
  return size > 0 && value.byteLength === size && isFixed(bufferOf.call(value));
}

function isFixed(buffer: ArrayBufferLike): boolean {
  return buffer instanceof ArrayBuffer && !(buffer as { resizable?: boolean }).resizable;
}

/** @throws TypeError for detached memory. */
function viewOf(value: unknown): Uint8Array | undefined {
  const kind = kindOf.call(value);
  if (kind === "Uint8Array" || kind === "Uint8ClampedArray" || kind === "Int8Array")
    return new Uint8Array(bufferOf.call(value), offsetOf.call(value), lengthOf.call(value));
  if (kind !== undefined || typeof value !== "object" || value === null) return undefined;
  if (ArrayBuffer.isView(value)) {
    const part = (name: string) => getterOf<never>(DataView.prototype, name).call(value);
    return new Uint8Array(part("buffer"), part("byteOffset"), part("byteLength"));
  }
  return isBuffer(value) ? new Uint8Array(value) : undefined;
}

function isBuffer(value: object): value is ArrayBufferLike {
  const kinds = [ArrayBuffer, ...(typeof SharedArrayBuffer === "undefined" ? [] : [SharedArrayBuffer])];
  return kinds.some(({ prototype }) => {
    try {
      getterOf<number>(prototype, "byteLength").call(value);
      return true;
    } catch {
      return false;
    }
  });
}

/** What a value is, for messages: "null", "a string", "an Int32Array". */
export function kindName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (isBytes(value)) return "a Uint8Array whose memory is gone";
  const kind = kindOf.call(value) ?? (Array.isArray(value) ? "Array" : typeof value);
  return `${/^[aeiouAEIOU]/.test(kind) ? "an" : "a"} ${kind}`;
}
