/** Observations: rows of a table, whose columns are read when they are needed, and which points or labels stand for. */
import type { ZarrGroup } from "zarr-wasm";
import { own, textAt, textsAt } from "./attributes.js";
import { columnNames, maxShown, readable, readColumn, readStrings, rowText } from "./columns.js";
import type { FeatureColumn } from "./features.js";
import { geneTitle, readGene } from "./gene-name.js";
import { type GeneOptions, Genes } from "./genes.js";
import { ifReadable } from "./nodes.js";
import { labelOf, labelsIn, type RowId, regionId } from "./row-id.js";

/** Maximum number of lists of identifiers whose rows are kept. */
const maxFound = 8;
/** Maximum number of genes whose values are kept. */
const maxGenes = 8;

type Categories = Extract<FeatureColumn, { kind: "categories" }>;

/** Reads a column; undefined if it cannot be read. */
type ReadColumn = (name: string) => Promise<FeatureColumn | undefined>;

interface Reading {
  readonly done: Promise<void>;
  readonly signal: AbortSignal | undefined;
}

export class Observations {
  readonly #columns = new Map<string, FeatureColumn>();
  readonly #reading = new Map<string, Reading>();

  constructor(
    readonly rows: number,
    /** The index first. */
    readonly names: readonly string[],
    private readonly readOne: ReadColumn,
    /** Integers that identify the rows: labels, if there are any, or else the numbers of the rows. */
    readonly ids: ArrayLike<number> | undefined = undefined,
    /** The element that a row annotates, if the table has several. */
    private readonly regionOf: ((row: number) => string | undefined) | undefined = undefined,
    /** The genes of AnnData, whose values are columns, too. */
    readonly genes: Genes | undefined = undefined,
  ) {}

  /** The labels in a list that are those of the element of all rows. */
  labelsIn(list: readonly RowId[]): number[] {
    return labelsIn(list, this.regionOf?.(0));
  }

  /** A column that has been read. */
  column(name: string): FeatureColumn | undefined {
    return this.#columns.get(name);
  }

  /** Reads a column, or genes. Concurrent calls share one attempt; a failed or aborted one can be retried. */
  read(name: string, options?: GeneOptions): Promise<void> {
    const known = this.#reading.get(name);
    if (known && (this.#columns.has(name) || !known.signal?.aborted)) return known.done;
    const done = this.#read(name, options).catch((error: unknown) => {
      if (this.#reading.get(name) === reading) this.#reading.delete(name);
      throw error;
    });
    const reading: Reading = { done, signal: options?.signal };
    this.#reading.set(name, reading);
    return done;
  }

  async #read(name: string, options: GeneOptions | undefined): Promise<void> {
    const isColumn = this.names.includes(name);
    const gene = isColumn ? undefined : readGene(name);
    const column = isColumn ? await this.readOne(name) : gene && (await this.genes?.read(gene, options));
    if (!column || this.#columns.has(name)) return;
    this.#columns.set(name, column);
    if (!gene) return;
    this.#geneNames.push(name);
    for (const old of this.#geneNames.splice(0, this.#geneNames.length - maxGenes)) {
      this.#columns.delete(old);
      this.#reading.delete(old);
    }
  }

  /** The genes that have been read, the last one last. */
  readonly #geneNames: string[] = [];

  /** Names of the columns that describe a row. */
  get described(): readonly string[] {
    return this.names.slice(0, maxShown);
  }

  /** Reads the columns that describe rows. */
  async readDescribed(): Promise<void> {
    await Promise.all(this.described.map((name) => this.read(name)));
  }

  /** The values of a row that have been read: "class: stroma, area: 9.5". */
  text(row: number): string {
    const known = [...this.#geneNames.slice(-1), ...this.described].flatMap((name) => {
      const column = this.#columns.get(name);
      return column ? [[this.names.includes(name) ? name : geneTitle(name), column] as const] : [];
    });
    return rowText(known, row);
  }

  /** Identifies a row. */
  id(row: number): RowId {
    const label = this.ids?.[row] ?? row;
    const region = this.regionOf?.(row);
    return region === undefined ? label : regionId(region, label);
  }

  /** Identifies a label of the element that the rows annotate. */
  idOfLabel(label: number): RowId {
    const row = this.row(label);
    return row === undefined ? label : this.id(row);
  }

  #rowsById: Map<RowId, number> | undefined;

  /** The rows of identifiers. A label without a region may have one in each. */
  rowsOf(wanted: readonly RowId[]): ReadonlySet<number> {
    const key = wanted.join();
    const found = this.#foundRows.get(key);
    if (found) return found;
    const known = new Set(wanted);
    const rows = new Set<number>();
    if (known.size > 0)
      for (let row = 0; row < this.rows; row++) {
        const id = this.id(row);
        if (known.has(id) || (typeof id === "string" && known.has(labelOf(id)))) rows.add(row);
      }
    // Every frame asks for the same ones.
    if (this.#foundRows.size >= maxFound) this.#foundRows.clear();
    this.#foundRows.set(key, rows);
    return rows;
  }

  readonly #foundRows = new Map<string, ReadonlySet<number>>();

  /** A row of an identifier; undefined if there is none. */
  row(id: RowId): number | undefined {
    const { ids } = this;
    if (!ids)
      return Number.isInteger(id) && Number(id) >= 0 && Number(id) < this.rows ? Number(id) : undefined;
    if (!this.#rowsById) {
      this.#rowsById = new Map(Array.from(ids, (one, row) => [one, row]));
      if (this.regionOf) for (let row = 0; row < this.rows; row++) this.#rowsById.set(this.id(row), row);
    }
    return this.#rowsById.get(id);
  }
}

/** The links of a table: `spatialdata_attrs`, or the attributes themselves. */
export interface TableLinks {
  readonly regions: readonly string[];
  readonly regionKey: string | undefined;
  readonly instanceKey: string;
}

export function tableLinks({ attributes }: ZarrGroup): TableLinks | undefined {
  const from = own(attributes, "spatialdata_attrs") ?? attributes;
  const [regionKey, instanceKey] = [textAt(from, "region_key"), textAt(from, "instance_key")];
  if (instanceKey === undefined) return undefined;
  const region = textAt(from, "region");
  return { regions: region === undefined ? textsAt(from, "region") : [region], regionKey, instanceKey };
}

/** The columns of `obs` of an AnnData group, and the labels that its rows annotate. */
export async function annDataObservations(
  table: ZarrGroup,
  rows: number,
  signal: AbortSignal,
): Promise<Observations> {
  const obs = await ifReadable(table.open("obs", { kind: "group", signal }), signal);
  if (!obs) return new Observations(rows, [], async () => undefined);
  const read = async (name: string) =>
    withColors(table, name, await readColumn(obs, name, rows, signal), signal);
  const { ids, regionOf } = await instances(table, obs, rows, signal);
  return new Observations(rows, columnNames(obs), read, ids, regionOf, new Genes(table, rows, signal));
}

/** The columns that SpatialData link to labels. Identifiers that are not integers identify nothing. */
async function instances(
  table: ZarrGroup,
  obs: ZarrGroup,
  rows: number,
  signal: AbortSignal,
): Promise<Pick<Observations, "ids"> & { readonly regionOf?: (row: number) => string | undefined }> {
  const { instanceKey, regionKey } = tableLinks(table) ?? {};
  const [column, regions] = await Promise.all(
    [instanceKey, regionKey].map((name) =>
      name === undefined ? undefined : readColumn(obs, name, rows, signal),
    ),
  );
  if (column?.kind !== "numbers" || !column.values.every(Number.isSafeInteger)) return { ids: undefined };
  if (regions?.kind !== "categories" || !areSeveral(regions)) return { ids: column.values };
  return { ids: column.values, regionOf: (row) => regions.names[regions.codes[row]!] };
}

/** Whether the rows of a table annotate more than one element. */
export const areSeveral = ({ codes }: Pick<Categories, "codes">): boolean =>
  codes.some((code) => code !== codes[0]);

/** Colours of categories that scanpy keeps in `uns`: asked for if it costs no request to learn that they are missing. */
async function withColors(
  table: ZarrGroup,
  name: string,
  column: FeatureColumn | undefined,
  signal: AbortSignal,
): Promise<FeatureColumn | undefined> {
  if (column?.kind !== "categories" || !table.isConsolidated) return column;
  const reading = table
    .open(`uns/${name}_colors`, { kind: "array", signal })
    .then((array) => readStrings(array, signal));
  const colors = (await readable(reading, signal))?.map((text) =>
    /^#[0-9a-f]{6}/i.test(text) ? Number.parseInt(text.slice(1, 7), 16) : -1,
  );
  const isWhole = colors && colors.length >= column.names.length && !colors.includes(-1);
  return isWhole ? { ...column, colors } : column;
}
