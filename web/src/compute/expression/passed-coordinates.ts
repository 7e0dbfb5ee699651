/** Coordinates of operands as arrays beside a virtual array, in one chunk each. */

import { frameItems } from "../../codecs/vlen-codec.js";
import { arrayBeside } from "../../conventions/shared/beside.js";
import { dimensionsOf } from "../../conventions/xarray/xarray.js";
import { type Elements, isConverted } from "../../dtypes/elements.js";
import { arrayDocument, bytesCodec, groupDocument, named, zeroFill } from "../../formats/file/documents.js";
import type { ZarrArray } from "../../hierarchy/array.js";
import { get } from "../../hierarchy/get.js";
import { attributesJson, jsonObject, withEntries } from "../../metadata/print.js";
import { asString, ownProperty } from "../../util/arguments.js";
import type { JsonObject } from "../../util/json.js";
import { textEncoder } from "../../util/platform.js";
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

/** Numbers of whole bytes, times and strings. */
const isPassed = ({ dtype, shape }: ZarrArray) =>
  !shape.includes(0) &&
  (dtype.name === "string" ||
    /^(bool|u?int(8|16|32|64)|float(32|64)|(datetime|timedelta)64|fixed_(utf32|bytes))$/.test(dtype.core)) &&
  !isConverted(dtype);

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
  const { core, isVariable, itemBytes, name, scaleFactor: scale_factor, unit } = dtype;
  const isText = isVariable || core.startsWith("fixed_");
  const options = isText && !isVariable ? { length_bytes: itemBytes } : unit && { unit, scale_factor };
  return arrayDocument({
    shape,
    dataType: options ? named(name, options) : name,
    chunks: shape,
    fillValue: isText ? "" : zeroFill(name),
    codecs: [isVariable ? named("vlen-utf8") : bytesCodec(true, core === "fixed_bytes" ? 1 : itemBytes)],
    dimensionNames: dimensionsOf(array),
    attributes: attributesJson(attributes),
  });
}

/** Reads an array as its only chunk. */
export async function bytesOf(array: ZarrArray, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const { data } = await get<Elements>(array as never, null, { signal });
  if (!ArrayBuffer.isView(data)) {
    const encoder = textEncoder();
    const texts = data.map((text) => encoder.encode(String(text ?? "")));
    return frameItems("vlen-utf8", texts);
  }
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
