/**
 * Containers of virtual chunks in the configuration of a repository. Version 2 stores it as a FlexBuffer, of which maps,
 * untyped vectors and strings are read.
 */

import { utf8Text } from "../../util/bytes.js";
import { malformed } from "./format.js";

/** URL prefixes of virtual chunk containers, by name: `vcc://NAME/…` refers to one. */
export type Containers = ReadonlyMap<string, string>;

const member = (value: FlexValue | undefined, key: string): FlexValue | undefined =>
  value instanceof Map ? value.get(key) : undefined;

/** Containers of version 2, from the repo file. */
export function containersOfRepo(config: Uint8Array | undefined, name: string): Containers {
  const found = new Map<string, string>();
  if (!config) return found;
  const list = member(readFlexBuffer(config, name), "virtual_chunk_containers");
  for (const container of list instanceof Map ? list.values() : []) {
    const [own, prefix] = [member(container, "name"), member(container, "url_prefix")];
    if (typeof own === "string" && typeof prefix === "string") found.set(own, prefix);
  }
  return found;
}

/**
 * Containers of version 1, from the lines of config.yaml as Icechunk writes it. Other YAML is not understood; callers can
 * pass containers themselves (`virtual: { "vcc://NAME/": … }`).
 */
export function containersOfYaml(config: Uint8Array | undefined): Containers {
  const found = new Map<string, string>();
  let own: string | undefined;
  for (const line of (config && utf8Text(config))?.split("\n") ?? []) {
    const [, key, rest] = /^\s+(name|url_prefix):(.*)$/.exec(line) ?? [];
    const value = rest?.trim() || undefined;
    if (key === "name") own = value && scalar(value);
    if (key !== "url_prefix" || value === undefined || own === undefined) continue;
    found.set(own, scalar(value) ?? "");
    own = undefined;
  }
  return found;
}

/** Parses a plain or quoted scalar of YAML; undefined for null. */
function scalar(text: string): string | undefined {
  if (text === "null" || text === "~") return undefined;
  const quoted = /^(["'])(.*)\1$/.exec(text);
  return quoted ? quoted[2] : text;
}

// ---- FlexBuffers

const maxDepth = 16;
/** Maximum number of values in a document. */
const maxValues = 100_000;
/** Maximum size of a string, and of all strings read: many values may point at the same one. */
const [maxText, maxTexts] = [2 ** 16, 2 ** 22];

const types = { key: 4, string: 5, map: 9, vector: 10 } as const;

/** A value of a FlexBuffer; null for types other than strings, maps and lists. */
export type FlexValue = string | null | FlexValue[] | Map<string, FlexValue>;

/** @throws InvalidMetadata for an invalid FlexBuffer. */
export function readFlexBuffer(bytes: Uint8Array, name: string): FlexValue {
  return new FlexReader(bytes, name).read();
}

class FlexReader {
  readonly #view: DataView;
  #values = 0;
  #texts = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly name: string,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads the root from the end: its value, its type and its width. */
  read(): FlexValue {
    const { byteLength } = this.bytes;
    if (byteLength < 3) throw this.#fault();
    const [type, width] = [this.bytes[byteLength - 2]!, this.bytes[byteLength - 1]!];
    return this.#value(byteLength - 2 - width, width, type, 0);
  }

  /** @param at position of the value, or of the offset to it. */
  #value(at: number, parentWidth: number, packed: number, depth: number): FlexValue {
    if (depth > maxDepth || ++this.#values > maxValues) throw this.#fault();
    const [type, width] = [packed >> 2, 1 << (packed & 3)];
    if (type !== types.key && type !== types.string && type !== types.map && type !== types.vector)
      return null;
    const target = at - this.#uint(at, parentWidth);
    if (type === types.key) return this.#key(target);
    const count = this.#uint(target - width, width);
    if (
      !(target >= width && target + count * (type === types.string ? 1 : width + 1) <= this.bytes.byteLength)
    )
      throw this.#fault();
    if (type === types.string) return this.#text(target, count);
    const values = Array.from({ length: count }, (_, i) =>
      this.#value(target + i * width, width, this.bytes[target + count * width + i]!, depth + 1),
    );
    return type === types.vector ? values : this.#map(target, width, values);
  }

  /** Reads a map. Its values follow the offset of its keys, their width, and the count. */
  #map(target: number, width: number, values: FlexValue[]): Map<string, FlexValue> {
    const place = target - 3 * width;
    const keys = place - this.#uint(place, width);
    const keyWidth = this.#uint(target - 2 * width, width);
    return new Map(
      values.map((value, i) => {
        const at = keys + i * keyWidth;
        return [this.#key(at - this.#uint(at, keyWidth)), value];
      }),
    );
  }

  #key(at: number): string {
    if (!(at >= 0)) throw this.#fault();
    const length = this.bytes.subarray(at, at + maxText + 1).indexOf(0);
    if (length < 0) throw this.#fault();
    return this.#text(at, length);
  }

  #text(at: number, bytes: number): string {
    this.#texts += bytes;
    if (bytes > maxText || this.#texts > maxTexts) throw this.#fault();
    const text = utf8Text(this.bytes.subarray(at, at + bytes));
    if (text === undefined) throw this.#fault();
    return text;
  }

  #uint(at: number, width: number): number {
    if (!(at >= 0 && at + width <= this.bytes.byteLength)) throw this.#fault();
    if (width === 1) return this.bytes[at]!;
    if (width === 2) return this.#view.getUint16(at, true);
    if (width === 4) return this.#view.getUint32(at, true);
    if (width === 8) return this.#view.getUint32(at, true) + 2 ** 32 * this.#view.getUint32(at + 4, true);
    throw this.#fault();
  }

  #fault() {
    return malformed(this.name, "its configuration is damaged");
  }
}
