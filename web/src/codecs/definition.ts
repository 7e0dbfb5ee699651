/** Definitions of codecs: names, kinds, and checked parsing of their metadata and configuration. */

import type { DType } from "../dtypes/dtype.js";
import type { CodecIn, CoreCodec } from "../engine/codec-table.js";
import { hasHole, isRecord, ownProperty } from "../util/arguments.js";
import { invalidMetadata, type ZarrError } from "../util/errors.js";

/** Position in a chain. Spec: Zarr v3 core, "codec pipeline": AA*, one AB, BB*. */
export type CodecKind = "array-to-array" | "array-to-bytes" | "bytes-to-bytes";

export type ZarrVersion = 1 | 2 | 3;

/** The input array of a codec when it encodes. */
export interface CodecArray {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

export interface CodecContext {
  readonly version: ZarrVersion;
  /** For array codecs their input array; for bytes codecs the last array before them. */
  readonly array: CodecArray;
  /** Nesting depth inside codecs that contain others (conditional). Default: 0. */
  readonly depth?: number;
}

export interface ParsedCodec {
  /** Integer slots, documented in the core's codec file. Negative numbers are two's complement. */
  params: number[];
  /** The output array, if it differs from the input (array-to-array codecs). */
  encoded?: CodecArray;
  /** Byte order of the output array, if the configuration names one (Zarr v2 filters). */
  endian?: "little" | "big" | undefined;
  /** Byte order of the input array, if the configuration names one (Zarr v2 filters). */
  givenEndian?: "little" | "big" | undefined;
}

export interface CodecDefinition {
  /** The codec's name in the core. */
  readonly core: CoreCodec;
  readonly kind: CodecKind;
  /** Names by Zarr version: values of `compression` in v1, ids in v2. */
  readonly names: { readonly [V in ZarrVersion]?: readonly string[] };
  /**
   * Set for array-to-array codecs that treat every element independently of its position: such a codec before
   * shards is equivalent to one before each inner chunk.
   */
  readonly elementwise?: true;
  /**
   * Set for bytes-to-bytes codecs that some writers use as the array-to-bytes codec, implying little-endian
   * bytes.
   */
  readonly impliesBytes?: true;
  /**
   * Describes, for error messages, the options that only the core checks because they depend on sizes or on
   * each other.
   */
  readonly checkedByCore?: string;
  /** Returns the encoded size, for codecs of fixed size; an index of shards may use only these. */
  encodedBytes?(bytes: number): number;
  /**
   * Adapts a configuration that contains the array's shape to an array of another shape. The result is valid,
   * and as close to the given one as possible.
   */
  withShape?(configuration: Configuration, shape: readonly number[]): Configuration;
  /** Parses a configuration. @throws InvalidMetadata that names the codec and the error. */
  parse(config: ConfigReader, context: CodecContext): ParsedCodec;
}

/** One definition for each codec of a part; several if metadata has more than one codec for one of the core. */
export type DefinitionsIn<Part extends "usual" | "rare"> = {
  readonly [Core in CodecIn<Part>]: CodecDefinition | readonly CodecDefinition[];
};

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
    const value = ownProperty(this.values, name);
    if (hasHole(value)) throw this.error(`"${name}" ${formatValue(value)} has a list with a missing entry`);
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
      throw this.error(`"${name}" must be an integer from ${min} to ${max}, not ${formatValue(value)}`);
    }
    return value;
  }

  /**
   * Returns an integer option, replaced by the nearest from min to max unless the specification of Zarr v3 applies:
   * numcodecs passes any integer to C libraries, which do so.
   */
  nearest(name: string, min: number, max: number, fallback: number): number {
    if (this.isStrict) return this.integer(name, min, max, fallback);
    return Math.min(max, Math.max(min, this.integer(name, -(2 ** 31), 2 ** 31 - 1, fallback)));
  }

  boolean(name: string, fallback: boolean): boolean {
    const value = this.given(name, fallback);
    if (typeof value !== "boolean")
      throw this.error(`"${name}" must be true or false, not ${formatValue(value)}`);
    return value;
  }

  /** Returns the index of a string option in a list of choices; `fallback` (a choice) if absent. */
  choice(name: string, choices: readonly string[], fallback?: string): number {
    const value = this.given(name, fallback);
    const index = choices.indexOf(value as string);
    if (index < 0)
      throw this.error(`"${name}" must be one of ${choices.join(", ")}, not ${formatValue(value)}`);
    return index;
  }

  /** @throws InvalidMetadata if there are any other options. */
  only(...names: string[]): void {
    const unknown = Object.keys(this.values).find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw this.error(`"${unknown}" is not one of its options (${names.join(", ") || "it has none"})`);
  }

  error(message: string): ZarrError {
    return invalidMetadata(`codec ${this.codec}: ${message}`, {
      code: "bad-configuration",
      codec: this.codec,
    });
  }
}

/** Formats a value for messages. */
export function formatValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "bigint") return String(value);
  const text = toJsonText(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** Formats a value as JSON; values that JSON cannot represent (functions, circular objects) as their type. */
function toJsonText(value: unknown): string {
  try {
    const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
    return text ?? typeof value;
  } catch {
    return typeof value;
  }
}

/** A codec in metadata. */
export interface CodecMetadata {
  readonly name: string;
  readonly configuration?: Configuration;
  /** False if readers that do not know the codec may skip it (Zarr v3). */
  readonly mustUnderstand?: false;
}

/**
 * Parses a list of codecs: objects `{ name, configuration?, must_understand? }`, or bare names.
 * @param what name of the list in messages.
 * @param alias another name of `must_understand`, for lists given by programs.
 * @throws InvalidMetadata for any other value.
 */
export function parseCodecs(value: unknown, what: string, alias = "must_understand"): CodecMetadata[] {
  if (!Array.isArray(value)) {
    throw invalidMetadata(`${what} must be a list of codecs, not ${formatValue(value)}`);
  }
  // Array.from visits holes too, which are rejected
  return Array.from(value, (entry) => parseCodec(entry, what, alias));
}

function parseCodec(entry: unknown, what: string, alias: string): CodecMetadata {
  if (typeof entry === "string") return { name: entry };
  const object = isRecord(entry) ? entry : {};
  const name = ownProperty(object, "name");
  const configuration = ownProperty(object, "configuration");
  const mustUnderstand = ownProperty(object, "must_understand") ?? ownProperty(object, alias);
  const known = ["name", "configuration", "must_understand", alias];
  const unknown = Object.keys(object).find((key) => !known.includes(key));
  const valid =
    typeof name === "string" &&
    (configuration === undefined || isRecord(configuration)) &&
    (mustUnderstand === undefined || typeof mustUnderstand === "boolean") &&
    unknown === undefined;
  if (!valid) {
    throw invalidMetadata(`${what}: ${formatValue(entry)} is not a codec with a name and a configuration`);
  }
  return {
    name,
    ...(configuration === undefined ? {} : { configuration }),
    ...(mustUnderstand === false ? { mustUnderstand } : {}),
  };
}
