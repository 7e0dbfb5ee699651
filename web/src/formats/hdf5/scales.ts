/** Dimension scales: the names of dimensions of NetCDF-4 and of the HDF5 dimension scales specification. */

import { Cursor } from "../file/cursor.js";
import { type Attribute, attributesAt } from "./attributes.js";
import type { HdfFile } from "./file.js";
import { readVariable } from "./global-heap.js";
import type { MessageReader } from "./shared.js";
import { fixedText, ValueReader } from "./values.js";

/** Attributes that describe dimensions, which are not shown. */
export const dimensionAttributes: ReadonlySet<string> = new Set([
  "CLASS",
  "NAME",
  "DIMENSION_LIST",
  "DIMENSION_LABELS",
  "REFERENCE_LIST",
  "_Netcdf4Dimid",
  "_Netcdf4Coordinates",
  "_nc3_strict",
  "_NCProperties",
]);

type Attributes = ReadonlyMap<string, Attribute>;

/** Start of NAME of a dimension without a variable. */
const bareDimension = "This is a netCDF dimension but not a netCDF variable";

/** Start of the names of variables that are not the coordinate of the dimension of their name. */
const otherPrefix = "_nc4_non_coord_";

export const isScale = (attributes: Attributes): boolean =>
  textOf(attributes.get("CLASS")) === "DIMENSION_SCALE";

/** Whether a dataset is a dimension only, not a variable. */
export const isBareDimension = (attributes: Attributes): boolean =>
  isScale(attributes) && textOf(attributes.get("NAME")).startsWith(bareDimension);

/** Whether an object has the attributes of NetCDF-4. */
export const hasNetcdfMarks = (attributes: Attributes): boolean =>
  ["_NCProperties", "_Netcdf4Dimid", "_Netcdf4Coordinates", "DIMENSION_LIST", "_nc3_strict"].some((name) =>
    attributes.has(name),
  ) || isScale(attributes);

/** Returns the name of a variable from the name of its link. */
export const variableName = (link: string): string =>
  link.startsWith(otherPrefix) ? link.slice(otherPrefix.length) : link;

/** Returns the name of the attribute NAME of a scale; undefined without one of use. */
function scaleName(attributes: Attributes): string | undefined {
  const name = textOf(attributes.get("NAME"));
  return name === "" || name.startsWith(bareDimension) ? undefined : name;
}

/** Returns the text of an attribute that is one string of fixed length; "" for others. */
function textOf(attribute: Attribute | undefined): string {
  if (attribute?.type.kind !== "string") return "";
  return fixedText(attribute.bytes.subarray(0, attribute.type.size), attribute.type.padding);
}

/** Returns the addresses of the first scale of each dimension, by DIMENSION_LIST. */
export async function scaleAddresses(
  file: HdfFile,
  attributes: Attributes,
): Promise<(number | undefined)[] | undefined> {
  const list = attributes.get("DIMENSION_LIST");
  if (list?.type.kind !== "variable" || list.type.base.kind !== "reference") return undefined;
  const addresses: (number | undefined)[] = [];
  const cursor = new Cursor(list.bytes, "a list of dimensions");
  while (cursor.left >= list.type.size) {
    const { length, object } = readVariable(file, cursor);
    const reference = new Cursor(await object, "a reference to a dimension");
    const isFound = length > 0 && reference.left >= file.offsetBytes;
    addresses.push(isFound ? file.address(reference) : undefined);
  }
  return addresses;
}

/** A dimension of a dataset. */
interface Use {
  readonly address: number;
  readonly axis: number;
}

/** Returns the dimensions that a scale is attached to, by REFERENCE_LIST. */
export function scaleUses(file: HdfFile, attributes: Attributes): Use[] {
  const list = attributes.get("REFERENCE_LIST");
  const [dataset, index] = list?.type.kind === "compound" ? list.type.members : [];
  if (!list || dataset?.type.kind !== "reference" || index?.type.kind !== "integer") return [];
  const uses: Use[] = [];
  for (let at = 0; at + list.type.size <= list.bytes.byteLength; at += list.type.size) {
    const cursor = new Cursor(list.bytes, "a reference to a dataset", index.type.isLittle, at + index.offset);
    const axis = cursor.uint(Math.min(index.type.size, 4));
    const address = file.address(new Cursor(list.bytes, cursor.what, true, at + dataset.offset));
    if (address !== undefined) uses.push({ address, axis });
  }
  return uses;
}

/** Returns the values of an attribute of integers of 32 bits; none for others. */
export function numbersOf(attributes: Attributes, name: string): number[] {
  const { type, bytes } = attributes.get(name) ?? {};
  if (!bytes || type?.kind !== "integer" || type.size !== 4) return [];
  const cursor = new Cursor(bytes, "the numbers of dimensions", type.isLittle);
  return Array.from({ length: Math.floor(bytes.byteLength / 4) }, () => cursor.i32());
}

/** Returns the link name of a variable that is not the coordinate of the dimension of its name. */
export const otherName = (name: string): string => otherPrefix + name;

/** The file of a dataset. */
export interface Surroundings {
  readonly reader: MessageReader;
  /** Whether the file was written as NetCDF-4. */
  readonly isNetcdf: boolean;
  /** Returns the length of the unlimited dimension whose scale is at an address. */
  dimensionLength(address: number): Promise<number>;
}

/** A group whose members may be scales. */
export interface ScaleGroup {
  readonly parent: ScaleGroup | undefined;
  /** Returns the name of the member at an address; undefined if there is none. */
  nameAt(address: number): Promise<string | undefined>;
  /** Returns the name of the scale with a number. */
  nameOfDimension(id: number): Promise<string | undefined>;
}

/** A dataset whose dimensions are named. */
interface Named {
  readonly objects: Surroundings;
  readonly name: string;
  readonly parent: ScaleGroup | undefined;
  ownAttributes(): Promise<Attributes>;
}

/**
 * Returns the names of the dimensions of a dataset: of the scales attached to them, of the dataset itself if it is a
 * scale, or their labels. Undefined if no dimension has a name.
 */
export async function dimensionNames(dataset: Named, rank: number): Promise<(string | null)[] | undefined> {
  const names = await ownNames(dataset, rank);
  return names.some((name) => name !== null)
    ? Array.from({ length: rank }, (_, axis) => names[axis] ?? null)
    : undefined;
}

async function ownNames(dataset: Named, rank: number): Promise<(string | null)[]> {
  const { file } = dataset.objects.reader;
  const attributes = await dataset.ownAttributes();
  const labels = await dimensionLabels(file, attributes);
  const addresses = await scaleAddresses(file, attributes);
  if (addresses) {
    const names: (string | null)[] = [];
    for (let axis = 0; axis < rank; axis++)
      names.push((await nameOfScale(dataset, addresses[axis])) ?? labels[axis] ?? null);
    return names;
  }
  if (!isScale(attributes)) return labels;
  const ids = numbersOf(attributes, "_Netcdf4Coordinates");
  if (rank === 1 && ids.length !== 1) return [dataset.name];
  const names: (string | null)[] = [];
  for (const id of ids) names.push((await inGroups(dataset, (group) => group.nameOfDimension(id))) ?? null);
  return names.length === 0 && rank > 0 ? [dataset.name] : names;
}

/** Returns the name of the scale at an address: of its link in the groups above, else its attribute NAME. */
async function nameOfScale(dataset: Named, address: number | undefined): Promise<string | undefined> {
  if (address === undefined) return undefined;
  const name = await inGroups(dataset, (group) => group.nameAt(address));
  return name ?? scaleName(await attributesAt(dataset.objects.reader, address));
}

/** Returns the first result of the groups from the parent up. */
async function inGroups(
  { parent }: Named,
  find: (group: ScaleGroup) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (let group = parent; group; group = group.parent) {
    const found = await find(group);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the labels of dimensions that HDF5 programs set without scales; null for empty ones. */
async function dimensionLabels(file: HdfFile, attributes: Attributes): Promise<(string | null)[]> {
  const labels = attributes.get("DIMENSION_LABELS");
  const isText = labels?.type.kind === "string" || (labels?.type.kind === "variable" && labels.type.isString);
  if (!labels || !isText) return [];
  const count = labels.space.shape?.[0] ?? 0;
  const values = await new ValueReader(file).list(labels.type, labels.bytes, count);
  return values.map((value) => (typeof value === "string" && value !== "" ? value : null));
}
