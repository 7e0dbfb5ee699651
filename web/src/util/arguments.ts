/** Checks values that callers pass, and suggests the intended word for a misspelt one. */

import { describeValue, invalidArgument, type ZarrError } from "./errors.js";

/** @throws InvalidArgument if the value is not an object. */
export function checkObject(value: unknown, what = "options"): void {
  if (typeof value !== "object" || value === null)
    throw invalidArgument(`${what} cannot be ${describeValue(value)}`);
}

/**
 * Accepts undefined and null, which mean no signal. @throws InvalidArgument for any other value that is not
 * an AbortSignal.
 */
export function checkSignal(value: unknown): void {
  if (value === undefined || value === null) return;
  const { throwIfAborted, addEventListener } = value as Partial<AbortSignal>;
  if (typeof throwIfAborted !== "function" || typeof addEventListener !== "function")
    throw invalidArgument(`signal must be an AbortSignal, not ${describeValue(value)}`);
}

/**
 * Names of known options. A string lists the names in other libraries and in metadata, in lower case and without "_".
 */
export type OptionNames<Options> = Readonly<Record<keyof Options, true | string>>;

/**
 * Options that functions often share in one object. Functions that do not need one ignore it; `cache` and `layout` are
 * reserved.
 */
export const sharedOptions = {
  signal: true,
  pool: true,
  concurrency: true,
  onProgress: true,
  cache: true,
  layout: true,
} as const;

/** @throws InvalidArgument for options that are not an object, an invalid signal or unknown options. */
export function checkSignalIn(
  options: { readonly signal?: unknown },
  known: OptionNames<object> = sharedOptions,
): void {
  checkObject(options);
  checkSignal(options.signal);
  checkOptionNames(options, known);
}

/** An object with properties of unknown types. */
export type Properties = { readonly [name: string]: unknown };

/** Whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value of an own property; undefined if there is none or the value is not an object. */
export function ownProperty(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/**
 * Whether a value contains an array with undefined or a hole, which `every` and `map` skip. Visits each
 * object once.
 */
export function hasHole(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || seen.has(value))
    return false;
  seen.add(value);
  if (Array.isArray(value) && value.includes(undefined)) return true;
  return Object.values(value).some((child) => hasHole(child, seen));
}

/** Whether a string has no lone surrogates, which UTF-8 cannot encode. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Returns the value if it is a string. */
export function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Options common to all reads. */
interface CommonOptions {
  readonly signal?: unknown;
  readonly pool?: unknown;
}

/** @throws InvalidArgument for options that are not an object, an invalid signal or pool, or unknown options. */
export function checkOptions(options: CommonOptions, known?: OptionNames<object>): void {
  checkSignalIn(options, known);
  const pool = options.pool as { makeSink?: unknown } | null | undefined;
  if (pool !== undefined && typeof pool?.makeSink !== "function")
    throw invalidArgument(`options.pool cannot be ${describeValue(pool)}`);
}

/** Returns the candidate most similar to a word; undefined if none is similar. The first one wins a tie. */
export function closestTo(word: string, candidates: Iterable<string>): string | undefined {
  const given = word.toLowerCase();
  let best: string | undefined;
  let minEdits = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editsBetween(given, candidate.toLowerCase());
    if (distance < minEdits) [best, minEdits] = [candidate, distance];
  }
  if (best !== undefined || given.length < 3) return best;
  return [...candidates].find((candidate) => candidate.toLowerCase().startsWith(given));
}

/**
 * Returns the number of letters to insert, remove, replace or swap with their neighbour. Words of more than 200 letters
 * count as different without a comparison.
 */
function editsBetween(a: string, b: string): number {
  if (a === b) return 0;
  if (Math.max(a.length, b.length) > 200) return Number.POSITIVE_INFINITY;
  let [before, above] = [[] as number[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) edits = Math.min(edits, before[j - 2]! + 1);
      row.push(edits);
    }
    [before, above] = [above, row];
  }
  return above[b.length]!;
}

/** Returns `; did you mean "info"?`, or "" without a suggestion. */
export const didYouMean = (meant: string | undefined, quote = '"'): string =>
  meant === undefined ? "" : `; did you mean ${quote}${meant}${quote}?`;

/** Checks the options of a store, a pool or a cache. @throws InvalidArgument. */
export function checkConstructor<Options extends object>(
  options: Options,
  what: string,
  known: OptionNames<Options>,
): void {
  checkObject(options, `options of a ${what}`);
  checkOptionNames(options, known);
}

/** Returns the options that another function has, too. */
export function pickOptions<Options extends object>(options: Options, known: OptionNames<Options>): Options {
  const entries = Object.entries(options).filter(([name]) => Object.hasOwn(known, name));
  return Object.fromEntries(entries) as Options;
}

/** @throws InvalidArgument for an unknown option, with a suggestion. */
export function checkOptionNames(options: object, known: OptionNames<object>): void {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !Object.hasOwn(known, name)) throw unknownOption(name, known);
}

function unknownOption(name: string, known: OptionNames<object>): ZarrError {
  const names = Object.keys(known);
  const bare = name.replaceAll("_", "").toLowerCase();
  const meant = names.find((key) =>
    `${key.toLowerCase()} ${Reflect.get(known, key)}`.split(" ").includes(bare),
  );
  return invalidArgument(
    `unknown option ${JSON.stringify(name)}${meant ? `; did you mean ${meant}?` : `; expected one of ${names.join(", ")}`}`,
  );
}
