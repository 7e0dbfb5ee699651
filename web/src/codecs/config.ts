/** Parses a codec's configuration: every value is checked, and every error names the codec. */

import { hasHole, own } from "../util/arguments.js";
import type { ErrorCode } from "../util/error-codes.js";
import { invalidMetadata, type ZarrError } from "../util/errors.js";

/** A codec's configuration as plain values. */
export type Configuration = Readonly<Record<string, unknown>>;

export class ConfigReader {
  /** Whether null means an absent option: numcodecs writes Python's None as null, in every version. */
  readonly #takesNull: boolean;

  /**
   * @param version Zarr version. In version 3, options cannot be null, except in codecs named after the
   *   Python packages numcodecs or imagecodecs.
   */
  constructor(
    readonly codec: string,
    readonly values: Configuration,
    readonly version: 1 | 2 | 3 = 2,
  ) {
    this.#takesNull = version < 3 || /^(numcodecs\.|imagecodecs_)/.test(codec);
  }

  /**
   * Whether Zarr v3 itself specifies the codec, so that the tolerance for older versions and numcodecs does
   * not apply.
   */
  get isStrict(): boolean {
    return !this.#takesNull;
  }

  /** Returns an option, or undefined; only own properties count. @throws InvalidMetadata for lists with holes. */
  get(name: string): unknown {
    const value = own(this.values, name);
    if (hasHole(value)) throw this.error(`"${name}" ${show(value)} has a list with a missing entry`);
    return value;
  }

  /** Returns an option, or `fallback` if it is absent. */
  given(name: string, fallback?: unknown): unknown {
    const value = this.get(name);
    return value === undefined || (value === null && this.#takesNull) ? fallback : value;
  }

  /** Returns an integer option between min and max; `fallback` if absent (an error without one). */
  integer(name: string, min: number, max: number, fallback?: number): number {
    const value = this.given(name, fallback);
    if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
      throw this.error(`"${name}" must be an integer from ${min} to ${max}, not ${show(value)}`);
    }
    return value;
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.given(name, fallback);
    if (typeof value !== "boolean") throw this.error(`"${name}" must be true or false, not ${show(value)}`);
    return value;
  }

  /** Returns the index of a string option in a list of choices; `fallback` (a choice) if absent. */
  choice(name: string, choices: readonly string[], fallback?: string): number {
    const value = this.given(name, fallback);
    const index = choices.indexOf(value as string);
    if (index < 0) throw this.error(`"${name}" must be one of ${choices.join(", ")}, not ${show(value)}`);
    return index;
  }

  /** @throws InvalidMetadata if there are any other options. */
  only(...names: string[]): void {
    const unknown = Object.keys(this.values).find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw this.error(`"${unknown}" is not one of its options (${names.join(", ") || "it has none"})`);
  }

  error(message: string, code: ErrorCode<"InvalidMetadata"> = "bad-configuration"): ZarrError {
    return invalidMetadata(`codec ${this.codec}: ${message}`, { code, codec: this.codec });
  }
}

/** Formats a value for messages. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "bigint") return String(value);
  const text = textOf(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Formats a value as JSON; values that JSON cannot represent (functions, circular objects) as their type. */
function textOf(value: unknown): string {
  try {
    const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
    return text ?? typeof value;
  } catch {
    return typeof value;
  }
}
