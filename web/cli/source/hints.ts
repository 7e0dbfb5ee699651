/** Suggestions if a source is missing or is not an array. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { isZarrError, type OpenedNode, type OpenOptions, open, type Source, type ZarrGroup } from "zarr-wasm";
import { closestTo, didYouMean } from "../text/closest.js";
import { listed } from "../text/notes.js";

/** Maximum number of groups to search, and of milliseconds to spend: the error waits for the search. */
const maxGroups = 50;
const patience = 3000;

interface Looking {
  readonly signal: AbortSignal;
}
const looking = (): Looking => ({ signal: AbortSignal.timeout(patience) });

/** `; did you mean data.zarr?` for a missing folder or file. */
export async function hintForPlace(source: string): Promise<string> {
  const folder = path.dirname(source);
  const names = await readdir(folder).catch(() => []);
  const name = closestTo(path.basename(source), names);
  return didYouMean(name === undefined ? undefined : path.join(folder, name), "");
}

/** Lists readable kinds of files, for the error about a file that neither is an archive nor is named like one. */
export function hintForFile(source: string): string {
  if (/\.(zip|ozx)$/i.test(source)) return "";
  const named = /\.(tiff?|hdf5?|he5|h5|nc4?|netcdf|cdf)$/i.test(source);
  const others = "through references to them alone, such as kerchunk and VirtualiZarr write";
  return `; the files that can be read are zip archives (.zip, .ozx) and references (.json); ${
    named ? "files of this kind are" : "TIFF, HDF5 and NetCDF files are"
  } read ${others}`;
}

/**
 * A hint for an error of opening a node: paths of existing nodes, or of stores in the folder. "" if the search fails.
 */
export async function hintForPath(
  source: Source,
  { path: wanted, ...version }: OpenOptions,
): Promise<string> {
  try {
    return await (wanted === undefined ? storesBelow(source) : nodesLike(source, wanted, version));
  } catch {
    return "";
  }
}

/** `; did you mean --path scale0/image?` for a group instead of an array; its first array, if there is one. */
export async function hintForGroup(group: ZarrGroup): Promise<string> {
  try {
    const found = await find(group, ({ kind }) => kind === "array", looking());
    return found === undefined ? "" : `; did you mean --path ${quoted(found.path)}?`;
  } catch {
    return "";
  }
}

/** For an error about a codec that was taken from the source, names the option that selects others. */
export function withCodecsHint(error: unknown, given: unknown): unknown {
  const isHinted = isZarrError(error) && error.codec !== undefined && given === undefined;
  if (isHinted && !Object.isFrozen(error))
    error.message += error.code === "encode-unsupported" ? " with --codecs" : "; --codecs names other codecs";
  return error;
}

async function nodesLike(source: Source, wanted: string, version: OpenOptions): Promise<string> {
  const options = looking();
  const names = wanted.split("/").filter((name) => name !== "");
  const root = await open(source, { ...version, kind: "group", ...options }); // arrays have no children
  const { group, rest } = await deepest(root, names, options);
  const members = (await group.members(options)).map(({ name }) => name);
  const [first, ...after] = rest;
  if (first === undefined) return "";
  if (members.includes(first))
    return `; "/${joined(group.path, first)}" is an array, and nothing lies below it`;
  const close = closestTo(first, members);
  if (close !== undefined) {
    const isWhole = await group.open(joined(close, ...after), options).then(
      () => true,
      () => false,
    );
    return `; did you mean --path ${quoted(joined(group.path, close, ...(isWhole ? after : [])))}?`;
  }
  const below = await find(group, ({ path: found }) => found.endsWith(`/${joined(...rest)}`), options);
  if (below !== undefined) return `; did you mean --path ${quoted(below.path)}?`;
  return members.length === 0 ? "" : `; ${thereAre(members)} in "/${group.path}"`;
}

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== "").join("/");

/** The last group on a path, and the rest of the path below it. */
async function deepest(root: ZarrGroup, names: readonly string[], options: Looking) {
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

/** The first matching node below a group, level by level. */
async function find(
  root: ZarrGroup,
  isWanted: (node: OpenedNode) => boolean,
  options: Looking,
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

/** Children that are nodes by their names, in a folder that is not a node. */
async function storesBelow(source: Source): Promise<string> {
  if (!(source instanceof URL) || source.protocol !== "file:") return "";
  const names = (await readdir(source)).filter((name) => /\.(zarr|zip|ozx)$/i.test(name)).sort();
  return names.length === 0 ? "" : `; ${thereAre(names)} in it`;
}

const thereAre = (names: readonly string[]): string =>
  `there ${names.length === 1 ? "is" : "are"} ${listed(names.map(quoted))}`;

/** Quoted for a shell. */
const quoted = (text: string): string =>
  /^[\w./@%+,:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
