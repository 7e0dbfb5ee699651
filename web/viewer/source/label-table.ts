/** Finds the table of labels: in SpatialData, by its links to their name and to their numbers. */
import type { Member, ZarrArray, ZarrGroup } from "zarr-wasm";
import { own } from "./attributes.js";
import { columnNames, frameRows, pickedRows, readColumn, valueColumn, wholeNumbers } from "./columns.js";
import { type FeatureColumn, featureLimits } from "./features.js";
import { Genes } from "./genes.js";
import { groupAt, ifReadable } from "./nodes.js";
import { areSeveral, Observations, type TableLinks, tableLinks } from "./observations.js";

/** Maximum number of tables of a store. */
const maxTables = 64;

/** The rows of a table that annotate one element. */
export interface RegionRows {
  readonly table: ZarrGroup;
  readonly obs: ZarrGroup;
  /** Number of rows of the table. */
  readonly all: number;
  readonly kept: readonly number[];
  /** The column of identifiers. */
  readonly instances: FeatureColumn;
  /** Name of the element, if the table annotates several. */
  readonly region: string | undefined;
}

/**
 * The rows that annotate labels; undefined if they are not part of SpatialData, or have no table.
 * @param array a level of the labels
 */
export async function labelTable(
  { store, path, zarrFormat }: ZarrArray,
  signal: AbortSignal,
): Promise<Observations | undefined> {
  const [, root = "", name] = /^(?:(.*)\/)?labels\/([^/]+)\/[^/]+$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  const found = await regionRows({ store, zarrFormat }, root, name, signal);
  const ids = found && wholeNumbers(found.instances);
  if (!found || !ids) return undefined;
  const kept = found.kept.filter((row) => Number.isSafeInteger(ids[row]));
  return kept.length === 0 ? undefined : observationsOf({ ...found, kept }, ids, signal);
}

/** The rows that annotate an element of SpatialData. @param root path of the container */
export async function regionRows(
  { store, zarrFormat }: Pick<ZarrGroup, "store" | "zarrFormat">,
  root: string,
  name: string,
  signal: AbortSignal,
): Promise<RegionRows | undefined> {
  const container = await groupAt(store, root, zarrFormat, signal);
  if (!container || own(container.attributes, "spatialdata_attrs") === undefined) return undefined;
  for (const table of await tablesOf(container, signal)) {
    const links = tableLinks(table);
    if (!links?.regions.includes(name)) continue;
    const rows = await rowsOf(table, links, name, signal);
    if (rows) return rows;
  }
  return undefined;
}

/** The kept rows, with the columns of the table. @param ids by row of the table; undefined for the numbers of the rows */
export function observationsOf(
  { table, obs, all, kept, region }: RegionRows,
  ids: ArrayLike<number> | undefined,
  signal: AbortSignal,
): Observations {
  const read = async (name: string) => {
    const column = await readColumn(obs, name, all, signal);
    return column && kept.length < all ? pickedRows(column, kept) : column;
  };
  const own_ = Float64Array.from(kept, (row) => ids?.[row] ?? row);
  // The numbers of rows are unique.
  const regionOf = ids && region !== undefined ? () => region : undefined;
  const genes = new Genes(table, all, signal, kept.length < all ? kept : undefined);
  return new Observations(kept.length, columnNames(obs), read, own_, regionOf, genes);
}

/** The tables of SpatialData. Without a listing, the only name is the usual one. */
async function tablesOf(container: ZarrGroup, signal: AbortSignal): Promise<ZarrGroup[]> {
  const folder =
    (await ifReadable(container.open("tables", { kind: "group", signal }), signal)) ??
    (await ifReadable(container.open("table", { kind: "group", signal }), signal)); // before 0.2
  if (!folder) return [];
  const listed: readonly Pick<Member, "name" | "kind">[] = (await ifReadable(
    folder.members({ signal }),
    signal,
  )) ?? [{ name: "table", kind: "group" }];
  const found = await Promise.all(
    listed
      .filter(({ kind }) => kind === "group")
      .slice(0, maxTables)
      .map((one) => ifReadable(folder.open(one.name, { kind: "group", signal }), signal)),
  );
  return found.filter((table) => table !== undefined);
}

async function rowsOf(
  table: ZarrGroup,
  { regionKey, instanceKey }: TableLinks,
  region: string,
  signal: AbortSignal,
): Promise<RegionRows | undefined> {
  const obs = await ifReadable(table.open("obs", { kind: "group", signal }), signal);
  const all = obs && (await frameRows(obs, signal));
  if (!obs || !all || all > featureLimits.features) return undefined;
  const [regions, instances] = await Promise.all(
    [regionKey, instanceKey].map((name) =>
      name === undefined ? undefined : readColumn(obs, name, all, signal),
    ),
  );
  if (regions?.kind !== "categories" || !instances) return undefined;
  const code = regions.names.indexOf(region);
  const kept = Array.from({ length: all }, (_, row) => row).filter((row) => regions.codes[row] === code);
  if (code < 0 || kept.length === 0) return undefined;
  return { table, obs, all, kept, instances, region: areSeveral(regions) ? region : undefined };
}

/** Lists of OME-Zarr: `image-label.properties`, with the keys as columns. */
export function propertiesTable(entries: readonly unknown[]): Observations | undefined {
  const rows = entries
    .filter((entry) => Number.isSafeInteger(own(entry, "label-value")))
    .slice(0, featureLimits.features);
  const names = new Set(rows.flatMap((entry) => Object.keys(entry as object)));
  names.delete("label-value");
  if (rows.length === 0 || names.size === 0) return undefined;
  const ids = Float64Array.from(rows, (entry) => own(entry, "label-value") as number);
  const list = [...names].slice(0, featureLimits.columns);
  const read = async (name: string) =>
    valueColumn(
      rows.map((entry) => own(entry, name)),
      plainText,
    );
  return new Observations(rows.length, list, read, ids);
}

const plainText = (value: unknown): string | undefined =>
  ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
