/** Observations: rows of a table, whose columns are read when they are needed, and which points or labels stand for. */
import type { ZarrGroup } from "zarr-wasm";
import { own, textAt } from "./attributes.js";
import { columnNames, maxShown, readable, readColumn, readStrings, rowText } from "./columns.js";
import type { FeatureColumn } from "./features.js";
import { ifReadable } from "./nodes.js";

/** Maximum number of lists of identifiers whose rows are kept. */
const maxFound = 8;

/** Reads a column; undefined if it cannot be read. */
type ReadColumn = (name: string) => Promise<FeatureColumn | undefined>;

export class Observations {
  readonly #columns = new Map<string, FeatureColumn>();
  readonly #reading = new Map<string, Promise<void>>();

  constructor(
    readonly rows: number,
    /** The index first. */
    readonly names: readonly string[],
    private readonly readOne: ReadColumn,
    /** Integers that identify the rows: labels, if there are any, or else the numbers of the rows. */
    readonly ids: ArrayLike<number> | undefined = undefined,
  ) {}

  /** A column that has been read. */
  column(name: string): FeatureColumn | undefined {
    return this.#columns.get(name);
  }

  /** Reads a column. Concurrent calls share one attempt; a failed one can be retried. */
  read(name: string): Promise<void> {
    const known = this.#reading.get(name);
    if (known) return known;
    const reading = this.#read(name).catch((error: unknown) => {
      this.#reading.delete(name);
      throw error;
    });
    this.#reading.set(name, reading);
    return reading;
  }

  async #read(name: string): Promise<void> {
    const column = this.names.includes(name) ? await this.readOne(name) : undefined;
    if (column) this.#columns.set(name, column);
  }

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
    const known = this.described.flatMap((name) => {
      const column = this.#columns.get(name);
      return column ? [[name, column] as const] : [];
    });
    return rowText(known, row);
  }

  /** The integer that identifies a row. */
  id(row: number): number {
    return this.ids?.[row] ?? row;
  }

  #rowsById: Map<number, number> | undefined;

  /** The rows of identifiers: several if a table annotates more than one element. */
  rowsOf(wanted: readonly number[]): ReadonlySet<number> {
    const key = wanted.join();
    const found = this.#foundRows.get(key);
    if (found) return found;
    const known = new Set(wanted);
    const rows = new Set<number>();
    if (known.size > 0) for (let row = 0; row < this.rows; row++) if (known.has(this.id(row))) rows.add(row);
    // Every frame asks for the same ones.
    if (this.#foundRows.size >= maxFound) this.#foundRows.clear();
    this.#foundRows.set(key, rows);
    return rows;
  }

  readonly #foundRows = new Map<string, ReadonlySet<number>>();

  /** A row of an identifier; undefined if there is none. */
  row(id: number): number | undefined {
    const { ids } = this;
    if (!ids) return Number.isInteger(id) && id >= 0 && id < this.rows ? id : undefined;
    this.#rowsById ??= new Map(Array.from(ids, (one, row) => [one, row]));
    return this.#rowsById.get(id);
  }
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
  return new Observations(rows, columnNames(obs), read, await instanceIds(table, obs, rows, signal));
}

/** The column that SpatialData link to labels. Integers of other kinds identify nothing. */
async function instanceIds(
  table: ZarrGroup,
  obs: ZarrGroup,
  rows: number,
  signal: AbortSignal,
): Promise<ArrayLike<number> | undefined> {
  const key = textAt(own(table.attributes, "spatialdata_attrs") ?? table.attributes, "instance_key");
  const column = key === undefined ? undefined : await readColumn(obs, key, rows, signal);
  return column?.kind === "numbers" && column.values.every(Number.isSafeInteger) ? column.values : undefined;
}

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
