/**
 * Reads the subset of MessagePack that numcodecs writes: nil, bool, integers, floats, str, bin, array, map.
 *
 * Trust: every length is checked against the remaining bytes before anything is allocated (an element takes
 * at least one byte), nesting is bounded, extension types and trailing bytes are rejected.
 * Spec: msgpack.org, "spec.md".
 */
import { kept, textDecoder } from "../util/platform.js";
import { corrupt, textError } from "./vlen-framing.js";

const maxDepth = 64;
const strict = kept(() => textDecoder("utf-8", { fatal: true, ignoreBOM: true }));

/**
 * Reads one value that takes all of `bytes`. Integers beyond ±2⁵³ become bigints; maps become objects, whose
 * keys must be strings or integers.
 * @param options `raw`: whether strings are returned as bytes; `maxValues`: maximum number of values,
 *   including nested ones.
 * @throws CorruptChunk.
 */
export function readMsgpack(
  codec: string,
  bytes: Uint8Array,
  { raw, maxValues }: { raw: boolean; maxValues: number },
): unknown {
  const reader = new Reader(codec, bytes, raw, maxValues);
  const value = reader.value(0);
  reader.finish();
  return value;
}

class Reader {
  readonly #view: DataView;
  #at = 0;

  constructor(
    private readonly codec: string,
    private readonly bytes: Uint8Array,
    private readonly raw: boolean,
    private valuesLeft: number,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  finish(): void {
    if (this.#at !== this.bytes.length) throw corrupt(this.codec, "trailing-bytes", this.#at);
  }

  value(depth: number): unknown {
    if (--this.valuesLeft < 0) throw this.#wrong("more values than its elements may have");
    if (depth > maxDepth) throw this.#wrong(`values nested deeper than ${maxDepth} levels`);
    const tag = this.#view.getUint8(this.#take(1));
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 256;
    if (tag < 0x90) return this.#map(tag & 15, depth);
    if (tag < 0xa0) return this.#array(tag & 15, depth);
    if (tag < 0xc0) return this.#text(tag & 31);
    return this.#tagged(tag, depth);
  }

  #tagged(tag: number, depth: number): unknown {
    const view = this.#view;
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#bytes(this.#length(tag - 0xc4));
      case 0xca:
        return view.getFloat32(this.#take(4));
      case 0xcb:
        return view.getFloat64(this.#take(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#length(tag - 0xcc);
      case 0xcf:
        return small(view.getBigUint64(this.#take(8)));
      case 0xd0:
        return view.getInt8(this.#take(1));
      case 0xd1:
        return view.getInt16(this.#take(2));
      case 0xd2:
        return view.getInt32(this.#take(4));
      case 0xd3:
        return small(view.getBigInt64(this.#take(8)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#length(tag - 0xd9));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#length(tag - 0xdb), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#length(tag - 0xdd), depth);
      default:
        this.#at--;
        throw this.#wrong(`type 0x${tag.toString(16)} (an extension) is not supported`);
    }
  }

  /** Reads an unsigned integer of 2^size bytes. */
  #length(size: number): number {
    const at = this.#take(2 ** size);
    if (size === 0) return this.#view.getUint8(at);
    return size === 1 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return this.bytes.slice(at, at + length);
  }

  #text(length: number): string | Uint8Array {
    if (this.raw) return this.#bytes(length);
    const at = this.#take(length);
    try {
      return strict().decode(this.bytes.subarray(at, at + length));
    } catch (cause) {
      throw textError(this.codec, "a value", length, at, cause);
    }
  }

  #array(length: number, depth: number): unknown[] {
    this.#need(length);
    const list: unknown[] = [];
    for (let i = 0; i < length; i++) list.push(this.value(depth + 1));
    return list;
  }

  #map(length: number, depth: number): object {
    this.#need(2 * length);
    const object = {};
    for (let i = 0; i < length; i++) {
      const key = this.#key(depth);
      const value = this.value(depth + 1);
      // defineProperty: an assignment to "__proto__" would change the prototype instead.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    }
    return object;
  }

  #key(depth: number): string {
    const start = this.#at;
    const key = this.value(depth + 1);
    if (typeof key === "string" || typeof key === "number" || typeof key === "bigint") return String(key);
    if (key instanceof Uint8Array) {
      // With `raw`, strings in keys are bytes as well, but keys of objects must be strings.
      return Array.from(key, (byte) => String.fromCharCode(byte)).join("");
    }
    this.#at = start;
    throw this.#wrong("a key of a map is neither text nor integer");
  }

  /** Advances by `length` bytes and returns the old position. */
  #take(length: number): number {
    this.#need(length);
    const at = this.#at;
    this.#at += length;
    return at;
  }

  #need(length: number): void {
    if (length > this.bytes.length - this.#at) throw corrupt(this.codec, "truncated", this.#at);
  }

  #wrong(detail: string) {
    return corrupt(this.codec, "corrupt", this.#at, detail);
  }
}

/** Converts a bigint to a number if that is exact. */
function small(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
