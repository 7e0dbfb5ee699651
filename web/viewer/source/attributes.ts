/** Reads untrusted attributes: own properties of plain objects only. */

import { ownProperty as own } from "#internal";

export { own };

export function textAt(value: unknown, name: string): string | undefined {
  const found = own(value, name);
  return typeof found === "string" ? found : undefined;
}

/** The strings of a list; empty for other values. */
export function textsAt(value: unknown, name: string): string[] {
  const found = own(value, name);
  return Array.isArray(found) ? found.filter((entry) => typeof entry === "string") : [];
}

/** Maximum number of characters that are split into words. */
const maxWords = 2 ** 16;

/** The words of an attribute that lists names as CF does: `"lat lon"`. */
export function wordsAt(value: unknown, name: string): string[] {
  return (
    textAt(value, name)
      ?.slice(0, maxWords)
      .split(/\s+/)
      .filter((word) => word !== "") ?? []
  );
}

/** The attributes of OME-Zarr: those under `ome` if present, otherwise all. */
export function omeAttributes(attributes: unknown): unknown {
  return own(attributes, "ome") ?? attributes;
}

/** Normalises a path below a group; undefined for an invalid path or one that leaves the group. */
export function pathBelow(path: unknown): string | undefined {
  if (typeof path !== "string") return undefined;
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  const isPlain =
    segments.length > 0 && segments.every((segment) => segment !== ".." && !segment.includes("\\"));
  return isPlain ? segments.join("/") : undefined;
}

/** GeoZarr: `multiscales: { layout: [{ asset: "0" }] }`, or the matrices of a tile matrix set. */
export function pathsOfLayout(multiscales: unknown): string[] {
  const layout = own(multiscales, "layout");
  const matrices = own(own(multiscales, "tile_matrix_set"), "tileMatrices");
  const named = (list: unknown, key: string) =>
    Array.isArray(list) ? list.slice(0, 64).map((entry) => pathBelow(own(entry, key))) : [];
  return [...named(layout, "asset"), ...named(layout, "group"), ...named(matrices, "id")].filter(
    (path) => path !== undefined,
  );
}
