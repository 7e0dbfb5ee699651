/** Coordinates of operands as arrays beside a virtual array, in one chunk each. */

import { isReal } from "../../conventions/xarray/cf.js";
import { arrayBeside } from "../../conventions/shared/beside.js";
import { dimensionsOf } from "../../conventions/xarray/xarray.js";
import type { ElementData } from "../../dtypes/elements.js";
import { arrayDocument, bytesCodec, groupDocument, zeroFill } from "../../formats/file/documents.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { attributesJson, jsonObject, withEntries } from "../../metadata/print.js";
import { asString, ownProperty } from "../../util/arguments.js";
import type { JsonObject } from "../../util/json.js";
import type { Layout } from "./layout.js";

/** Name of the virtual array in its group. */
export const ownName = "values";

/** An array of an operand's group; bounds are no coordinates. */
export interface Passed {
  readonly array: ZarrArray;
  readonly isBounds: boolean;
}

/** Returns the coordinates of the operands by name; of several with a name, the first operand's. */
export async function passedCoordinates({ names, inputs }: Layout): Promise<ReadonlyMap<string, Passed>> {
  const passed = new Map<string, Passed>();
  const add = (name: string, array: ZarrArray, isBounds: boolean) => {
    if (name !== ownName && !passed.has(name) && isPassed(array)) passed.set(name, { array, isBounds });
  };
  if (!names) return passed;
  const found = await Promise.all(inputs.map(async ({ source }) => (await source.coordinates?.()) ?? []));
  for (const { name, array } of found.flat()) add(name, array, false);
  for (const { array } of [...passed.values()]) {
    const name = asString(ownProperty(array.attributes, "bounds"));
    const bounds = name === undefined ? undefined : await arrayBeside(array, name, undefined);
    if (bounds) add(name!, bounds, true);
  }
  return passed;
}

/** Numbers of at most 64 bits. */
const isPassed = (array: ZarrArray) =>
  isReal(array) && /^u?int(8|16|32|64)$|^float(32|64)$/.test(array.dtype.name) && !array.shape.includes(0);

/** Returns the documents of a group with a virtual array by path; that of the group has all others, too. */
export function groupDocuments(
  own: JsonObject,
  passed: ReadonlyMap<string, Passed>,
): (readonly [path: string, document: JsonObject])[] {
  const coordinates = [...passed].filter(([, { isBounds }]) => !isBounds).map(([name]) => name);
  const members = [
    [ownName, own] as const,
    ...[...passed].map(([n, { array }]) => [n, document(array)] as const),
  ];
  const consolidated = jsonObject([
    ["kind", "inline"],
    ["must_understand", false],
    ["metadata", jsonObject(members)],
  ]);
  const group = groupDocument(attributesJson({ coordinates: coordinates.join(" ") }));
  return [
    ["", withEntries(group, [["consolidated_metadata", consolidated]])],
    ...members.map(([name, member]) => [`/${name}`, member] as const),
  ];
}

function document(array: ZarrArray): JsonObject {
  const { attributes, dtype, shape } = array;
  return arrayDocument({
    shape,
    dataType: dtype.name,
    chunks: shape,
    fillValue: zeroFill(dtype.name),
    codecs: [bytesCodec(true, /8$/.test(dtype.name) ? 1 : 8)],
    dimensionNames: dimensionsOf(array),
    attributes: attributesJson(attributes),
  });
}

export async function bytesOf(array: ZarrArray, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const { buffer, byteOffset, byteLength } = (await get(array, null, { signal })).data as ElementData &
    Uint8Array;
  return new Uint8Array(buffer, byteOffset, byteLength);
}
