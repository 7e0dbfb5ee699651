/** Suggests corrections if a source is missing or is not an array. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import {
  isZarrError,
  type OpenedNode,
  type OpenOptions,
  open,
  type Source,
  type ZarrArray,
  type ZarrGroup,
  ZipStore,
} from "zarr-wasm";
import { byteReader, closestTo, formatHint, formatOf, readableFormats } from "#internal";
import { UsageError } from "../options/options.js";
import { listed } from "../text/notes.js";
import { didYouMean } from "../text/output.js";
import { filePath, isUrl, schemeHint, shellQuoted } from "./places.js";

/** Maximum number of groups to search, and time limit in milliseconds, because the error waits for the search. */
const maxGroups = 50;
const patience = 3000;

interface SearchOptions {
  readonly signal: AbortSignal;
}
const searchOptions = (): SearchOptions => ({ signal: AbortSignal.timeout(patience) });

/** Returns the error for a source that does not exist, with a suggestion. */
export async function missingFile(source: string): Promise<Error> {
  const name = filePath(source);
  if (isUrl(source) && name === source) return new UsageError(`cannot open "${source}"${schemeHint(source)}`);
  const hint = (await similarFile(name)) || schemeHint(source);
  return new Error(`"${source}" does not exist${hint}`);
}

/** Returns `; did you mean data.zarr?` for a missing folder or file, or "". */
async function similarFile(source: string): Promise<string> {
  const folder = path.dirname(source);
  const names = await readdir(folder).catch(() => []);
  const name = closestTo(path.basename(source), names);
  return didYouMean(name === undefined ? undefined : path.join(folder, name), "");
}

/** Documents that make their folder a node. */
export const nodeDocument = /^(?:([\s\S]*)\/)?(?:zarr\.json|\.z(?:array|group|metadata)|meta)$/;

/** Metadata documents in a folder, and documents of attributes. */
const documentName = /^(.*)[/\\](zarr\.json|\.z(?:array|group|attrs|metadata)|meta|attrs)$/;

/** Suggests the folder instead of a metadata document in it. */
export function hintForDocument(source: string): string {
  const [, folder, document] = documentName.exec(source) ?? [];
  return folder ? `; omit "${document}" to open the node: ${shellQuoted(folder)}` : "";
}

const supported = `supported files are ${readableFormats}, zip archives (.zip, .ozx) and references (.json)`;

/**
 * Returns the message for a file that could not be opened as an archive, although its name is not one of an archive: its
 * format, and the supported ones. Undefined for archives.
 */
export async function messageForFile(source: string): Promise<string | undefined> {
  if (/\.(zip|ozx)$/i.test(source)) return undefined;
  const file = byteReader(filePath(source), {});
  const format = await formatOf(file, undefined);
  if (format?.id === "zip") return undefined;
  if (format) return `"${source}" cannot be read: it is ${formatHint(format)}; ${supported}`;
  const head = await file.read({ offset: 0, length: 8 }, {}).catch(() => undefined);
  if (!head) return undefined;
  const bytes = Array.from(head, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  const start = head.length === 0 ? "it is empty" : `it starts with the bytes ${bytes}`;
  return `"${source}" has an unknown format: ${start}${hintForDocument(source) || `; ${supported}`}`;
}

/**
 * Suggests existing nodes, or stores in the folder, for a missing node. Returns "" if the search fails. For a node below
 * a URL, which may not exist either, it names the command that lists them instead of sending more requests.
 */
export async function hintForPath(
  source: Source,
  { path: wanted, ...version }: OpenOptions,
): Promise<string> {
  if (wanted !== undefined && source instanceof URL && source.protocol !== "file:")
    return `; to list the nodes, run: zarr-wasm info ${shellQuoted(source.href)}`;
  try {
    return await (wanted === undefined ? storesBelow(source) : nodesLike(source, wanted, version));
  } catch {
    return "";
  }
}

/** Returns `; did you mean --path scale0/image?` with the first array of a group, preferably one of data. */
export async function hintForGroup(group: ZarrGroup): Promise<string> {
  try {
    const options = searchOptions();
    const found =
      (await find(group, (node) => node.kind === "array" && !isCoordinate(node), options)) ??
      (await find(group, ({ kind }) => kind === "array", options));
    return found === undefined ? "" : `; did you mean --path ${shellQuoted(found.path)}?`;
  } catch {
    return "";
  }
}

/** Whether an array is named like its only dimension. */
const isCoordinate = ({ path: place, dimensionNames }: ZarrArray): boolean =>
  dimensionNames?.length === 1 && dimensionNames[0] === place.split("/").at(-1);

/** Adds `--codecs` to an error about a codec of the source. */
export function withCodecsHint(error: unknown, given: unknown): unknown {
  const isHinted = isZarrError(error) && error.codec !== undefined && given === undefined;
  if (isHinted && !Object.isFrozen(error))
    error.message +=
      error.code === "encode-unsupported" ? " with --codecs" : "; pass --codecs to use other codecs";
  return error;
}

async function nodesLike(source: Source, wanted: string, version: OpenOptions): Promise<string> {
  const options = searchOptions();
  const names = wanted.split("/").filter((name) => name !== "");
  const root = await open(source, { ...version, kind: "group", ...options }); // arrays have no children
  const { group, rest } = await deepest(root, names, options);
  const members = (await group.members(options)).map(({ name }) => name);
  const [first, ...after] = rest;
  if (first === undefined) return "";
  if (members.includes(first))
    return `; "/${joined(group.path, first)}" is an array, which has no nodes below it`;
  const close = closestTo(first, members);
  if (close !== undefined) {
    const isWhole = await group.open(joined(close, ...after), options).then(
      () => true,
      () => false,
    );
    return `; did you mean --path ${shellQuoted(joined(group.path, close, ...(isWhole ? after : [])))}?`;
  }
  const below = await find(group, ({ path: found }) => found.endsWith(`/${joined(...rest)}`), options);
  if (below !== undefined) return `; did you mean --path ${shellQuoted(below.path)}?`;
  return members.length === 0 ? "" : `; ${foundNames(members)} in "/${group.path}"`;
}

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== "").join("/");

/** Returns the last group on a path, and the rest of the path. */
async function deepest(root: ZarrGroup, names: readonly string[], options: SearchOptions) {
  let group = root;
  for (const [i, name] of names.entries()) {
    const node = await group.open(name, options).catch(unlessMissing);
    if (node?.kind !== "group") return { group, rest: names.slice(i) };
    group = node;
  }
  return { group, rest: [] };
}

function unlessMissing(error: unknown): undefined {
  if (!isZarrError(error, "NotFound")) throw error;
}

/** Returns the first matching node below a group, breadth first. */
async function find(
  root: ZarrGroup,
  isWanted: (node: OpenedNode) => boolean,
  options: SearchOptions,
): Promise<OpenedNode | undefined> {
  const groups = [root];
  for (const group of groups) {
    for (const { name } of await group.members(options)) {
      const node = await group.open(name, options).catch(() => undefined);
      if (node && isWanted(node)) return node;
      if (node?.kind === "group" && groups.length < maxGroups) groups.push(node);
    }
  }
  return undefined;
}

/** Lists stores in a folder, recognised by their names, or in an archive, if the root is not a node. */
async function storesBelow(source: Source): Promise<string> {
  if (source instanceof ZipStore) return nodesInArchive(source);
  if (!(source instanceof URL) || source.protocol !== "file:") return "";
  const names = (await readdir(source)).filter((name) => /\.(zarr|zip|ozx)$/i.test(name)).sort();
  return names.length === 0 ? "" : `; ${foundNames(names)} in it`;
}

/** Lists the outermost nodes of an archive. */
async function nodesInArchive(archive: ZipStore): Promise<string> {
  const folders = new Set<string>();
  for await (const key of archive.list("")) {
    const folder = nodeDocument.exec(key)?.[1];
    if (folder) folders.add(folder.replace(/^\//, ""));
  }
  const isInner = (folder: string) =>
    folder.split("/").some((_, depth, names) => depth > 0 && folders.has(names.slice(0, depth).join("/")));
  const names = [...folders].filter((folder) => !isInner(folder)).sort();
  if (names.length === 0) return "";
  return `; ${foundNames(names)} in it; did you mean --path ${shellQuoted(names[0]!)}?`;
}

const foundNames = (names: readonly string[]): string => `found ${listed(names.map(shellQuoted))}`;
