// docs/support.md: which codec works with which data type in which Zarr version, found out by trying.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { get, getBytes, isZarrError, open, type ZarrArray } from "zarr-wasm";
import { leafCoder } from "../../dist/codecs/coder.js";
import type { ZarrVersion } from "../../dist/codecs/definition.js";
import { codecNames, type FoundCodec, findCodec } from "../../dist/codecs/registry.js";
import { shardCoder } from "../../dist/codecs/shard-coder.js";
import { codecRow } from "../../dist/codecs/table.js";
import { unsupportedCodecs } from "../../dist/codecs/unsupported.js";
import { arrayNameOf, toElements } from "../../dist/dtypes/elements.js";
import { sessionOf } from "../../dist/engine/engine.js";
import { defaultLimits } from "../../dist/limits.js";
import { bytesOf } from "./support.js";
import {
  columns,
  elementsOf,
  shape,
  type TriedType,
  triedTypes,
  untried,
  valuesOf,
} from "./support-types.js";

const file = new URL("../../docs/support.md", import.meta.url);
const rewrite = process.env["ZARR_WASM_WRITE_SUPPORT"] === "1";

/** "no": refused when opened. "lossy": decodes to other elements, which then stay the same. */
type Cell = "yes" | "lossy" | "decode" | "no";

interface Codec {
  name: string;
  configuration?: object | undefined;
}

/** Configurations that codecs need, by their names without "numcodecs."; `numcodecs` and v1 and v2 take `old`. */
const configurations: Record<
  string,
  (type: TriedType, version: ZarrVersion) => { old?: object; v3?: object }
> = {
  bytes: () => ({ v3: { endian: "little" } }),
  endian: () => ({ v3: { endian: "little" } }),
  transpose: () => ({ v3: { order: [1, 0] } }),
  n5_default: () => ({
    v3: {
      codecs: [
        { name: "transpose", configuration: { order: [1, 0] } },
        { name: "bytes", configuration: { endian: "big" } },
      ],
    },
  }),
  zlib: () => ({ old: { level: 1 }, v3: { level: 1 } }),
  gzip: () => ({ old: { level: 1 }, v3: { level: 1 } }),
  bz2: () => ({ old: { level: 1 }, v3: { level: 1 } }),
  lzma: () => ({ old: { preset: 1 }, v3: { preset: 1 } }),
  zstd: () => ({ old: { level: 1 }, v3: { level: 1, checksum: false } }),
  blosc: ({ dtype }, version) => ({
    old: { cname: "lz4", clevel: 5, shuffle: 1, ...(version === 1 ? {} : { blocksize: 0 }) },
    v3: { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: dtype.itemBytes || 1, blocksize: 0 },
  }),
  shuffle: ({ dtype }) => ({ old: { elementsize: dtype.itemBytes || 1 } }),
  delta: ({ numpy }) => ({ old: { dtype: numpy } }),
  astype: ({ numpy }) => ({ old: { encode_dtype: numpy, decode_dtype: numpy } }),
  fixedscaleoffset: ({ numpy }) => ({ old: { offset: 0, scale: 2, dtype: numpy } }),
  quantize: ({ numpy }) => ({ old: { digits: 1, dtype: numpy } }),
  bitround: ({ dtype }) => {
    const whole = /^(u?int|date|time)/.test(dtype.core);
    return { old: { keepbits: whole ? 8 : 1 }, v3: { keepbits: whole ? 8 : 1 } };
  },
  reshape: () => ({ v3: { shape: [-1] } }),
  scale_offset: () => ({ v3: { offset: 0, scale: 2 } }),
  cast_value: () => ({ v3: { data_type: "float64" } }),
  conditional: () => ({ v3: { codecs: [{ name: "gzip", configuration: { level: 1 } }] } }),
  zfp: () => ({ v3: { mode: "reversible" } }),
  zfpy: () => ({ old: { mode: 5 } }),
  "vlen-array": () => ({ old: { dtype: "<i2" }, v3: { dtype: "<i2" } }),
  categorize: ({ label, numpy }) => ({
    old: {
      labels: label === "unicode strings" ? ["ae", "bf", "cg", "dh", "ei", "fj"] : ["a", "bc", "€"],
      dtype: numpy,
      astype: "|u1",
    },
  }),
};

function codecOf(name: string, type: TriedType, version: ZarrVersion): Codec {
  const id = name.replace(/^numcodecs\./, "");
  const { old, v3 } = configurations[id]?.(type, version) ?? {};
  return { name, configuration: (version < 3 || id !== name ? old : v3) ?? {} };
}

/** The array-to-bytes codec for a type where the codec that is tried is none. */
function toBytesCodec({ dtype }: TriedType, version: ZarrVersion): Codec {
  if (dtype.name === "string") return { name: "vlen-utf8" };
  if (dtype.name === "bytes") return { name: "vlen-bytes" };
  if (dtype.name === "object") return { name: version === 3 ? "numcodecs.json2" : "json2" };
  return { name: "bytes", configuration: { endian: "little" } };
}

/** The metadata documents of an array that uses a codec; undefined where the version has no name for the type. */
function documentsOf(
  name: string,
  type: TriedType,
  version: ZarrVersion,
): Record<string, object> | undefined {
  if ((version === 3 ? type.v3 : type.numpy) === undefined) return undefined;
  const found = findCodec(name, version)!;
  const codec = codecOf(name, type, version);
  if (version === 3) return { "zarr.json": v3Document(found, codec, type) };
  const { dtype } = type;
  const base = { zarr_format: version, shape, chunks: shape, fill_value: null };
  // The byte order is the dtype's, transposes are the order's.
  const isOrder = name === "transpose";
  const order = isOrder ? "F" : "C";
  const numpy = name === "bytes" ? bigEndian(type.numpy) : type.numpy;
  const { id: _, ...options } = { id: name, ...codec.configuration };
  const isCodec = name !== "bytes" && !isOrder;
  if (version === 1) {
    const compression = isCodec ? name : "none";
    return {
      meta: { ...base, dtype: numpy, order, compression, compression_opts: isCodec ? options : null },
      attrs: {},
    };
  }
  const isCompressor = found.definition.kind === "bytes-to-bytes";
  const own = isCodec && !isCompressor ? [{ id: name, ...options }] : [];
  const hasObjects = found.type === "objects" || !dtype.isVariable;
  const filters = [...own, ...(hasObjects ? [] : [{ id: toBytesCodec(type, version).name }])];
  const compressor = isCompressor ? { id: name, ...options } : null;
  return { ".zarray": { ...base, dtype: numpy, order, filters, compressor } };
}

const bigEndian = (numpy: unknown): unknown => {
  if (typeof numpy === "string") return numpy.replace("<", ">");
  return (numpy as [string, string][]).map(([name, text]) => [name, text.replace("<", ">")]);
};

function v3Document(found: FoundCodec, codec: Codec, type: TriedType): object {
  const toBytes = toBytesCodec(type, 3);
  const { kind } = found.definition;
  const chain =
    found.type === "shards"
      ? [shards(toBytes)]
      : kind === "array-to-bytes"
        ? [codec]
        : kind === "array-to-array"
          ? [codec, toBytes]
          : [toBytes, codec];
  return {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: type.v3,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: v3Fill(type),
    codecs: chain,
    storage_transformers: [],
  };
}

const shards = (inner: Codec): Codec => ({
  name: "sharding_indexed",
  configuration: {
    chunk_shape: shape,
    codecs: [inner],
    index_codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  },
});

function v3Fill({ dtype, label }: TriedType): unknown {
  if (label === "string" || label.endsWith(" strings")) return "";
  if (label === "bytes") return [];
  if (label === "raw bytes") return [0, 0, 0];
  if (label === "structs") return { a: 0, b: 0 };
  if (dtype.core.startsWith("complex")) return [v3Zero(dtype.core), v3Zero(dtype.core)];
  return label === "bool" ? false : v3Zero(dtype.core);
}

/** Formats without a zero have their smallest number instead. */
const v3Zero = (core: string) => (core.includes("e8m0") ? 1 : 0);

type Documents = Record<string, object | Uint8Array>;

const openDocuments = (documents: Documents): Promise<ZarrArray> =>
  open(
    new Map(
      Object.entries(documents).map(([key, value]) => [
        `/${key}`,
        value instanceof Uint8Array ? value : bytesOf(JSON.stringify(value)),
      ]),
    ),
    { kind: "array" },
  );

/** What elements of an array compare by: bytes, or values. */
async function read(array: ZarrArray): Promise<unknown> {
  if (array.dtype.isVariable) return (await get<unknown[]>(array)).data;
  return (await getBytes(array)).bytes;
}

/** Encodes a chunk as the array's own chain does. */
async function encode({ spec, dtype }: ZarrArray, elements: unknown): Promise<Uint8Array> {
  const { firstLayout, fill } = spec;
  const options = { dtype, fill: fill.value, limits: defaultLimits };
  const coder = shardCoder(firstLayout, leafCoder(firstLayout, options), fill.item, options);
  const isPacked = firstLayout.leaf.type === "objects" && !dtype.isVariable;
  const content = isPacked ? stringsOf(elements as Uint8Array) : elements;
  const session = await sessionOf("full");
  coder.prepare(session);
  return coder.encode(session, content as Uint8Array).slice();
}

/** Strings of two code points, of the type that is tried. */
function stringsOf(bytes: Uint8Array): string[] {
  const codes = new Uint32Array(bytes.slice().buffer);
  return Array.from({ length: 6 }, (_, i) => String.fromCodePoint(codes[2 * i]!, codes[2 * i + 1]!));
}

const chunkKeys: Record<ZarrVersion, string> = { 1: "0.0", 2: "0.0", 3: "c/0/0" };

/** Writes a chunk, reads it, and does both again with what was read. */
async function tryCodec(name: string, type: TriedType, version: ZarrVersion): Promise<Cell> {
  const documents = documentsOf(name, type, version);
  if (!documents) return "no";
  let array: ZarrArray;
  try {
    array = await openDocuments(documents);
  } catch (error) {
    if (isZarrError(error, "InvalidMetadata", "Unsupported")) return "no";
    throw error;
  }
  if (array.dtype.name !== type.dtype.name) return "no"; // the codec makes something else of |O
  const given = type.dtype.isVariable ? valuesFor(name, type) : elementsOf(type);
  const roundTrip = async (elements: unknown) => {
    const encoded = await encode(array, elements);
    return read(await openDocuments({ ...documents, [chunkKeys[version]]: encoded }));
  };
  const once = await roundTrip(given).catch((error: unknown) => {
    if (isZarrError(error, "Unsupported")) return undefined;
    throw error;
  });
  if (once === undefined) return "decode";
  const twice = await roundTrip(once);
  expect(twice, `${name}, ${type.label}, v${version}: reading again what was read`).toEqual(once);
  return same(once, given) ? "yes" : "lossy";
}

/** vlen-array has arrays for elements, and the other codecs of objects what JSON has. */
function valuesFor(name: string, type: TriedType): unknown[] {
  if (!name.endsWith("vlen-array")) return valuesOf(type);
  return [0, 1, 2, 3, 4, 5].map((length) => new Int16Array(length).fill(length));
}

function same(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b);
    return true;
  } catch {
    return false;
  }
}

/** Results of one name in one version, by the labels of the types. */
type Results = Map<string, Cell>;

async function resultsOf(name: string, version: ZarrVersion): Promise<Results> {
  const results: Results = new Map();
  for (const type of triedTypes) {
    try {
      results.set(type.label, await tryCodec(name, type, version));
    } catch (error) {
      throw new Error(`codec ${name}, ${type.label}, Zarr v${version}: ${String(error)}`, { cause: error });
    }
  }
  return results;
}

function cellText(results: Results, of: (type: TriedType) => boolean): string {
  const labels = triedTypes.filter(of).map(({ label }) => label);
  const cells = labels.map((label) => results.get(label)!);
  const words: Record<Cell, string> = { yes: "yes", lossy: "lossy", decode: "decode", no: "" };
  if (cells.every((cell) => cell === cells[0])) return words[cells[0]!];
  const works = labels.filter((label) => results.get(label) !== "no");
  if (works.length === labels.length) return cells.includes("decode") ? "in part" : "lossy";
  return works
    .map((label) => label + (results.get(label) === "yes" ? "" : ` ${words[results.get(label)!]}`))
    .join(", ");
}

function moduleText(found: FoundCodec): string {
  if (found.type !== "core") return "any";
  const { decode, encode: encodes } = codecRow(found.definition.core);
  return `${decode} / ${encodes}`;
}

const titles: Record<string, string> = {
  "1:bytes": "(byte order)",
  "1:transpose": '(order "F")',
  "2:bytes": "(byte order)",
  "2:transpose": '(order "F")',
};

/** A Markdown table with aligned columns, as the formatter wants it. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |\n`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}

async function codecTable(version: ZarrVersion): Promise<string> {
  const rows: { id: string; names: string[]; cells: string[] }[] = [];
  for (const name of codecNames(version)) {
    const results = await resultsOf(name, version);
    const found = findCodec(name, version)!;
    const cells = [...columns.map(([, of]) => cellText(results, of)), moduleText(found)];
    const title = titles[`${version}:${name}`] ?? name;
    // Names of one codec share a row where they work alike.
    const id = `${name.replace(/^numcodecs\.|^endian$/, "") || "bytes"} ${cells.join()}`;
    const row = rows.find((other) => other.id === id);
    if (row) row.names.push(title);
    else rows.push({ id, names: [title], cells });
  }
  const head = ["codec", ...columns.map(([title]) => title), "module"];
  return table(
    head,
    rows.map(({ names, cells }) => [names.join(", "), ...cells]),
  );
}

/** A name in the metadata, as a table may hold it. */
function code(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return value === undefined ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}

/** What a region's data is, per element. */
function formOf(type: TriedType): string {
  const { dtype, label } = type;
  if (dtype.isVariable) return "Array";
  if (label === "float16") return "Float16Array where the engine has it, else Float32Array";
  const entries = toElements(dtype, elementsOf(type)).length / 6;
  return `${arrayNameOf(dtype)}${entries === 1 ? "" : `, ${entries} per element`}`;
}

function typeTable(): string {
  const rows = triedTypes.map((type) => [type.label, code(type.numpy), code(type.v3), formOf(type)]);
  return table(["data type", "Zarr v1 and v2", "Zarr v3", "comes as"], rows);
}

function unsupportedList(): string {
  const byReason = new Map<string, string[]>();
  for (const [name, reason] of Object.entries(unsupportedCodecs))
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  return [...byReason].map(([reason, names]) => `- ${names.join(", ")}: ${reason}.`).join("\n");
}

async function document(): Promise<string> {
  return `<!-- Written by ZARR_WASM_WRITE_SUPPORT=1 npx vitest run tests/node/matrix.test.ts, which checks it without the variable. -->

# Support

Every cell was tried: a store of that Zarr version whose metadata names the codec and the data type, with a chunk
that the codec encoded, was read, and what was read compared with what was given.

- **yes**: decoded and encoded; the elements come back the same.
- **lossy**: decoded and encoded; the codec rounds, and what it has rounded comes back the same.
- **decode**: decoded only.
- names: these data types of the column; the others, and empty cells, are refused when the array is opened.
- **module**: which WebAssembly module decodes and which one encodes. The larger one, full, is loaded when an array needs it.

Fixed strings are byte and unicode strings of fixed length; string, bytes and objects have elements of any length. Codecs other
than theirs were tried on them behind vlen-utf8, vlen-bytes and json2. \`zarr-wasm/codecs\` encodes single chunks and shards.

## Data types

${typeTable()}
## Codecs of Zarr v3

${await codecTable(3)}
## Codecs of Zarr v2

Filters and compressors by their \`id\`; the byte order is part of the dtype, and \`order\` is "C" or "F".

${await codecTable(2)}
## Codecs of Zarr v1

Compressors by their name in \`compression\`. Blosc frames may hold the zstd format of before 1.0.

${await codecTable(1)}
## Known and not supported

${unsupportedList()}
`;
}

describe("docs/support.md", () => {
  it("tries every data type of the core", () => {
    expect(untried).toEqual([]);
    const placed = triedTypes.map((type) => columns.filter(([, of]) => of(type)).length);
    expect(placed.every((number) => number === 1)).toBe(true);
  });

  it("says what works", { timeout: 120_000 }, async () => {
    const text = await document();
    if (rewrite) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, "utf8"));
  });
});
