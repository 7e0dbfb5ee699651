/**
 * Stamps: whitespace at the end of a metadata document that identifies its last writers and resizes. From
 * them, a writer whose request got no response finds out whether it was applied. JSON readers ignore them.
 *
 * A document ends with a newline and stamps of 32 characters, the first of which is the kind:
 * - origin: the same in all versions since the document was created, or was written by a program that drops
 *   stamps; its second character tells which;
 * - resize: the last change of an axis by `resize`;
 * - writer: the last write of one store object. The 24 latest are kept.
 */

import { handleOf, innermostStore } from "../store/handle.js";
import type { Store } from "../store/store.js";
import { textDecoder } from "../util/platform.js";

export type Stamps = readonly string[];

const symbols = " \t\n\r";
const kinds = { writer: " ", resize: "\t", origin: "\r" } as const;
const length = 32;
/**
 * Number of symbols that identify the writer in its stamp, including the kind; the others identify the write.
 */
const writerLength = 20;
/**
 * Layout of a resize stamp: its kind and axis, then the new length, then a counter of the resizes of the
 * axis.
 */
const axisLength = 4;
const counterAt = 29;
const maxWriters = 24;
const maxStamps = 128;

/** Returns the stamps of a document in their order. */
export function stampsIn(document: Uint8Array): Stamps {
  let end = document.byteLength;
  const least = Math.max(0, end - 1 - maxStamps * length);
  while (end > least && symbols.includes(String.fromCharCode(document[end - 1]!))) end--;
  const count = (document.byteLength - end - 1) / length;
  if (!Number.isInteger(count)) return [];
  const text = textDecoder().decode(document.subarray(end + 1));
  return Array.from({ length: count }, (_, i) => text.slice(i * length, (i + 1) * length));
}

/** Returns a new writer stamp for one write to a store. */
export function writerStamp(given: Store): string {
  const handle = handleOf(innermostStore(given));
  handle.writerId ??= kinds.writer + randomSymbols(writerLength - 1);
  return handle.writerId + randomSymbols(length - writerLength);
}

/** Second symbol of origin stamps: of new documents, and of those whose stamps another program has dropped. */
const origins = { created: " ", dropped: "\t" } as const;

/** Returns the stamp of a new document, which identifies it as long as it is changed and not replaced. */
export const newOrigin = (): string => kinds.origin + origins.created + randomSymbols(length - 2);

const originStamp = (stamps: Stamps): string | undefined => ofKind(stamps, "origin")[0];

/** Returns the stamp of a document's creation; undefined if another program has dropped it since. */
export const creationStamp = (stamps: Stamps): string | undefined =>
  ofKind(stamps, "origin").find((stamp) => stamp[1] === origins.created);

/**
 * Returns the stamps of a document that replaces another one.
 * @param origin of the document that is replaced.
 * @param own stamp of this write.
 */
export function stampsAfter(stamps: Stamps, origin: string, own: string): Stamps {
  const others = ofKind(stamps, "writer").filter((stamp) => !isSameWriter(stamp, own));
  return [origin, ...ofKind(stamps, "resize"), ...others.slice(1 - maxWriters), own];
}

/** A change of an axis by `resize`. */
export interface AxisResize {
  readonly axis: number;
  /** The new length. */
  readonly to: number;
}

/** Adds stamps of resizes. */
export function withResizes(stamps: Stamps, resizes: readonly AxisResize[]): Stamps {
  const made = resizes.map(({ axis, to }) => {
    const count = counterIn(resizeStamp(stamps, axis)) + 1;
    return (
      resizePrefix(axis) +
      digits(Math.min(to, maxLength), counterAt - axisLength) +
      digits(count, counterLength)
    );
  });
  const isKept = (stamp: string) => !made.some((resize) => resize.startsWith(stamp.slice(0, axisLength)));
  const [origins, writing] = [ofKind(stamps, "origin"), ofKind(stamps, "writer")];
  return [...origins, ...ofKind(stamps, "resize").filter(isKept), ...made, ...writing];
}

/**
 * Returns the length set by `resize` between two versions of a document. Infinity if it was not called;
 * undefined if it was called more than once, because only the last call is known.
 */
export function resizedLength(before: Stamps, now: Stamps, axis: number): number | undefined {
  const [last, previous] = [resizeStamp(now, axis), resizeStamp(before, axis)];
  if (last === previous) return Number.POSITIVE_INFINITY;
  const isNext = last !== undefined && counterIn(last) === (counterIn(previous) + 1) % 4 ** counterLength;
  return isNext ? numberIn(last.slice(axisLength, counterAt)) : undefined;
}

const counterLength = length - counterAt;
const maxLength = 4 ** (counterAt - axisLength) - 1;

const resizeStamp = (stamps: Stamps, axis: number): string | undefined =>
  stamps.find((stamp) => stamp.startsWith(resizePrefix(axis)));

const counterIn = (resize: string | undefined): number => (resize ? numberIn(resize.slice(counterAt)) : -1);

/** Formats the last digits of a number in base 4. */
function digits(value: number, count: number): string {
  let text = "";
  for (let rest = value; text.length < count; rest = Math.floor(rest / 4)) text = symbols[rest % 4]! + text;
  return text;
}

const numberIn = (text: string): number =>
  Array.from(text).reduce((value, symbol) => 4 * value + symbols.indexOf(symbol), 0);

/** Returns the origin of a document: its stamp, or a hash of its ETag. */
export const documentOrigin = (stamps: Stamps, etag: string): string =>
  originStamp(stamps) ?? kinds.origin + origins.dropped + hashSymbols(etag);

/**
 * Whether a write has been applied to a document that has changed since.
 * @param own stamp of the write.
 * @param before stamps and origin of the document that the write was to replace.
 * @param now stamps of the stored document.
 * @returns undefined if that is unknown: another program has dropped the stamps, or too many writers have
 *   replaced them.
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
  if (originStamp(now) !== before.origin) return undefined;
  // Older stamps are dropped before newer ones.
  const isComplete = writing.length < maxWriters || writing.some((stamp) => before.stamps.includes(stamp));
  return isComplete ? false : undefined;
}

/** Encodes stamps as the end of a document. */
export const stampBytes = (stamps: Stamps): Uint8Array =>
  Uint8Array.from(stamps.join(""), (symbol) => symbol.charCodeAt(0));

const ofKind = (stamps: Stamps, kind: keyof typeof kinds): string[] =>
  stamps.filter((stamp) => stamp.startsWith(kinds[kind]));

const isSameWriter = (a: string, b: string): boolean => a.slice(0, writerLength) === b.slice(0, writerLength);

const resizePrefix = (axis: number): string => kinds.resize + digits(axis, axisLength - 1);

const randomSymbols = (count: number): string =>
  Array.from({ length: count }, () => symbols[Math.floor(4 * Math.random())]).join("");

/** Hashes a string to the symbols of an origin stamp after the first two. */
function hashSymbols(text: string): string {
  let [high, low] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    high = Math.imul(high ^ text.charCodeAt(i), 0x01000193);
    low = Math.imul((low ^ text.charCodeAt(i)) + i, 0x85ebca6b);
    low ^= low >>> 13;
  }
  const symbol = (_: unknown, i: number) => symbols[((i < 16 ? high : low) >>> (2 * (i % 16))) & 3];
  return Array.from({ length: length - 2 }, symbol).join("");
}
