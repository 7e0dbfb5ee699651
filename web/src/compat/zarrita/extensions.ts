/** zarrita's extensions: proxies that replace some methods of stores and arrays. */

import { setInnerStore } from "../../store/handle.js";
import type { Store } from "../../store/store.js";
import { invalidArgument } from "../../util/errors.js";
import { checkFunction, checkStore } from "./errors.js";
import { type AnyArray, checkArray, ownChunks } from "./nodes.js";
import type { AsyncReadable } from "./types.js";

/** Wraps an array. `open` applies those of the store. */
export type ArrayExtension = (array: AnyArray) => AnyArray | Promise<AnyArray>;

type StoreOverrides = Partial<AsyncReadable> & {
  arrayExtensions?: readonly ArrayExtension[];
} & Record<string, unknown>;
type ArrayOverrides = Partial<Pick<AnyArray, "getChunk">> & Record<string, unknown>;

/** Members that an extension adds; replaced ones are excluded. */
type Added<T> = { [K in Extract<Exclude<keyof T, "get" | "getRange" | "getChunk">, string>]: T[K] } & {};
type Extended<R, T> = R extends Promise<infer Inner> ? Promise<T & Added<Inner>> : T & Added<R>;

/** A proxy with `overrides`. Other methods run on the target, as they may use private fields. */
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

/** Continues with a value, synchronously unless it is a promise. */
function then<T>(value: T | Promise<T>, next: (value: T) => unknown): unknown {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Defines an extension of stores. `factory` returns the replaced and added members. */
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
      // Extensions of the inner store come first, so that outer ones wrap them.
      const made = overlay(store, { ...overrides, arrayExtensions: [...inside, ...own] });
      return setInnerStore(made as Store & S, store as Store);
    }) as Extended<R, S>;
  };
}

/** Defines an extension of arrays. `factory` returns its `getChunk`, and added members. */
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

type Step = (value: never) => unknown;

/** The value, or a promise of it if one of several results is a promise. */
type Applied<Last, Results extends readonly unknown[]> = [
  Extract<Results[number], Promise<unknown>>,
] extends [never]
  ? Last
  : Promise<Awaited<Last>>;
type Next<Before, After> = (value: Awaited<Before>) => After;

/** Applies extensions to a value, one after the other; returns a promise if one of them does. */
interface Extend<Base> {
  <T extends Base>(value: T): T;
  <T extends Base, A>(value: T, a: (value: T) => A): Applied<A, [A]>;
  <T extends Base, A, B>(value: T, a: (value: T) => A, b: Next<A, B>): Applied<B, [A, B]>;
  <T extends Base, A, B, C>(
    value: T,
    a: (value: T) => A,
    b: Next<A, B>,
    c: Next<B, C>,
  ): Applied<C, [A, B, C]>;
  <T extends Base, A, B, C, D>(
    value: T,
    a: (value: T) => A,
    b: Next<A, B>,
    c: Next<B, C>,
    d: Next<C, D>,
  ): Applied<D, [A, B, C, D]>;
  <T extends Base, A, B, C, D, E>(
    value: T,
    a: (value: T) => A,
    b: Next<A, B>,
    c: Next<B, C>,
    d: Next<C, D>,
    e: Next<D, E>,
  ): Applied<E, [A, B, C, D, E]>;
}

/** Applies extensions to a store, one after the other; returns a promise if one of them does. */
export const extendStore: Extend<AsyncReadable> = (store: AsyncReadable, ...extensions: Step[]) =>
  apply(store, extensions) as never;

/** Applies extensions to an array, one after the other; returns a promise if one of them does. */
export const extendArray: Extend<AnyArray> = (array: AnyArray, ...extensions: Step[]) =>
  apply(array, extensions) as never;

function apply(value: unknown, steps: readonly Step[]): unknown {
  for (const step of steps) checkFunction(step, "an extension");
  return steps.reduce<unknown>((result, step) => then(result, (v) => step(v as never)), value);
}

/** Applies the array extensions of the array's store. */
export async function extended<A extends AnyArray>(array: A): Promise<A> {
  const steps = (array.store as StoreOverrides).arrayExtensions ?? [];
  return (await apply(array, steps)) as A;
}
