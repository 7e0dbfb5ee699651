/** Options that the commands share. */
import { stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { type OpenedNode, type OpenOptions, open, ZipStore } from "zarr-wasm";
import { printable } from "./printable.js";

/** Wrong use of the command line: exit status 2. */
export class UsageError extends Error {}

export interface Values {
  path?: string | undefined;
  json?: boolean | undefined;
  select?: string | undefined;
  format?: string | undefined;
  out?: string | undefined;
  "v1-order"?: string | undefined;
}

/** Opens the node that the arguments name; warnings go to stderr. */
export async function openSource(source: string, values: Values): Promise<OpenedNode> {
  const order = values["v1-order"] ?? "spec";
  if (order !== "spec" && order !== "writer") throw new UsageError('--v1-order must be "spec" or "writer"');
  const options: OpenOptions = {
    path: values.path,
    v1Order: order,
    onWarning: ({ message }) => process.stderr.write(`zarr-wasm: warning: ${printable(message)}\n`),
  };
  return open(await locate(source), options);
}

/** A URL as it is; anything else is a folder or a zip archive. */
async function locate(source: string): Promise<URL | ZipStore> {
  if (/^https?:\/\//i.test(source)) return parseUrl(source);
  const found = await stat(source).catch(() => undefined);
  if (!found) throw new Error(`${source}: no such folder or file`);
  const url = pathToFileURL(source);
  if (found.isDirectory()) return url;
  if (found.isFile()) return new ZipStore(url);
  throw new Error(`${source}: neither a folder nor a zip archive`);
}

function parseUrl(source: string): URL {
  try {
    return new URL(source);
  } catch {
    throw new UsageError(`"${source}" is not a URL`);
  }
}
