/** Sorts long lists in steps. */
import type { Steps } from "./slices.js";

/** Number of values sorted or merged in one step. */
const run = 2 ** 12;

/** Sorts numbers, or strings by UTF-16 code units. @returns the list itself or a new one. */
export function* sortSteps<T extends number | string>(values: T[]): Steps<T[]> {
  if (values.length <= run) return values.sort(order);
  let runs: T[][] = [];
  for (let at = 0; at < values.length; at += run) {
    runs.push(values.slice(at, at + run).sort(order));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* mergeSteps(runs[i]!, runs[i + 1] ?? []));
    runs = merged;
  }
  return runs[0]!;
}

const order = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0);

function* mergeSteps<T extends number | string>(first: readonly T[], second: readonly T[]): Steps<T[]> {
  const merged: T[] = [];
  for (let [a, b] = [0, 0]; merged.length < first.length + second.length; ) {
    if (merged.length % run === 0) yield;
    if (b >= second.length || first[a]! <= second[b]!) merged.push(first[a++]!);
    else merged.push(second[b++]!);
  }
  return merged;
}
