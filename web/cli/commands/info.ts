/** `zarr-wasm info`: facts about an array, or the tree below a group. */
import { type CodecMetadata, isZarrError, type OpenedNode, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import type { Values } from "../options/options.js";
import { openSource } from "../source/source.js";
import { archiveNotes, arrayNote, groupNotes, listed, membersOf, short } from "../text/notes.js";
import { colorsFor, exactNumber, printable, printableJson } from "../text/output.js";
import { sizeText } from "../text/progress.js";
import { runHistory } from "./history.js";

/** The output of `--json`; numbers that JSON cannot hold exactly are strings. */
function facts(array: ZarrArray) {
  const { chunks, bytes, chunkBytes } = sizesOf(array);
  return {
    kind: array.kind,
    path: array.path,
    zarrFormat: array.zarrFormat,
    shape: array.shape,
    chunkShape: array.chunkShape,
    shardShape: array.shardShape,
    dimensionNames: array.dimensionNames,
    dtype: describeType(array.dtype),
    fillValue: array.fillValue,
    codecs: array.codecs,
    chunks: exactNumber(chunks),
    bytes: exactNumber(bytes),
    chunkBytes: exactNumber(chunkBytes),
    attributes: array.attributes,
  };
}

/** The exact product of lengths. */
const productOf = (lengths: readonly number[]): bigint =>
  lengths.reduce((product, length) => product * BigInt(length), 1n);

/** Exact numbers of chunks and bytes. */
function sizesOf({ gridShape, shape, chunkShape, dtype }: ZarrArray) {
  const itemBytes = BigInt(dtype.itemBytes);
  return {
    chunks: productOf(gridShape),
    bytes: productOf(shape) * itemBytes,
    chunkBytes: productOf(chunkShape) * itemBytes,
  };
}

function describeType(dtype: ZarrArray["dtype"]): unknown {
  if (dtype.fields)
    return { name: dtype.name, fields: dtype.fields.map((f) => [f.name, describeType(f.dtype), ...f.shape]) };
  if (dtype.unit !== undefined) return { name: dtype.name, unit: dtype.unit, scaleFactor: dtype.scaleFactor };
  return /^(null_terminated_bytes|fixed_length_utf32)$/.test(dtype.name)
    ? { name: dtype.name, bytes: dtype.itemBytes }
    : dtype.name;
}

/** Replacer of JSON.stringify for values without a JSON form. */
function replacer(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return { b64: Buffer.from(value).toString("base64") };
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

function bytesText(bytes: bigint): string {
  return bytes < 1024n ? `${bytes} bytes` : `${sizeText(Number(bytes))} (${bytes} bytes)`;
}

/** The same with long strings shortened: configurations of codecs may contain whole tables. */
function shorter(key: string, value: unknown): unknown {
  const plain = replacer(key, value);
  return typeof plain === "string" ? short(plain) : plain;
}

function compact(value: unknown, replace = shorter): string {
  const text = JSON.stringify(value, replace) ?? "undefined";
  return text.replace(/^"(.*)"$/, "$1");
}

export async function runInfo(source: string, values: Values): Promise<void> {
  if (values.history) return runHistory(source, values);
  const node = await openSource(source, values, values.bucket);
  const print = (text: string) => process.stdout.write(text);
  if (values.json) {
    const all = node.kind === "array" ? facts(node) : await groupFacts(node);
    print(`${printableJson(all, replacer, 2)}\n`);
  } else if (node.kind === "array") print(arrayText(node));
  else for await (const line of treeLines(node)) print(`${printable(line)}\n`);
}

function arrayText(array: ZarrArray): string {
  const all = facts(array);
  const codecs = all.codecs.map(({ name, configuration }) =>
    configuration && Object.keys(configuration).length > 0 ? `${name} ${compact(configuration)}` : name,
  );
  const sizes = sizesOf(array);
  const each = array.dtype.isVariable ? "" : ` of ${bytesText(sizes.chunkBytes)} each`;
  const rows: [string, string | string[]][] = [
    ["format", `Zarr v${all.zarrFormat} array${all.path ? ` at ${all.path}` : ""}`],
    ["shape", shapeText(array)],
    ["chunks", `[${all.chunkShape.join(", ")}], ${sizes.chunks}${each}`],
    ...(all.shardShape ? [["shards", `[${all.shardShape.join(", ")}]`] as [string, string]] : []),
    ["dtype", compact(all.dtype)],
    ["fill value", compact(all.fillValue)],
    ["codecs", codecs],
    ["size", array.dtype.isVariable ? "variable" : bytesText(sizes.bytes)],
    ["attributes", attributeLines(array)],
  ];
  return rows.map(([name, text]) => rowText(name, typeof text === "string" ? [text] : text)).join("");
}

function rowText(name: string, lines: readonly string[]): string {
  const start = colorsFor(process.stdout).dim(name.padEnd(11));
  return lines.map((line, i) => `${i === 0 ? start : " ".repeat(11)}  ${printable(line)}\n`).join("");
}

/** One line per attribute; --json shows the complete values. */
function attributeLines({ attributes }: ZarrArray): string[] {
  const lines = Object.entries(attributes).map(
    ([name, value]) => `${short(name)}: ${short(compact(value, replacer), 200)}`,
  );
  return lines.length === 0 ? ["none"] : lines;
}

/** `[time: 10, 20]`: lengths, with names of dimensions if there are any. */
function shapeText({ shape, dimensionNames }: ZarrArray): string {
  const named = shape.map((length, axis) => {
    const name = dimensionNames?.[axis];
    return name ? `${name}: ${length}` : String(length);
  });
  return `[${named.join(", ")}]`;
}

interface TreeFacts {
  kind: "group";
  path: string;
  zarrFormat: number;
  attributes: unknown;
  members: (TreeFacts | ReturnType<typeof facts>)[];
}

async function groupFacts(group: ZarrGroup): Promise<TreeFacts> {
  const members: TreeFacts["members"] = [];
  for (const { name } of await membersOf(group)) {
    const node = await group.open(name);
    members.push(node.kind === "array" ? facts(node) : await groupFacts(node));
  }
  const { kind, path, zarrFormat, attributes } = group;
  return { kind, path, zarrFormat, attributes, members };
}

/** A group and its members, one line per node. */
async function* treeLines(group: ZarrGroup): AsyncGenerator<string> {
  yield `/${group.path}  Zarr v${group.zarrFormat} group${attributeNames(group)}`;
  const members = await membersOf(group);
  const notes = [...(await archiveNotes(group)), ...groupNotes(group)];
  for (const note of notes) yield noteLine("", members, note);
  yield* branches(group, members, "");
}

/** The properties of a member that the tree needs. */
type Named = { readonly name: string };

/** A line below a group's own, next to the vertical line of its branches. */
function noteLine(indent: string, members: readonly Named[], note: string): string {
  return `${indent}${members.length > 0 ? "│" : " "}  ${note}`;
}

async function* branches(
  group: ZarrGroup,
  members: readonly Named[],
  indent: string,
): AsyncGenerator<string> {
  for (const [i, { name }] of members.entries()) {
    const isLast = i === members.length - 1;
    const start = `${indent}${isLast ? "└─ " : "├─ "}${name}`;
    let node: OpenedNode;
    try {
      node = await group.open(name);
    } catch (error) {
      if (!isZarrError(error)) throw error;
      yield `${start}  cannot be read: ${error.message}`;
      continue;
    }
    if (node.kind === "array") yield `${start}  ${arrayLine(node)}`;
    else {
      yield `${start}/${attributeNames(node)}`;
      const inner = `${indent}${isLast ? "   " : "│  "}`;
      const below = await membersOf(node);
      for (const note of groupNotes(node)) yield noteLine(inner, below, note);
      yield* branches(node, below, inner);
    }
  }
}

function arrayLine(array: ZarrArray): string {
  const codecs = array.codecs.map(codecName).join(", ");
  const shards = array.shardShape ? ` in shards [${array.shardShape.join(", ")}]` : "";
  return `${array.dtype} ${shapeText(array)}, chunks [${array.chunkShape.join(", ")}]${shards}, ${codecs}${arrayNote(array)}`;
}

function attributeNames({ attributes }: ZarrGroup): string {
  const names = Object.keys(attributes).map((name) => short(name));
  return names.length === 0 ? "" : `  (${listed(names)})`;
}

/** A codec's name, with the names of nested codecs: `sharding_indexed (bytes, zstd)`. */
function codecName({ name, configuration }: CodecMetadata): string {
  const inner = configuration?.["codecs"];
  if (!Array.isArray(inner)) return name;
  const names = inner.map((codec: CodecMetadata | string) =>
    typeof codec === "string" ? codec : codecName(codec),
  );
  return `${name} (${names.join(", ")})`;
}
