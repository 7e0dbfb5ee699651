/**
 * Names in the extension registry, and the support of other implementations: taken from their sources at the
 * versions given, to which `links` point. The names in each list are metadata names.
 */

import { expect } from "vitest";
import { get, isZarrError, open, set, type ZarrArray } from "zarr-wasm";
import { dataTypeNames } from "#src/dtypes/v3.js";
import { bytesOf, errorOf } from "./support.js";

/** Lists of names, separated by spaces. "name=text" sets a cell other than "yes". */
interface Lists {
  codecs3: string;
  codecs2: string;
  types: string;
  grids: string;
  keys: string;
}

interface Implementation extends Lists {
  title: string;
  version: string;
  links: readonly string[];
}

/** zarr-extensions at 4da7b37 (2026-07-14), and the specification's core; "#28": a pull request that is not merged. */
export const registry: Lists = {
  codecs3:
    "bitround blosc bytes cast_value conditional crc32c gzip n5_default packbits reshape scale_offset sharding_indexed " +
    "transpose vlen-bytes vlen-utf8 zfp zstd " +
    "lzw=#16 optional=#33 pad=#36 arrow-ipc=#41 n5_varlen=#54 label_multiset=#55 n5_label_multiset=#56 " +
    "singleton_dim=#58 jpeg=#66 " +
    [
      "adler32 astype bitround blosc bz2 crc32 crc32c delta fixedscaleoffset fletcher32 gzip jenkins_lookup3 lz4 lzma",
      "packbits pcodec quantize shuffle zfpy zlib zstd",
    ]
      .join(" ")
      .replace(/\S+/g, "numcodecs.$&=#2"),
  codecs2: "",
  types:
    "bool int2 int4 int8 int16 int32 int64 uint2 uint4 uint8 uint16 uint32 uint64 float4_e2m1fn float6_e2m3fn " +
    "float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz " +
    "float8_e8m0fnu bfloat16 float16 float32 float64 complex64 complex128 complex_float32 complex_float64 " +
    "complex_bfloat16 complex_float16 complex_float4_e2m1fn complex_float6_e2m3fn complex_float6_e3m2fn " +
    "complex_float8_e3m4 complex_float8_e4m3 complex_float8_e4m3b11fnuz complex_float8_e4m3fnuz complex_float8_e5m2 " +
    "complex_float8_e5m2fnuz complex_float8_e8m0fnu r* string bytes fixed_length_utf32 numpy.datetime64 " +
    "numpy.timedelta64 struct structured " +
    "null_terminated_bytes=#60 json=#9 optional=#33 binary_fixed_point=#40 label_multiset=#55 fixed_size_list=#62",
  grids: "regular rectilinear",
  keys: "default v2 suffix=#28 fanout=#31 template=#69 prefix=#47,_withdrawn",
};

const numcodecsOfZarr =
  "bz2 crc32 crc32c lz4 lzma zfpy adler32 astype bitround blosc delta fixedscaleoffset fletcher32 gzip jenkins_lookup3 " +
  "pcodec packbits quantize shuffle zlib zstd";
const neuroglancerCodecs =
  "blosc=read bytes=read crc32c=read gzip=read sharding_indexed=read transpose=read zstd=read";

export const implementations: readonly Implementation[] = [
  {
    title: "zarr-python",
    version: "3.3.0 (2026-07-30) with numcodecs 0.16.5 (2025-11-20)",
    links: [
      "https://github.com/zarr-developers/zarr-python/blob/v3.3.0/src/zarr/codecs/__init__.py",
      "https://github.com/zarr-developers/zarr-python/tree/v3.3.0/src/zarr/core/dtype/npy",
      "https://github.com/zarr-developers/numcodecs/blob/v0.16.5/numcodecs/__init__.py",
    ],
    codecs3: `blosc cast_value bytes endian crc32c gzip scale_offset sharding_indexed zstd vlen-utf8 vlen-bytes transpose ${numcodecsOfZarr.replace(/\S+/g, "numcodecs.$&")}`,
    codecs2:
      "zlib gzip bz2 lzma blosc zstd lz4 astype delta quantize fixedscaleoffset packbits categorize=? pickle=numcodecs_alone base64 shuffle " +
      "bitround crc32 adler32 jenkins_lookup3 json2=numcodecs_alone vlen-utf8 vlen-bytes vlen-array=numcodecs_alone fletcher32 zfpy msgpack2=numcodecs_alone crc32c pcodec",
    types:
      "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 " +
      "null_terminated_bytes raw_bytes variable_length_bytes bytes string fixed_length_utf32 struct structured " +
      "numpy.datetime64 numpy.timedelta64",
    grids: "regular rectilinear=when_enabled",
    keys: "default v2 fanout=by_a_package",
  },
  {
    title: "zarrs",
    version: "0.23.14 (2026-08-15), all features",
    links: ["https://github.com/zarrs/zarrs/tree/zarrs-v0.23.14/zarrs/doc/status"],
    codecs3:
      "transpose reshape numcodecs.fixedscaleoffset bitround numcodecs.bitround zarrs.squeeze bytes endian zarrs.optional " +
      "sharding_indexed vlen-array vlen-bytes vlen-utf8 packbits numcodecs.pcodec " +
      "https://codec.zarrs.dev/array_to_bytes/pcodec numcodecs.zfpy zarrs.vlen zarrs.vlen_v2 zfp zarrs.zfp blosc crc32c " +
      "gzip zstd numcodecs.crc32c=? numcodecs.adler32 numcodecs.bz2 numcodecs.fletcher32 numcodecs.shuffle numcodecs.zlib zarrs.gdeflate",
    codecs2:
      "fixedscaleoffset bitround vlen-array vlen-bytes vlen-utf8 pcodec zfpy blosc crc32c gzip zstd adler32 bz2 fletcher32 shuffle zlib",
    types:
      "bool int2 int4 int8 int16 int32 int64 uint2 uint4 uint8 uint16 uint32 uint64 float4_e2m1fn float6_e2m3fn " +
      "float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz " +
      "float8_e8m0fnu bfloat16 float16 float32 float64 complex64 complex128 complex_bfloat16 complex_float16 " +
      "complex_float32 complex_float64 complex_float4_e2m1fn complex_float6_e2m3fn complex_float6_e3m2fn " +
      "complex_float8_e3m4 complex_float8_e4m3 complex_float8_e4m3b11fnuz complex_float8_e4m3fnuz complex_float8_e5m2 " +
      "complex_float8_e5m2fnuz complex_float8_e8m0fnu zarrs.optional r* fixed_length_utf32 string bytes binary " +
      "variable_length_bytes numpy.datetime64 numpy.timedelta64",
    grids: "regular rectilinear rectangular zarrs.regular_bounded",
    keys: "default v2 zarrs.default_suffix",
  },
  {
    title: "tensorstore",
    version: "0.1.85 (2026-08-04)",
    links: [
      "https://github.com/google/tensorstore/tree/v0.1.85/tensorstore/driver/zarr3/codec",
      "https://github.com/google/tensorstore/blob/v0.1.85/tensorstore/driver/zarr3/dtype.cc",
      "https://github.com/google/tensorstore/blob/v0.1.85/tensorstore/driver/zarr3/metadata.cc",
      "https://github.com/google/tensorstore/blob/v0.1.85/tensorstore/driver/zarr/schema.yml",
    ],
    codecs3: "blosc bytes crc32c gzip sharding_indexed transpose zstd",
    codecs2: "zlib gzip blosc bz2 zstd",
    types:
      "bool int2 int4 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float8_e3m4 float8_e4m3fn float8_e4m3fnuz " +
      "float8_e4m3b11fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn float16 bfloat16 float32 float64 " +
      "complex64 complex128 r* raw_bytes struct structured",
    grids: "regular",
    keys: "default v2",
  },
  {
    title: "neuroglancer",
    version: "2.41.2 (2025-09-23), which only reads",
    links: [
      "https://github.com/google/neuroglancer/blob/v2.41.2/src/datasource/zarr/index.rst",
      "https://github.com/google/neuroglancer/blob/v2.41.2/src/datasource/zarr/metadata/parse.ts",
    ],
    codecs3: neuroglancerCodecs,
    codecs2: "blosc=read gzip=read zlib=read zstd=read",
    types: "int8=read int16=read int32=read uint8=read uint16=read uint32=read uint64=read float32=read",
    grids: "regular=read",
    keys: "default=read v2=read",
  },
  {
    title: "zarrita.js",
    version: "0.7.3 (2026-05-04)",
    links: [
      "https://github.com/manzt/zarrita.js/blob/zarrita%400.7.3/packages/zarrita/src/codecs.ts",
      "https://github.com/manzt/zarrita.js/blob/zarrita%400.7.3/packages/zarrita/src/util.ts",
    ],
    codecs3:
      "blosc lz4 zstd gzip=read zlib=read transpose bytes crc32c=read vlen-utf8=read json2 bitround=read cast_value=read " +
      "scale_offset=read sharding_indexed=read numcodecs.blosc numcodecs.lz4 numcodecs.zstd numcodecs.gzip=read " +
      "numcodecs.zlib=read numcodecs.vlen-utf8=read numcodecs.shuffle numcodecs.delta numcodecs.bitround=read numcodecs.json2",
    codecs2:
      "blosc lz4 zstd gzip=read zlib=read vlen-utf8=read shuffle delta bitround=read json2 fixedscaleoffset=read",
    types: "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 string=read",
    grids: "regular",
    keys: "default v2",
  },
];

/** The cells of a list, by the names. */
export function cellsOf(list: string): Map<string, string> {
  const entries = list.split(" ").filter((entry) => entry !== "");
  return new Map(
    entries.map((entry) => {
      const [, name, cell = "yes"] = /^(.+?)(?:=(.+))?$/.exec(entry)!;
      return [name!, cell.replaceAll("_", " ")];
    }),
  );
}

const configured = (name: string, configuration: object) => ({ name, configuration });

/** A data type of each name that needs a configuration, or is a pattern. */
const typeExamples: Readonly<Record<string, unknown>> = {
  "r*": "r24",
  raw_bytes: configured("raw_bytes", { length_bytes: 3 }),
  null_terminated_bytes: configured("null_terminated_bytes", { length_bytes: 3 }),
  fixed_length_utf32: configured("fixed_length_utf32", { length_bytes: 8 }),
  "numpy.datetime64": configured("numpy.datetime64", { unit: "s", scale_factor: 1 }),
  "numpy.timedelta64": configured("numpy.timedelta64", { unit: "s", scale_factor: 1 }),
  struct: configured("struct", { fields: [{ name: "a", data_type: "uint8" }] }),
  structured: configured("structured", { fields: [["a", "uint8"]] }),
};
const isText = (name: string) => /^(string|null_terminated_bytes|fixed_length_utf32)$/.test(name);
const isBytes = (name: string) => /^(bytes|variable_length_bytes|binary)$/.test(name);

function fillOf(name: string): unknown {
  if (name === "bool") return false;
  if (isText(name)) return "";
  if (isBytes(name)) return [];
  if (name === "r*" || name === "raw_bytes") return [0, 0, 0];
  if (/^struct/.test(name)) return name === "struct" ? { a: 0 } : "AA==";
  return /^complex/.test(name) ? [0, 0] : 0;
}

/** An element other than the fill value, in the form of `set`, for every position of a 2 × 3 array. */
function elementsOf(name: string, data: ArrayLike<unknown>): unknown {
  if (name === "string") return Array.from(data, () => "a");
  if (isBytes(name)) return Array.from(data, () => Uint8Array.of(1));
  return (data as Uint8Array).slice().fill((typeof data[0] === "bigint" ? 1n : 1) as number);
}

/** Fields of `zarr.json` that name an extension. */
const fields = {
  types: (name: string) => ({
    data_type: typeExamples[name] ?? name,
    fill_value: fillOf(name),
    codecs: [
      name === "string"
        ? { name: "vlen-utf8" }
        : isBytes(name)
          ? { name: "vlen-bytes" }
          : configured("bytes", { endian: "little" }),
    ],
  }),
  grids: (name: string) => ({
    chunk_grid:
      name === "rectilinear"
        ? configured(name, { kind: "inline", chunk_shapes: [1, [2, 1]] })
        : configured(name, { chunk_shape: [1, 2] }),
  }),
  keys: (name: string) => ({
    chunk_key_encoding: configured(
      name,
      name === "suffix" ? { suffix: ".a", base_encoding: "v2" } : /suffix/.test(name) ? { suffix: ".a" } : {},
    ),
  }),
};

const plain = {
  zarr_format: 3,
  node_type: "array",
  shape: [2, 3],
  chunk_grid: configured("regular", { chunk_shape: [1, 2] }),
  chunk_key_encoding: { name: "default" },
  ...fields.types("uint8"),
};
const storeWith = (more: object) => new Map([["/zarr.json", bytesOf(JSON.stringify({ ...plain, ...more }))]]);

/** The support of this library for an extension's name: opens, writes and reads an array with it. */
export async function tryName(kind: keyof typeof fields, name: string): Promise<string> {
  const store = storeWith(fields[kind](name));
  let array: ZarrArray;
  try {
    array = await open(store, { kind: "array" });
  } catch (error) {
    if (isZarrError(error, "Unsupported", "InvalidMetadata")) return "";
    throw error;
  }
  const elements = elementsOf(kind === "types" ? name : "uint8", (await get(array)).data);
  await set(array, null, elements as never);
  expect((await get(await open(store, { kind: "array" }))).data, name).toEqual(elements);
  expect(store.size, name).toBe(5);
  return "yes";
}

/** The names that this library knows: data types from their list, others from the error for an unknown name. */
export async function knownNames(kind: keyof typeof fields): Promise<readonly string[]> {
  if (kind === "types") return dataTypeNames;
  const { message } = await errorOf(() => open(storeWith(fields[kind]("none-such"))));
  return /expected one of (.*)$/.exec(message)![1]!.split(", ");
}
