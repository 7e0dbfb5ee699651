/**
 * A strict JSON reader for Zarr metadata.
 *
 * `JSON.parse` cannot serve: genuine Zarr documents hold the bare tokens `NaN`, `Infinity` and
 * `-Infinity` (Python's json writes them), and integers beyond 2⁵³ that must stay exact. This reader
 * keeps the text of every number, bounds size and nesting, and is RFC 8259 otherwise. It neither
 * recurses on the native stack beyond the depth limit nor treats any key specially: `__proto__` becomes
 * an ordinary own property.
 */

import { invalidMetadata, limitExceeded, type OnWarning } from "./errors.js";
import { textDecoder } from "./platform.js";

/** A number as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}

  /** The nearest float64. */
  get value(): number {
    return Number(this.text);
  }
  /** True for the form of an integer: no fraction, no exponent, not one of the three bare tokens. */
  get isInteger(): boolean {
    return /^-?\d+$/.test(this.text);
  }
  /** The exact integer; only where `isInteger`. */
  get bigint(): bigint {
    return BigInt(this.text);
  }
}

export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export interface JsonOptions {
  /** What the document is called in messages. */
  name: string;
  /** Deepest nesting. */
  maxDepth: number;
  /** Whether the bare tokens NaN, Infinity and -Infinity are accepted as numbers. */
  bareNonFinite: boolean;
  /** Most values in all; without it as many as there is text for. */
  maxValues?: number | undefined;
  onWarning?: OnWarning | undefined;
}

/** Keys in the order of the document, of objects that have some which JavaScript would put first: "0", "10". */
const writtenOrders = new WeakMap<JsonObject, readonly string[]>();

/** An object's keys in the order in which they were written. */
export function writtenKeys(object: JsonObject): readonly string[] {
  return writtenOrders.get(object) ?? Object.keys(object);
}

/** Remembers the order of an object's keys. */
export function orderKeys(object: JsonObject, keys: readonly string[]): void {
  if (keys.some((key) => /^\d/.test(key))) writtenOrders.set(object, [...new Set(keys)]);
}

/**
 * Parses a UTF-8 document.
 * @throws InvalidMetadata for anything that is not JSON (invalid UTF-8 and a byte order mark included);
 *   LimitExceeded for nesting beyond `maxDepth`.
 */
export function parseJson(bytes: Uint8Array, options: JsonOptions): Json {
  let text: string;
  try {
    text = textDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw invalidMetadata(`${options.name} is not UTF-8 text`, { code: "not-json", cause });
  }
  if (/^\s*</.test(text)) {
    const what = "it begins like an HTML page, which some servers send where there is nothing";
    throw invalidMetadata(`${options.name} is not valid JSON: ${what}`, { code: "not-json" });
  }
  return new Parser(text, options).document();
}

// Sticky expressions: each matches at `lastIndex` or not at all.
const space = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 forbids them in strings
const plainText = /[^"\\\u0000-\u001f]*/y;
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const bareText = /-?Infinity|NaN/y;
const hex4 = /[0-9a-fA-F]{4}/y;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Characters of a number, and those of one that becomes a bigint: that takes time which grows faster than they do. */
const maxDigits = 2 ** 20;
const maxBigintDigits = 2 ** 14;

class Parser {
  private at = 0;
  private depth = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly options: JsonOptions,
  ) {}

  document(): Json {
    const value = this.value();
    this.match(space);
    if (this.at < this.text.length) this.fail("text after the end of the document");
    return value;
  }

  private value(): Json {
    if (++this.values > (this.options.maxValues ?? Number.POSITIVE_INFINITY))
      throw limitExceeded(`${this.options.name} has more than ${this.options.maxValues} values`);
    this.match(space);
    switch (this.text[this.at]) {
      case "{":
        return this.nested(() => this.object());
      case "[":
        return this.nested(() => this.array());
      case '"':
        return this.string();
      case "t":
        return this.word("true", true);
      case "f":
        return this.word("false", false);
      case "n":
        return this.word("null", null);
      default:
        return this.number();
    }
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > this.options.maxDepth) {
      throw limitExceeded(`${this.options.name} is nested deeper than ${this.options.maxDepth} levels`);
    }
    this.at++;
    const value = read();
    this.depth--;
    return value;
  }

  private object(): JsonObject {
    const object: JsonObject = {};
    const keys: string[] = [];
    if (this.skips("}")) return object;
    do {
      this.match(space);
      if (this.text[this.at] !== '"') this.fail("a property name in double quotes is missing");
      const key = this.string();
      if (!this.skips(":")) this.fail('":" is missing');
      if (Object.hasOwn(object, key)) {
        const message = `${this.options.name} has the key "${key}" twice; the last one counts`;
        this.options.onWarning?.({ code: "duplicate-key", message });
      }
      setOwn(object, key, this.value());
      keys.push(key);
    } while (this.skips(","));
    if (!this.skips("}")) this.fail('"," or "}" is missing');
    orderKeys(object, keys);
    return object;
  }

  private array(): Json[] {
    const array: Json[] = [];
    if (this.skips("]")) return array;
    do array.push(this.value());
    while (this.skips(","));
    if (!this.skips("]")) this.fail('"," or "]" is missing');
    return array;
  }

  private string(): string {
    this.at++;
    let result = "";
    for (;;) {
      result += this.match(plainText);
      const stop = this.text[this.at++];
      if (stop === '"') return result;
      if (stop !== "\\") this.fail("a string is not closed");
      result += this.escape();
    }
  }

  private escape(): string {
    const letter = this.text[this.at++] ?? "";
    if (letter === "u") {
      const code = this.match(hex4);
      if (!code) this.fail("\\u needs four hexadecimal digits");
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    if (!Object.hasOwn(escapes, letter)) this.fail("an unknown escape in a string");
    return escapes[letter]!;
  }

  private number(): JsonNumber {
    const text = this.match(numberPattern) || (this.options.bareNonFinite ? this.match(bareText) : "");
    if (!text) this.fail(this.at < this.text.length ? "a value is expected" : "the document ends too early");
    if (text.length > maxDigits)
      throw limitExceeded(
        `${this.options.name} has a number of ${text.length} characters; ${maxDigits} is the limit`,
      );
    return new JsonNumber(text);
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail("a value is expected");
    this.at += word.length;
    return value;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  /** Skips white space and then `char`, if it is there. */
  private skips(char: string): boolean {
    this.match(space);
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private fail(what: string): never {
    let line = 1;
    let start = 0;
    for (let end = this.text.indexOf("\n"); end >= 0 && end < this.at; end = this.text.indexOf("\n", start)) {
      line++;
      start = end + 1;
    }
    const column = this.at - start + 1;
    throw invalidMetadata(
      `${this.options.name} is not valid JSON: ${what} (line ${line}, column ${column})`,
      {
        code: "not-json",
      },
    );
  }
}

/** A JSON value as programs like it: numbers instead of JsonNumber. */
export type PlainJson =
  | null
  | boolean
  | string
  | number
  | bigint
  | PlainJson[]
  | { [key: string]: PlainJson };

/**
 * Turns JsonNumbers into numbers; integers beyond ±2⁵³ into bigints, so that nothing is lost.
 * @throws LimitExceeded for integers of more than 2¹⁴ characters.
 */
export function toPlain(value: Json): PlainJson {
  if (value instanceof JsonNumber) return plainNumber(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (value === null || typeof value !== "object") return value;
  const object: { [key: string]: PlainJson } = {};
  for (const [key, child] of Object.entries(value)) {
    setOwn(object, key, toPlain(child));
  }
  return object;
}

/**
 * Makes an own property of any name. An assignment, which is far faster, would change the prototype for "__proto__", and
 * nothing where the prototype is frozen.
 */
function setOwn<T>(object: { [key: string]: T }, key: string, value: T): void {
  if (key in object)
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

function plainNumber(number: JsonNumber): number | bigint {
  const value = number.value;
  if (!number.isInteger || Number.isSafeInteger(value)) return value;
  if (number.text.length > maxBigintDigits)
    throw limitExceeded(`an integer of ${number.text.length} characters; ${maxBigintDigits} is the limit`);
  return number.bigint;
}

/** True for a JSON object (not null, not a list, not a number). */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

/**
 * Returns a number as JSON text that other readers parse as the same float. Python parses "-0" as the integer 0, and
 * GDAL clamps integers of more than 64 bits.
 * @param maxInteger integers beyond it get a fraction. Default: 2⁵³ − 1.
 */
export function numberText(value: number, maxInteger = Number.MAX_SAFE_INTEGER): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return Math.abs(value) > maxInteger && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/**
 * A JSON value as text, every number as it was written; numbers of JavaScript so that they are read as the same ones,
 * -0 and those that are not finite included.
 * @throws LimitExceeded for nesting beyond `maxDepth`, and so for objects that hold themselves.
 */
export function jsonText(json: Json | PlainJson, maxDepth = Number.POSITIVE_INFINITY): string {
  if (json instanceof JsonNumber) return json.text;
  if (typeof json === "number") return numberText(json);
  if (typeof json === "bigint") return String(json);
  if (json === null || typeof json !== "object") return JSON.stringify(json) ?? "null";
  if (maxDepth <= 0) throw limitExceeded("a JSON value is nested too deep");
  if (Array.isArray(json)) return `[${json.map((value) => jsonText(value, maxDepth - 1)).join(",")}]`;
  const members = Object.entries(json)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${jsonText(value, maxDepth - 1)}`);
  return `{${members.join(",")}}`;
}

/** A JSON value as messages show it, shortened. */
export function showJson(json: Json | undefined): string {
  const text = json instanceof JsonNumber ? json.text : (JSON.stringify(json, plainNumbers) ?? "nothing");
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function plainNumbers(_key: string, value: unknown): unknown {
  return value instanceof JsonNumber ? value.value : value;
}
