/** Links points and shapes to the rows of a table: columns, descriptions and selections of both together. */
import type { ZarrGroup } from "zarr-wasm";
import { keptFor } from "../base/memo.js";
import { columnText, pickedRows, wholeNumbers } from "./columns.js";
import type { FeatureColumn, Features } from "./features.js";
import { observationsOf, regionRows } from "./label-table.js";
import type { Observations } from "./observations.js";

export interface TableLink {
  readonly observations: Observations;
  /** The row of each feature; −1 for none. */
  readonly rows: Int32Array;
}

/** Finds the table of shapes or points of SpatialData; undefined if they have none. */
export async function featureTable(
  group: ZarrGroup,
  { index, count }: Features,
  signal: AbortSignal,
): Promise<TableLink | undefined> {
  const [, root = "", name] = /^(?:(.*)\/)?(?:shapes|points)\/([^/]+)$/.exec(group.path) ?? [];
  if (name === undefined) return undefined;
  const found = await regionRows(group, root, name, signal);
  if (!found) return undefined;
  const { kept, instances } = found;
  const byText = new Map(kept.map((row, i) => [columnText(instances, row, String), i]));
  const rows = Int32Array.from({ length: count }, (_, feature) => {
    const text = index ? columnText(index, feature, String) : String(feature);
    return byText.get(text) ?? -1;
  });
  if (rows.every((row) => row < 0)) return undefined;
  const numbers = wholeNumbers(instances);
  const ids = numbers?.every(Number.isSafeInteger) ? numbers : undefined;
  return { observations: observationsOf(found, ids, signal), rows };
}

/** Features with the columns of their rows that have been read. */
export function withTable(features: Features, { observations, rows }: TableLink): Features {
  const spread = keptFor((column: FeatureColumn) => pickedRows(column, rows));
  return {
    ...features,
    columns: [...new Set([...features.columns, ...observations.names])],
    column(name) {
      const own = features.column(name);
      const column = own ? undefined : observations.column(name);
      return own ?? (column && spread(column));
    },
    text(feature) {
      const row = rows[feature]!;
      const parts = [features.text(feature), row < 0 ? "" : observations.text(row)];
      return parts.filter((part) => part !== "").join(", ");
    },
  };
}
