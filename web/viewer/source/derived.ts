/**
 * Variables computed from the opened one: `mean:time`, `min:`, `max:` and `std:` over an axis, `anomaly:time` and
 * `anomaly:time.month`, and `expr:TEXT`. In expressions, `data` is the opened variable, other names are variables beside
 * it, and `data[time=5]` is a slice.
 */
import { open, type WorkerPool, type ZarrArray } from "zarr-wasm";
import type { Operand } from "zarr-wasm/compute";
import { dimensionsOf } from "zarr-wasm/conventions";
import { plainAxis } from "./coordinates.js";
import type { Dataset, Level } from "./dataset.js";

export interface DeriveContext {
  readonly pool: WorkerPool;
  readonly signal: AbortSignal;
  /** Called with the share of the data that has been computed, 0 to 1. */
  readonly onProgress: (share: number) => void;
}

const methods = ["mean", "min", "max", "std"] as const;
type Derive = (array: ZarrArray, level: number) => Promise<ZarrArray>;

const syntax =
  "write mean:, min:, max: or std: and the name of an axis, anomaly:time or anomaly:time.month, or expr: and a formula of data and other variables";

/** Opens a derived variable. @throws RangeError for an unknown syntax or name; the errors of `reduce` and `expression` */
export async function deriveDataset(
  dataset: Dataset,
  text: string,
  context: DeriveContext,
): Promise<Dataset> {
  const [, kind = "", rest = ""] = /^\s*(\w+)\s*:(.*)$/s.exec(text) ?? [];
  const names = dataset.axes.map(({ name }, axis) => name ?? `a${axis}`);
  const method = methods.find((one) => one === kind);
  const isExpression = kind === "expr";
  if (!method && kind !== "anomaly" && !isExpression)
    throw new RangeError(`"${text}" cannot be computed: ${syntax}`);
  const over = rest.trim();
  const dimension = over.split(".")[0]!;
  if (!isExpression && !names.includes(dimension))
    throw new RangeError(`There is no axis "${dimension}": the axes are ${names.join(", ")}`);
  let derive: Derive;
  let isAlone = true;
  if (method) derive = (array) => reduced(array, names.indexOf(dimension), method, names, context);
  else if (kind === "anomaly") derive = (array) => anomalyOf(array, over, names, context);
  else {
    const used = await parseOperands(over, dataset, names, context.signal);
    isAlone = used.isAlone;
    derive = async (array) => {
      const { expression } = await import("zarr-wasm/compute");
      return expression(used.text, used.operands(array), { pool: context.pool });
    };
  }
  return derivedDataset(dataset, names, derive, isAlone, {
    label: isExpression ? over : `${kind} of ${dataset.label ?? dataset.title} (${over})`,
    unit: isExpression ? undefined : dataset.unit,
  });
}

async function derivedDataset(
  dataset: Dataset,
  names: readonly string[],
  derive: Derive,
  hasLevels: boolean,
  { label, unit }: Pick<Dataset, "label" | "unit">,
): Promise<Dataset> {
  const array = await derive(dataset.array, 0);
  const own = array.dimensionNames ?? [];
  // Axes of the opened variable; −1 for those of other variables.
  const kept = array.shape.map((_, i) => names.indexOf(own[i] ?? ""));
  const moved = (axis: number | undefined) => {
    const at = axis === undefined ? -1 : kept.indexOf(axis);
    return at < 0 ? undefined : at;
  };
  const levels = hasLevels ? dataset.levels : ([dataset.levels[0]] as const);
  const made = levels.map((level, i): Level => {
    let opened: Promise<ZarrArray> | undefined = i === 0 ? Promise.resolve(array) : undefined;
    return {
      factor: kept.map((axis) => level.factor[axis] ?? 1),
      origin: kept.map((axis) => level.origin[axis] ?? 0),
      array: i === 0 ? array : undefined,
      open: () => {
        opened ??= level.open().then((one) => derive(one, i));
        opened.catch(() => {
          opened = undefined;
        });
        return opened;
      },
    };
  });
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

/** The array in memory of a reduction over an axis. */
async function reduced(
  array: ZarrArray,
  axis: number,
  method: (typeof methods)[number],
  names: readonly string[],
  { pool, signal, onProgress }: DeriveContext,
): Promise<ZarrArray> {
  const { expression, reduce } = await import("zarr-wasm/compute");
  const region = await reduce(array, {
    method,
    over: axis,
    pool,
    signal,
    onProgress: ({ bytes, totalBytes }) => onProgress(totalBytes > 0 ? bytes / totalBytes : 1),
  });
  const dimensionNames = names.filter((_, i) => i !== axis);
  if (dimensionNames.length === 0)
    throw new RangeError("The result is a single number: choose an array of two axes or more");
  return expression("result", { result: { ...region, dimensionNames } });
}

async function anomalyOf(
  array: ZarrArray,
  over: string,
  names: readonly string[],
  { pool, signal }: DeriveContext,
) {
  const { anomaly } = await import("zarr-wasm/compute");
  return anomaly(array, {
    pool,
    signal,
    ...(over.includes(".") ? { groupBy: over } : { over: names.indexOf(over) }),
  });
}

/** An operand of an expression, with indices along some axes: `data[time=5, level=0]`. */
const operand = /\b([A-Za-z_]\w*)\b(?!\s*\()(?:\[([^\]]*)\])?/g;
const constants = new Set(["and", "or", "not", "nan", "inf", "pi"]);

/** Replaces slices by names of operands, and opens the other variables. */
async function parseOperands(text: string, dataset: Dataset, names: readonly string[], signal: AbortSignal) {
  /** The operands: the variable of each, and its indices. */
  const found = new Map<string, { readonly name: string; readonly at: ReadonlyMap<string, number> }>();
  const plain = text.replace(operand, (whole, name: string, indices: string | undefined) => {
    if (constants.has(name)) return whole;
    const own = indices === undefined ? name : `${name}_${found.size}_slice`;
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
        if (unknown !== undefined)
          throw new RangeError(`There is no axis "${unknown}": the axes are ${dimensionNames?.join(", ")}`);
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
      if (name === undefined)
        throw new RangeError(`"${whole}" is not a slice: write data[time=5], with a number from 0`);
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
    throw new RangeError(`There is no variable "${name}" beside the opened one, which is called data`, {
      cause: error,
    });
  }
}
