/** Parses locations on the command line: paths, and URLs. */
import { stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isZarrError } from "zarr-wasm";
import { bucketAddress, closestTo, isArchiveName } from "#internal";
import { UsageError } from "../options/options.js";
import { context } from "../text/context.js";

/** Whether a string is a URL of any kind. */
export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);

/** Whether a source is marked as an Icechunk repository: `icechunk+SOURCE`. */
export const isMarked = (source: string): boolean => /^icechunk\+/i.test(source);

/** A source without this mark. */
export const withoutMark = (source: string): string => source.replace(/^icechunk\+/i, "");

/**
 * Whether a source is a URL pipeline, such as `a.zip|zip:data|zarr3:`. Existing files and folders may have "|" in their
 * names.
 */
export const isPipeline = async (source: string): Promise<boolean> =>
  source.includes("|") &&
  (/^https?:\/\//i.test(source) || !(await stat(filePath(source)).catch(() => undefined)));

/** The URL or path of the archive, repository or folder that a source reads. */
export const rootOf = async (source: string): Promise<string> =>
  (await isPipeline(withoutMark(source))) ? source.slice(0, source.indexOf("|")) : source;

/** Converts a file URL to a path. Other strings, and file URLs without a path, do not change. */
export function filePath(text: string): string {
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
      `DEST must be a folder, a .zip or .ozx archive, or an http or https URL, got "${name}"${schemeHint(name)}`,
    );
  return pathToFileURL(path.resolve(name));
}

/** Quotes text for a shell if necessary. */
export const shellQuoted = (text: string): string =>
  /^[\w./@%+,:=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Names the option that helps after an error at a destination before the first chunk. */
export async function hintForDestination(error: unknown, name: string): Promise<string> {
  const isHttp = isUrl(name);
  const isArchive = !isHttp && isArchiveName(name) && !(await isDirectory(name));
  if (isZarrError(error, "AlreadyExists") && !isArchive) {
    if (error.code === "node-exists") error.message = `"${name}" already exists`;
    return "; pass --overwrite to replace it, or --resume to continue an interrupted copy";
  }
  if (isZarrError(error, "ReadOnly") && error.code === "no-delete" && isHttp)
    return "; pass --bucket URL, the bucket of DEST, to list the keys to delete";
  return "";
}

const isDirectory = async (name: string): Promise<boolean> =>
  (await stat(name).catch(() => undefined))?.isDirectory() ?? false;

/** Operands and options of the command line by their names in messages of the library. */
const names: Readonly<Record<string, string>> = {
  source: "SOURCE",
  destination: "DEST",
  temp: "--temp DIR",
  metadataOnly: "--metadata-only",
  zarrFormat: "--format",
  chunkShape: "--chunks",
  shardShape: "--shards",
  ...Object.fromEntries(
    ["along", "bucket", "clean", "codecs", "fill", "inline", "memory", "overwrite", "part", "path"]
      .concat(["resume", "select", "wait"])
      .map((name) => [name, `--${name}`]),
  ),
};

/** Replaces names of library options in a message by those of the command line. */
export const withOptionNames = (message: string): string =>
  message.replace(/`(\w+)`/g, (quoted, name) => names[name] ?? quoted);

/** Names options in an error message as the command line does. Errors about options become UsageErrors. */
export function asCommandError(error: unknown): unknown {
  if (!(error instanceof Error) || Object.isFrozen(error)) return error;
  if (isZarrError(error) && error.code === "bad-option")
    return new UsageError(withOptionNames(error.message));
  error.message = withOptionNames(error.message);
  return error;
}

/** Returns `; use https://…` for a URL of another scheme, a misspelt scheme or a missing one; otherwise "". */
export function schemeHint(source: string): string {
  const [, name = "", host = "", path = ""] = /^([a-z][a-z0-9+.-]*):\/*([^/]*)(.*)$/is.exec(source) ?? [];
  const scheme = name.toLowerCase();
  if (scheme === "file") return "";
  if (scheme !== "" && source.startsWith("/", name.length + 1)) {
    if (host !== "" && /^(s3[an]?|gc?s)$/.test(scheme)) return `; use ${bucketAddress(scheme, host)}${path}`;
    if (host !== "" && /^(az|abfss?|adl)$/.test(scheme))
      return `; use https://ACCOUNT.blob.core.windows.net/${host.replace(/@.*/, "")}${path}`;
    const meant = closestTo(scheme, ["https", "http"]);
    return meant === undefined || host === ""
      ? "; use an http or https URL, or a path"
      : `; did you mean ${meant}://${host}${path}?`;
  }
  return /^www\.[^/]+\.[a-z]{2,}(\/|$)/i.test(source) ||
    /^[a-z0-9.-]+\.(org|com|net|edu|gov|io)\//i.test(source)
    ? `; did you mean https://${source}?`
    : "";
}

/** Returns `; to continue, run: zarr-wasm copy … --resume`; archives are written from the start. */
export function resumeHint(dest: string): string {
  if (isArchiveName(dest)) return "; an archive cannot be continued, run the command again";
  return `; to continue, run: ${resumeCommand(context().args)}`;
}

/** Returns the same command with `--resume` instead of `--overwrite`, quoted for a shell. */
export function resumeCommand(args: readonly string[]): string {
  const kept = args.filter((arg) => arg !== "--overwrite" && arg !== "--resume");
  return ["zarr-wasm", ...kept, "--resume"].map(shellQuoted).join(" ");
}
