/** Opens the SOURCE of a command. */
import { stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  isZarrError,
  type OpenedNode,
  type OpenOptions,
  open,
  type Source,
  type Store,
  WritableHttpStore,
  ZipStore,
} from "zarr-wasm";
import { ArrayFileStore, ReferenceStore } from "zarr-wasm/formats";
import { byteReader, formatOf, isArchiveName } from "#internal";
import { UsageError, type Values, versionOptions } from "../options/options.js";
import { note } from "../text/output.js";
import { hintForDocument, hintForPath, messageForFile, missingFile } from "./hints.js";
import { filePath, isMarked, isPipeline, withoutMark } from "./places.js";

/**
 * Opens the node that the arguments name; warnings go to stderr.
 * @param bucket URL of the S3-compatible bucket that a URL is in, which can then be listed.
 */
export function openSource(source: string, values: Values, bucket?: string): Promise<OpenedNode> {
  return withSource(source, values, bucket, (place, options) => open(place, options));
}

/** Uses a source, and adds hints to errors of opening it. */
export async function withSource<T>(
  source: string,
  values: Values,
  bucket: string | undefined,
  use: (place: Source, options: OpenOptions) => Promise<T>,
): Promise<T> {
  const plain = withoutMark(source);
  const place = (await isPipeline(plain))
    ? await pipelineUrl(plain, bucket)
    : bucket === undefined
      ? await locate(plain)
      : inBucket(plain, bucket);
  const opening = openOptions(values);
  // The mark opens the source only as a repository, like an explicit version.
  if (isMarked(source) && !versionOptions.some((name) => values[name] !== undefined)) opening.branch = "main";
  try {
    return await use(place, opening);
  } catch (error) {
    if (!isZarrError(error) || Object.isFrozen(error)) throw error;
    if (error._tag === "NotFound")
      error.message += hintForDocument(plain) || (await hintForPath(place, opening));
    if (error.code === "bad-zip") error.message = (await messageForFile(plain)) ?? error.message;
    throw error;
  }
}

/** Options for opening sources. @throws UsageError. */
export function openOptions(values: Values): OpenOptions {
  const order = values["v1-order"] ?? "spec";
  if (order !== "spec" && order !== "writer")
    throw new UsageError(`--v1-order must be "spec" or "writer", got "${order}"`);
  return {
    path: values.path,
    v1Order: order,
    onWarning: warn,
    ...parseVersion(values),
  };
}

/** Parses the version of an Icechunk repository and the locations of its virtual chunks. @throws UsageError. */
function parseVersion(values: Values): OpenOptions {
  const { branch, tag, snapshot, "as-of": asOf, virtual } = values;
  const given = Object.entries({ branch, tag, snapshot }).filter(([, name]) => name !== undefined);
  if (given.length > 1)
    throw new UsageError(`${given.map(([name]) => `--${name}`).join(" and ")} cannot be used together`);
  if (asOf !== undefined && (tag !== undefined || snapshot !== undefined || Number.isNaN(Date.parse(asOf))))
    throw new UsageError(
      "--as-of must be a time, such as 2025-01-31 or 2025-01-31T12:00Z, and cannot be used with --tag or --snapshot",
    );
  return { branch, tag, snapshot, asOf, virtual: virtual && Object.fromEntries(virtual.map(prefixAndBase)) };
}

/** Parses `PREFIX=BASE`: BASE, a URL or a folder, replaces a prefix of virtual chunks. */
function prefixAndBase(text: string): [prefix: string, base: string] {
  const [, prefix, base] = /^([a-z][a-z0-9+.-]*:\/\/[^=]*)=(.+)$/is.exec(text) ?? [];
  if (prefix === undefined || base === undefined)
    throw new UsageError("--virtual must be PREFIX=BASE, such as s3://bucket/=https://example.org/mirror/");
  return [prefix, /^[a-z][a-z0-9+.-]+:\/\//i.test(base) ? base : pathToFileURL(base).href];
}

/**
 * Returns http and https URLs unchanged; other strings are paths or file URLs of a folder, zip archive, references, or
 * a file of another format, maybe with a path in it ("a.nc/temp").
 */
export async function locate(source: string): Promise<URL | Store> {
  if (/^https?:\/\//i.test(source)) {
    const url = parseUrl(source);
    return isReferenceName(url.pathname) ? ReferenceStore.open(url) : url;
  }
  const name = filePath(source);
  const found = await stat(name).catch(() => undefined);
  if (!found && (await isInFile(name))) return pathToFileURL(name);
  if (!found) throw await missingFile(source);
  // The slash marks a folder with the extension of an archive.
  if (found.isDirectory()) return pathToFileURL(isArchiveName(name) ? `${name}/` : name);
  const url = pathToFileURL(name);
  if (!found.isFile()) throw new Error(`"${source}" is not a folder or a file`);
  if (isReferenceName(name)) return ReferenceStore.open(url);
  return (await isOtherFile(name)) ? ArrayFileStore.open(name, { onWarning: warn }) : new ZipStore(url);
}

/** Whether a file has a format that `open` reads, by its first bytes. */
export async function isOtherFile(name: string): Promise<boolean> {
  const format = await formatOf(byteReader(name, {}), undefined);
  return format !== undefined && format.remedy === undefined;
}

/** Whether a folder above a missing path is a file. */
async function isInFile(name: string): Promise<boolean> {
  const above = path.dirname(name);
  if (above === name) return false;
  const found = await stat(above).catch(() => undefined);
  return found ? found.isFile() : isInFile(above);
}

const warn: NonNullable<OpenOptions["onWarning"]> = ({ message }) => note(`warning: ${message}`);

/** A pipeline in the library's form: its first part, which may be a path, becomes a URL. */
async function pipelineUrl(source: string, bucket: string | undefined): Promise<string> {
  if (bucket !== undefined) throw new UsageError("--bucket cannot be used with a URL pipeline");
  if (/^https?:\/\//i.test(source)) return source;
  const end = source.indexOf("|");
  const name = filePath(source.slice(0, end));
  if (!(await stat(name).catch(() => undefined))) throw await missingFile(source.slice(0, end));
  return pathToFileURL(name).href.replaceAll("|", "%7C") + source.slice(end);
}

function inBucket(source: string, bucket: string): Store {
  if (!/^https?:\/\//i.test(source))
    throw new UsageError(`--bucket requires an http or https SOURCE, got "${source}"`);
  return new WritableHttpStore(parseUrl(source), { bucket: parseUrl(bucket) });
}

/** Whether a name has the file extension of references. */
const isReferenceName = (name: string): boolean => /\.json$/i.test(name);

function parseUrl(source: string): URL {
  try {
    return new URL(source);
  } catch {
    throw new UsageError(`"${source}" is not a valid URL`);
  }
}
