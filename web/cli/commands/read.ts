/** `zarr-wasm read`: prints or saves elements of an array. */
import { get, getBytes, type Progress, type Selection, type ZarrArray } from "zarr-wasm";
import { UsageError, type Values } from "../options/options.js";
import { parseSelection } from "../options/values.js";
import { hintForGroup } from "../source/hints.js";
import { parseLabels, selectLabels } from "../source/labels.js";
import { openSource } from "../source/source.js";
import { context } from "../text/context.js";
import { note } from "../text/output.js";
import { ProgressLine } from "../text/progress.js";
import { coordinateColumns, csvLines } from "./csv.js";
import { decodeRegion } from "./decode.js";
import { abbreviate, abbreviatedTable, batched, formats, type ReadRegion } from "./formats.js";
import { writeOutFile } from "./out-file.js";

export async function runRead(source: string, values: Values): Promise<void> {
  const format = values.format ?? (values.json ? "jsonl" : "text");
  if (!isFormat(format)) {
    throw new UsageError(`--format must be one of ${formatNames.join(", ")}, got "${format}"`);
  }
  if (values.json && format !== "jsonl")
    throw new UsageError(`--json and --format ${format} cannot be used together`);
  if (/^(raw|npy)$/.test(format) && values.out === undefined && context().stdout.isTTY) {
    throw new UsageError(`--format ${format} does not write to a terminal; pass --out FILE or use a pipe`);
  }
  const find = selector(values);
  const node = await openArray(source, values);
  const selection = await find(node);
  const isShort = format === "text" && !values.all && values.out === undefined;
  const abbreviated = isShort ? abbreviate(node, selection) : undefined;
  const columns = format === "csv" ? await coordinateColumns(node, selection) : [];
  const stored = await readRegion(node, abbreviated?.selection ?? selection);
  const region = values.decode ? decodeRegion(node, stored) : stored;
  const pieces = abbreviated
    ? batched(abbreviatedTable(region, abbreviated))
    : format === "csv"
      ? batched(csvLines(columns, [[nameOf(node), region]]))
      : formats[format](region, values.decode);
  if (values.out !== undefined) await writeOutFile(values.out, pieces);
  else await writeOut(pieces);
  if (abbreviated) note(`abbreviated ${abbreviated.total} elements; pass --all to print every one`);
}

type Format = keyof typeof formats | "csv";
const formatNames = [...Object.keys(formats), "csv"];
const isFormat = (name: string): name is Format => formatNames.includes(name);

/** Name of an array's values in a table. */
export const nameOf = ({ path }: ZarrArray): string => path.split("/").at(-1) || "value";

/** Parses the selection of `--select` or `--sel`. @throws UsageError. */
export function selector({ select, sel, nearest }: Values): (array: ZarrArray) => Promise<Selection> {
  if (select !== undefined && sel) throw new UsageError("--select and --sel cannot be used together");
  if (nearest && !sel) throw new UsageError("--nearest applies to the labels of --sel");
  const labels = sel && parseLabels(sel);
  const selection = select === undefined ? null : parseSelection(select);
  return async (array) => (labels ? selectLabels(array, labels, nearest) : selection);
}

/** Opens an array. @throws the hint for a group. */
export async function openArray(source: string, values: Values): Promise<ZarrArray> {
  const node = await openSource(source, values);
  if (node.kind === "array") return node;
  throw new Error(
    `expected an array, found a group at "/${node.path}"; name an array in it with --path${await hintForGroup(node)}`,
  );
}

async function readRegion(array: ZarrArray, selection: Selection): Promise<ReadRegion> {
  const line = new ProgressLine("reading");
  const chunkBytes = array.chunkShape.reduce((a, b) => a * b, array.dtype.itemBytes || 16);
  const onProgress = ({ chunks, totalChunks }: Progress) =>
    line.show(chunks * chunkBytes, totalChunks * chunkBytes);
  try {
    return await (array.dtype.isVariable
      ? get<readonly unknown[]>(array, selection, { onProgress })
      : getBytes(array, selection, { onProgress }));
  } finally {
    line.clear();
  }
}

async function writeOut(pieces: Iterable<Uint8Array | string>): Promise<void> {
  const { stdout } = context();
  for (const piece of pieces) {
    if (!stdout.write(piece)) await new Promise((resolve) => stdout.once("drain", resolve));
  }
}
