/** Values of genes: columns of the matrix `X` of AnnData, or of one of its layers, dense or sparse. */
import { get, slice, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { formatByteCount, formatCount } from "../base/format.js";
import { text } from "../language/text.js";
import { textAt } from "./attributes.js";
import { columnNames, frameRows, readColumn, readNumbers } from "./columns.js";
import { type FeatureColumn, InvalidLayer } from "./features.js";
import { type GeneChoice, readGene } from "./gene-name.js";
import { ifReadable } from "./nodes.js";

/** Bytes that are read without asking. */
const maxUnasked = 64 * 2 ** 20;
/** Bytes of a step of a scan. */
const stepBytes = 16 * 2 ** 20;
/** Layers that can be found without a listing. */
const usualLayers = ["counts", "logcounts", "normalized", "scaled", "spliced", "unspliced"];
/** Columns of `var` with names that people use. */
const symbolColumn = /^(gene_?symbols?|symbols?|feature_names?|gene_?names?|gene_short_names?)$/i;

/** A matrix whose values of a gene take so many bytes that the user is asked first. */
export class LargeRead extends Error {
  override readonly name = "LargeRead";

  constructor(readonly bytes: number) {
    super(text.genes.spread(formatByteCount(bytes)));
  }
}

export interface GeneOptions {
  /** Bytes that may be read. Default: 64 MiB */
  readonly maxBytes?: number | undefined;
  /** Called with the share of a long read that has been done. */
  readonly onProgress?: ((share: number, bytes: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GeneNames {
  /** The names to offer: symbols if there are any, else the index of `var`. */
  readonly offered: readonly string[];
  /** The column of a gene, by its name in the index or its symbol; capitals matter only if needed. */
  find(name: string): number | undefined;
  /** The offered name of a gene. */
  nameOf(name: string): string | undefined;
}

/** A matrix by columns or by rows, of which the ith has the elements from `starts[i]` to `starts[i + 1]`. */
interface Sparse {
  readonly kind: "csc" | "csr";
  /** Reads them, once. */
  readonly starts: () => Promise<Float64Array>;
  readonly indices: ZarrArray;
  readonly data: ZarrArray;
}

type Matrix = { readonly kind: "dense"; readonly array: ZarrArray } | Sparse;

/** Limits and progress of a scan. */
interface Scan extends GeneOptions {
  readonly signal: AbortSignal;
  readonly bytes: number;
}

export class Genes {
  readonly #names = new Map<string, Promise<GeneNames>>();
  readonly #matrices = new Map<string, Promise<Matrix>>();
  #layers: Promise<readonly string[]> | undefined;

  constructor(
    private readonly table: ZarrGroup,
    /** Rows of the matrix. */
    private readonly rows: number,
    private readonly signal: AbortSignal,
    /** The rows of the result. Default: all */
    private readonly kept?: readonly number[],
  ) {}

  /** Names of the matrices: "" for `X`. */
  layers(): Promise<readonly string[]> {
    this.#layers ??= this.#findLayers();
    return this.#layers;
  }

  async #findLayers(): Promise<readonly string[]> {
    const { table, signal } = this;
    const [layers, raw] = await Promise.all(
      ["layers", "raw"].map((name) => ifReadable(table.open(name, { kind: "group", signal }), signal)),
    );
    const listed = layers && (await ifReadable(layers.members({ signal }), signal));
    const names = listed?.map(({ name }) => name) ?? (layers ? await this.#usualLayers(layers) : []);
    return ["", ...names, ...(raw ? ["raw"] : [])];
  }

  async #usualLayers(layers: ZarrGroup): Promise<string[]> {
    const { signal } = this;
    const found = await Promise.all(
      usualLayers.map((name) => ifReadable(layers.open(name, { signal }), signal)),
    );
    return usualLayers.filter((_, i) => found[i]);
  }

  /** The genes of a layer. Starts to open its matrix. @throws InvalidLayer without an index */
  names(layer: string): Promise<GeneNames> {
    this.#matrix(layer).catch(() => {}); // reported when it is read
    const key = layer === "raw" ? "raw/var" : "var";
    return keptIn(this.#names, key, () => this.#readNames(key));
  }

  async #readNames(path: string): Promise<GeneNames> {
    const { signal } = this;
    const frame = await ifReadable(this.table.open(path, { kind: "group", signal }), signal);
    const count = frame && (await frameRows(frame, signal));
    if (!frame || count === undefined) throw new InvalidLayer(text.genes.noNames);
    const [index, ...others] = columnNames(frame);
    const wanted = [index!, ...others.filter((name) => symbolColumn.test(name)).slice(0, 2)];
    const columns = await Promise.all(wanted.map((name) => readColumn(frame, name, count, signal)));
    return geneNames(columns.map((column) => textsOf(column, count)));
  }

  /** Bytes that a read takes at most, decoded; 0 for columns that are stored together. */
  async cost(by: string): Promise<number> {
    const choice = readGene(by);
    if (choice) this.names(choice.layer).catch(() => {}); // reported by the read
    return choice ? costOf(await this.#matrix(choice.layer), choice.genes.length) : 0;
  }

  /** The values of one gene or two. @throws LargeRead, InvalidLayer, and what reading throws. */
  async read(choice: GeneChoice, options: GeneOptions = {}): Promise<FeatureColumn> {
    const { maxBytes = maxUnasked, signal = this.signal } = options;
    const [names, matrix] = await Promise.all([this.names(choice.layer), this.#matrix(choice.layer)]);
    const columns = choice.genes.map((gene) => {
      const column = names.find(gene);
      if (column === undefined) throw new InvalidLayer(text.genes.missing(gene));
      return column;
    });
    const bytes = costOf(matrix, columns.length);
    if (bytes > maxBytes) throw new LargeRead(bytes);
    const read = await readMatrix(matrix, this.rows, columns, { ...options, signal, bytes });
    const [values, second] = read.map((one) => this.#finished(one, choice.isLog));
    return { kind: "numbers", values: values!, second };
  }

  #finished(values: Float64Array, isLog: boolean): Float64Array {
    const own = this.kept ? Float64Array.from(this.kept, (row) => values[row]!) : values;
    return isLog ? own.map(Math.log1p) : own;
  }

  #matrix(layer: string): Promise<Matrix> {
    return keptIn(this.#matrices, layer, () => this.#openMatrix(layer));
  }

  async #openMatrix(layer: string): Promise<Matrix> {
    const { table, signal, rows } = this;
    const path = layer === "" ? "X" : layer === "raw" ? "raw/X" : `layers/${layer}`;
    const node = await table.open(path, { signal });
    if (node.kind === "group") {
      const type =
        textAt(node.attributes, "encoding-type") ?? textAt(node.attributes, "h5sparse_format") ?? "";
      const [kind] = /^cs[cr]/.exec(type) ?? [];
      if (kind === undefined) throw new InvalidLayer(text.genes.noMatrix(node.path));
      return openSparse(node, kind as "csc" | "csr", rows, signal);
    }
    if (node.shape.length !== 2 || node.shape[0] !== rows || !/^(u?int|float|bool)/.test(node.dtype.core))
      throw new InvalidLayer(text.genes.noMatrixOf(node.path, formatCount(rows)));
    return { kind: "dense", array: node };
  }
}

/** Makes a value once; after an error, again. */
function keptIn<K, T>(all: Map<K, Promise<T>>, key: K, make: () => Promise<T>): Promise<T> {
  const known = all.get(key) ?? make();
  all.set(key, known);
  known.catch(() => all.delete(key));
  return known;
}

const textsOf = (column: FeatureColumn | undefined, count: number): string[] => {
  if (!column) return [];
  if (column.kind === "numbers") return Array.from(column.values, String);
  return Array.from({ length: count }, (_, row) => column.names[column.codes[row]!] ?? "");
};

/** @param lists the index of `var`, then columns of symbols */
export function geneNames([index = [], ...symbols]: readonly (readonly string[])[]): GeneNames {
  const exact = new Map<string, number>();
  const lists = [index, ...symbols.filter((list) => list.length === index.length)];
  const folded = new Map<string, number>();
  for (const list of lists)
    for (const [column, name] of list.entries()) {
      if (name === "") continue;
      if (!exact.has(name)) exact.set(name, column);
      const lower = name.toLowerCase();
      if (!folded.has(lower)) folded.set(lower, column);
    }
  // The first column of symbols; genes without a symbol, or with another gene's, keep their name in the index.
  const offered = index.map((name, column) => {
    const symbol = lists[1]?.[column] ?? "";
    return symbol !== "" && exact.get(symbol) === column ? symbol : name;
  });
  const find = (name: string) => exact.get(name) ?? folded.get(name.toLowerCase());
  const nameOf = (name: string) => {
    const column = find(name);
    return column === undefined ? undefined : offered[column];
  };
  return { offered, find, nameOf };
}

/** @throws InvalidLayer if its parts do not fit together */
async function openSparse(
  group: ZarrGroup,
  kind: Sparse["kind"],
  rows: number,
  signal: AbortSignal,
): Promise<Sparse> {
  const [indptr, indices, data] = (await Promise.all(
    ["indptr", "indices", "data"].map((name) => group.open(name, { kind: "array", signal })),
  )) as [ZarrArray, ZarrArray, ZarrArray];
  const count = data.shape[0]!;
  if (indices.shape.length !== 1 || data.shape.length !== 1 || indices.shape[0] !== count)
    throw new InvalidLayer(text.genes.lengths(indices.path, data.path));
  const made = new Map<"", Promise<Float64Array>>();
  const read = async () => {
    const starts = await readNumbers(indptr, [kind === "csr" ? rows + 1 : null], signal);
    for (let i = 0; i + 1 < starts.length; i++)
      if (!(starts[i]! <= starts[i + 1]!)) throw new InvalidLayer(text.genes.descends(indptr.path));
    if (starts[0] !== 0 || starts.at(-1) !== count)
      throw new InvalidLayer(text.genes.uncovered(indptr.path, data.path));
    return starts;
  };
  const starts = () => keptIn(made, "", read);
  // Those of columns are few, and needed for every gene.
  if (kind === "csc") starts().catch(() => {});
  return { kind, starts, indices, data };
}

function costOf(matrix: Matrix, genes: number): number {
  if (matrix.kind === "csc") return 0;
  if (matrix.kind !== "dense") {
    const { indices, data } = matrix;
    return data.shape[0]! * (indices.dtype.itemBytes + data.dtype.itemBytes);
  }
  const { shape, chunkShape, dtype } = matrix.array;
  const across = Math.min(shape[1]!, (chunkShape[1] ?? shape[1]!) * genes);
  return shape[0]! * across * dtype.itemBytes;
}

function readMatrix(
  matrix: Matrix,
  rows: number,
  columns: readonly number[],
  scan: Scan,
): Promise<Float64Array[]> {
  if (matrix.kind === "csr") return scanRows(matrix, rows, columns, scan);
  const read = (column: number, i: number) =>
    matrix.kind !== "dense"
      ? sparseColumn(matrix, rows, column, scan.signal)
      : denseColumn(matrix.array, column, {
          ...scan,
          onProgress: (share, bytes) => scan.onProgress?.((i + share) / columns.length, bytes),
        });
  return inTurn(columns, read);
}

async function inTurn<T, R>(list: readonly T[], run: (one: T, i: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [i, one] of list.entries()) results.push(await run(one, i));
  return results;
}

/** Reads only the chunks of the column. Elements that are stored several times are added. */
async function sparseColumn(
  { starts: readStarts, indices, data }: Sparse,
  rows: number,
  column: number,
  signal: AbortSignal,
): Promise<Float64Array> {
  const starts = await readStarts();
  const values = new Float64Array(rows);
  const [from, to] = [starts[column], starts[column + 1]];
  if (from === undefined || to === undefined) throw new InvalidLayer(text.genes.noColumn(data.path, column));
  if (from === to) return values;
  const part = [slice(from, to)];
  const [found, numbers] = await Promise.all([get(indices, part, { signal }), get(data, part, { signal })]);
  for (let i = 0; i < found.data.length; i++) {
    const row = Number(found.data[i]);
    if (!(row >= 0 && row < rows))
      throw new InvalidLayer(text.genes.outside(indices.path, formatCount(rows)));
    values[row]! += Number(numbers.data[i]);
  }
  return values;
}

/** Reads whole chunks of rows, several at a time. */
async function denseColumn(array: ZarrArray, column: number, scan: Scan): Promise<Float64Array> {
  const { signal } = scan;
  const [rows, width] = array.shape as [number, number];
  const [tall, wide] = [array.chunkShape[0] ?? rows, array.chunkShape[1] ?? width];
  const step =
    tall * Math.max(1, Math.floor(stepBytes / (tall * Math.min(wide, width) * array.dtype.itemBytes)));
  const values = new Float64Array(rows);
  const read = (from: number) => get(array, [slice(from, Math.min(rows, from + step)), column], { signal });
  await inSteps(rows, step, read, scan, ({ data }, from) => {
    for (let i = 0; i < data.length; i++) values[from + i] = Number(data[i]);
  });
  return values;
}

/** Calls `use` with the parts of a long read, while the next part is read. */
async function inSteps<T>(
  count: number,
  step: number,
  read: (from: number) => Promise<T>,
  { signal, onProgress, bytes }: Scan,
  use: (part: T, from: number) => void,
): Promise<void> {
  let next = count > 0 ? read(0) : undefined;
  for (let from = 0; next; from += step) {
    const part = await next;
    signal.throwIfAborted();
    next = from + step < count ? read(from + step) : undefined;
    next?.catch(() => {}); // reported when it is awaited
    use(part, from);
    if (next) onProgress?.((from + step) / count, bytes);
  }
}

/** Searches the elements of all rows for columns. Elements that are stored several times are added. */
async function scanRows(
  { starts: readStarts, indices, data }: Sparse,
  rows: number,
  columns: readonly number[],
  scan: Scan,
): Promise<Float64Array[]> {
  const { signal } = scan;
  const [count, starts] = [data.shape[0]!, await readStarts()];
  const chunk = indices.chunkShape[0] ?? count;
  const step = chunk * Math.max(1, Math.floor(stepBytes / (chunk * indices.dtype.itemBytes)));
  const values = columns.map(() => new Float64Array(rows));
  const read = (from: number) => {
    const part = [slice(from, Math.min(count, from + step))];
    return Promise.all([get(indices, part, { signal }), get(data, part, { signal })]);
  };
  let row = 0;
  await inSteps(count, step, read, scan, ([found, numbers], from) => {
    const first = row;
    for (const [i, column] of columns.entries()) {
      row = first;
      eachIndexOf(found.data as Int32Array, column, (at) => {
        while (starts[row + 1]! <= from + at) row++;
        values[i]![row]! += Number(numbers.data[at]);
      });
    }
  });
  return values;
}

/** Calls `use` with each place of a value, in order; also in lists of bigints. */
function eachIndexOf(list: Int32Array | BigInt64Array, value: number, use: (at: number) => void): void {
  const wanted = (typeof list[0] === "bigint" ? BigInt(value) : value) as never;
  for (let at = list.indexOf(wanted); at >= 0; at = list.indexOf(wanted, at + 1)) use(at);
}
