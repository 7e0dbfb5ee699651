/** Targets of the JavaScript fuzzer, and the properties that all of them must satisfy. */
import { getHeapStatistics } from "node:v8";
import type fc from "fast-check";
import { type ErrorTag, isZarrError } from "../../../dist/index.js";

export interface FuzzTarget {
  readonly name: string;
  /** Arbitrary inputs, in the format of bad.json. */
  readonly inputs: fc.Arbitrary<Uint8Array>;
  /** Files below dist whose coverage is reported. */
  readonly covers: readonly string[];
  /** Tags of the errors that run() may throw. */
  readonly tags: readonly ErrorTag[];
  /** Reads an input. Throws a ZarrError if the input is invalid, and a PropertyError if the library is wrong. */
  run(input: Uint8Array): unknown;
}

/** A violated property. */
export class PropertyError extends Error {}

export function holds(condition: boolean, property: string): asserts condition {
  if (!condition) throw new PropertyError(property);
}

/** The outcome of an input: "ok", or the tag and code of a ZarrError. */
export type Outcome = "ok" | `${ErrorTag}/${string}`;

const prototypes = [Object, Array, String, Number, Map, Uint8Array, Promise, Function].map(
  (builtIn) => builtIn.prototype as object,
);
const ownNames = () => prototypes.reduce((sum, prototype) => sum + Reflect.ownKeys(prototype).length, 0);
const namesAtFirst = ownNames();

/** Maximum memory outside V8's heap that an input may leave allocated, in bytes. */
const maxExternal = 128 * 2 ** 20;

/**
 * Runs a target on an input.
 * @throws each finding: errors other than ZarrError or with an unexpected tag, violated properties, changed
 *   prototypes, and large allocations.
 */
export async function outcomeOf(target: FuzzTarget, input: Uint8Array): Promise<Outcome> {
  let outcome: Outcome = "ok";
  const before = getHeapStatistics().external_memory;
  try {
    await target.run(input);
  } catch (error) {
    if (!isZarrError(error, ...target.tags)) throw error;
    holds(/^[a-z0-9-]+$/.test(error.code), `the code "${error.code}" is in kebab case`);
    outcome = `${error._tag}/${error.code}`;
  }
  holds(getHeapStatistics().external_memory - before < maxExternal, "inputs need little memory");
  holds(ownNames() === namesAtFirst, "prototypes are unchanged");
  return outcome;
}

const utf8 = new TextEncoder();
export const textBytes = (text: string): Uint8Array<ArrayBuffer> =>
  utf8.encode(text) as Uint8Array<ArrayBuffer>;
export const jsonBytes = (value: unknown): Uint8Array<ArrayBuffer> => textBytes(JSON.stringify(value));

/** Parses an input that was made by `jsonBytes`. */
export function jsonOf<T>(input: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(input)) as T;
}

/** Throws the first error that is a finding, or the first error, if there is one. */
export function throwFirst(failures: readonly unknown[]): void {
  const [failure] = [...failures.filter((error) => !isZarrError(error)), ...failures];
  if (failure !== undefined) throw failure;
}
