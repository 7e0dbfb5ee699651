/** Levels that are groups, listed in attributes. */
import { own, pathBelow } from "./attributes.js";

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
