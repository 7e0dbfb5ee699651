/** Prints the statistics of an array: counts, range, mean, quantiles and a sketch of the histogram. */
import type { ZarrArray } from "zarr-wasm";
import type { Statistics } from "zarr-wasm/compute";
import { context } from "../../text/context.js";
import { arrayNote } from "../../text/notes.js";
import { printable } from "../../text/output.js";
import { float32Text, toJson } from "../formats.js";

/** Statistics with the quantiles that were asked for. */
export interface Summary extends Statistics {
  readonly quantiles: readonly (readonly [q: number, value: number])[];
}

export function printStatistics(array: ZarrArray, summary: Summary, format: "text" | "json" | "csv"): void {
  const print = (text: string) => context().stdout.write(text);
  if (format === "json") return void print(`${jsonText(summary)}\n`);
  const rows = factsOf(array, summary);
  if (format === "csv") {
    print(["statistic,value", ...rows.map((row) => row.join(",")), ""].join("\n"));
    return;
  }
  const shape = array.shape.map((length, axis) =>
    [array.dimensionNames?.[axis], length].filter(Boolean).join(": "),
  );
  const title = `/${array.path}  ${array.dtype} [${shape.join(", ")}]${arrayNote(array)}`;
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  print(`${printable(title)}\n${rows.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join("")}`);
  const lines = sketch(summary.histogram);
  if (lines.length > 0) print(`histogram\n${lines.join("\n")}\n`);
}

function factsOf({ dtype, attributes }: ZarrArray, summary: Summary): [name: string, value: string][] {
  const isFloat32 = dtype.core === "float32" && !Object.hasOwn(attributes, "scale_factor");
  const element = (value: number) => (isFloat32 ? float32Text(value) : String(value));
  const { count, missing, min, max, mean, std, quantiles } = summary;
  return [
    ["count", String(count)],
    ["missing", String(missing)],
    ["min", element(min)],
    ["max", element(max)],
    ["mean", String(mean)],
    ["std", String(std)],
    ...quantiles.map(([q, value]): [string, string] => [`quantile ${q}`, String(value)]),
  ];
}

/** Missing values are null. */
function jsonText({ quantiles, histogram, ...facts }: Summary): string {
  const plain = (value: unknown) => (Number.isNaN(value) ? null : value);
  const numbers = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, plain(value)]));
  return toJson({
    ...numbers,
    quantiles: Object.fromEntries(quantiles.map(([q, value]) => [q, plain(value)])),
    histogram: { edges: Array.from(histogram.edges), counts: Array.from(histogram.counts) },
  });
}

const maxBars = 16;
const barLength = 40;

/** Returns a bar per bin; bins are joined until there are few, and empty ones at the ends are left out. */
function sketch({ counts, edges }: Summary["histogram"]): string[] {
  const first = counts.findIndex((count) => count > 0);
  if (first < 0) return [];
  const last = counts.findLastIndex((count) => count > 0);
  const joined = Math.ceil((last + 1 - first) / maxBars);
  const bars = Array.from({ length: Math.ceil((last + 1 - first) / joined) }, (_, i) => {
    const from = first + i * joined;
    const to = Math.min(from + joined, counts.length);
    const count = counts.subarray(from, to).reduce((a, b) => a + b, 0);
    return { range: [edges[from]!, edges[to]!].map((edge) => String(Number(edge.toPrecision(7)))), count };
  });
  const most = Math.max(...bars.map(({ count }) => count));
  const widths = [0, 1].map((end) => Math.max(...bars.map(({ range }) => range[end]!.length)));
  const digits = String(most).length;
  return bars.map(({ range, count }) => {
    const [from, to] = range.map((text, end) => text.padStart(widths[end]!));
    const bar = "█".repeat(Math.ceil((count / most) * barLength));
    return `  ${from} to ${to}  ${String(count).padStart(digits)}  ${bar}`.trimEnd();
  });
}
