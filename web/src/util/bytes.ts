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

/** How many bytes a typed array really has: none, where its memory is gone. */
export function sizeOf(bytes: unknown): number {
  return lengthOf.call(bytes);
}

/**
 * The bytes of a value as a plain Uint8Array: of a Uint8Array, another typed array of single bytes, or a buffer. It
 * shares their memory, unless that can be resized or is shared between threads: those bytes are copied.
 * @returns undefined for what is not bytes, wider typed arrays included; for memory that has been detached.
 */
export function asBytes(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (isPlain(value)) return value;
  try {
    const view = viewOf(value);
    return view && (isFixed(view.buffer) ? (view as Uint8Array<ArrayBuffer>) : new Uint8Array(view));
  } catch {
    return undefined; // not a buffer, or detached
  }
}

/** What nearly all bytes are: a Uint8Array of this realm, as it was made, over memory that stays. */
function isPlain(value: unknown): value is Uint8Array<ArrayBuffer> {
  if (!isBytes(value) || Object.getPrototypeOf(value) !== Uint8Array.prototype) return false;
  const size = sizeOf(value);
  return size > 0 && value.byteLength === size && isFixed(bufferOf.call(value));
}

function isFixed(buffer: ArrayBufferLike): boolean {
  return buffer instanceof ArrayBuffer && !(buffer as { resizable?: boolean }).resizable;
}

/** @throws TypeError for detached memory, and for what is no buffer. */
function viewOf(value: unknown): Uint8Array | undefined {
  const kind = kindOf.call(value);
  if (kind)
    return /8/.test(kind)
      ? new Uint8Array(bufferOf.call(value), offsetOf.call(value), sizeOf(value))
      : undefined;
  // Only real buffers, of any realm, can be viewed so: other objects would be taken for lists.
  new DataView(value as ArrayBuffer);
  return new Uint8Array(value as ArrayBuffer);
}

/** What a value is, for messages: "null", "string", "Int32Array". */
export function kindName(value: unknown): string {
  return value === null ? "null" : (kindOf.call(value) ?? typeof value);
}
