/**
 * Lists the contents of a group: from consolidated metadata, from a store that can list, from a web server's
 * directory listing, or, as a last resort, by probing for names that are common in groups of its kind.
 */
import {
  isZarrError,
  listChildren,
  type Member,
  type OpenedNode,
  open,
  type Store,
  type ZarrGroup,
} from "zarr-wasm";
import { text } from "../language/text.js";
import { omeAttributes, own, pathBelow, pathsOfLayout, textAt, textsAt, wordsAt } from "./attributes.js";
import { listedByServer } from "./listing.js";
import { ifReadable } from "./nodes.js";

/** Maximum number of names probed in one group. */
export const maxProbes = 120;

/** Number of probes in flight. */
const concurrency = 8;

export interface Contents {
  readonly members: readonly Member[];
  /**
   * "known" from consolidated metadata or the store's listing, "listed" by the web server, "probed" name by
   * name.
   */
  readonly how: "known" | "listed" | "probed";
  /** Explains why the list may be incomplete; undefined if it is complete. */
  readonly note: string | undefined;
}

/**
 * The nodes directly below a group.
 * @param names of members that may exist, to be tried instead of common ones if the members cannot be listed
 * @throws the store's errors, except for stores that cannot list.
 */
export async function folderContents(
  group: ZarrGroup,
  signal?: AbortSignal,
  names?: () => Promise<readonly string[]>,
): Promise<Contents> {
  try {
    return { members: await group.members({ signal }), how: "known", note: undefined };
  } catch (error) {
    if (!isZarrError(error) || error.code !== "no-listing") throw error;
  }
  const known = await consolidatedMembers(group, signal);
  if (known) return { members: known, how: "known", note: undefined };
  const listed = await listedByServer(group.store, group.path, signal);
  if (listed) {
    const found = await probe(group, listed.slice(0, maxProbes), signal);
    const left = listed.length - maxProbes;
    const note = left > 0 ? text.listing.more(left) : undefined;
    if (found.length > 0) return { members: sorted(found), how: "listed", note };
  }
  return probed(group, signal, await names?.());
}

/** Maximum number of parent groups in whose consolidated metadata the members of a group are looked up. */
const maxAncestors = 8;

/** The members of a group by the consolidated metadata of a group above it, the root first. */
async function consolidatedMembers(
  { store, path, zarrFormat }: ZarrGroup,
  signal: AbortSignal | undefined,
): Promise<readonly Member[] | undefined> {
  const parts = path.split("/");
  for (let depth = 0; path !== "" && depth < Math.min(parts.length, maxAncestors); depth++) {
    const [above, below] = [parts.slice(0, depth).join("/"), parts.slice(depth).join("/")];
    const options = { path: above, kind: "group", version: zarrFormat, signal } as const;
    const group = await ifReadable(open(store, options), signal);
    const own = group?.isConsolidated
      ? await ifReadable(group.open(below, { kind: "group", signal }), signal)
      : undefined;
    if (own) return own.members({ signal });
  }
  return undefined;
}

async function probed(
  group: ZarrGroup,
  signal: AbortSignal | undefined,
  names?: readonly string[],
): Promise<Contents> {
  const tried = new Set<string>();
  const found: OpenedNode[] = [];
  const ask = async (names: Iterable<string>) => {
    const fresh = [...new Set(names)].filter((name) => !tried.has(name)).slice(0, maxProbes - tried.size);
    for (const name of fresh) tried.add(name);
    const nodes = await probe(group, fresh, signal);
    found.push(...nodes);
    return nodes;
  };
  const nodes = await ask([...namesFrom(group), ...(names ?? [])]);
  // If the metadata name the members, guesses would only cost requests.
  if (nodes.length === 0 && !names) {
    const first = await ask(commonNames.flatMap(([signs]) => signs));
    const present = new Set(first.map(({ path }) => entryName(path)));
    const kinds = commonNames.filter(([signs]) => signs.some((name) => present.has(name)));
    await ask(kinds.flatMap(([, others]) => others));
  }
  const isOpenEnded = nodes.length === 0 || isBioformats(group);
  if (isOpenEnded && found.some(isNumbered)) await askNumbers(ask);
  await ask(found.flatMap(dimensionsIn));
  return { members: sorted(found), how: "probed", note: text.listing.tried(tried.size) };
}

/** Probes 0 to 9, and further numbers until one is missing. */
async function askNumbers(ask: (names: Iterable<string>) => Promise<OpenedNode[]>): Promise<void> {
  for (let first = 0; first < maxProbes; first += concurrency) {
    const numbers = Array.from({ length: concurrency }, (_, i) => String(first + i));
    if ((await ask(numbers)).length === 0 && first > 0) return;
  }
}

const isNumbered = ({ path }: OpenedNode): boolean => /(^|\/)\d+$/.test(path);

/** Opens the existing nodes of these names, in the group's own version. */
async function probe(
  group: ZarrGroup,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<OpenedNode[]> {
  const found: (OpenedNode | undefined)[] = new Array(names.length);
  let next = 0;
  const work = async () => {
    while (next < names.length) {
      const i = next++;
      found[i] = await nodeAt(group, names[i]!, signal);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, names.length) }, work));
  return found.filter((node) => node !== undefined);
}

/** The node of a name; undefined if it is missing or unreadable, since other nodes may be readable. */
function nodeAt(
  group: ZarrGroup,
  name: string,
  signal: AbortSignal | undefined,
): Promise<OpenedNode | undefined> {
  const path = group.path === "" ? name : `${group.path}/${name}`;
  return ifReadable(open(group.store, { path, version: group.zarrFormat, signal }), signal);
}

export const entryName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function sorted(nodes: readonly OpenedNode[]): Member[] {
  const members = nodes.map(({ path, kind }): Member => ({ name: entryName(path), path, kind }));
  return members.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** The first part of a path named by an attribute. */
const firstPart = (path: unknown): string[] => {
  const part = pathBelow(path)?.split("/")[0];
  return part === undefined ? [] : [part];
};

const isBioformats = ({ attributes }: Pick<ZarrGroup, "attributes">): boolean =>
  own(omeAttributes(attributes), "bioformats2raw.layout") !== undefined;

/** Names mentioned in a group's own attributes. */
export function namesFrom({ attributes }: Pick<ZarrGroup, "attributes">): string[] {
  const ome = omeAttributes(attributes);
  const pathsIn = (list: unknown) =>
    Array.isArray(list)
      ? list.slice(0, maxProbes).flatMap((entry) => firstPart(own(entry, "path") ?? entry))
      : [];
  const images = own(ome, "multiscales");
  const levels = Array.isArray(images) ? images.flatMap((image) => pathsIn(own(image, "datasets"))) : [];
  const layout = pathsOfLayout(images);
  const encoding = textAt(attributes, "encoding-type") ?? "";
  const names = [
    ...levels,
    ...layout,
    ...(levels.length > 0 ? ["labels"] : []),
    ...pathsIn(own(own(ome, "plate"), "wells")),
    ...pathsIn(own(own(ome, "well"), "images")),
    ...pathsIn(own(ome, "labels")),
    ...pathsIn(own(ome, "series")),
    ...(isBioformats({ attributes }) ? ["OME", "0"] : []),
    ...(encodedParts[encoding] ?? []),
    ...(own(attributes, "spatialdata_attrs") === undefined ? [] : spatialParts),
    ...textsAt(attributes, "column-order").flatMap(firstPart),
    ...firstPart(own(attributes, "_index")),
    ...wordsAt(attributes, "coordinates").flatMap(firstPart),
    ...Object.keys(objectAt(attributes, "_ARRAY_DIMENSIONS")).flatMap(firstPart),
  ];
  return [...new Set(names)];
}

function objectAt(value: unknown, name: string): object {
  const found = own(value, name);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
}

const spatialParts = ["images", "labels", "points", "shapes", "tables", "table"];

/** Members of AnnData groups, by `encoding-type`. */
const encodedParts: Readonly<Record<string, readonly string[]>> = {
  anndata: ["X", "obs", "var", "obsm", "varm", "obsp", "varp", "layers", "uns", "raw"],
  MuData: ["mod", "obs", "var", "obsm", "varm", "obsmap", "varmap", "uns"],
  csr_matrix: ["data", "indices", "indptr"],
  csc_matrix: ["data", "indices", "indptr"],
  categorical: ["codes", "categories"],
  "nullable-integer": ["values", "mask"],
  "nullable-boolean": ["values", "mask"],
  "nullable-string-array": ["values", "mask"],
  raw: ["X", "var", "varm"],
};

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Common names of members by kind of group: the others of a list are tried only if one of the first exists. */
const commonNames: readonly (readonly [first: readonly string[], others: readonly string[]])[] = [
  [
    words("0 s0 c0 data image images labels recon-1 A"),
    words("1 raw label OME em volumes points shapes tables"),
  ],
  [words("X obs train"), words("var test measurements quality conditions")],
  [
    words("time lat latitude x crs temperature t2m tas ta pr precip sst elevation array"),
    words(`
      lon longitude y z level lev depth band spatial_ref cell_ids clat clon
      precipitation 2m_temperature tasmax tasmin analysed_sst
      u10 v10 tp msl air climate dem reflectance b02 mask
    `),
  ],
];

/** Names of dimensions, which are also those of coordinates, and names of other coordinates. */
function dimensionsIn(node: OpenedNode): string[] {
  const { attributes } = node;
  const dimensions =
    node.kind === "array" ? (node.dimensionNames ?? textsAt(attributes, "_ARRAY_DIMENSIONS")) : [];
  const named = ["coordinates", "bounds", "grid_mapping", "ancillary_variables"].flatMap((name) =>
    wordsAt(attributes, name),
  );
  return [...dimensions.filter((name) => name !== null), ...named].flatMap(firstPart);
}

/**
 * Finds nodes in the subfolders of a store without a root node: a dropped archive or folder often wraps the
 * store in another folder.
 * @returns at most 50 paths, from the first depth with any, down to three folders.
 */
export async function nodesBelow(store: Store, signal?: AbortSignal): Promise<string[]> {
  let folders = [""];
  for (let depth = 0; depth < 3 && folders.length > 0; depth++) {
    const below: string[] = [];
    for (const folder of folders) {
      const listed = await listChildren(store, folder);
      const names = listed ?? (await listedByServer(store, folder, signal)) ?? [];
      below.push(...names.map((name) => (folder === "" ? name : `${folder}/${name}`)));
      if (below.length > maxProbes) break;
    }
    folders = below.slice(0, maxProbes);
    const found: string[] = [];
    for (const path of folders) {
      if (await isNode(store, path, signal)) found.push(path);
      if (found.length === 50) return found;
    }
    if (found.length > 0) return found;
  }
  return [];
}

async function isNode(store: Store, path: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await open(store, { path, signal: signal ?? undefined });
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    if (isZarrError(error)) return error._tag !== "NotFound";
    throw error;
  }
}
