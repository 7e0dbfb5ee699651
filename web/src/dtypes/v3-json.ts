/** Formats data types as Zarr v3 metadata, by registered names if there are any: the counterpart of v3.ts. */
import { unsupported } from "../util/errors.js";
import type { DType } from "./dtype.js";

export type DataTypeJson = string | { name: string; configuration: { [option: string]: unknown } };

/**
 * Returns the name, or name and configuration, that parseDataType parses as this type.
 * @throws Unsupported for objects and for subarrays in structured types, which Zarr v3 does not have.
 */
export function dataTypeJson(dtype: DType): DataTypeJson {
  const { name, core, itemBytes, unit, scaleFactor, fields } = dtype;
  if (name === "object") {
    throw unsupported("Zarr v3 has no data type for objects of any kind", { code: "object-dtype" });
  }
  if (fields) return { name, configuration: { fields: fields.map(fieldJson) } };
  if (unit !== undefined) return { name, configuration: { unit, scale_factor: scaleFactor } };
  const isFixedString = core === "fixed_bytes" || core === "fixed_utf32";
  return isFixedString ? { name, configuration: { length_bytes: itemBytes } } : name;
}

function fieldJson({ name, dtype, shape }: NonNullable<DType["fields"]>[number]): object {
  if (shape.length > 0) {
    throw unsupported(`Zarr v3 has no subarrays in structured types (field "${name}")`, {
      code: "unknown-dtype",
    });
  }
  return { name, data_type: dataTypeJson(dtype) };
}
