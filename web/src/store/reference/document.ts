/**
 * Reference documents, as kerchunk writes them: version 0 (keys and references) and 1 (with templates and
 * generated references). Spec: https://fsspec.github.io/kerchunk/spec.html
 */
import { invalidMetadata, limitExceeded, unsupported } from "../../base/errors.js";
import { normalizePath } from "../path.js";
import { render, type TemplateValues } from "./template.js";

/** Where an object's bytes are: in the document itself, or in a part of another object, or in all of it. */
export type Reference =
  | { bytes: Uint8Array }
  | { url: string | null; offset: number; length: number }
  | { url: string | null; offset?: undefined; length?: undefined };

/** References by key, with a leading "/"; each is looked at when it is read. */
export interface ReferenceTable {
  readonly references: ReadonlyMap<string, unknown>;
  readonly templates: TemplateValues;
}

type Fields = Record<string, unknown>;

/** @throws InvalidMetadata for bytes that are no JSON document. */
export function parseDocument(bytes: Uint8Array, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw invalidMetadata(`${name} is not a JSON document`, { code: "not-json", cause });
  }
}

/**
 * Reads a document.
 * @param own values of templates that replace the document's own.
 * @throws InvalidMetadata ("bad-reference"); Unsupported for Parquet references, for versions above 1 and for
 *   templates that need more than names and arithmetic; LimitExceeded for more references than `most`.
 */
export function readDocument(document: unknown, own: Record<string, string>, most: number): ReferenceTable {
  const fields = objectOf(document, "the document");
  if (Object.hasOwn(fields, "record_size")) {
    throw unsupported("references in Parquet files are not supported", { code: "parquet-references" });
  }
  const references = new Map<string, unknown>();
  if (!Object.hasOwn(fields, "version")) {
    addAll(references, fields, most);
    return { references, templates: new Map() };
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
  for (const rule of listOf(fields["gen"] ?? [], "gen")) generate(references, rule, templates, most);
  return { references, templates };
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

/** Adds the references that a rule of "gen" stands for: one for each combination of its dimensions. */
function generate(
  references: Map<string, unknown>,
  rule: unknown,
  templates: TemplateValues,
  most: number,
): void {
  const fields = objectOf(rule, "gen");
  const [key, url] = [textOf(fields["key"], "gen.key"), textOf(fields["url"], "gen.url")];
  const [offset, length] = [fields["offset"], fields["length"]];
  if ((offset === undefined) !== (length === undefined)) throw bad("gen has an offset without a length");
  const dimensions = entriesOf(fields, "dimensions").map(
    ([name, values]) => [name, valuesOf(values, most)] as const,
  );
  const count = dimensions.reduce((product, [, values]) => product * values.length, 1);
  if (count > most) throw limitExceeded(`gen stands for ${count} references, the limit is ${most}`);
  for (let index = 0; index < count; index++) {
    const values = new Map<string, string | number>(templates);
    let rest = index;
    for (const [name, list] of dimensions.toReversed()) {
      values.set(name, list[rest % list.length]!);
      rest = Math.floor(rest / list.length);
    }
    const part = offset === undefined ? [] : [offset, length].map((text) => countOf(text, values));
    add(references, render(key, values), [render(url, values), ...part], most);
  }
}

/** A whole number, or a template of one. */
function countOf(value: unknown, values: TemplateValues): number {
  if (typeof value !== "string") return value as number; // checked where it is read
  const text = render(value, values).trim();
  if (!/^\d+$/.test(text)) throw bad(`"${text}" is no number of bytes`);
  return Number(text);
}

/** The values of a dimension: a list, or a range from `start` to before `stop`. */
function valuesOf(dimension: unknown, most: number): (string | number)[] {
  if (Array.isArray(dimension)) {
    if (dimension.every((value) => typeof value === "string" || Number.isSafeInteger(value)))
      return dimension;
    throw bad("a dimension of gen has values that are neither texts nor whole numbers");
  }
  const { start = 0, stop, step = 1 } = objectOf(dimension, "a dimension of gen");
  const [first, end, by] = [start, stop, step].map((value) => {
    if (Number.isSafeInteger(value)) return value as number;
    throw bad("a dimension of gen has a start, stop or step that is not a whole number");
  }) as [number, number, number];
  if (by === 0) throw bad("a dimension of gen has the step 0");
  const count = Math.max(0, Math.ceil((end - first) / by));
  if (count > most) throw limitExceeded(`gen has a dimension of ${count} values, the limit is ${most}`);
  return Array.from({ length: count }, (_, at) => first + at * by);
}

/**
 * Reads one reference.
 * @throws InvalidMetadata ("bad-reference"); Unsupported for its template.
 */
export function readReference(value: unknown, key: string, templates: TemplateValues): Reference {
  if (typeof value === "string") return { bytes: inlineBytes(value, key) };
  if (!Array.isArray(value)) return { bytes: utf8.encode(JSON.stringify(objectOf(value, key))) };
  const [target, offset, length] = value as unknown[];
  if (target !== null && typeof target !== "string") throw bad(`${key} refers to no URL`);
  // Without templates braces are just braces.
  const url = target === null || templates.size === 0 ? target : render(target, templates);
  if (value.length === 1) return { url };
  const isCount = (number: unknown): number is number =>
    Number.isSafeInteger(number) && (number as number) >= 0;
  if (value.length !== 3 || !isCount(offset) || !isCount(length) || !isCount(offset + length)) {
    throw bad(`${key} does not refer to [url] or [url, offset, length]`);
  }
  return { url, offset, length };
}

const utf8 = new TextEncoder();

/** A text as it is, or bytes in base64. */
function inlineBytes(text: string, key: string): Uint8Array {
  if (!text.startsWith("base64:")) return utf8.encode(text);
  try {
    const binary = atob(text.slice("base64:".length));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch (cause) {
    throw invalidMetadata(`${key} has bytes that are not base64`, { code: "bad-reference", cause });
  }
}

function objectOf(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw bad(`${what} is not an object`);
}

function listOf(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw bad(`${what} is not a list`);
}

function textOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw bad(`${what} is not a text`);
}

function entriesOf(fields: Fields, name: string): [string, unknown][] {
  return Object.entries(objectOf(fields[name] ?? {}, name));
}

function bad(what: string): Error {
  return invalidMetadata(`the references are not valid: ${what}`, { code: "bad-reference" });
}
