/**
 * Reference documents, as kerchunk writes them: version 0 (keys and references) and 1 (with templates and
 * generated references). Spec: https://fsspec.github.io/kerchunk/spec.html
 */

import { invalidMetadata, limitExceeded, unsupported } from "../../base/errors.js";
import { isJsonObject, type Json, jsonText, parseJson, toPlain } from "../../base/json.js";
import { defaultLimits } from "../../base/limits.js";
import { kept, textDecoder, textEncoder } from "../../base/platform.js";
import { isRecord } from "../../base/records.js";
import { normalizePath } from "../path.js";
import { bad, entriesOf, type Fields, listOf, objectOf, textOf } from "./fields.js";
import { GenerationBudget, Rule } from "./generate.js";
import { render, type TemplateValues } from "./template.js";

/** Where an object's bytes are: in the document itself, or in a part of another object, or in all of it. */
export type Reference =
  | { bytes: Uint8Array }
  | { url: string | null; offset: number; length: number }
  | { url: string | null; offset?: undefined; length?: undefined };

/** References by key, with a leading "/"; each is looked at when it is read. */
export interface ReferenceTable {
  readonly references: ReadonlyMap<string, unknown>;
  /** Undefined where there are none: braces are then just braces. */
  readonly templates: TemplateValues | undefined;
}

/** One of the references that a rule stands for, made when it is read. */
class Generated {
  constructor(
    readonly rule: Rule,
    readonly index: number,
  ) {}
}

/** Deepest nesting: an object in the document may nest as deep as one that is stored. */
const maxDepth = defaultLimits.metadataDepth + 2;

/**
 * Parses a document. Where objects are given as JSON in it (metadata, that is), every number in them is kept as it is
 * written; all else is plain.
 * @throws InvalidMetadata for bytes that are no JSON document; LimitExceeded for one that nests too deep.
 */
export function parseDocument(bytes: Uint8Array, name: string): unknown {
  const own = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
  const plain = parsePlain(own);
  if (plain && !hasObjects(plain.document)) return plain.document;
  const exact = parseJson(own, { name, maxDepth, bareNonFinite: true });
  if (!isJsonObject(exact)) return toPlain(exact);
  if (!Object.hasOwn(exact, "version")) return mapValues(exact, exactObject);
  return mapValues(exact, (value, key) =>
    key === "refs" && isJsonObject(value) ? mapValues(value, exactObject) : toPlain(value),
  );
}

/** By the fastest of parsers, which most documents need no more than; undefined for what it does not understand. */
function parsePlain(bytes: Uint8Array): { document: unknown } | undefined {
  try {
    return { document: JSON.parse(textDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return undefined; // perhaps a bare NaN, as Python writes it
  }
}

function hasObjects(document: unknown): boolean {
  if (!isRecord(document)) return false;
  const refs = Object.hasOwn(document, "version") ? document["refs"] : document;
  return isRecord(refs) && Object.values(refs).some(isRecord);
}

/** A reference that is an object as it is, others plain. */
const exactObject = (value: Json): unknown => (isJsonObject(value) ? value : toPlain(value));

function mapValues(object: Record<string, Json>, map: (value: Json, key: string) => unknown): Fields {
  const entries = Object.entries(object).map(([key, value]) => [key, map(value, key)] as const);
  return Object.fromEntries(entries); // defines keys, "__proto__" too
}

/**
 * Reads a document.
 * @param own values of templates that replace the document's own.
 * @throws InvalidMetadata ("bad-reference"); Unsupported for Parquet references, for versions above 1 and for
 *   templates that need more than names and arithmetic; LimitExceeded for more references than `most`, and for rules
 *   that take too much work.
 */
export function readDocument(document: unknown, own: Record<string, string>, most: number): ReferenceTable {
  const fields = objectOf(document, "the document");
  if (Object.hasOwn(fields, "record_size")) {
    throw unsupported("references in Parquet files are not supported", { code: "parquet-references" });
  }
  const references = new Map<string, unknown>();
  if (!Object.hasOwn(fields, "version")) {
    addAll(references, fields, most);
    return { references, templates: undefined };
  }
  if (fields["version"] !== 1) {
    throw unsupported(`references of version ${JSON.stringify(fields["version"])} are not supported`, {
      code: "reference-version",
    });
  }
  const templates = new Map<string, string>();
  for (const [name, value] of [...entriesOf(fields, "templates"), ...Object.entries(own)]) {
    templates.set(name, textOf(value, `template "${name}"`));
  }
  addAll(references, objectOf(fields["refs"] ?? {}, "refs"), most);
  const budget = new GenerationBudget(most);
  for (const gen of listOf(fields["gen"] ?? [], "gen")) {
    const rule = new Rule(gen, templates);
    let index = 0;
    for (const key of rule.keys(budget)) add(references, key, new Generated(rule, index++), most);
  }
  return { references, templates: templates.size > 0 ? templates : undefined };
}

function addAll(references: Map<string, unknown>, refs: Fields, most: number): void {
  for (const [key, value] of Object.entries(refs)) add(references, key, value, most);
}

/** Keys that no path can name are left out: they could not be read, and must not be taken for others. */
function add(references: Map<string, unknown>, key: string, value: unknown, most: number): void {
  let path: string;
  try {
    path = normalizePath(key);
  } catch {
    return;
  }
  references.set(`/${path}`, value);
  if (references.size > most) throw limitExceeded(`there are more references than the limit of ${most}`);
}

/**
 * Reads one reference.
 * @throws InvalidMetadata ("bad-reference"); Unsupported for its template.
 */
export function readReference(value: unknown, key: string, templates: TemplateValues | undefined): Reference {
  if (value instanceof Generated) return readReference(value.rule.reference(value.index), key, undefined);
  if (typeof value === "string") return { bytes: inlineBytes(value, key) };
  if (!Array.isArray(value))
    return { bytes: utf8().encode(jsonText(objectOf(value, key) as Json, maxDepth)) };
  const [target, offset, length] = value as unknown[];
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

const utf8 = kept(() => textEncoder());

/** A text as it is, or bytes in base64. */
/** The object that a reference names; undefined for one that holds its bytes itself, and for one that cannot be read. */
export function targetOf(
  value: unknown,
  key: string,
  templates: TemplateValues | undefined,
): string | null | undefined {
  if (!Array.isArray(value) && !(value instanceof Generated)) return undefined;
  try {
    const reference = readReference(value, key, templates);
    return "bytes" in reference ? undefined : reference.url;
  } catch {
    return undefined;
  }
}

function inlineBytes(text: string, key: string): Uint8Array {
  if (!text.startsWith("base64:")) return utf8().encode(text);
  try {
    const binary = atob(text.slice("base64:".length));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch (cause) {
    throw invalidMetadata(`${key} has bytes that are not base64`, { code: "bad-reference", cause });
  }
}
