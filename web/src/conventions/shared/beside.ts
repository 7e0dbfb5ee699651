/** Opens the group that holds an array, and the other arrays in it. */

import type { ZarrArray } from "../../hierarchy/array.js";
import type { ZarrGroup } from "../../hierarchy/group.js";
import { open } from "../../hierarchy/open.js";
import { isSegment } from "../../store/path.js";
import { isZarrError } from "../../util/errors.js";

type Signal = AbortSignal | undefined;

/** Turns NotFound into undefined. */
export async function ifFound<T>(opening: Promise<T>): Promise<T | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (isZarrError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** Opens the group above an array; undefined if there is none. */
export async function groupAbove(array: ZarrArray, signal: Signal): Promise<ZarrGroup | undefined> {
  const { limits, path, store, zarrFormat: version } = array;
  if (path === "") return undefined;
  return ifFound(open(store, { path: above(path).join("/"), kind: "group", version, limits, signal }));
}

/** Opens an array in the same group; undefined if there is none. */
export async function arrayBeside(
  array: ZarrArray,
  name: string,
  signal: Signal,
): Promise<ZarrArray | undefined> {
  const { limits, path, store, zarrFormat: version } = array;
  if (path === "" || !isSegment(name)) return undefined;
  const beside = [...above(path), name].join("/");
  return ifFound(open(store, { path: beside, kind: "array", version, limits, signal }));
}

/** Whether two arrays are in the same group. */
export const isBeside = (a: ZarrArray, b: ZarrArray): boolean =>
  a.store === b.store && a.zarrFormat === b.zarrFormat && above(a.path).join() === above(b.path).join();

const above = (path: string): string[] => path.split("/").slice(0, -1);
