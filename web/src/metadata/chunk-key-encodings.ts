/**
 * Chunk key encodings other than "default" and "v2". Spec: the proposals to zarr-extensions "suffix" (pull
 * request 28, as of 2025-10-20) and "fanout" (pull request 31, as of 2026-01-01), and "zarrs.default_suffix"
 * of zarrs.
 */

import { isWellFormed } from "../util/arguments.js";
import { invalidMetadata, limitExceeded, type OnWarning, unsupported } from "../util/errors.js";
import { type Json, JsonNumber, showJson } from "../util/json.js";
import {
  type ChunkKeys,
  checkOptions,
  type Extension,
  type FanoutKeys,
  type KeyEncoding,
  known,
  member,
  plainKeys,
  readExtension,
  readPlainKeys,
  readSeparator,
  type SuffixKeys,
} from "./document.js";

/** Maximum length of one suffix in UTF-16 units: file systems allow names of 255 bytes. */
const maxSuffix = 255;
/** Maximum number of nested suffixes. */
export const maxSuffixes = 8;

const what = "chunk key encoding";
export const tooManySuffixes = `${what} suffix: more than ${maxSuffixes} nested suffixes`;
const names = ["default", "v2", "suffix", "fanout", "zarrs.default_suffix"];

/** Known but unsupported encodings, with the reason. */
export const unsupportedKeys: Readonly<Record<string, string>> = {
  prefix: "its proposal to zarr-extensions was withdrawn in favour of template",
  template: "its proposal to zarr-extensions is not settled",
};

/** Parses any encoding. @throws InvalidMetadata, Unsupported, LimitExceeded. */
export function readOtherKeys(extension: Extension, onWarning?: OnWarning, depth = 0): KeyEncoding {
  if (Object.hasOwn(unsupportedKeys, extension.name)) {
    throw unsupported(`${what} "${extension.name}" is not supported: ${unsupportedKeys[extension.name]}`, {
      code: "unknown-extension",
    });
  }
  const { name } = known(extension, names, what);
  const plain = readPlainKeys(extension);
  if (plain) return plain;
  if (name === "fanout") return readFanout(extension, onWarning);
  return name === "suffix" ? readSuffix(extension, onWarning, depth) : readDefaultSuffix(extension);
}

function readSuffix(extension: Extension, onWarning: OnWarning | undefined, depth: number): KeyEncoding {
  checkOptions(extension, ["suffix", "base_encoding"], what);
  if (depth >= maxSuffixes) throw limitExceeded(tooManySuffixes);
  const suffix = checkedSuffix(member(extension.configuration, "suffix"));
  const base = member(extension.configuration, "base_encoding");
  if (base === undefined) throw bad('suffix needs a "base_encoding"');
  const inner = readExtension(base, '"chunk_key_encoding"');
  return suffixKeys(suffix, readOtherKeys(inner, onWarning, depth + 1));
}

/** Parses the predecessor of "suffix" in zarrs: "default" with a suffix. */
function readDefaultSuffix(extension: Extension): KeyEncoding {
  checkOptions(extension, ["separator", "suffix"], what);
  const separator = readSeparator(member(extension.configuration, "separator"), "/");
  const suffix = checkedSuffix(member(extension.configuration, "suffix"));
  return suffixKeys(suffix, plainKeys("default", separator));
}

function suffixKeys(suffix: string, { keys: base, chunkKey }: KeyEncoding): KeyEncoding {
  return {
    keys: { name: "suffix", suffix, base },
    chunkKey: (coordinates) => chunkKey(coordinates) + suffix,
  };
}

/**
 * Parses a suffix. Rejects those that would move keys out of their array or turn them into keys of metadata
 * documents.
 */
function checkedSuffix(json: Json | undefined): string {
  if (typeof json !== "string") throw bad(`a suffix must be a string, not ${showJson(json)}`);
  if (json.length > maxSuffix)
    throw limitExceeded(`${what} suffix: a suffix of ${json.length} characters, more than ${maxSuffix}`);
  // The first part continues the base's key, which is never empty.
  const parts = json.split("/").slice(1);
  const isForbidden = (part: string) => part === "" || /^\.{1,2}$/.test(part) || documentNames.test(part);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check rejects them
  if (/[\\\u0000-\u001f\u007f]/.test(json) || !isWellFormed(json) || parts.some(isForbidden))
    throw bad(`the suffix ${JSON.stringify(json)} would make keys that are not allowed`);
  return json;
}

/** Names of metadata documents, which would turn their folder into a node. */
const documentNames = /^(zarr\.json|\.z(array|group|attrs|metadata)|meta|attrs)$/i;

function readFanout(extension: Extension, onWarning: OnWarning | undefined): KeyEncoding {
  checkOptions(extension, ["max_children"], what);
  const json = member(extension.configuration, "max_children");
  const given =
    json === undefined ? 1000 : json instanceof JsonNumber && json.isInteger ? json.value : Number.NaN;
  if (!(Number.isSafeInteger(given) && given >= 100))
    throw bad(`"max_children" of fanout must be an integer from 100 to 2^53 - 1, not ${showJson(json)}`);
  const maxChildren = powerOfTen(given);
  if (maxChildren !== given) {
    const message = `"max_children" of ${what} fanout is ${given}, which stands for ${maxChildren}`;
    onWarning?.({ code: "fanout-children", message });
  }
  return {
    keys: { name: "fanout", maxChildren },
    chunkKey: (coordinates) => fanoutKey(coordinates, maxChildren),
  };
}

/** Returns the largest power of ten that is not greater than a number. */
export const powerOfTen = (value: number): number => Number(`1${"0".repeat(String(value).length - 1)}`);

/** Returns the number of digits in one part of a key. */
const digitsIn = (maxChildren: number): number => String(maxChildren - 1).length;

function fanoutKey(coordinates: readonly number[], maxChildren: number): string {
  const digits = digitsIn(maxChildren);
  const parts = ["c"];
  for (const coordinate of coordinates) {
    const text = String(coordinate);
    const count = Math.ceil(text.length / digits);
    const padded = text.padStart(count * digits, "0");
    parts.push(String(count - 1));
    for (let at = 0; at < padded.length; at += digits) parts.push(padded.slice(at, at + digits));
  }
  return parts.join("/");
}

/**
 * Returns the chunk coordinates of a key: the inverse of `chunkKey`.
 * @param key relative to the array's own path.
 * @returns undefined if the key does not belong to the encoding.
 */
export function parseChunkKey(keys: ChunkKeys, key: string, rank: number): number[] | undefined {
  if (keys.name === "suffix") return parseSuffixKey(keys, key, rank);
  if (keys.name === "fanout") return parseFanoutKey(keys, key, rank);
  const parts = key.split(keys.separator);
  if (keys.name === "default" && parts.shift() !== "c") return undefined;
  if (keys.name === "v2" && rank === 0) return key === "0" ? [] : undefined;
  return parts.length === rank ? integers(parts) : undefined;
}

function parseSuffixKey({ suffix, base }: SuffixKeys, key: string, rank: number): number[] | undefined {
  return key.endsWith(suffix)
    ? parseChunkKey(base, key.slice(0, key.length - suffix.length), rank)
    : undefined;
}

function parseFanoutKey({ maxChildren }: FanoutKeys, key: string, rank: number): number[] | undefined {
  const [first, ...parts] = key.split("/");
  const texts: string[] = [];
  for (let at = 0; at < parts.length && texts.length < rank; ) {
    const more = Number(parts[at]);
    if (!/^\d{1,2}$/.test(parts[at]!) || at + 1 + more >= parts.length) return undefined;
    texts.push(
      parts
        .slice(at + 1, at + 2 + more)
        .join("")
        .replace(/^0+(?=\d)/, ""),
    );
    at += 2 + more;
  }
  const coordinates = integers(texts);
  // Keys in any other form (wrong padding, extra parts) are invalid, even if they parse.
  const isKey = first === "c" && coordinates?.length === rank && fanoutKey(coordinates, maxChildren) === key;
  return isKey ? coordinates : undefined;
}

/** Parses plain decimal integers; undefined if any of them is invalid. */
function integers(texts: readonly string[]): number[] | undefined {
  const isIndex = (text: string) => /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));
  return texts.every(isIndex) ? texts.map(Number) : undefined;
}

const bad = (message: string) => invalidMetadata(`${what}: ${message}`, { code: "bad-configuration" });
