/** Converts metadata between Zarr versions. */

import { type ResolvedChain, resolveChain } from "../chain/chain.js";
import type { ZarrVersion } from "../codecs/definition.js";
import { loadEveryCodec } from "../codecs/lookup.js";
import { componentsOf } from "../dtypes/dtype.js";
import type { FillValue } from "../dtypes/fill-value.js";
import { unsupported, type ZarrError } from "../util/errors.js";
import { type JsonObject, showJson } from "../util/json.js";
import { asObject, member, v3Key } from "./document.js";
import {
  type ArrayMetadata,
  attributesIn,
  attributesKey,
  type MetadataOptions,
  mainDocument,
  type NodeMetadata,
  readMetadata,
} from "./model.js";
import { arrayDocuments, dimensionsAttribute, groupDocuments, type NewArray } from "./new-array.js";
import { withEntries } from "./print.js";
import type { ArraySpec } from "./spec.js";
import { xarrayDimensionNames } from "./v2.js";

/** Describes an array independently of its Zarr version, as a template for new arrays. */
export function describeArray({ zarrFormat, documents, spec }: ArrayMetadata): NewArray {
  const { shape, dtype, codecs, fill } = spec;
  const { object } = mainDocument(documents);
  const attributes = attributesIn(documents.get(attributesKey[zarrFormat]), zarrFormat);
  const dimensions = splitDimensions(spec, attributes);
  return {
    shape,
    grid: chunkGrid(spec, object),
    dtype,
    descr: zarrFormat < 3 && hasMixedEndian(spec) ? member(object, "dtype") : undefined,
    fill,
    codecs,
    codecVersion: zarrFormat,
    attributes: dimensions.attributes,
    dimensionNames: dimensions.names,
    keys: spec.keys,
  };
}

/**
 * Converts a node's metadata to another version; unchanged if it has that version already.
 *
 * Chunk keys keep their separator (other encodings of v3 become plain ones in v1 and v2) and do not change
 * from v2 to v3, so chunks of plain arrays need not be rewritten. Dimension names become xarray's
 * `_ARRAY_DIMENSIONS` in v1 and v2; an undefined fill value becomes zero in v3.
 * @param changes properties that override the node's.
 * @throws Unsupported, naming the feature that the version lacks.
 */
export async function convertMetadata(
  metadata: NodeMetadata,
  version: ZarrVersion,
  options: MetadataOptions,
  changes: Partial<NewArray> = {},
): Promise<NodeMetadata> {
  const isSame = metadata.zarrFormat === version && Object.keys(changes).length === 0;
  if (isSame && saysItsOrder(metadata)) return metadata;
  if (metadata.kind === "array")
    return makeArrayMetadata({ ...describeArray(metadata), ...changes }, version, options);
  const { documents, zarrFormat } = metadata;
  const attributes = attributesIn(documents.get(attributesKey[zarrFormat]), zarrFormat);
  return readMetadata(groupDocuments(attributes, version), options);
}

/**
 * Whether the declared order is the stored one. False for v1 arrays of order F that were read in C order, as
 * their writer stored them: they are written with order C.
 */
function saysItsOrder(metadata: NodeMetadata): boolean {
  if (metadata.zarrFormat > 1 || metadata.kind === "group") return true;
  const { documents, spec } = metadata;
  const isF = member(mainDocument(documents).object, "order") === "F" && spec.shape.length > 1;
  return !isF || spec.codecs.some(({ name }) => name === "transpose");
}

/**
 * Creates the metadata of an array by printing it and parsing it back, and checks that the result matches the
 * request.
 * @throws Unsupported, naming the feature that the version lacks; InvalidMetadata, UnknownCodec,
 *   LimitExceeded.
 */
export async function makeArrayMetadata(
  array: NewArray,
  version: ZarrVersion,
  options: MetadataOptions,
): Promise<ArrayMetadata> {
  await loadEveryCodec();
  const documents = arrayDocuments(array, version, options.limits);
  let metadata: ArrayMetadata;
  try {
    metadata = (await readMetadata(documents, options)) as ArrayMetadata;
  } catch (error) {
    throw (error as ZarrError).code === "bad-fill-value" ? cannotHoldFill(documents, version, error) : error;
  }
  const { spec } = metadata;
  if (JSON.stringify(spec.dtype) !== JSON.stringify(array.dtype)) {
    const message = `Zarr v${version} cannot represent data type ${array.dtype} with these codecs; it would be read as ${spec.dtype}`;
    throw unsupported(message, { code: "unsupported-dtype" });
  }
  if (!isSameFill(array.fill, spec.fill, version)) throw cannotHoldFill(documents, version);
  if (!isSameChain(array, spec, options)) {
    throw unsupported(`Zarr v${version} cannot represent this codec chain with its byte orders`, {
      code: "unsupported-codec",
    });
  }
  return metadata;
}

function cannotHoldFill(documents: NodeMetadata["documents"], version: ZarrVersion, cause?: unknown): Error {
  const value = member(mainDocument(documents).object, "fill_value");
  const message = `Zarr v${version} has no form for this fill value: ${showJson(value)} would be read as another`;
  return unsupported(message, { code: "not-in-version", cause });
}

function isSameFill(wanted: FillValue, found: FillValue, version: ZarrVersion): boolean {
  if (wanted.value === null || found.value === null) return wanted.value === found.value || version === 3;
  if (wanted.item.length > 0) return wanted.item.every((byte, i) => byte === found.item[i]);
  return fillText(wanted) === fillText(found);
}

const fillText = ({ value }: FillValue): string =>
  value instanceof Uint8Array
    ? `bytes ${value}`
    : JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));

/** Whether chunks are encoded by the same steps; transposes are compared by their combined axis order. */
function isSameChain(
  { codecs, codecVersion, dtype, grid }: NewArray,
  spec: ArraySpec,
  options: MetadataOptions,
) {
  if ("json" in grid) return true;
  const outline = (list: typeof codecs, version: ZarrVersion): string => {
    const chain = resolveChain(list, { dtype, shape: grid.chunkShape }, { limits: options.limits, version });
    let axes = grid.chunkShape.map((_, axis) => axis);
    const before: unknown[] = [];
    for (const { core, params } of chain.before) {
      if (core === "transpose") axes = params.map((axis) => axes[axis]!);
      else before.push([core, params]);
    }
    return JSON.stringify([axes, before, toBytesOutline(chain), chain.after.map(({ core }) => core)]);
  };
  return outline(codecs, codecVersion) === outline(spec.codecs, spec.zarrFormat);
}

function toBytesOutline({ toBytes, encodedArray: { dtype } }: ResolvedChain): unknown {
  if (toBytes.type === "core") {
    const { core, params } = toBytes.step;
    // Single bytes have no order; ignore the configured one.
    const isBytes = core === "bytes" && componentsOf(dtype).every(({ bytes }) => bytes === 1);
    return [core, isBytes ? [] : params];
  }
  if (toBytes.type === "shards") return [toBytes.sharding.chunkShape, toBytes.sharding.indexLocation];
  return toBytes.name.replace("numcodecs.", "");
}

function chunkGrid({ isRegular, axes }: ArraySpec, object: JsonObject): NewArray["grid"] {
  if (isRegular) return { chunkShape: axes.map((axis) => axis.size(0)) };
  return { json: asObject(member(object, "chunk_grid"), `"chunk_grid" in ${v3Key}`) };
}

const hasMixedEndian = ({ codecs }: ArraySpec): boolean =>
  codecs.some(({ name, configuration }) => name === "bytes" && Array.isArray(configuration?.["endian"]));

/** Returns the dimension names, and the attributes without xarray's attribute for them. */
function splitDimensions(
  { zarrFormat, dimensionNames, shape }: ArraySpec,
  attributes: JsonObject,
): { names: NewArray["dimensionNames"]; attributes: JsonObject } {
  if (zarrFormat === 3) return { names: dimensionNames, attributes };
  const names = xarrayDimensionNames(attributes, shape.length);
  if (!names) return { names, attributes };
  return { names, attributes: withEntries(attributes, [[dimensionsAttribute, undefined]]) };
}
