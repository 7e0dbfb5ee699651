/** Settings as strings: in addresses, and as attributes of the component. */

/** Requested settings, valid or not. */
export type Wanted<S> = { readonly [K in keyof S]?: unknown };

/** A string for one or more settings of S. */
export interface Entry<S> {
  /** The name in addresses. */
  readonly name: string;
  readonly read: (text: string) => Wanted<S>;
  readonly write: (state: S) => string;
}

/** Settings with unknown values. */
type Keyed<K extends string> = { readonly [P in K]: unknown };

const keyed = <K extends string>(key: K, value: unknown) => ({ [key]: value }) as Wanted<Keyed<K>>;

export const textEntry = <K extends string>(key: K, name: string = key): Entry<Keyed<K>> => ({
  name,
  read: (text) => keyed(key, text),
  write: (state) => String(state[key] ?? ""),
});

/** One of two words. Others are passed on, for the state to refuse. */
export const choiceEntry = <K extends string>(
  key: K,
  name: string,
  off: string,
  on: string,
): Entry<Keyed<K>> => ({
  name,
  read: (text) => keyed(key, text === on ? true : text === off ? false : text),
  write: (state) => (state[key] ? on : off),
});

export const switchEntry = <K extends string>(key: K, name: string) => choiceEntry(key, name, "no", "yes");

/** A number, or a word for null. */
export const numberEntry = <K extends string>(
  key: K,
  name: string = key,
  none: string = "none",
): Entry<Keyed<K>> => ({
  name,
  read: (text) => keyed(key, text === none ? null : Number(text)),
  write: (state) => String(state[key] ?? none),
});

/** A list of names. */
export const listEntry = <K extends string>(key: K): Entry<{ readonly [P in K]: readonly string[] }> => ({
  name: key,
  read: (text) => keyed(key, text.split(/[\s,]+/)) as Wanted<{ readonly [P in K]: readonly string[] }>,
  write: (state) => state[key].join(),
});

/** A setting with its own syntax; null is written as "". */
export const ownEntry = <K extends string, T>(
  key: K,
  name: string,
  read: (text: string) => unknown,
  write: (value: T) => string,
): Entry<{ readonly [P in K]: T | null }> => ({
  name,
  read: (text) => keyed(key, read(text)) as Wanted<{ readonly [P in K]: T | null }>,
  write: (state) => (state[key] === null ? "" : write(state[key])),
});

export const finiteOrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

export const isBetween = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && value >= least && value <= most;
