/** Arrays that are made from metadata in zarrita's form instead of from what lies in the store. */

import type { ZarrArray } from "../../hierarchy/array.js";
import { openPlain } from "../../hierarchy/open.js";
import { putInFront, writingMethods } from "../../store/handle.js";
import { normalizePath } from "../../store/path.js";
import { locateKey } from "../../store/read.js";
import { joinKey, type Store } from "../../store/store.js";
import { textEncoder } from "../../util/platform.js";
import { InvalidMetadataError } from "./errors.js";
import { withOwnCodecs } from "./registry.js";
import type { AbsolutePath, ArrayMetadata, Attributes, CodecMetadata, DataType, Readable } from "./types.js";

/** What is known of an array, and this library's array, which is made when it is first read from. */
export interface ArraySource {
  readonly shape: readonly number[];
  readonly chunkShape: readonly number[];
  readonly attributes: Attributes;
  readonly dimensionNames: readonly (string | null)[] | undefined;
  readonly dtype: string;
  readonly fillValue: unknown;
  load(): Promise<ZarrArray>;
}

/** What such an array is: its metadata is parsed when the array is first read. @throws InvalidMetadataError. */
export function metadataSource(
  store: Readable,
  path: AbsolutePath,
  metadata: ArrayMetadata<DataType>,
): ArraySource {
  if (typeof metadata !== "object" || metadata === null || !Array.isArray(metadata.shape))
    throw new InvalidMetadataError("the metadata of an array must be an object with a shape");
  let loading: Promise<ZarrArray> | undefined;
  return {
    shape: metadata.shape,
    chunkShape: chunkShapeOf(metadata),
    attributes: metadata.attributes,
    dimensionNames: metadata.dimension_names,
    dtype: metadata.data_type,
    fillValue: fillValueOf(metadata),
    load() {
      loading ??= load(store, path, metadata).catch((error: unknown) => {
        loading = undefined; // what could not be loaded may be there the next time
        throw error;
      });
      return loading;
    },
  };
}

/** Opens the array as if the metadata lay in the store. */
async function load(
  store: Readable,
  path: AbsolutePath,
  metadata: ArrayMetadata<DataType>,
): Promise<ZarrArray> {
  const key = joinKey(normalizePath(path), "zarr.json");
  const document = textEncoder().encode(textOf(metadata));
  const { getRange } = store;
  const readable = store as Store;
  const overlaid: Store = {
    ...writingMethods(readable),
    get: (asked, options) => (asked === key ? document : readable.get(asked, options)),
    ...(getRange && { getRange: (...args) => readable.getRange!(...args) }),
    locate: (asked) => locateKey(readable, asked),
  };
  return openPlain(await withOwnCodecs(putInFront(overlaid, readable)), { path, version: 3, kind: "array" });
}

/** Shape of the chunks that are decoded: those inside shards, where there are shards. */
function chunkShapeOf({ codecs, chunk_grid: grid }: ArrayMetadata<DataType>): readonly number[] {
  const list: readonly (CodecMetadata | null)[] = Array.isArray(codecs) ? codecs : [];
  const sharding = list.find((codec) => codec?.name === "sharding_indexed");
  const shape = sharding?.configuration?.["chunk_shape"] ?? grid?.configuration?.chunk_shape;
  if (Array.isArray(shape)) return shape as number[];
  throw new InvalidMetadataError("the metadata has no shape of chunks");
}

function fillValueOf({ data_type: dtype, fill_value: fill }: ArrayMetadata<DataType>): unknown {
  if (fill === null || fill === undefined) return null;
  if (dtype === "int64" || dtype === "uint64") return BigInt(fill as bigint);
  const special = { NaN: Number.NaN, Infinity: Number.POSITIVE_INFINITY, "-Infinity": -Infinity };
  const isFloat = /^float/.test(dtype);
  return isFloat && typeof fill === "string" && fill in special ? special[fill as "NaN"] : fill;
}

/** The metadata as a v3 document: JSON's numbers with all digits, data types by their names in v3. */
function textOf(metadata: ArrayMetadata<DataType>): string {
  const document = {
    ...metadata,
    data_type: dataTypeOf(metadata.data_type),
    fill_value: metadata.fill_value ?? null,
    attributes: {},
  };
  return textOfValue(document);
}

/** JSON, with bigints as integers and what is no finite number as the string that v3 has for it. */
function textOfValue(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return JSON.stringify(String(value));
  if (Array.isArray(value)) return `[${value.map(textOfValue).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${textOfValue(field)}`).join(",")}}`;
}

/** zarrita has names of its own for strings of fixed length, which it reads from v2 alone. */
export function dataTypeOf(name: string): unknown {
  const text = /^v2:([US])(\d+)$/.exec(name);
  if (!text) return name;
  const isUnicode = text[1] === "U";
  const length = Number(text[2]) * (isUnicode ? 4 : 1);
  return {
    name: isUnicode ? "fixed_length_utf32" : "null_terminated_bytes",
    configuration: { length_bytes: length },
  };
}
