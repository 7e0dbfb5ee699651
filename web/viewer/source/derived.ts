/**
 * Variables computed from the opened one: `mean:time`, `min:`, `max:` and `std:` over an axis, `anomaly:time` and
 * `anomaly:time.month`, and `expr:TEXT`. In expressions, `data` is the opened variable, other names are variables beside
 * it, and `data[time=5]` is a slice.
 */
import { open, type WorkerPool, type ZarrArray } from "zarr-wasm";
import type { LabelledRegion, Operand } from "zarr-wasm/compute";
import { dimensionsOf } from "zarr-wasm/conventions";
import { text } from "../language/text.js";
import { plainAxis } from "./coordinates.js";
import type { Dataset, Level } from "./dataset.js";
import { unfoldedDataset } from "./fold.js";
import { openedLevel } from "./multiscale.js";

export interface DeriveContext {
  readonly pool: WorkerPool;
  readonly signal: AbortSignal;
  /** Called with the share of the data that has been computed, 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Called when the elements of an array have changed that are still being computed. */
  readonly onPartial: () => void;
  /** Called with the end of every computation, which may be later than the dataset is opened. */
  readonly onStart: (end: Promise<unknown>) => void;
}

const methods = ["mean", "min", "max", "std"] as const;
type Derive = (array: ZarrArray) => Promise<ZarrArray>;

/** Opens a derived variable. @throws RangeError for an unknown syntax or name; the errors of `reduce` and `expression` */
export async function deriveDataset(
  shown: Dataset,
  derivation: string,
  context: DeriveContext,
): Promise<Dataset> {
  const { cells } = shown;
  const dataset = unfoldedDataset(shown);
  const [, kind = "", rest = ""] = /^\s*(\w+)\s*:(.*)$/s.exec(derivation) ?? [];
  const names = dataset.axes.map(({ name }, axis) => name ?? `a${axis}`);
  const method = methods.find((one) => one === kind);
  const isExpression = kind === "expr";
  if (!method && kind !== "anomaly" && !isExpression) throw new RangeError(text.compute.syntax(derivation));
  const over = names.includes(rest) ? rest : rest.trim();
  const dimension = names.includes(over) ? over : over.split(".")[0]!;
  if (!isExpression && !names.includes(dimension))
    throw new RangeError(text.compute.noAxis(dimension, names));
  let derive: Derive;
  let isAlone = true;
  if (method) derive = (array) => reduced(array, names.indexOf(dimension), method, names, context);
  else if (kind === "anomaly")
    derive = (array) =>
      anomalyOf(array, dimension === over ? { over: names.indexOf(over) } : { groupBy: over }, context);
  else {
    const used = await parseOperands(over, dataset, names, context.signal);
    isAlone = used.isAlone;
    derive = async (array) => {
      const { expression } = await import("zarr-wasm/compute");
      return expression(used.text, used.operands(array), { pool: context.pool });
    };
  }
  const made = await derivedDataset(dataset, names, derive, isAlone, {
    label: isExpression ? over : text.compute.label(kind, dataset.label ?? dataset.title, over),
    unit: isExpression ? undefined : dataset.unit,
  });
  const axis = cells ? made.axes.findIndex(({ name }) => name === dataset.axes[cells.axis]!.name) : -1;
  const isOfCells = axis >= 0 && made.axes[axis]!.length === dataset.axes[cells!.axis]!.length;
  return isOfCells ? (await import("./cells.js")).foldedDataset(made, { axis, grid: cells!.grid }) : made;
}

async function derivedDataset(
  dataset: Dataset,
  names: readonly string[],
  derive: Derive,
  hasLevels: boolean,
  { label, unit }: Pick<Dataset, "label" | "unit">,
): Promise<Dataset> {
  const array = await derive(dataset.array);
  const own = array.dimensionNames ?? [];
  // Axes of the opened variable; −1 for those of other variables.
  const kept = array.shape.map((_, i) => names.indexOf(own[i] ?? ""));
  const moved = (axis: number | undefined) => {
    const at = axis === undefined ? -1 : kept.indexOf(axis);
    return at < 0 ? undefined : at;
  };
  const levels = hasLevels ? dataset.levels : ([dataset.levels[0]] as const);
  const made = levels.map((level, i) =>
    openedLevel(
      kept.map((axis) => level.factor[axis] ?? 1),
      kept.map((axis) => level.origin[axis] ?? 0),
      i === 0 ? array : undefined,
      async () => derive(await level.open()),
    ),
  );
  const { geography, positions } = dataset;
  const [vertical, horizontal] = [moved(geography?.vertical), moved(geography?.horizontal)];
  const plane = positions?.axes.map(moved);
  return {
    title: dataset.title,
    label,
    unit,
    axes: array.shape.map((length, i) => dataset.axes[kept[i]!] ?? plainAxis(own[i] ?? undefined, length)),
    dtype: array.dtype,
    array,
    levels: made as [Level, ...Level[]],
    channelAxis: moved(dataset.channelAxis),
    ...(moved(dataset.channelAxis) === undefined ? {} : { channels: dataset.channels }),
    geography:
      geography && vertical !== undefined && horizontal !== undefined
        ? { ...geography, vertical, horizontal }
        : undefined,
    positions:
      positions && plane?.every((axis) => axis !== undefined)
        ? {
            axes: plane as [number, number],
            get known() {
              return positions.known;
            },
            read: () => positions.read(),
          }
        : undefined,
  };
}

/** The array of a reduction over an axis, as soon as it has a part of its elements; the others are NaN until then. */
async function reduced(
  array: ZarrArray,
  axis: number,
  method: (typeof methods)[number],
  names: readonly string[],
  { pool, signal, onProgress, onPartial, onStart }: DeriveContext,
): Promise<ZarrArray> {
  const { expression, reduce } = await import("zarr-wasm/compute");
  const dimensionNames = names.filter((_, i) => i !== axis);
  if (dimensionNames.length === 0) throw new RangeError(text.compute.singleNumber);
  return new Promise((resolve, reject) => {
    let isShown = false;
    const show = (results: Readonly<Record<typeof method | "count", LabelledRegion>>) => {
      if (isShown) return onPartial();
      isShown = true;
      const [result, count] = [results[method], results.count].map((one) => ({ ...one, dimensionNames }));
      const formula = seenOnly(result!.dtype.name);
      expression(
        formula,
        formula === "result" ? { result: result! } : { result: result!, count: count! },
      ).then(resolve, reject);
    };
    const end = reduce(array, {
      method: [method, "count"],
      over: axis,
      pool,
      signal,
      onProgress: ({ bytes, totalBytes }) => onProgress(totalBytes > 0 ? bytes / totalBytes : 1),
      onPartial: (results) => {
        if (isShown || seenOnly(results[method].dtype.name) !== "result") show(results);
      },
    }).then(show);
    end.catch(reject);
    onStart(end);
  });
}

/** The formula of a result whose elements are NaN until they are computed. Floats cannot hold all integers of 64 bits. */
const seenOnly = (dtype: string): string =>
  dtype.includes("int64")
    ? "result"
    : `where(count > 0, ${dtype.includes("int") ? (dtype.includes("32") ? "float64" : "float32") : ""}(result), nan)`;

async function anomalyOf(
  array: ZarrArray,
  of: { readonly over: number } | { readonly groupBy: string },
  { pool, signal }: DeriveContext,
) {
  const { anomaly } = await import("zarr-wasm/compute");
  return anomaly(array, { pool, signal, ...of });
}

/** An operand of an expression, with indices along some axes: `data[time=5, level=0]`. */
const operand = /(?<![\w.])([A-Za-z_]\w*)\b(?!\s*\()(?:\[([^\]]*)\])?/g;
const constants = new Set(["and", "or", "not", "nan", "inf", "pi"]);

/** Replaces slices by names of operands, and opens the other variables. */
async function parseOperands(
  formula: string,
  dataset: Dataset,
  names: readonly string[],
  signal: AbortSignal,
) {
  /** The operands: the variable of each, and its indices. */
  const found = new Map<string, { readonly name: string; readonly at: ReadonlyMap<string, number> }>();
  const plain = formula.replace(operand, (whole, name: string, indices: string | undefined) => {
    if (constants.has(name)) return whole;
    let own = indices === undefined ? name : `slice_${found.size}`;
    while (own !== name && formula.includes(own)) own += "_";
    found.set(own, { name, at: readIndices(whole, indices) });
    return own;
  });
  const variables = new Set([...found.values()].map(({ name }) => name));
  variables.delete("data");
  const opened = [...variables].map(
    async (name) => [name, await neighbour(dataset.array, name, signal)] as const,
  );
  const neighbours: ReadonlyMap<string, ZarrArray> = new Map(await Promise.all(opened));
  const operands = (data: ZarrArray): Record<string, Operand> =>
    Object.fromEntries(
      [...found].map(([own, { name, at }]): [string, Operand] => {
        const other = neighbours.get(name);
        const array = other ?? data;
        const dimensionNames = other ? (dimensionsOf(other) ?? other.dimensionNames ?? undefined) : names;
        const unknown = [...at.keys()].find((name) => !dimensionNames?.includes(name));
        if (unknown !== undefined) throw new RangeError(text.compute.noAxis(unknown, dimensionNames ?? []));
        const selection = array.shape.map((_, axis) => at.get(dimensionNames?.[axis] ?? "") ?? null);
        return [own, { array, selection, dimensionNames } as Operand];
      }),
    );
  return { text: plain, operands, isAlone: neighbours.size === 0 };
}

function readIndices(whole: string, indices = ""): ReadonlyMap<string, number> {
  const parts = indices.split(",").filter((part) => part.trim() !== "");
  return new Map(
    parts.map((part) => {
      const [, name, index] = /^\s*([\w.]+)\s*=\s*(\d+)\s*$/.exec(part) ?? [];
      if (name === undefined) throw new RangeError(text.compute.notSlice(whole));
      return [name, Number(index)];
    }),
  );
}

async function neighbour({ store, path, zarrFormat }: ZarrArray, name: string, signal: AbortSignal) {
  const above = path.split("/").slice(0, -1);
  try {
    return await open(store, {
      path: [...above, name].join("/"),
      kind: "array",
      version: zarrFormat,
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new RangeError(text.compute.noVariable(name), { cause: error });
  }
}
