/** Reads single references of documents. */

import type { MaybePromise } from "../../store/store.js";
import { isJsonObject, type Json, type JsonObject, jsonText, writtenKeys } from "../../util/json.js";
import { kept, textEncoder } from "../../util/platform.js";
import { type Steps, startSlices } from "../../util/slices.js";
import { bad, objectOf, shown } from "../parquet/fields.js";
import type { Reference, Target } from "../parquet/reference.js";
import { maxDepth, type ReferenceTable } from "./document.js";
import { render, type TemplateValues } from "./template.js";

/**
 * Reads the reference of a key; undefined where there is none.
 * @throws InvalidMetadata ("bad-reference"); Unsupported for its template.
 */
export function readReference(table: ReferenceTable, key: string): MaybePromise<Reference> | undefined {
  const value = table.get(key);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return targetIn(value, key, table.templatesFor(key));
  return startSlices(inlineSteps(value, key));
}

/** The name of the object that a reference leads to; undefined for one that holds its bytes, or that is not valid. */
export function targetName(table: ReferenceTable, key: string): string | null | undefined {
  try {
    const value = table.get(key);
    return Array.isArray(value) ? targetIn(value, key, table.templatesFor(key)).url : undefined;
  } catch {
    return undefined;
  }
}

function targetIn(value: readonly unknown[], key: string, templates: TemplateValues | undefined): Target {
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

/** Characters that one step encodes or decodes: whole groups of base64. */
const stepLength = 2 ** 18;
const base64 = "base64:";

/** A text as it is, bytes in base64, or an object as JSON. */
function* inlineSteps(value: unknown, key: string): Steps<Reference> {
  const isText = typeof value === "string";
  if (isText && value.startsWith(base64)) return { bytes: yield* base64Steps(value, key) };
  const text = isText ? value : yield* printSteps(objectOf(value, key) as JsonObject, maxDepth);
  return { bytes: yield* utf8Steps(text) };
}

/** Members that one step prints. */
const stepMembers = 2 ** 10;

/** Prints an object or a list as {@link jsonText} does, in steps. */
function* printSteps(json: Json[] | JsonObject, depth: number): Steps<string> {
  if (depth <= 0) return jsonText(json, 0); // refuses it
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

const utf8 = kept(() => textEncoder());

function* utf8Steps(text: string): Steps<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < text.length || at === 0; ) {
    const isSplit = /[\ud800-\udbff]/.test(text[at + stepLength - 1] ?? "");
    const end = at + stepLength + (isSplit ? 1 : 0);
    pieces.push(utf8().encode(text.slice(at, end)));
    at = end;
    yield;
  }
  return yield* joinSteps(pieces);
}

/** As atob reads it: without white space, and with padding only at the end. */
function* base64Steps(text: string, key: string): Steps<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let rest = "";
  for (let at = base64.length; at < text.length; at += stepLength) {
    const isLast = at + stepLength >= text.length;
    rest += text.slice(at, at + stepLength).replace(/[\t\n\f\r ]+/g, "");
    const whole = isLast ? rest.length : rest.length - (rest.length % 4);
    const piece = binaryOf(rest.slice(0, whole));
    if (!piece || (!isLast && piece.byteLength !== (whole / 4) * 3))
      throw bad(`${shown(key)} has bytes that are not base64`);
    pieces.push(piece);
    rest = rest.slice(whole);
    yield;
  }
  return yield* joinSteps(pieces);
}

/** Undefined for what is no base64. */
function binaryOf(text: string): Uint8Array | undefined {
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
