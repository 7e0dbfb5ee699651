/**
 * Stamps: whitespace at the end of a metadata document that tells whether a write was applied whose response was lost,
 * and whether an array was made shorter. JSON readers ignore it.
 *
 * A document ends with a newline and any number of stamps of 32 characters, of which the first tells the kind:
 * - the origin, one for all versions of a document since it was created, or since a program that drops stamps wrote it;
 * - a cut for each axis along which an array was made shorter, replaced by each later one;
 * - a writer for each store object that wrote the document, replaced by its next write; the last 24 are kept.
 */
import { textDecoder } from "../../base/platform.js";
import { storeBehind } from "../../store/front.js";
import type { Store } from "../../store/store.js";

export type Stamps = readonly string[];

const symbols = " \t\n\r";
const kinds = { writer: " ", cut: "\t", origin: "\r" } as const;
const length = 32;
/** Symbols of a writer's stamp that identify the writer, its kind included; the others identify the write. */
const writerLength = 20;
/** Symbols of a cut: its kind and axis, then the new length, then a counter of the cuts of the axis. */
const axisLength = 4;
const counterAt = 29;
const maxWriters = 24;
const maxStamps = 128;

/** The stamps of a document, in their order. */
export function stampsIn(document: Uint8Array): Stamps {
  let end = document.byteLength;
  while (end > 0 && symbols.includes(String.fromCharCode(document[end - 1]!))) end--;
  const count = (document.byteLength - end - 1) / length;
  if (!Number.isInteger(count) || count > maxStamps) return [];
  const text = textDecoder().decode(document.subarray(end + 1));
  return Array.from({ length: count }, (_, i) => text.slice(i * length, (i + 1) * length));
}

/** A stamp for one write to a store, of any document. */
export function writerStamp(given: Store): string {
  const store = storeBehind(given);
  const writer = writers.get(store) ?? kinds.writer + randomSymbols(writerLength - 1);
  writers.set(store, writer);
  return writer + randomSymbols(length - writerLength);
}

const writers = new WeakMap<Store, string>();

/** Stamps of a new document. */
export const firstStamps = (own: string): Stamps => [kinds.origin + randomSymbols(length - 1), own];

/**
 * Stamps of a document that replaces another one.
 * @param origin of the document as it is.
 * @param own the writer's stamp.
 */
export function stampsAfter(stamps: Stamps, origin: string, own: string): Stamps {
  const others = ofKind(stamps, "writer").filter((stamp) => !isSameWriter(stamp, own));
  return [origin, ...ofKind(stamps, "cut"), ...others.slice(1 - maxWriters), own];
}

/** A change that makes an array shorter along an axis. */
export interface Cut {
  readonly axis: number;
  /** The new length. */
  readonly to: number;
}

/** Stamps with new cuts. */
export function withCuts(stamps: Stamps, cuts: readonly Cut[]): Stamps {
  const made = cuts.map(({ axis, to }) => {
    const count = counterIn(cutOf(stamps, axis)) + 1;
    return (
      cutPrefix(axis) + digits(Math.min(to, maxLength), counterAt - axisLength) + digits(count, counterLength)
    );
  });
  const isKept = (stamp: string) => !made.some((cut) => cut.startsWith(stamp.slice(0, axisLength)));
  const [origins, writing] = [ofKind(stamps, "origin"), ofKind(stamps, "writer")];
  return [...origins, ...ofKind(stamps, "cut").filter(isKept), ...made, ...writing];
}

/**
 * The least length that an array had along an axis between two versions of its document.
 * @returns Infinity if it was not cut; undefined if it was cut more than once, of which only the last cut is known.
 */
export function leastLength(before: Stamps, now: Stamps, axis: number): number | undefined {
  const cut = cutOf(now, axis);
  if (cut === cutOf(before, axis)) return Number.POSITIVE_INFINITY;
  const isNext =
    cut !== undefined && (counterIn(cutOf(before, axis)) + 1) % 4 ** counterLength === counterIn(cut);
  return isNext ? numberIn(cut.slice(axisLength, counterAt)) : undefined;
}

const counterLength = length - counterAt;
const maxLength = 4 ** (counterAt - axisLength) - 1;

const cutOf = (stamps: Stamps, axis: number): string | undefined =>
  stamps.find((stamp) => stamp.startsWith(cutPrefix(axis)));

const counterIn = (cut: string | undefined): number => (cut ? numberIn(cut.slice(counterAt)) : -1);

/** The last digits of a number, in base 4. */
function digits(value: number, count: number): string {
  let text = "";
  for (let rest = value; text.length < count; rest = Math.floor(rest / 4)) text = symbols[rest % 4]! + text;
  return text;
}

const numberIn = (text: string): number =>
  Array.from(text).reduce((value, symbol) => 4 * value + symbols.indexOf(symbol), 0);

/** The origin of a document: its stamp, or for a document without stamps one that follows from its ETag. */
export const originOf = (stamps: Stamps, etag: string): string =>
  ofKind(stamps, "origin")[0] ?? kinds.origin + hashSymbols(etag);

/**
 * Whether a write has been applied to a document.
 * @param own the write's stamp.
 * @param before stamps and origin of the document that was to be replaced.
 * @param now stamps of the document that is stored, which is another one than the one that was to be replaced.
 * @returns undefined if that cannot be told: another program has dropped the stamps, or too many programs have written.
 */
export function isApplied(
  own: string,
  before: { readonly stamps: Stamps; readonly origin: string },
  now: Stamps,
): boolean | undefined {
  const writing = ofKind(now, "writer");
  if (writing.includes(own)) return true;
  // The write would have replaced an earlier stamp of the same writer.
  if (writing.some((stamp) => isSameWriter(stamp, own))) return false;
  if (ofKind(now, "origin")[0] !== before.origin) return undefined;
  // Older stamps are dropped before newer ones.
  const isComplete = writing.length < maxWriters || writing.some((stamp) => before.stamps.includes(stamp));
  return isComplete ? false : undefined;
}

/** Stamps as the end of a document. */
export const stampBytes = (stamps: Stamps): Uint8Array =>
  Uint8Array.from(stamps.join(""), (symbol) => symbol.charCodeAt(0));

const ofKind = (stamps: Stamps, kind: keyof typeof kinds): string[] =>
  stamps.filter((stamp) => stamp.startsWith(kinds[kind]));

const isSameWriter = (a: string, b: string): boolean => a.slice(0, writerLength) === b.slice(0, writerLength);

const cutPrefix = (axis: number): string => kinds.cut + digits(axis, axisLength - 1);

const randomSymbols = (count: number): string =>
  Array.from({ length: count }, () => symbols[Math.floor(4 * Math.random())]).join("");

/** A hash of a string in the symbols of a stamp after its kind. */
function hashSymbols(text: string): string {
  let [high, low] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    high = Math.imul(high ^ text.charCodeAt(i), 0x01000193);
    low = Math.imul((low ^ text.charCodeAt(i)) + i, 0x85ebca6b);
    low ^= low >>> 13;
  }
  const symbol = (_: unknown, i: number) => symbols[((i < 16 ? high : low) >>> (2 * (i % 16))) & 3];
  return Array.from({ length: length - 1 }, symbol).join("");
}
