/**
 * Reference documents, as kerchunk writes them: version 0 (keys and references) and 1 (with templates).
 * Spec: https://fsspec.github.io/kerchunk/spec.html
 */

import { KeyIndex, LargeMap } from "../../store/key-index.js";
import { normalizePath } from "../../store/path.js";
import { isRecord } from "../../util/arguments.js";
import { utf8Text } from "../../util/bytes.js";
import { invalidMetadata, limitExceeded, unsupported, type ZarrError } from "../../util/errors.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, jsonText } from "../../util/json.js";
import { type JsonOptions, JsonReader, writtenKeys } from "../../util/json-reader.js";
import { defaultLimits } from "../../util/limits.js";
import { textEncoder } from "../../util/platform.js";
import { inSlices, type Steps, withTurns } from "../../util/slices.js";
import { bad, type Reference, type References, type StoredTarget, shorten } from "./place.js";

/** Maximum nesting depth: inline objects may be as deep as stored ones. */
const maxDepth = defaultLimits.metadataDepth + 2;
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

type Fields = Record<string, unknown>;
type TemplateValues = ReadonlyMap<string, string>;

/** The references of a document, each parsed when it is read. */
export class ListedReferences implements References {
  /** Every key, with a leading "/", in the order of the document. */
  readonly #keys: string[] = [];
  readonly #values = new LargeMap<unknown>();
  /** Undefined for documents without templates: their braces are literal. */
  #templates: TemplateValues | undefined;
  #index: KeyIndex | undefined;

  /**
   * @param own values of templates that override the document's.
   * @param maxReferences maximum number of references.
   */
  constructor(
    private readonly own: Readonly<Record<string, string>>,
    private readonly maxReferences: number,
  ) {}

  /** @throws also Unsupported for the reference's template. */
  find(path: string): Reference | undefined {
    const value = this.#values.get(path);
    if (value === undefined) return undefined;
    return Array.isArray(value) ? this.#target(value, path) : { bytes: inlineBytes(value, path) };
  }

  keys(): readonly string[] {
    return this.#keys;
  }

  async children(folder: string): Promise<string[]> {
    this.#index ??= await inSlices(KeyIndex.steps(this.#keys));
    return inSlices(this.#index.children(folder));
  }

  async *named(): AsyncGenerator<string | null> {
    const seen = new Set<string | null>();
    for await (const key of withTurns(this.#keys)) {
      const named = this.#targetName(key);
      if (named === undefined || seen.has(named)) continue;
      seen.add(named);
      yield named;
    }
  }

  /** Returns the target of a reference; undefined for inline bytes and invalid references. */
  #targetName(key: string): string | null | undefined {
    const value = this.#values.get(key);
    try {
      return Array.isArray(value) ? this.#target(value, key).url : undefined;
    } catch {
      return undefined; // reading it reports the error
    }
  }

  #target(value: readonly unknown[], key: string): StoredTarget {
    const [target, offset, length] = value;
    if (target !== null && typeof target !== "string") throw bad(`${key} refers to no URL`);
    const url = target === null || !this.#templates ? target : render(target, this.#templates);
    if (value.length === 1) return { url };
    const isCount = (number: unknown): number is number =>
      Number.isSafeInteger(number) && (number as number) >= 0;
    if (value.length !== 3 || !isCount(offset) || !isCount(length) || !isCount(offset + length))
      throw bad(`${key} does not refer to [url] or [url, offset, length]`);
    return { url, offset, length };
  }

  /**
   * Adds the references of a parsed document.
   * @throws InvalidMetadata ("bad-reference"); Unsupported for Parquet references, for versions above 1 and for `gen`;
   *   LimitExceeded for too many references.
   */
  addDocument(document: unknown): void {
    const fields = requireObject(document, "the document");
    const refs = Object.hasOwn(fields, "version") ? requireObject(fields["refs"] ?? {}, "refs") : fields;
    const keys = Object.keys(refs);
    for (const _ of this.#add(fields, keys, (i) => refs[keys[i]!]));
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
    const text = utf8Text(json);
    if (text === undefined) throw invalidMetadata(`${name} is not UTF-8 text`, { code: "not-json" });
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
    const given = requireObject(fields["templates"] ?? {}, "templates");
    for (const [name, value] of [...Object.entries(given), ...Object.entries(this.own)]) {
      if (typeof value !== "string") throw bad(`template "${name}" is not a string`);
      templates.set(name, value);
    }
    checkCount(templates.size, maxTemplates, "templates");
    if (templates.size > 0) this.#templates = templates;
    const gen = fields["gen"] ?? [];
    if (!Array.isArray(gen)) throw bad("gen is not a list");
    if (gen.length > 0)
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
    if (this.#values.set(path, value) && this.#keys.push(path) > this.maxReferences) throw this.#tooMany();
  }

  #tooMany(): ZarrError {
    return limitExceeded(`the document has more references than the limit of ${this.maxReferences}`);
  }
}

/** Values that one step parses. */
const stepValues = 2 ** 10;

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

/** Converts an exactly parsed number to a plain one; other values pass unchanged. */
const plain = (value: unknown): unknown => (value instanceof JsonNumber ? value.value : value);

/** Converts the numbers of a list to plain ones. Valid lists have at most three entries. */
function withoutNumbers(value: Json): unknown {
  if (Array.isArray(value)) return value.slice(0, 4).map(withoutNumbers);
  return plain(value);
}

function requireObject(value: unknown, what: string): Fields {
  if (isRecord(plain(value))) return value as Fields;
  throw bad(`${what} is not an object`);
}

const base64 = "base64:";

/** Returns inline bytes: a string, base64, or an object as JSON. */
function inlineBytes(value: unknown, key: string): Uint8Array {
  if (typeof value !== "string")
    return textEncoder().encode(jsonText(requireObject(value, key) as JsonObject, maxDepth));
  if (!value.startsWith(base64)) return textEncoder().encode(value);
  let binary: string;
  try {
    binary = atob(value.slice(base64.length));
  } catch {
    throw bad(`${shorten(key)} has bytes that are not base64`);
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** Maximum length of a result: far longer than any URL. */
const maxRendered = 2 ** 16;

/**
 * Replaces every `{{ name }}` by the value of a template. The format is based on Jinja, of which nothing else is read.
 * @throws Unsupported ("unsupported-reference") for expressions, unknown names and nested templates;
 *   LimitExceeded for a result that is longer than any URL.
 */
function render(text: string, values: TemplateValues): string {
  let rendered = "";
  let at = 0;
  for (let start = text.indexOf("{{"); start >= 0; start = text.indexOf("{{", at)) {
    const end = text.indexOf("}}", start + 2);
    if (end < 0) break;
    const value = values.get(text.slice(start + 2, end).trim());
    if (value === undefined || value.includes("{{")) throw refusal(text.slice(start, end + 2));
    rendered += text.slice(at, start) + value;
    if (rendered.length > maxRendered)
      throw limitExceeded(`templates expand "${shorten(text)}" to more than ${maxRendered} characters`);
    at = end + 2;
  }
  return rendered + text.slice(at);
}

function refusal(template: string): ZarrError {
  return unsupported(
    `the template ${shorten(template)} is not supported: only names of templates with plain values are`,
    { code: "unsupported-reference" },
  );
}
