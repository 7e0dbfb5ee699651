/** Options of `zarr-wasm stats`. */
import { availableParallelism } from "node:os";
import type { Method } from "zarr-wasm/compute";
import { methods } from "../../options/commands.js";
import { UsageError, type Values } from "../../options/options.js";
import { integer } from "../../options/values.js";

const formats = ["text", "json", "csv"] as const;

export interface StatsOptions {
  /** Dimensions by name or number; undefined for all, or for those of the groups. */
  readonly over: readonly (string | number)[] | undefined;
  /** Undefined for the table of an array's statistics. */
  readonly methods: readonly Method[] | undefined;
  readonly groupBy: string | undefined;
  readonly weights: string | undefined;
  readonly quantiles: readonly number[];
  readonly format: (typeof formats)[number];
  readonly threads: number;
}

/** Threads by default, at most: each takes memory. */
const maxDefaultThreads = 4;

/** @throws UsageError. */
export function readOptions(values: Values): StatsOptions {
  const { over, method, weights, "group-by": groupBy, out, write } = values;
  const isReduction = [over, method, groupBy, weights].some((option) => option !== undefined);
  const quantiles = values.quantile === undefined ? [] : parseQuantiles(values.quantile);
  if (isReduction && quantiles.length > 0)
    throw new UsageError("--quantile belongs to the table of all elements; omit --over and --method");
  if (out !== undefined && !isReduction)
    throw new UsageError("--out writes the result of a reduction; pass --over, --group-by or --method");
  if (write && (isReduction || values.select !== undefined || values.sel))
    throw new UsageError(
      "--write stores the statistics of the whole array; omit --over, --method and selections",
    );
  if (values.overwrite && out === undefined)
    throw new UsageError("--overwrite replaces DEST; pass --out DEST");
  return {
    ...{ groupBy, weights, quantiles },
    over: over?.split(",").map(parseDimension),
    methods: isReduction ? parseMethods(method ?? "mean") : undefined,
    format: parseFormat(values),
    threads: integer(values.threads, "--threads", 1, Math.min(availableParallelism(), maxDefaultThreads)),
  };
}

function parseFormat({ format, json, out }: Values): StatsOptions["format"] {
  const chosen = formats.find((name) => name === (format ?? (json ? "json" : "text")));
  if (!chosen) throw new UsageError(`--format must be one of ${formats.join(", ")}, got "${format}"`);
  if (json && chosen !== "json")
    throw new UsageError(`--json and --format ${format} cannot be used together`);
  if (out !== undefined && format !== undefined)
    throw new UsageError("--out writes a Zarr group; omit --format, or redirect the output instead");
  return chosen;
}

function parseDimension(text: string): string | number {
  const name = text.trim();
  if (name === "")
    throw new UsageError("--over takes names or numbers of dimensions, such as time or lat,lon");
  return /^-?\d+$/.test(name) ? Number(name) : name;
}

function parseMethods(text: string): Method[] {
  return text.split(",").map((part) => {
    const name = methods.find((method) => method === part.trim());
    if (!name) throw new UsageError(`--method must be of ${methods.join(", ")}, got "${part.trim()}"`);
    return name;
  });
}

function parseQuantiles(text: string): number[] {
  return text.split(",").map((part) => {
    const value = part.trim() === "" ? Number.NaN : Number(part);
    if (!(value >= 0 && value <= 1))
      throw new UsageError(`--quantile takes numbers from 0 to 1, such as 0.1,0.5, got "${part.trim()}"`);
    return value;
  });
}
