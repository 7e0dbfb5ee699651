/** Every data type of the library, with its names in each Zarr version and a few elements for testing codecs. */
import { DType } from "zarr-wasm";
import { numpyDescr } from "zarr-wasm/formats";
import { type SimpleType, simpleTypes } from "#src/dtypes/dtype.js";
import { coreTypes } from "#src/dtypes/table.js";

export interface TriedType {
  /** Its name in the tables. */
  label: string;
  dtype: DType;
  /** `dtype` of Zarr v1 and v2, little-endian; undefined if NumPy lacks the type. */
  numpy: unknown;
  /** `data_type` of Zarr v3; undefined if it has none. */
  v3: unknown;
}

/** Number of elements of every tested chunk: 2 × 3. */
export const shape = [2, 3];
const count = 6;

const configured = (name: string, configuration: object) => ({ name, configuration });
const struct = DType.struct([
  { name: "a", dtype: DType.simple("uint8") },
  { name: "b", dtype: DType.simple("int16") },
]);
const structV3 = configured("struct", {
  fields: [
    { name: "a", data_type: "uint8" },
    { name: "b", data_type: "int16" },
  ],
});

/** NumPy's own names; numpyDescr describes other types as raw bytes. */
function numpyName(dtype: DType): unknown {
  const descr = numpyDescr(dtype);
  return typeof descr === "string" && /V\d+$/.test(descr) && dtype.core !== "raw" ? undefined : descr;
}

const simple = (name: SimpleType): TriedType => {
  const dtype = DType.simple(name);
  return { label: name, dtype, numpy: numpyName(dtype), v3: name };
};
const time = (core: "datetime64" | "timedelta64"): TriedType => {
  const dtype = DType.time(core, "s");
  return {
    label: core,
    dtype,
    numpy: numpyName(dtype),
    v3: configured(`numpy.${core}`, { unit: "s", scale_factor: 1 }),
  };
};
const fixed = (label: string, dtype: DType, v3: unknown): TriedType => ({
  label,
  dtype,
  numpy: numpyName(dtype),
  v3,
});

export const triedTypes: readonly TriedType[] = [
  ...simpleTypes.map((name) => simple(name)),
  time("datetime64"),
  time("timedelta64"),
  fixed("raw bytes", DType.raw(3), "r24"),
  fixed("byte strings", DType.fixedBytes(3), configured("null_terminated_bytes", { length_bytes: 3 })),
  fixed("unicode strings", DType.fixedUtf32(2), configured("fixed_length_utf32", { length_bytes: 8 })),
  fixed("structs", struct, structV3),
  { label: "string", dtype: DType.variable("string"), numpy: "|O", v3: "string" },
  { label: "bytes", dtype: DType.variable("bytes"), numpy: "|O", v3: "bytes" },
  { label: "objects", dtype: DType.variable("object"), numpy: "|O", v3: undefined },
];

/** Core types without a tested type: none, or the list above is incomplete. */
export const untried = coreTypes.filter(({ core }) => !triedTypes.some(({ dtype }) => dtype.core === core));

/** Columns of the tables, and the types of each. */
export const columns: readonly [title: string, of: (type: TriedType) => boolean][] = [
  ["bool", ({ label }) => label === "bool"],
  ["integers", ({ label }) => /^u?int(8|16|32|64)$/.test(label)],
  ["integers of 2, 4 bits", ({ label }) => /^u?int[24]$/.test(label)],
  ["float16, 32, 64", ({ label }) => /^float(16|32|64)$/.test(label)],
  ["bfloat16, float8, 6, 4", ({ label }) => /^(bfloat16|float[468]_.*)$/.test(label)],
  ["complex64, 128", ({ label }) => /^complex\d+$/.test(label)],
  ["smaller complex", ({ label }) => /^complex_/.test(label)],
  ["times", ({ label }) => /64$/.test(label) && /^(date|time)/.test(label)],
  ["raw bytes", ({ label }) => label === "raw bytes"],
  ["fixed strings", ({ label }) => / strings$/.test(label)],
  ["structs", ({ label }) => label === "structs"],
  ["string", ({ label }) => label === "string"],
  ["bytes", ({ label }) => label === "bytes"],
  ["objects", ({ label }) => label === "objects"],
];

/** Six elements of a type of fixed size, packed and little-endian: small numbers, short strings. */
export function elementsOf({ dtype }: TriedType): Uint8Array {
  const bytes = new Uint8Array(count * dtype.itemBytes);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i++) writeElement(view, i * dtype.itemBytes, dtype, i);
  return bytes;
}

function writeElement(view: DataView, at: number, dtype: DType, i: number): void {
  const { core, itemBytes } = dtype;
  if (core === "bool") view.setUint8(at, i & 1);
  else if (core === "float32") view.setFloat32(at, i + 0.3, true);
  else if (core === "float64") view.setFloat64(at, i + 0.3, true);
  else if (core === "complex64") for (const k of [0, 4]) view.setFloat32(at + k, i + k + 0.3, true);
  else if (core === "complex128") for (const k of [0, 8]) view.setFloat64(at + k, i + k + 0.3, true);
  else if (core === "fixed_utf32") for (const k of [0, 4]) view.setUint32(at + k, 97 + i + k, true);
  else if (core === "fixed_bytes" || core === "raw")
    for (let k = 0; k < itemBytes; k++) view.setUint8(at + k, 97 + i + k);
  else if (/float(16|32|64)$/.test(core))
    // float16, bfloat16 and their complex forms: 1 and a bit
    for (let k = 0; k < itemBytes; k += 2)
      view.setUint16(at + k, (core.includes("bf") ? 0x3f80 : 0x3c00) + i, true);
  else {
    const small = /^int2$/.test(core) ? i % 2 : i % 4;
    for (let k = 0; k < itemBytes; k++) view.setUint8(at + k, k === 0 || core.includes("float") ? small : 0);
  }
}

/** Six values of a type of variable length. */
export function valuesOf({ label }: TriedType): unknown[] {
  if (label === "string") return ["", "a", "bc", "a", "€", "bc"];
  if (label === "bytes") return [0, 1, 2, 3, 4, 5].map((length) => new Uint8Array(length).fill(length));
  return [1, "two", [3], { four: 4 }, null, true];
}
