/**
 * A strict JSON reader for Zarr metadata.
 *
 * `JSON.parse` is not enough: real Zarr documents contain the bare tokens `NaN`, `Infinity` and `-Infinity`
 * (Python's json writes them), and integers beyond 2⁵³ that must stay exact. This reader keeps the text of
 * every number, bounds size and nesting, and is RFC 8259 otherwise. It does not recurse, can pause and resume
 * (`JsonReader`), and treats no key specially: `__proto__` becomes an ordinary own property.
 */

import { invalidMetadata, limitExceeded, type OnWarning } from "./errors.js";
import { type Json, JsonNumber, type JsonObject, setOwn, showJson } from "./json.js";
import { strictUtf8 } from "./platform.js";

export interface JsonOptions {
  /** Name of the document in messages. */
  name: string;
  /** Maximum nesting depth. */
  maxDepth: number;
  /** Whether the bare tokens NaN, Infinity and -Infinity are accepted as numbers. */
  bareNonFinite: boolean;
  /** Maximum number of values. Default: limited only by the length of the document. */
  maxValues?: number | undefined;
  /**
   * Receives every member of the document, and of the objects in it, with its keys from the outside in.
   * Members for which it returns true are omitted from the result.
   */
  take?: ((value: Json, keys: readonly string[]) => boolean) | undefined;
  onWarning?: OnWarning | undefined;
}

/** Properties of a parsed container that its values do not show. */
interface ContainerNotes {
  /** Keys in the order of the document, if JavaScript would put some of them first: "0", "10". */
  writtenKeys?: readonly string[];
  /** Keys of a large object, because `Object.keys` of one is slow; [] for a large list. */
  largeKeys?: readonly string[];
}

/** Notes of few containers. */
const notes = new WeakMap<Json[] | JsonObject, ContainerNotes>();

function note(container: Json[] | JsonObject, added: ContainerNotes): void {
  notes.set(container, { ...notes.get(container), ...added });
}

/** Returns an object's keys in the order of the document. */
export function writtenKeys(object: JsonObject): readonly string[] {
  return notes.get(object)?.writtenKeys ?? Object.keys(object);
}

/** Records the order of an object's keys. */
export function orderKeys(object: JsonObject, keys: readonly string[]): void {
  if (keys.some((key) => /^\d/.test(key))) note(object, { writtenKeys: [...new Set(keys)] });
}

/** Minimum number of values of a large container. */
const largeSize = 2 ** 10;

/** Whether a parsed value contains at least `largeSize` others. */
export const isLarge = (json: Json): json is Json[] | JsonObject =>
  typeof json === "object" && json !== null && notes.get(json as JsonObject)?.largeKeys !== undefined;

/** The keys of a large object. */
export const keysOfLarge = (object: JsonObject): readonly string[] => notes.get(object)!.largeKeys!;

/**
 * Parses a UTF-8 document.
 * @throws InvalidMetadata for anything that is not JSON (invalid UTF-8 and a byte order mark included);
 *   LimitExceeded for nesting beyond `maxDepth`.
 */
export function parseJson(bytes: Uint8Array, options: JsonOptions): Json {
  return new JsonReader(bytes, options).read(Number.POSITIVE_INFINITY)!;
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

/** Maximum length of a number. */
const maxDigits = 2 ** 20;

/** Maximum number of keys of an object: engines block for hundreds of milliseconds to make room for more. */
const maxKeys = 2 ** 20;
/** Maximum length of a string: engines copy all of it at once on first use. */
const maxStringLength = 2 ** 26;

/** Maximum number of warnings about duplicate keys per document. */
const maxDuplicates = 8;

/** Number of characters within which error messages count lines. */
const maxCounted = 2 ** 20;

/** A container that is still open; `first` is the number of values read before its own. */
type Open = { readonly first: number } & (
  | { readonly list: Json[]; readonly object?: undefined }
  | {
      readonly list?: undefined;
      readonly object: JsonObject;
      readonly keys: string[];
      key: string | undefined;
    }
);

/**
 * Number of string pieces joined at a time. Concatenating a million one by one keeps the garbage collector
 * busy.
 */
const maxPieces = 2 ** 9;

/** Parses one document in steps, between which the caller can do other work. */
export class JsonReader {
  private readonly text: string;
  private at = 0;
  private values = 0;
  private duplicates = 0;
  /** Open containers, outermost first. */
  private readonly open: Open[] = [];
  /** Remaining steps of this call of `read`: values and escapes. */
  private steps = 0;
  /** The part already read of the string in which the last call of `read` paused. */
  private begun: string | undefined;

  /** @throws InvalidMetadata for bytes that are not UTF-8 text. */
  constructor(
    document: Uint8Array | string,
    private readonly options: JsonOptions,
  ) {
    this.text = typeof document === "string" ? document : decodeUtf8(document, options.name);
    if (/^\s*</.test(this.text.slice(0, 1024))) {
      const what = "it begins like an HTML page, which some servers send for missing objects";
      throw invalidMetadata(`${options.name} is not valid JSON: ${what}`, { code: "not-json" });
    }
  }

  /**
   * Continues parsing.
   * @param steps maximum number of values and escaped characters to read in this call.
   * @returns the document; undefined until all of it has been read.
   * @throws the same errors as `parseJson`.
   */
  read(steps: number): Json | undefined {
    this.steps = steps;
    while (this.steps > 0) {
      if (!this.readKey()) return undefined;
      let value = this.begin();
      // A container was opened, or the steps ran out within a string.
      if (value === undefined) continue;
      for (;;) {
        const container = this.open.at(-1);
        if (!container) return this.end(value);
        this.add(container, value);
        if (this.skips(",")) break;
        value = this.close(container);
      }
    }
    return undefined;
  }

  private end(document: Json): Json {
    this.match(space);
    if (this.at < this.text.length) this.fail("text after the end of the document");
    return document;
  }

  /** Reads the key of the next value within an object. @returns false if the steps ran out. */
  private readKey(): boolean {
    const container = this.open.at(-1);
    if (!container?.object || container.key !== undefined) return true;
    if (this.begun === undefined) {
      this.match(space);
      if (this.text[this.at] !== '"') this.fail("expected a property name in double quotes");
    }
    const key = this.string();
    if (key === undefined) return false;
    if (!this.skips(":")) this.fail('expected ":"');
    if (Object.hasOwn(container.object, key) && this.duplicates++ < maxDuplicates) {
      const message = `${this.options.name} has the key ${showJson(key)} twice; the last value is used`;
      this.options.onWarning?.({ code: "duplicate-key", message });
    }
    container.key = key;
    return true;
  }

  /** Reads a value. @returns undefined for the start of a non-empty container, or if the steps ran out. */
  private begin(): Json | undefined {
    if (this.begun !== undefined) return this.string();
    this.steps--;
    if (++this.values > (this.options.maxValues ?? Number.POSITIVE_INFINITY))
      throw limitExceeded(`${this.options.name} has more than ${this.options.maxValues} values`);
    this.match(space);
    switch (this.text[this.at]) {
      case "{":
        return this.enter({ first: this.values, object: {}, keys: [], key: undefined }, "}");
      case "[":
        return this.enter({ first: this.values, list: [] }, "]");
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

  /** Opens a container. @returns the container if it is empty. */
  private enter(container: Open, end: string): Json | undefined {
    if (this.open.length >= this.options.maxDepth) {
      throw limitExceeded(`${this.options.name} is nested deeper than ${this.options.maxDepth} levels`);
    }
    this.at++;
    if (this.skips(end)) return container.list ?? container.object;
    this.open.push(container);
    return undefined;
  }

  private add(container: Open, value: Json): void {
    if (container.list) {
      container.list.push(value);
      return;
    }
    const { object, keys, key } = container;
    container.key = undefined;
    if (this.takes(value, key!)) return;
    setOwn(object, key!, value);
    if (keys.push(key!) > maxKeys)
      throw limitExceeded(`${this.options.name} has an object of more than ${maxKeys} keys`);
  }

  /** Whether `take` consumes a member of the innermost object. */
  private takes(value: Json, key: string): boolean {
    const { open, options } = this;
    if (!options.take || open.length > 2 || !open[0]!.object) return false;
    return options.take(value, open.length === 1 ? [key] : [open[0]!.key!, key]);
  }

  private close(container: Open): Json {
    const end = container.list ? "]" : "}";
    if (!this.skips(end)) this.fail(`expected "," or "${end}"`);
    this.open.pop();
    const isLarge = this.values - container.first >= largeSize;
    if (container.list) {
      if (isLarge) note(container.list, { largeKeys: [] });
      return container.list;
    }
    const { object, keys } = container;
    orderKeys(object, keys);
    if (isLarge) note(object, { largeKeys: this.duplicates > 0 ? [...new Set(keys)] : keys });
    return object;
  }

  /** @throws LimitExceeded for a string that is too long. */
  private bounded(text: string): string {
    if (text.length <= maxStringLength) return text;
    throw limitExceeded(`${this.options.name} has a string of more than ${maxStringLength} characters`);
  }

  /** Reads a string or the remainder of one. @returns undefined if the steps ran out. */
  private string(): string | undefined {
    if (this.begun === undefined) this.at++;
    let result = this.begun ?? "";
    this.begun = undefined;
    let pieces: string[] = [];
    for (;;) {
      const plain = this.match(plainText);
      const stop = this.text[this.at++];
      if (stop === '"') return this.bounded(result + pieces.join("") + plain);
      if (stop !== "\\") this.fail("unterminated string");
      pieces.push(plain, this.escape());
      const isPaused = --this.steps <= 0;
      if (!isPaused && pieces.length < maxPieces) continue;
      result = this.bounded(result + pieces.join(""));
      pieces = [];
      if (!isPaused) continue;
      this.begun = result;
      return undefined;
    }
  }

  private escape(): string {
    const letter = this.text[this.at++] ?? "";
    if (letter === "u") {
      const code = this.match(hex4);
      if (!code) this.fail("\\u needs four hexadecimal digits");
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    if (!Object.hasOwn(escapes, letter)) this.fail("invalid escape in a string");
    return escapes[letter]!;
  }

  private number(): JsonNumber {
    const text = this.match(numberPattern) || (this.options.bareNonFinite ? this.match(bareText) : "");
    if (!text) this.fail(this.at < this.text.length ? "expected a value" : "unexpected end of the document");
    if (text.length > maxDigits)
      throw limitExceeded(
        `${this.options.name} has a number of ${text.length} characters; ${maxDigits} is the limit`,
      );
    return new JsonNumber(text);
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail("expected a value");
    this.at += word.length;
    return value;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  /** Skips white space, then `char` if it comes next. @returns whether it did. */
  private skips(char: string): boolean {
    this.match(space);
    if (this.text[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private fail(what: string): never {
    throw invalidMetadata(`${this.options.name} is not valid JSON: ${what} (${this.position()})`, {
      code: "not-json",
    });
  }

  /** Current position, for messages. */
  private position(): string {
    if (this.at > maxCounted) return `character ${this.at + 1}`;
    const lines = this.text.slice(0, this.at).split("\n");
    return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
  }
}

/** Decodes a document as UTF-8. @throws InvalidMetadata for bytes that are not UTF-8. */
function decodeUtf8(bytes: Uint8Array, name: string): string {
  try {
    return strictUtf8().decode(bytes);
  } catch (cause) {
    throw invalidMetadata(`${name} is not UTF-8 text`, { code: "not-json", cause });
  }
}
