/**
 * Reference documents, as kerchunk writes them: version 0 (keys and references) and 1 (with templates). Spec: https://fsspec.github.io/kerchunk/spec.html
 */

import { LargeMap } from "../../store/key-index.js";
import { normalizePath } from "../../store/path.js";
import type { MaybePromise } from "../../store/store.js";
import { invalidMetadata, limitExceeded, unsupported, type ZarrError } from "../../util/errors.js";
import { isJsonObject, type Json, type JsonObject, jsonText } from "../../util/json.js";
import { type JsonOptions, JsonReader, writtenKeys } from "../../util/json-reader.js";
import { defaultLimits } from "../../util/limits.js";
import { cached, textDecoder, textEncoder } from "../../util/platform.js";
import { type Steps, startSlices } from "../../util/slices.js";
import {
  bad,
  type Fields,
  plain,
  type Reference,
  readEntries,
  requireList,
  requireObject,
  requireText,
  type StoredTarget,
  shorten,
} from "../parquet/fields.js";
import { render, type TemplateValues } from "./templates.js";

/** Maximum nesting depth: inline objects may be as deep as stored ones. */
export const maxDepth = defaultLimits.metadataDepth + 2;
/** Maximum number of templates. */
const maxTemplates = 2 ** 16;
/** Fields of documents with a version. */
const fieldNames = new Set(["version", "templates", "gen", "refs", "record_size"]);

/** Keys and their references in parallel lists. */
class Entries {
  readonly keys: string[] = [];
  readonly values: unknown[] = [];

  add(key: string, value: unknown): void {
    this.keys.push(key);
    this.values.push(value);
  }
}

/** The references of a document, each parsed when it is read. */
export class ReferenceTable {
  /** Every key, with a leading "/", in the order of the document. */
  readonly keys: string[] = [];
  readonly #references = new LargeMap<unknown>();
  #templates: TemplateValues | undefined;

  /**
   * @param own values of templates that override the document's.
   * @param maxReferences maximum number of references.
   */
  constructor(
    private readonly own: Readonly<Record<string, string>>,
    private readonly maxReferences: number,
  ) {}

  /** Returns the reference of a key, undefined if there is none. */
  get(key: string): unknown {
    return this.#references.get(key);
  }

  /** Undefined for documents without templates: their braces are literal. */
  get templates(): TemplateValues | undefined {
    return this.#templates;
  }

  /**
   * Adds the references of a parsed document.
   * @throws InvalidMetadata ("bad-reference"); Unsupported for Parquet references, for versions above 1 and for `gen`;
   *   LimitExceeded for too many references.
   */
  *addDocument(document: unknown): Steps<void> {
    const fields = requireObject(document, "the document");
    const refs = Object.hasOwn(fields, "version") ? requireObject(fields["refs"] ?? {}, "refs") : fields;
    const keys = Object.keys(refs);
    yield* this.#add(fields, keys, (i) => refs[keys[i]!]);
  }

  /**
   * Adds the references of a document. Inline JSON objects, which are metadata, keep the spelling of their numbers.
   * @throws what {@link addDocument} throws; InvalidMetadata ("not-json") for invalid JSON; LimitExceeded for JSON
   *   that nests too deep.
   */
  *addBytes(bytes: Uint8Array, name: string): Steps<void> {
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    const json = hasMark ? bytes.subarray(3) : bytes;
    // Not collected in objects: growing one to millions of keys blocks engines for seconds.
    const [top, refs] = [new Entries(), new Entries()];
    let templates = 0;
    const take = (value: Json, [first = "", ...below]: readonly string[]) => {
      if (first === "templates") checkCount(++templates, maxTemplates, "templates");
      if (below.length === 0 ? fieldNames.has(first) : first !== "refs") return false;
      const entries = below.length === 0 ? top : refs;
      entries.add(below[0] ?? first, withoutNumbers(value));
      if (entries.keys.length > this.maxReferences) throw this.#tooMany();
      return true;
    };
    const options = { name, maxDepth, bareNonFinite: true };
    const text = yield* textSteps(json, name);
    const rest = yield* jsonSteps(text, { ...options, take });
    const isPlain = isJsonObject(rest) && !Object.hasOwn(rest, "version");
    // In version 0, "refs" is an ordinary key.
    const whole = isPlain && refs.keys.length > 0 ? yield* jsonSteps(text, options) : rest;
    const fields = requireObject(whole, "the document");
    if (!isPlain) return yield* this.#add(fields, refs.keys, (i) => refs.values[i]);
    const entries = whole === rest ? top : new Entries();
    for (const key of writtenKeys(whole as JsonObject))
      entries.add(key, withoutNumbers((whole as JsonObject)[key]!));
    yield* this.#add(fields, entries.keys, (i) => entries.values[i]);
  }

  *#add(fields: Fields, keys: readonly string[], valueAt: (index: number) => unknown): Steps<void> {
    this.#readFields(fields);
    if (keys.length > this.maxReferences) throw this.#tooMany();
    for (const [i, key] of keys.entries()) {
      this.#set(key, valueAt(i));
      yield;
    }
  }

  /** Reads the other fields. */
  #readFields(fields: Fields): void {
    if (Object.hasOwn(fields, "record_size"))
      throw unsupported("references in Parquet files are not supported", { code: "parquet-references" });
    if (!Object.hasOwn(fields, "version")) return;
    const version = plain(fields["version"]);
    if (typeof version !== "number")
      throw invalidMetadata(
        `the document has no references: version must be 1, got ${JSON.stringify(version)}`,
        { code: "bad-reference" },
      );
    if (version !== 1)
      throw unsupported(`references of version ${JSON.stringify(version)} are not supported`, {
        code: "unsupported-reference",
      });
    requireObject(fields["refs"] ?? {}, "refs");
    const templates = new Map<string, string>();
    for (const [name, value] of [...readEntries(fields, "templates"), ...Object.entries(this.own)])
      templates.set(name, requireText(value, `template "${name}"`));
    checkCount(templates.size, maxTemplates, "templates");
    if (templates.size > 0) this.#templates = templates;
    if (requireList(fields["gen"] ?? [], "gen").length > 0)
      throw unsupported(
        "references generated by `gen` are not supported; write the document with each reference in `refs`",
        { code: "unsupported-reference" },
      );
  }

  /** Skips keys that are not normalised paths: they cannot be read, and must not shadow others. */
  #set(key: string, value: unknown): void {
    let path: string;
    try {
      path = `/${normalizePath(key)}`;
    } catch {
      return;
    }
    if (this.#references.set(path, value) && this.keys.push(path) > this.maxReferences) throw this.#tooMany();
  }

  #tooMany(): ZarrError {
    return limitExceeded(`the document has more references than the limit of ${this.maxReferences}`);
  }
}

/** Bytes that one step decodes, and values that one step parses. */
const [stepLength, stepValues] = [2 ** 20, 2 ** 10];

function* textSteps(bytes: Uint8Array, name: string): Steps<string> {
  const decoder = textDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  try {
    for (let at = 0; at < bytes.byteLength; at += stepLength) {
      text += decoder.decode(bytes.subarray(at, at + stepLength), { stream: true });
      yield;
    }
    return text + decoder.decode();
  } catch (cause) {
    throw invalidMetadata(`${name} is not UTF-8 text`, { code: "not-json", cause });
  }
}

function* jsonSteps(text: string, options: JsonOptions): Steps<Json> {
  const reader = new JsonReader(text, options);
  for (;;) {
    const json = reader.read(stepValues);
    if (json !== undefined) return json;
    yield;
  }
}

function checkCount(count: number, max: number, what: string): void {
  if (count > max) throw limitExceeded(`the document has more ${what} than the limit of ${max}`);
}

/** Converts the numbers of a list to plain ones. Valid lists have at most three entries. */
function withoutNumbers(value: Json): unknown {
  if (Array.isArray(value)) return value.slice(0, 4).map(withoutNumbers);
  return plain(value);
}

/**
 * Reads the reference of a key; undefined if there is none.
 * @throws InvalidMetadata ("bad-reference"); Unsupported for its template.
 */
export function readReference(table: ReferenceTable, key: string): MaybePromise<Reference> | undefined {
  const value = table.get(key);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return targetIn(value, key, table.templates);
  return startSlices(inlineSteps(value, key));
}

/** Returns the target of a reference; undefined for inline bytes and invalid references. */
export function targetName(table: ReferenceTable, key: string): string | null | undefined {
  try {
    const value = table.get(key);
    return Array.isArray(value) ? targetIn(value, key, table.templates).url : undefined;
  } catch {
    return undefined;
  }
}

function targetIn(
  value: readonly unknown[],
  key: string,
  templates: TemplateValues | undefined,
): StoredTarget {
  const [target, offset, length] = value;
  if (target !== null && typeof target !== "string") throw bad(`${key} refers to no URL`);
  const url = target === null || !templates ? target : render(target, templates);
  if (value.length === 1) return { url };
  const isCount = (number: unknown): number is number =>
    Number.isSafeInteger(number) && (number as number) >= 0;
  if (value.length !== 3 || !isCount(offset) || !isCount(length) || !isCount(offset + length)) {
    throw bad(`${key} does not refer to [url] or [url, offset, length]`);
  }
  return { url, offset, length };
}

/** Characters that one step encodes or decodes: a multiple of a base64 group. */
const stepCharacters = 2 ** 18;
const base64 = "base64:";

/** Returns inline bytes: a string, base64, or an object as JSON. */
function* inlineSteps(value: unknown, key: string): Steps<Reference> {
  const isText = typeof value === "string";
  if (isText && value.startsWith(base64)) return { bytes: yield* base64Steps(value, key) };
  const text = isText ? value : yield* printSteps(requireObject(value, key) as JsonObject, maxDepth);
  return { bytes: yield* utf8Steps(text) };
}

/** Members that one step prints. */
const stepMembers = 2 ** 10;

/** Prints an object or a list as {@link jsonText} does, in steps. */
function* printSteps(json: Json[] | JsonObject, depth: number): Steps<string> {
  if (depth <= 0) return jsonText(json, 0); // throws
  const isList = Array.isArray(json);
  let text = isList ? "[" : "{";
  let count = 0;
  for (const key of isList ? json.keys() : writtenKeys(json)) {
    const value = (json as JsonObject)[key]!;
    if (value === undefined && !isList) continue;
    if (count > 0) text += ",";
    if (!isList) text += `${JSON.stringify(key)}:`;
    const isNested = Array.isArray(value) || isJsonObject(value);
    text += isNested ? yield* printSteps(value, depth - 1) : jsonText(value);
    if (++count % stepMembers === 0) yield;
  }
  yield;
  return text + (isList ? "]" : "}");
}

const utf8 = cached(() => textEncoder());

function* utf8Steps(text: string): Steps<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < text.length || at === 0; ) {
    const isSplit = /[\ud800-\udbff]/.test(text[at + stepCharacters - 1] ?? "");
    const end = at + stepCharacters + (isSplit ? 1 : 0);
    pieces.push(utf8().encode(text.slice(at, end)));
    at = end;
    yield;
  }
  return yield* joinSteps(pieces);
}

/** Decodes base64 as atob does: ignores white space, and accepts padding only at the end. */
function* base64Steps(text: string, key: string): Steps<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let rest = "";
  for (let at = base64.length; at < text.length; at += stepCharacters) {
    const isLast = at + stepCharacters >= text.length;
    rest += text.slice(at, at + stepCharacters).replace(/[\t\n\f\r ]+/g, "");
    const whole = isLast ? rest.length : rest.length - (rest.length % 4);
    const piece = decodeBinary(rest.slice(0, whole));
    if (!piece || (!isLast && piece.byteLength !== (whole / 4) * 3))
      throw bad(`${shorten(key)} has bytes that are not base64`);
    pieces.push(piece);
    rest = rest.slice(whole);
    yield;
  }
  return yield* joinSteps(pieces);
}

/** Returns undefined for invalid base64. */
function decodeBinary(text: string): Uint8Array | undefined {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

function* joinSteps(pieces: readonly Uint8Array[]): Steps<Uint8Array> {
  if (pieces.length === 1) return pieces[0]!;
  const joined = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.byteLength;
    yield;
  }
  return joined;
}
