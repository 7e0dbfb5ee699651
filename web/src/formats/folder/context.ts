/** Reads the documents of formats that store an array as a folder of objects. */

import { parseDocument } from "../../metadata/document.js";
import { locateKey } from "../../store/read.js";
import { type ByteReader, byteReader } from "../../store/source/byte-reader.js";
import { joinKey, type Store } from "../../store/store.js";
import type { OnWarning, ZarrError } from "../../util/errors.js";
import { type Json, JsonNumber, type JsonObject } from "../../util/json.js";
import type { Limits } from "../../util/limits.js";
import { badFile } from "../file/cursor.js";

/** A store with the folder of a volume or a hierarchy. */
export class FolderContext {
  constructor(
    readonly store: Store,
    readonly limits: Limits,
    readonly onWarning: OnWarning | undefined,
  ) {}

  /** Returns the location of an object, for messages. */
  locate(path: string, name: string): string {
    return locateKey(this.store, joinKey(path, name));
  }

  reader(path: string, name: string): ByteReader {
    return byteReader({ store: this.store, key: joinKey(path, name) }, {});
  }

  /** Returns a document; undefined if it is missing. @throws InvalidMetadata if it is not a JSON object. */
  async json(path: string, name: string, signal: AbortSignal | undefined): Promise<JsonObject | undefined> {
    const maxBytes = this.limits.metadataBytes;
    const bytes = await this.reader(path, name).read(undefined, { signal, maxBytes });
    return bytes && parseDocument(bytes, this.locate(path, name), this);
  }
}

/** Reads members of a document, with checks. Messages name the document. */
export class Members {
  constructor(
    readonly object: JsonObject,
    readonly what: string,
  ) {}

  get(name: string): Json | undefined {
    return Object.hasOwn(this.object, name) ? this.object[name] : undefined;
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.bad(name, "a string");
  }

  integer(name: string, min: number, max: number, fallback?: number): number {
    const value = this.get(name) ?? fallback;
    const number = value instanceof JsonNumber ? value.value : value;
    if (Number.isSafeInteger(number) && (number as number) >= min && (number as number) <= max)
      return number as number;
    throw this.bad(name, `an integer from ${min} to ${max}`);
  }

  /** Returns a list of numbers; the fallback if the member is missing. */
  numbers(
    name: string,
    check: NumberCheck,
    length?: number,
    fallback?: readonly number[],
  ): readonly number[] {
    const value = this.get(name);
    const list = value === undefined ? fallback : numbersIn(value);
    if (list?.every(check.test) && (length === undefined || list.length === length)) return list;
    throw this.bad(name, `a list of ${length ?? ""} ${check.name}`);
  }

  bad(name: string, wanted: string): ZarrError {
    return badFile(`${JSON.stringify(name)} of ${this.what} must be ${wanted.replace("  ", " ")}`);
  }
}

interface NumberCheck {
  readonly name: string;
  test(value: number): boolean;
}

/** Bound of lengths and offsets, so that sums of a few of them are exact. */
const maxLength = 2 ** 50;

export const lengths: NumberCheck = {
  name: "lengths",
  test: (value) => Number.isInteger(value) && value >= 0 && value <= maxLength,
};
export const chunkLengths: NumberCheck = {
  name: "lengths above 0",
  test: (value) => lengths.test(value) && value > 0 && value < 2 ** 32,
};
export const offsets: NumberCheck = { name: "integers", test: (value) => lengths.test(Math.abs(value)) };
export const positive: NumberCheck = {
  name: "positive numbers",
  test: (value) => Number.isFinite(value) && value > 0,
};

/** Returns the numbers of a list; undefined for other values. */
export function numbersIn(json: Json | undefined): number[] | undefined {
  if (!Array.isArray(json) || !json.every((item) => item instanceof JsonNumber)) return undefined;
  return (json as JsonNumber[]).map(({ value }) => value);
}
