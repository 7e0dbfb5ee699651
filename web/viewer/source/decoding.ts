/** Decodes stored values by their CF attributes, with the library. */

import { DType, type ElementData, isZarrError, type Region, type ZarrArray } from "zarr-wasm";
import { type CFInput, type CFOptions, decodeCF } from "zarr-wasm/conventions";
import { text } from "../language/text.js";
import { own } from "./attributes.js";
import type { Dataset } from "./dataset.js";
import { isTime } from "./leaf.js";

export type Decoding = Pick<
  Dataset,
  "decode" | "decodedKind" | "label" | "unit" | "problems" | "actualRange"
>;

/** How an array's values are decoded. Never throws: failures are reported in `problems`. */
export function findDecoding(array: ZarrArray): Omit<Decoding, "label"> {
  const sample = sampleValues(array);
  if (!sample) return {};
  const { options, problems } = optionsFor(array, sample);
  if (!options) return { problems, actualRange: undefined };
  const { kind } = decodeCF(array, sample, options);
  if (kind === "stored") return { problems };
  if (kind === "booleans") return { problems, actualRange: undefined };
  const decode = (stored: Region) => decoded(array, stored, options);
  const found = { problems, decodedKind: kind, decode };
  return kind === "milliseconds" ? { ...found, unit: undefined, actualRange: undefined } : found;
}

function decoded(array: ZarrArray, stored: Region, options: CFOptions): Region {
  const { data, shape, stride } = decodeCF(array, stored, options);
  const numbers = data as ElementData;
  return { data: numbers, shape, stride, dtype: decodedType(numbers) };
}

/** The data type of decoded numbers. */
function decodedType(data: ElementData): DType {
  if (data instanceof Float32Array) return DType.simple("float32");
  if (data instanceof Float64Array) return DType.simple("float64");
  const name = data.constructor.name.replace(/^Big|Array$/g, "").toLowerCase();
  return DType.simple(name as "int16");
}

/**
 * The options for decoding an array; empty if its attributes are invalid. Values in calendars without real
 * days stay counts. Fill values of Zarr v2 are missing values only if xarray wrote them as such.
 */
function optionsFor(
  array: ZarrArray,
  sample: CFInput,
): { options?: CFOptions; problems?: readonly string[] } {
  const isXarray = own(array.attributes, "_ARRAY_DIMENSIONS") !== undefined;
  const plain: CFOptions = { validRange: true, ...(isXarray ? {} : { fillValueIsMissing: false }) };
  const problems: string[] = [];
  for (const options of [plain, { ...plain, times: "counts" as const }, { ...plain, validRange: false }]) {
    try {
      decodeCF(array, sample, options);
      return problems.length > 0 ? { options, problems: problems.slice(0, 1) } : { options };
    } catch (error) {
      if (!isZarrError(error)) throw error;
      problems.push(`${error.message[0]!.toUpperCase()}${error.message.slice(1)}.`);
    }
  }
  return { problems: [text.sources.asStored(problems[0]!)] };
}

const sampleArrays: Readonly<Record<string, new (length: number) => ElementData>> = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Float32Array,
  bfloat16: Float32Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** One element of an array's type, to find out how it is decoded; undefined if it is not. */
function sampleValues({ dtype }: ZarrArray): CFInput | undefined {
  const Kind = isTime(dtype) ? undefined : sampleArrays[dtype.core];
  return Kind && { data: new Kind(1), shape: [1], stride: [1] };
}
