/** zarrita's extensions: stores and arrays with some of their methods replaced, by proxy. */

import { putInFront } from "../../store/handle.js";
import type { Store } from "../../store/store.js";
import { invalidArgument } from "../../util/errors.js";
import { checkFunction, checkStore } from "./arguments.js";
import { checkArray, ownChunks, type ZarritaArray } from "./nodes.js";
import type { AsyncReadable, DataType, Readable } from "./types.js";

type AnyArray = ZarritaArray<DataType, Readable>;

/** Wraps an array. Stores may carry some, which `open` applies. */
export type ArrayExtension = (array: AnyArray) => AnyArray | Promise<AnyArray>;

type StoreOverrides = Partial<AsyncReadable> & {
  arrayExtensions?: readonly ArrayExtension[];
} & Record<string, unknown>;
type ArrayOverrides = Partial<Pick<AnyArray, "getChunk">> & Record<string, unknown>;

/** What an extension adds, without what it replaces. */
type Added<T> = { [K in Extract<Exclude<keyof T, "get" | "getRange" | "getChunk">, string>]: T[K] } & {};
type Extended<R, T> = R extends Promise<infer Inner> ? Promise<T & Added<Inner>> : T & Added<R>;

/**
 * An object that serves `overrides`, and the rest from `target`, whose methods run on the target itself: they
 * may use private fields.
 */
function overlay<T extends object>(target: T, overrides: Record<string | symbol, unknown>): T {
  const bound = new Map<string | symbol, unknown>();
  const read = (key: string | symbol): unknown => {
    if (bound.has(key)) return bound.get(key);
    const value: unknown = Reflect.get(target, key, target);
    if (typeof value !== "function") return value;
    const method: unknown = value.bind(target);
    bound.set(key, method);
    return method;
  };
  return new Proxy(target, {
    get: (_, key) => (key in overrides ? overrides[key] : read(key)),
    has: (_, key) => key in overrides || key in target,
  });
}

function checkOverrides(value: unknown): Record<string | symbol, unknown> {
  if (typeof value === "object" && value !== null) return value as Record<string | symbol, unknown>;
  throw invalidArgument("Extension factory must return an object of overrides");
}

/** Goes on with a value, at once where it is there. */
function then<T>(value: T | Promise<T>, next: (value: T) => unknown): unknown {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** An extension of stores: `factory` returns what is replaced and added. */
export function defineStoreExtension<R extends StoreOverrides | Promise<StoreOverrides>, Options = void>(
  factory: (store: AsyncReadable, options: Options) => R,
): <S extends AsyncReadable>(store: S, options?: Options) => Extended<R, S> {
  checkFunction(factory, "an extension of stores");
  return <S extends AsyncReadable>(store: S, options?: Options) => {
    checkStore(store);
    const inside = (store as StoreOverrides).arrayExtensions ?? [];
    const made = factory(store, options as Options) as StoreOverrides | Promise<StoreOverrides>;
    return then(made, (value) => {
      const overrides = checkOverrides(value);
      const own = (overrides["arrayExtensions"] ?? []) as readonly ArrayExtension[];
      // Those of the store inside come first, so that those outside wrap them.
      const made = overlay(store, { ...overrides, arrayExtensions: [...inside, ...own] });
      return putInFront(made as Store & S, store as Store);
    }) as Extended<R, S>;
  };
}

/** An extension of arrays: `factory` returns its own `getChunk`, and what is added. */
export function defineArrayExtension<R extends ArrayOverrides | Promise<ArrayOverrides>, Options = void>(
  factory: (array: AnyArray, options: Options) => R,
): <A extends AnyArray>(array: A, options?: Options) => Extended<R, A> {
  checkFunction(factory, "an extension of arrays");
  return <A extends AnyArray>(array: A, options?: Options) => {
    checkArray(array);
    const made = factory(array, options as Options) as ArrayOverrides | Promise<ArrayOverrides>;
    return then(made, (value) => {
      const overrides = checkOverrides(value);
      return overlay(array, "getChunk" in overrides ? { ...overrides, [ownChunks]: true } : overrides);
    }) as Extended<R, A>;
  };
}

/** The last of a row of results: a promise where one of them is. */
type Applied<Last, Results extends readonly unknown[]> = [
  Extract<Results[number], Promise<unknown>>,
] extends [never]
  ? Last
  : Promise<Awaited<Last>>;
type Step = (value: never) => unknown;

/** Applies extensions to a store, one after the other; a promise where one of them makes one. */
export function extendStore<S extends AsyncReadable>(store: S): S;
export function extendStore<S extends AsyncReadable, R1>(store: S, m1: (store: S) => R1): Applied<R1, [R1]>;
export function extendStore<S extends AsyncReadable, R1, R2>(
  store: S,
  m1: (store: S) => R1,
  m2: (store: Awaited<R1>) => R2,
): Applied<R2, [R1, R2]>;
export function extendStore<S extends AsyncReadable, R1, R2, R3>(
  store: S,
  m1: (store: S) => R1,
  m2: (store: Awaited<R1>) => R2,
  m3: (store: Awaited<R2>) => R3,
): Applied<R3, [R1, R2, R3]>;
export function extendStore<S extends AsyncReadable, R1, R2, R3, R4>(
  store: S,
  m1: (store: S) => R1,
  m2: (store: Awaited<R1>) => R2,
  m3: (store: Awaited<R2>) => R3,
  m4: (store: Awaited<R3>) => R4,
): Applied<R4, [R1, R2, R3, R4]>;
export function extendStore<S extends AsyncReadable, R1, R2, R3, R4, R5>(
  store: S,
  m1: (store: S) => R1,
  m2: (store: Awaited<R1>) => R2,
  m3: (store: Awaited<R2>) => R3,
  m4: (store: Awaited<R3>) => R4,
  m5: (store: Awaited<R4>) => R5,
): Applied<R5, [R1, R2, R3, R4, R5]>;
export function extendStore(store: AsyncReadable, ...extensions: Step[]): unknown {
  return apply(store, extensions);
}

/** Applies extensions to an array, one after the other; a promise where one of them makes one. */
export function extendArray<A extends AnyArray>(array: A): A;
export function extendArray<A extends AnyArray, R1>(array: A, m1: (array: A) => R1): Applied<R1, [R1]>;
export function extendArray<A extends AnyArray, R1, R2>(
  array: A,
  m1: (array: A) => R1,
  m2: (array: Awaited<R1>) => R2,
): Applied<R2, [R1, R2]>;
export function extendArray<A extends AnyArray, R1, R2, R3>(
  array: A,
  m1: (array: A) => R1,
  m2: (array: Awaited<R1>) => R2,
  m3: (array: Awaited<R2>) => R3,
): Applied<R3, [R1, R2, R3]>;
export function extendArray<A extends AnyArray, R1, R2, R3, R4>(
  array: A,
  m1: (array: A) => R1,
  m2: (array: Awaited<R1>) => R2,
  m3: (array: Awaited<R2>) => R3,
  m4: (array: Awaited<R3>) => R4,
): Applied<R4, [R1, R2, R3, R4]>;
export function extendArray<A extends AnyArray, R1, R2, R3, R4, R5>(
  array: A,
  m1: (array: A) => R1,
  m2: (array: Awaited<R1>) => R2,
  m3: (array: Awaited<R2>) => R3,
  m4: (array: Awaited<R3>) => R4,
  m5: (array: Awaited<R4>) => R5,
): Applied<R5, [R1, R2, R3, R4, R5]>;
export function extendArray(array: AnyArray, ...extensions: Step[]): unknown {
  return apply(array, extensions);
}

function apply(value: unknown, steps: readonly Step[]): unknown {
  for (const step of steps) checkFunction(step, "an extension");
  return steps.reduce<unknown>((result, step) => then(result, (v) => step(v as never)), value);
}

/** The array with what its store says to extend arrays by. */
export async function extended<A extends AnyArray>(array: A): Promise<A> {
  const steps = (array.store as StoreOverrides).arrayExtensions ?? [];
  return (await apply(array, steps)) as A;
}
