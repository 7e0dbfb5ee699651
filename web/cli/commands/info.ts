/**
 * `zarr-wasm info`: shows the properties of an array, the tree below a group, or the branches, tags and versions of an Icechunk
 * repository.
 */
import { type CodecMetadata, isZarrError, type OpenedNode, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { ArrayFileStore, type IcechunkCommit, type IcechunkRef, IcechunkStore } from "zarr-wasm/formats";
import { UsageError, type Values } from "../options/options.js";
import { isPipeline, withoutMark } from "../source/places.js";
import { locate, openOptions, openSource } from "../source/source.js";
import { context } from "../text/context.js";
import { arrayNote, groupNotes, listed, listMembers, short } from "../text/notes.js";
import { colorsFor, counted, exactNumber, printable, printableJson } from "../text/output.js";
import { sizeText } from "../text/progress.js";

/** Returns the output of `--json`; numbers that JSON cannot hold exactly are strings. */
function facts(array: ZarrArray) {
  const { chunks, bytes, chunkBytes } = exactSizes(array);
  return {
    kind: array.kind,
    path: array.path,
    format: formatOf(array),
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

/** Returns the format that a node is stored in: the version of Zarr, or the format of a file. */
const formatOf = ({ store, zarrFormat }: OpenedNode): string =>
  store instanceof ArrayFileStore ? store.format : `Zarr v${zarrFormat}`;

/** Counts chunks and bytes exactly. */
function exactSizes({ gridShape, shape, chunkShape, dtype }: ZarrArray) {
  const product = (lengths: readonly number[], first = 1) =>
    lengths.reduce((all, length) => all * BigInt(length), BigInt(first));
  return {
    chunks: product(gridShape),
    bytes: product(shape, dtype.itemBytes),
    chunkBytes: product(chunkShape, dtype.itemBytes),
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

/** Returns a type's name with its unit or length, such as `numpy.datetime64[ns]`. */
function typeText({ name, unit, scaleFactor, itemBytes }: ZarrArray["dtype"]): string {
  if (unit !== undefined) return `${name}[${scaleFactor === 1 ? "" : scaleFactor}${unit}]`;
  if (name === "fixed_length_utf32") return `${name} (${counted(itemBytes / 4, "character")})`;
  return name === "null_terminated_bytes" ? `${name} (${counted(itemBytes, "byte")})` : name;
}

const { bold, cyan, dim, red } = colorsFor("stdout");

/** Replacer of JSON.stringify for values without a JSON form. */
function replacer(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return { b64: Buffer.from(value).toString("base64") };
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

function bytesText(bytes: bigint): string {
  return bytes < 1024n ? `${bytes} bytes` : `${sizeText(Number(bytes))} (${bytes} bytes)`;
}

/** Replacer that also shortens strings, because codec configurations may contain whole tables. */
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
  const print = (text: string) => context().stdout.write(text);
  if (values.json) {
    const all = node.kind === "array" ? facts(node) : await groupFacts(node);
    print(`${printableJson(all, replacer, 2)}\n`);
  } else if (node.kind === "array") print(arrayText(node));
  else for await (const line of treeLines(node)) print(`${line}\n`);
}

function arrayText(array: ZarrArray): string {
  const all = facts(array);
  const codecs = all.codecs.map(({ name, configuration }) =>
    configuration && Object.keys(configuration).length > 0 ? `${name} ${compact(configuration)}` : name,
  );
  const sizes = exactSizes(array);
  const each = array.dtype.isVariable ? "" : ` of ${bytesText(sizes.chunkBytes)} each`;
  const rows: [string, string | string[]][] = [
    ["format", `${all.format} array${all.path ? ` at ${all.path}` : ""}`],
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

/** Colors of rows by name. */
const emphasis: Readonly<Record<string, (text: string) => string>> = { shape: bold, dtype: cyan };

function rowText(name: string, lines: readonly string[]): string {
  const start = dim(name.padEnd(11));
  const paint = emphasis[name] ?? ((text: string) => text);
  return lines.map((line, i) => `${i === 0 ? start : " ".repeat(11)}  ${paint(printable(line))}\n`).join("");
}

/** Returns one line per attribute; --json shows complete values. */
function attributeLines({ attributes }: ZarrArray): string[] {
  const lines = Object.entries(attributes).map(
    ([name, value]) => `${short(name)}: ${short(compact(value, replacer), 200)}`,
  );
  return lines.length === 0 ? ["none"] : lines;
}

/** Returns lengths with dimension names, such as `[time: 10, 20]`. */
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
  format: string;
  zarrFormat: number;
  attributes: unknown;
  members: (TreeFacts | ReturnType<typeof facts>)[];
}

async function groupFacts(group: ZarrGroup): Promise<TreeFacts> {
  const members: TreeFacts["members"] = [];
  for (const { name } of await listMembers(group)) {
    const node = await group.open(name);
    members.push(node.kind === "array" ? facts(node) : await groupFacts(node));
  }
  const { kind, path, zarrFormat, attributes } = group;
  return { kind, path, format: formatOf(group), zarrFormat, attributes, members };
}

/** Yields a group and its members, one line per node. */
async function* treeLines(group: ZarrGroup): AsyncGenerator<string> {
  yield `${bold(printable(`/${group.path}`))}  ${formatOf(group)} group${attributeNames(group)}`;
  const members = await listMembers(group);
  for (const note of await groupNotes(group)) yield noteLine("", members, note);
  yield* branches(group, members, "");
}

/** The properties of a member that the tree needs. */
type Named = { readonly name: string };

/** Formats a note below a group, beside the vertical line of its branches. */
function noteLine(indent: string, members: readonly Named[], note: string): string {
  return `${indent}${members.length > 0 ? "│" : " "}  ${dim(printable(note))}`;
}

async function* branches(
  group: ZarrGroup,
  members: readonly Named[],
  indent: string,
): AsyncGenerator<string> {
  for (const [i, { name }] of members.entries()) {
    const isLast = i === members.length - 1;
    const branch = `${indent}${isLast ? "└─ " : "├─ "}`;
    const shownName = printable(name);
    let node: OpenedNode;
    try {
      node = await group.open(name);
    } catch (error) {
      if (!isZarrError(error)) throw error;
      yield `${branch}${shownName}  ${red("cannot be read:")} ${printable(error.message)}`;
      continue;
    }
    if (node.kind === "array") yield `${branch}${shownName}  ${arrayLine(node)}`;
    else {
      yield `${branch}${bold(`${shownName}/`)}${attributeNames(node)}`;
      const inner = `${indent}${isLast ? "   " : "│  "}`;
      const below = await listMembers(node);
      for (const note of await groupNotes(node)) yield noteLine(inner, below, note);
      yield* branches(node, below, inner);
    }
  }
}

function arrayLine(array: ZarrArray): string {
  const codecs = array.codecs.map(codecName).join(", ");
  const shards = array.shardShape ? ` in shards [${array.shardShape.join(", ")}]` : "";
  const storage = `, chunks [${array.chunkShape.join(", ")}]${shards}, ${codecs}`;
  return `${cyan(printable(typeText(array.dtype)))} ${printable(shapeText(array))}${dim(printable(storage))}${printable(arrayNote(array))}`;
}

function attributeNames({ attributes }: ZarrGroup): string {
  const names = Object.keys(attributes).map((name) => short(name));
  return names.length === 0 ? "" : dim(printable(`  (${listed(names)})`));
}

/** Returns the name of a codec and of nested ones, such as `sharding_indexed (bytes, zstd)`. */
function codecName({ name, configuration }: CodecMetadata): string {
  const inner = configuration?.["codecs"];
  if (!Array.isArray(inner)) return name;
  const names = inner.map((codec: CodecMetadata | string) =>
    typeof codec === "string" ? codec : codecName(codec),
  );
  return `${name} (${names.join(", ")})`;
}

/** Lists of refs; null if the store cannot list those of version 1. */
interface History {
  readonly snapshot: string;
  readonly branches: readonly IcechunkRef[] | null;
  readonly tags: readonly IcechunkRef[] | null;
  readonly history: readonly IcechunkCommit[];
}

async function runHistory(source: string, values: Values): Promise<void> {
  if (values.path !== undefined) throw new UsageError("--history shows the whole repository; omit --path");
  const { branch, tag, snapshot, asOf } = openOptions(values);
  const plain = withoutMark(source);
  const store = (await isPipeline(plain))
    ? await repositoryIn(source, values)
    : await IcechunkStore.open(await locate(plain), { branch, tag, snapshot, asOf });
  const history: IcechunkCommit[] = [];
  for await (const commit of store.history()) history.push(commit);
  const [branches, tags] = await Promise.all([orNull(store.branches()), orNull(store.tags())]);
  const found: History = { snapshot: store.snapshot, branches, tags, history };
  context().stdout.write(values.json ? `${printableJson(found, undefined, 2)}\n` : historyText(found));
}

/** Opens the repository of a URL pipeline. */
async function repositoryIn(source: string, values: Values): Promise<IcechunkStore> {
  const { store } = await openSource(source, values);
  if (store instanceof IcechunkStore) return store;
  throw new Error(`"${source}" is not an Icechunk repository`);
}

async function orNull(refs: Promise<IcechunkRef[]>): Promise<IcechunkRef[] | null> {
  try {
    return await refs;
  } catch (error) {
    if (isZarrError(error, "Unsupported")) return null;
    throw error;
  }
}

function historyText({ branches, tags, history }: History): string {
  const lines = [...refLines("branches", branches), ...refLines("tags", tags), "history"];
  for (const { snapshot, time, message } of history)
    lines.push(`  ${snapshot}  ${Number.isNaN(time.getTime()) ? "?" : time.toISOString()}  ${message}`);
  return lines.map((line) => `${printable(line)}\n`).join("");
}

const refLines = (title: string, refs: readonly IcechunkRef[] | null): string[] =>
  refs
    ? [title, ...refs.map(({ name, snapshot }) => `  ${snapshot}  ${name}`)]
    : [`${title}: not available, because this server does not support listing`];
