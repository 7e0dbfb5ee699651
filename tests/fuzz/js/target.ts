/** What a target of the JavaScript fuzzer is, and what holds for every one of them. */
import type fc from "fast-check";
import { type ErrorTag, isZarrError } from "../../../dist/index.js";

export interface FuzzTarget {
  readonly name: string;
  /** Arbitrary inputs; files in tests/bad are of the same form. */
  readonly inputs: fc.Arbitrary<Uint8Array>;
  /** What it is about: files below dist, of which coverage is reported. */
  readonly covers: readonly string[];
  /** Tags of the errors that inputs may end with. */
  readonly tags: readonly ErrorTag[];
  /** Reads an input. Throws a ZarrError where it is bad, and a PropertyError where the library is. */
  run(input: Uint8Array): unknown;
}

/** A property that does not hold. */
export class PropertyError extends Error {}

export function holds(condition: boolean, what: string): asserts condition {
  if (!condition) throw new PropertyError(what);
}

/** How an input ended: "ok", or the tag and code of a ZarrError. */
export type Outcome = "ok" | `${ErrorTag}/${string}`;

const prototypes = [Object, Array, String, Number, Map, Uint8Array, Promise, Function].map(
  (builtIn) => builtIn.prototype as object,
);
const ownNames = () => prototypes.reduce((sum, prototype) => sum + Reflect.ownKeys(prototype).length, 0);
const namesAtFirst = ownNames();

/**
 * Runs a target on an input.
 * @throws whatever is a finding: an error that is no ZarrError, or one with another tag than the target's;
 *   a property that does not hold; a prototype that has changed.
 */
export async function outcomeOf(target: FuzzTarget, input: Uint8Array): Promise<Outcome> {
  let outcome: Outcome = "ok";
  try {
    await target.run(input);
  } catch (error) {
    if (!isZarrError(error, ...target.tags)) throw error;
    holds(/^[a-z0-9-]+$/.test(error.code), `the code "${error.code}" is a short name`);
    outcome = `${error._tag}/${error.code}`;
  }
  holds(ownNames() === namesAtFirst, "prototypes stay as they are");
  return outcome;
}

const utf8 = new TextEncoder();
export const textBytes = (text: string): Uint8Array<ArrayBuffer> =>
  utf8.encode(text) as Uint8Array<ArrayBuffer>;
export const jsonBytes = (value: unknown): Uint8Array<ArrayBuffer> => textBytes(JSON.stringify(value));

/** The value in an input of a target whose inputs are made by `jsonBytes`. */
export function jsonOf<T>(input: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(input)) as T;
}

/** Throws one of several errors, if there are any: one that is a finding before those that are not. */
export function throwFirst(failures: readonly unknown[]): void {
  const [failure] = [...failures.filter((error) => !isZarrError(error)), ...failures];
  if (failure !== undefined) throw failure;
}
