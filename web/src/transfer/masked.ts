/**
 * Carries the mask of xarray over in copies between Zarr v2 and v3. In v2 xarray masks an array's fill value; in v3 the
 * attribute `_FillValue`, which holds floats as base64 of a little-endian float64.
 */

import type { ZarrVersion } from "../codecs/definition.js";
import type { DType } from "../dtypes/dtype.js";
import { printFill } from "../dtypes/fill-print.js";
import type { FillValue } from "../dtypes/fill-value.js";
import { parseScalar } from "../dtypes/parse-scalar.js";
import { readScalar } from "../dtypes/scalar.js";
import type { CreateLikeOptions } from "../edit/options.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { type ArrayMetadata, attributesIn, attributesKey, readMetadata } from "../metadata/model.js";
import { toJson, withEntries } from "../metadata/print.js";
import type { ArraySpec } from "../metadata/spec.js";
import { ownProperty } from "../util/arguments.js";
import { decodeBase64, encodeBase64 } from "../util/bytes.js";
import { type Json, showJson } from "../util/json.js";

const attributeName = "_FillValue";
/** The older attribute for the same purpose, which xarray reads for strings as well. */
const olderName = "missing_value";

/** Changes with which xarray masks the same elements in the copy. */
export interface Masked {
  /** The copy's fill value, null for none. Default: the source's. */
  readonly fillValue?: CreateLikeOptions["fillValue"];
  /** Attributes to set; undefined removes one. */
  readonly attributes?: readonly (readonly [name: string, value: Json | undefined])[];
  readonly notes: readonly string[];
}

/**
 * Returns the changes for an array of an xarray dataset: one all of whose dimensions are named, outside OME-Zarr images,
 * whose readers mask nothing.
 * @param fillValue the option `fill`, which wins; undefined without that option.
 */
export function maskedIn(
  { zarrFormat, spec }: ArrayMetadata,
  version: ZarrVersion,
  isInImage: boolean,
  fillValue: Masked["fillValue"],
): Masked {
  const isFromV2 = zarrFormat === 2 && version === 3 && spec.dimensionNames !== undefined;
  const isFromV3 = zarrFormat === 3 && version === 2 && isNamed(spec) && !isInImage;
  if (isFromV2) return { fillValue, ...inV3(spec) };
  return isFromV3 ? inV2(spec, fillValue) : { fillValue, notes: [] };
}

const isNamed = ({ dimensionNames, shape }: ArraySpec): boolean =>
  shape.length === 0 || (dimensionNames?.every((name) => name !== null) ?? false);

function inV3({ dtype, fill, attributes }: ArraySpec): Masked {
  const given = ownProperty(attributes, attributeName);
  const masked = fill.value === null ? given !== undefined && scalarOf(dtype, given) : fill;
  if (masked === false) return { notes: [] };
  const attribute = masked && attributeOf(dtype, masked);
  const changes = [[attributeName, attribute]] as const;
  if (attribute !== undefined || (masked && isNothing(dtype, masked)))
    return { attributes: changes, notes: [] };
  const isText = typeof masked?.value === "string" && ownProperty(attributes, olderName) === undefined;
  if (isText) return { attributes: [...changes, [olderName, masked.value as string]], notes: [] };
  const value = masked ? textOf(dtype, masked) : "the attribute's value";
  const note = `xarray masks ${value} in Zarr v2 but not in v3, whose attribute "${attributeName}" it cannot read for data type ${dtype}`;
  return { attributes: changes, notes: [note] };
}

function inV2({ dtype, fill, attributes }: ArraySpec, asked: Masked["fillValue"]): Masked {
  const given = ownProperty(attributes, attributeName);
  const masked = given === undefined ? undefined : scalarOf(dtype, decoded(dtype, given));
  if (masked) return masking(dtype, masked, fill, asked);
  if (asked !== undefined || (given === undefined && isNothing(dtype, fill)))
    return { fillValue: asked, notes: [] };
  const note =
    "the fill value becomes null and missing chunks are stored, because xarray masks fill values in Zarr v2; pass `fill` to set one";
  return { fillValue: null, notes: [note] };
}

/** Makes the masked value the fill value of Zarr v2, unless the option `fill` names another one. */
function masking(dtype: DType, masked: FillValue, fill: FillValue, asked: Masked["fillValue"]): Masked {
  const wanted = asked === undefined ? fill : scalarOf(dtype, asked);
  const isSame = wanted && textOf(dtype, wanted) === textOf(dtype, masked);
  const value = textOf(dtype, masked);
  const note =
    asked === undefined
      ? `the fill value ${textOf(dtype, fill)} becomes ${value}, which xarray masks, and missing chunks are stored`
      : `xarray masks the fill value instead of ${value}, because Zarr v2 has one value for both`;
  const notes = isSame ? [] : [note];
  return {
    fillValue: asked === undefined ? masked.value : asked,
    attributes: [[attributeName, undefined]],
    notes,
  };
}

/** Parses a plain value as an element; undefined if the data type has no such element. */
function scalarOf(dtype: DType, value: unknown): FillValue | undefined {
  try {
    const scalar = parseScalar(dtype, value);
    return scalar.value === null ? undefined : scalar;
  } catch {
    return undefined;
  }
}

/** Decodes an attribute of Zarr v3. Floats may be plain numbers, which xarray refuses. */
function decoded({ core, name }: DType, given: unknown): unknown {
  if (/^float(16|32|64)$/.test(core)) return floatIn(given);
  if (core.startsWith("complex") && Array.isArray(given)) return given.map(floatIn);
  return name === "bytes" && typeof given === "string" ? decodeBase64(given) : given;
}

function floatIn(given: unknown): unknown {
  const bytes = typeof given === "string" ? decodeBase64(given, 8) : undefined;
  return bytes?.byteLength === 8 ? new DataView(bytes.buffer).getFloat64(0, true) : given;
}

/** Encodes an attribute of Zarr v3; undefined for data types with which xarray fails to open the dataset. */
function attributeOf(dtype: DType, { item }: FillValue): Json | undefined {
  if (dtype.isVariable || dtype.fields) return undefined;
  const scalar = readScalar(dtype, item, 0);
  if (/^(bool|u?int(8|16|32|64))$/.test(dtype.core)) return toJson(scalar, attributeName);
  if (/^float(16|32|64)$/.test(dtype.core)) return floatText(scalar as number);
  return /^complex(64|128)$/.test(dtype.core) ? (scalar as number[]).map(floatText) : undefined;
}

function floatText(value: number): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return encodeBase64(bytes);
}

/** Whether masking a value has no effect: NaN and NaT are missing values already. */
function isNothing(dtype: DType, { item }: FillValue): boolean {
  if (/^(datetime|timedelta)64$/.test(dtype.core)) return readScalar(dtype, item, 0) === -(2n ** 63n);
  if (!/^(float|complex)/.test(dtype.core)) return false;
  return [readScalar(dtype, item, 0)].flat().some(Number.isNaN);
}

const textOf = (dtype: DType, fill: FillValue): string => showJson(printFill(dtype, fill, 3, "little"));

/** Returns an array's metadata with changed attributes. */
export async function withAttributesOf(
  metadata: ArrayMetadata,
  { attributes: changes = [] }: Masked,
  options: { readonly limits: ZarrArray["limits"] },
): Promise<ArrayMetadata> {
  const { zarrFormat, documents } = metadata;
  const key = attributesKey[zarrFormat];
  const document = documents.get(key);
  if (!document || changes.length === 0) return metadata;
  const attributes = withEntries(attributesIn(document, zarrFormat), changes);
  const changed = zarrFormat === 3 ? withEntries(document, [["attributes", attributes]]) : attributes;
  return (await readMetadata(new Map(documents).set(key, changed), options)) as ArrayMetadata;
}
