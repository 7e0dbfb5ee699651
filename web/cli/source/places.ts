/** Locations on the command line: paths of folders and files; everything else is a URL. */
import { stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isZarrError } from "zarr-wasm";
import { UsageError } from "../options/options.js";

/** Whether a string is a URL of any kind. */
export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);

/** Whether a source is marked as an Icechunk repository: `icechunk+SOURCE`. */
export const isMarked = (source: string): boolean => /^icechunk\+/i.test(source);

/** A source without this mark. */
export const withoutMark = (source: string): string => source.replace(/^icechunk\+/i, "");

/** Converts a file URL to a path. Other strings, and file URLs without a path, do not change. */
export function pathOf(text: string): string {
  if (!/^file:/i.test(text)) return text;
  try {
    return fileURLToPath(text);
  } catch {
    return text;
  }
}

/** A destination in the library's form. @throws UsageError for URLs other than http and https. */
export function destinationUrl(name: string): string | URL {
  if (/^https?:\/\//i.test(name)) return name;
  if (isUrl(name) || /^file:/i.test(name))
    throw new UsageError(
      `${name}: a destination is a folder, a .zip or .ozx archive, or an http or https URL`,
    );
  return pathToFileURL(path.resolve(name));
}

/** Returns hints for errors at a destination before the first chunk: options that help. */
export async function hintForDestination(error: unknown, name: string): Promise<string> {
  const isHttp = isUrl(name);
  const isArchive = !isHttp && /\.(zip|ozx)$/i.test(name) && !(await isDirectory(name));
  if (isZarrError(error, "AlreadyExists") && !isArchive)
    return ": --overwrite deletes it first, --resume goes on with what was ended";
  if (isZarrError(error, "ReadOnly") && error.code === "no-delete" && isHttp)
    return "; --bucket URL says in which bucket DEST is, so that what is to be deleted can be listed";
  return "";
}

const isDirectory = async (name: string): Promise<boolean> =>
  (await stat(name).catch(() => undefined))?.isDirectory() ?? false;

/** Names of operands and options: in the library's messages, and on the command line. */
const names: Readonly<Record<string, string>> = {
  source: "SOURCE",
  destination: "DEST",
  temp: "--temp DIR",
  metadataOnly: "--metadata-only",
  ...Object.fromEntries(
    ["bucket", "chunks", "clean", "codecs", "fill", "format", "memory", "overwrite", "part", "path"]
      .concat(["resume", "select", "shards", "wait"])
      .map((name) => [name, `--${name}`]),
  ),
};

/** Replaces names of the library's options in a message. */
export const inOptions = (message: string): string =>
  message.replace(/`(\w+)`/g, (quoted, name) => names[name] ?? quoted);

/** Names options in an error message as the command line does. Errors about options become UsageErrors. */
export function asCommandError(error: unknown): unknown {
  if (!(error instanceof Error) || Object.isFrozen(error)) return error;
  if (isZarrError(error) && error.code === "bad-option") return new UsageError(inOptions(error.message));
  error.message = inOptions(error.message);
  return error;
}
