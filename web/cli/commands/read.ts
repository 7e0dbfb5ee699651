/** `zarr-wasm read`: prints or saves elements of an array. */
import { get, getBytes, type Progress, type Selection, type ZarrArray } from "zarr-wasm";
import type { Values } from "../options/options.js";
import { UsageError } from "../options/options.js";
import { parseSelection } from "../options/values.js";
import { hintForGroup } from "../source/hints.js";
import { openSource } from "../source/source.js";
import { context } from "../text/context.js";
import { note } from "../text/output.js";
import { abbreviate, abbreviatedTable } from "./abbreviate.js";
import { batched, formats, type ReadRegion } from "./formats.js";
import { writeOutFile } from "./out-file.js";

export async function runRead(source: string, values: Values): Promise<void> {
  const format = values.format ?? (values.json ? "jsonl" : "text");
  if (!Object.hasOwn(formats, format)) {
    throw new UsageError(`--format must be one of ${Object.keys(formats).join(", ")}, got "${format}"`);
  }
  if (values.json && format !== "jsonl")
    throw new UsageError(`--json and --format ${format} cannot be used together`);
  if (/^(raw|npy)$/.test(format) && values.out === undefined && context().stdout.isTTY) {
    throw new UsageError(`--format ${format} does not write to a terminal; pass --out FILE or use a pipe`);
  }
  const selection = values.select === undefined ? null : parseSelection(values.select);
  const node = await openSource(source, values);
  if (node.kind !== "array")
    throw new Error(
      `expected an array, found a group at "/${node.path}"; name an array in it with --path${await hintForGroup(node)}`,
    );
  const isShort = format === "text" && !values.all && values.out === undefined;
  const abbreviated = isShort ? abbreviate(node, selection) : undefined;
  const region = await readRegion(node, abbreviated?.selection ?? selection);
  const pieces = abbreviated
    ? batched(abbreviatedTable(region, abbreviated))
    : formats[format as keyof typeof formats](region);
  if (values.out !== undefined) await writeOutFile(values.out, pieces);
  else await writeOut(pieces);
  if (abbreviated) note(`abbreviated ${abbreviated.total} elements; pass --all to print every one`);
}

async function readRegion(array: ZarrArray, selection: Selection): Promise<ReadRegion> {
  const options = { onProgress: progressBar() };
  return array.dtype.isVariable
    ? get<readonly unknown[]>(array, selection, options)
    : getBytes(array, selection, options);
}

async function writeOut(pieces: Iterable<Uint8Array | string>): Promise<void> {
  const { stdout } = context();
  for (const piece of pieces) {
    if (!stdout.write(piece)) await new Promise((resolve) => stdout.once("drain", resolve));
  }
}

/** Shows progress on stderr if that is a terminal and the work takes a while. */
function progressBar(): ((progress: Progress) => void) | undefined {
  const { stderr } = context();
  if (!stderr.isTTY) return undefined;
  const start = performance.now();
  let shown = 0;
  return ({ chunks, totalChunks, bytes }) => {
    const now = performance.now();
    const done = chunks === totalChunks;
    if (now - start < 500 || (now - shown < 100 && !done)) return;
    shown = now;
    const percent = Math.floor((100 * chunks) / totalChunks);
    stderr.write(
      `\r${percent} %  ${chunks} of ${totalChunks} chunks, ${(bytes / 2 ** 20).toFixed(1)} MiB${done ? "\n" : ""}`,
    );
  };
}
