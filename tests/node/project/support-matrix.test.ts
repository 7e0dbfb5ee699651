// docs/support.md: which codec works with which data type in which Zarr version, determined by trying each.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { get, getBytes, isZarrError, open, type ZarrArray } from "zarr-wasm";
import type { ZarrVersion } from "#src/codecs/definition.js";
import { codecNames, type FoundCodec, findCodec, unsupportedCodecs } from "#src/codecs/registry.js";
import { arrayNameOf, toElements } from "#src/dtypes/elements.js";
import { unsupportedTypes } from "#src/dtypes/v3.js";
import { codecRow } from "#src/engine/codec-table.js";
import { unsupportedKeys } from "#src/metadata/chunk-key-encodings.js";
import { unsupportedGrids } from "#src/metadata/grid.js";
import { fileFormats } from "#src/store/source/file-formats.js";
import { chunkKeys, documentsOf, encode, valuesFor } from "../support/codec-arrays.js";
import { columns, elementsOf, type TriedType, triedTypes, untried } from "../support/data-types.js";
import { cellsOf, implementations, knownNames, registry, tryName } from "../support/other-libraries.js";
import { bytesOf } from "../support/support.js";

const file = new URL("../../../docs/support.md", import.meta.url);
const rewrite = process.env["ZARR_WASM_WRITE_SUPPORT"] === "1";

/** "no": refused when opened. "lossy": decodes to other elements, which then stay the same. */
type Cell = "yes" | "lossy" | "decode" | "no";

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

/** The elements of an array in comparable form: bytes or values. */
async function read(array: ZarrArray): Promise<unknown> {
  if (array.dtype.isVariable) return (await get<unknown[]>(array)).data;
  return (await getBytes(array)).bytes;
}

/** Writes a chunk, reads it, and repeats both with the result. */
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
  if (array.dtype.name !== type.dtype.name) return "no"; // the codec changes the element type of |O
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
  expect(twice, `${name}, ${type.label}, v${version}: second read`).toEqual(once);
  return same(once, given) ? "yes" : "lossy";
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

/** A Markdown table with aligned columns, as the formatter requires. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |\n`;
  return [head, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("");
}

/** The determined support for each codec name. */
const codecCells = new Map<string, string>();

function noteCell(name: string, version: ZarrVersion, results: Results): void {
  const cells = [...results.values()];
  const isWritten = cells.includes("yes") || cells.includes("lossy");
  codecCells.set(`${version}:${name}`, isWritten ? "yes" : cells.includes("decode") ? "read" : "");
}

async function codecTable(version: ZarrVersion): Promise<string> {
  const rows: { id: string; names: string[]; cells: string[] }[] = [];
  for (const name of codecNames(version)) {
    const results = await resultsOf(name, version);
    noteCell(name, version, results);
    const found = findCodec(name, version)!;
    const cells = [...columns.map(([, of]) => cellText(results, of)), moduleText(found)];
    const title = titles[`${version}:${name}`] ?? name;
    // Names of one codec share a row if their results are equal.
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

/** A metadata name, escaped for a table. */
function code(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return value === undefined ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}

/** A region's data, per element. */
function formOf(type: TriedType): string {
  const { dtype, label } = type;
  if (dtype.isVariable) return "Array";
  if (label === "float16") return "Float16Array where the engine has it, else Float32Array";
  const entries = toElements(dtype, elementsOf(type)).length / 6;
  return `${arrayNameOf(dtype)}${entries === 1 ? "" : `, ${entries} per value`}`;
}

function typeTable(): string {
  const rows = triedTypes.map((type) => [type.label, code(type.numpy), code(type.v3), formOf(type)]);
  return table(["data type", "Zarr v1 and v2", "Zarr v3", "JavaScript type"], rows);
}

const refused = {
  Codecs: unsupportedCodecs,
  "Data types of Zarr v3": unsupportedTypes,
  "Chunk grids": unsupportedGrids,
  "Chunk key encodings": unsupportedKeys,
};

function unsupportedList(reasons: Readonly<Record<string, string>>): string {
  const byReason = new Map<string, string[]>();
  for (const [name, reason] of Object.entries(reasons))
    byReason.set(reason, [...(byReason.get(reason) ?? []), name]);
  return [...byReason].map(([reason, names]) => `- ${names.join(", ")}: ${reason}.`).join("\n");
}

/** Names of extensions, and the implementations that support them. */
function othersTable(kind: keyof typeof registry, what: string, own: ReadonlyMap<string, string>): string {
  const registered = cellsOf(registry[kind]);
  const others = implementations.map((other) => cellsOf(other[kind]));
  const isOurs = (name: string) => own.get(name) !== "";
  const names = new Set([registered, own, ...others].flatMap((cells) => [...cells.keys()]));
  const rows = [...names]
    .filter((name) => isOurs(name) || registered.has(name) || others.some((cells) => cells.has(name)))
    .map((name) => [
      code(name),
      registered.get(name) ?? "",
      own.get(name) ?? "",
      ...others.map((cells) => cells.get(name) ?? ""),
    ]);
  return table([what, "registry", "zarr-wasm", ...implementations.map(({ title }) => title)], rows);
}

/** The support of this library for every known name, tried one by one. */
async function ownCells(kind: "types" | "grids" | "keys"): Promise<Map<string, string>> {
  const lists = [registry, ...implementations].map((of) => cellsOf(of[kind]));
  const names = new Set([...(await knownNames(kind)), ...lists.flatMap((cells) => [...cells.keys()])]);
  const cells = new Map<string, string>();
  for (const name of names) cells.set(name, await tryName(kind, name));
  return cells;
}

/** Codecs of a version by name, without ones that have no metadata name. */
function ownCodecs(version: 2 | 3): Map<string, string> {
  const named = codecNames(version).filter((name) => !Object.hasOwn(titles, `${version}:${name}`));
  return new Map(named.map((name) => [name, codecCells.get(`${version}:${name}`)!]));
}

function sourcesList(): string {
  return implementations
    .map(
      ({ title, version, links }) => `- ${title} ${version}: ${links.map((link) => `<${link}>`).join(", ")}`,
    )
    .join("\n");
}

async function others(): Promise<string> {
  return `## Support of extensions by package

Names are those in metadata. **registry**: in [zarr-extensions](https://github.com/zarr-developers/zarr-extensions) as of
2026-07-14 (4da7b37) or the core specification; a number is a pull request there that is not merged. **yes**: read
and written; **read**: read only; ?: unknown; empty: missing or rejected. The column of zarr-wasm was
tested with the data types that each codec supports; the other columns come from sources and documentation:

${sourcesList()}

### Codecs of Zarr v3

${othersTable("codecs3", "codec", ownCodecs(3))}
### Filters and compressors of Zarr v2

${othersTable("codecs2", "id", ownCodecs(2))}
### Data types of Zarr v3

${othersTable("types", "data type", await ownCells("types"))}
### Chunk grids

${othersTable("grids", "chunk grid", await ownCells("grids"))}
### Chunk key encodings

${othersTable("keys", "chunk key encoding", await ownCells("keys"))}
### Storage transformers

None is registered, and no implementation has one: arrays that need one are refused. \`concat-parts\` is proposed (#39).
`;
}

async function document(): Promise<string> {
  return `<!-- Written by ZARR_WASM_WRITE_SUPPORT=1 npx vitest run tests/node/project/support-matrix.test.ts, which checks it without the variable. -->

# Support

Every cell was tested: a store of that Zarr version whose metadata names the codec and the data type, with a chunk
that the codec encoded, was read, and the result compared with the original values.

- **yes**: decoded and encoded; the values come back the same.
- **lossy**: decoded and encoded; the codec rounds, and rounded values come back unchanged.
- **decode**: decoded only.
- names: these data types of the column; others, and empty cells, are rejected when the array is opened.
- **module**: the WebAssembly modules that decode and encode. The larger ones, full and images, are loaded when an array needs them.

Fixed strings are byte and unicode strings of fixed length; string, bytes and objects have values of any length. Other codecs
were tested on them after vlen-utf8, vlen-bytes and json2. \`zarr-wasm/codecs\` encodes single chunks and shards.

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
## Repositories of versions

| repository | read | written |
| --- | --- | --- |
| Icechunk, format version 1 (from 0.1.3) | yes: inline, native and virtual chunks, split manifests | no |
| Icechunk, format version 2 and 2.1 | yes, compressed locations too | no |
| Icechunk before 1.0 (up to 0.1.2) | no | no |

## Files of other formats

[files.md](files.md#formats) lists what is read of each format; none is written.

${filesTable()}
## Known and not supported

${Object.entries(refused)
  .map(([what, reasons]) => `${what}:\n\n${unsupportedList(reasons)}`)
  .join("\n\n")}

${await others()}`;
}

/** Files and folders that `open` recognises, from the list that it uses. */
function filesTable(): string {
  const rows = fileFormats.flatMap((row) => {
    if ("label" in row) return [[row.label, "yes"]];
    return row.remedy.startsWith("through") ? [[row.name.replace(/^an? /, ""), `no: ${row.remedy}`]] : [];
  });
  const folders = ["N5", "precomputed"].map((name) => [`${name} (folder)`, "yes"]);
  return table(["format", "opened as Zarr"], [...rows, ...folders]);
}

describe("docs/support.md", () => {
  it("tries every data type of the core", () => {
    expect(untried).toEqual([]);
    const placed = triedTypes.map((type) => columns.filter(([, of]) => of(type)).length);
    expect(placed.every((number) => number === 1)).toBe(true);
  });

  it("matches the library", { timeout: 120_000 }, async () => {
    const text = await document();
    if (rewrite) writeFileSync(file, text);
    expect(text).toBe(readFileSync(file, "utf8"));
  });
});
