/** What settings are made of: facts about the array, and strings in addresses and attributes of the component. */
import type { ZarrArray } from "zarr-wasm";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { dtypeLeaves, isNumeric, type Leaf } from "../source/leaf.js";
import { type ChannelState, defaultChannels, findChannelAxis, type ValueRange } from "./channels.js";

/** Facts about an array that settings depend on, and suggestions for it. */
export type ArrayFacts = Pick<ZarrArray, "shape" | "chunkShape" | "dtype"> & {
  readonly hints?: Dataset["hints"] | undefined;
  readonly channelAxis?: number | undefined;
  /** The default channels. */
  readonly channels?: readonly ChannelState[] | undefined;
};

/** The facts of a dataset that states depend on. */
export function arrayFacts(dataset: Dataset): ArrayFacts {
  const { array, dtype, hints } = dataset;
  const [channelAxis, channels] = [findChannelAxis(dataset), defaultChannels(dataset)];
  return { shape: datasetShape(dataset), chunkShape: array.chunkShape, dtype, hints, channelAxis, channels };
}

/** The leaf to draw: the requested one, or else the first numeric one, or else the first. */
export function drawnLeaf({ dtype }: Pick<ArrayFacts, "dtype">, name: unknown): Leaf | undefined {
  const leaves = dtypeLeaves(dtype);
  return (
    leaves.find((leaf) => leaf.name === name) ?? leaves.find((leaf) => isNumeric(leaf.dtype)) ?? leaves[0]
  );
}

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

/** "LOW:HIGH", or the name of a method. */
export function rangeEntry<K extends "range" | "byRange">(
  key: K,
  name: string,
): Entry<{ readonly [P in K]: ValueRange }> {
  const read = (text: string) => {
    const [, low, high] = /^([^:]+):([^:]+)$/.exec(text) ?? [];
    return low === undefined ? { mode: text } : { mode: "manual", low: Number(low), high: Number(high) };
  };
  return {
    name,
    read: (text) => ({ [key]: read(text) }) as Wanted<{ readonly [P in K]: ValueRange }>,
    write(state) {
      const range: ValueRange = state[key];
      return range.mode === "manual" ? `${range.low}:${range.high}` : range.mode;
    },
  };
}

export const finiteOrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

export const isBetween = (value: unknown, least: number, most: number): value is number =>
  typeof value === "number" && value >= least && value <= most;
