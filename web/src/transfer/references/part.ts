/** Lazy part: kerchunk references of array files. */

import { ArrayFileStore } from "../../formats/array-file/store.js";
import { writeParquet } from "../../formats/parquet/write.js";
import { v2ArrayKey, v2AttributesKey, v2ConsolidatedKey, v2GroupKey } from "../../metadata/document.js";
import { integerJson, jsonObject, prettyJson } from "../../metadata/print.js";
import type { ByteReader, ByteSource } from "../../store/source/byte-reader.js";
import { checkObject, checkOptionNames } from "../../util/arguments.js";
import { encodeBase64 } from "../../util/bytes.js";
import { invalidArgument, type OnWarning, unsupported } from "../../util/errors.js";
import { type JsonObject, jsonText } from "../../util/json.js";
import { hasNodeModules, isFileUrl, nodeModule, textEncoder } from "../../util/platform.js";
import { countOf } from "../../util/shapes.js";
import { joinFiles } from "./join.js";
import { coordinates, gridOf, type ReferencedFile, type ReferencedNode, readFile } from "./nodes.js";

export interface ReferencesOptions {
  /**
   * The dimension along which several files are joined, in their order. One that no array has becomes a new first
   * dimension of all arrays except coordinates.
   */
  readonly along?: string | undefined;
  /** Chunks of fewer bytes become part of the references. Default: 500, as in kerchunk. */
  readonly inline?: number | undefined;
  /**
   * Returns the name of a file in the references. Default: its URL; the path of local files.
   * @param location the URL or path; undefined for bytes and stored objects.
   * @param source index of the source.
   */
  readonly target?: ((location: string | undefined, source: number) => string) | undefined;
  readonly onWarning?: OnWarning | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A reference as kerchunk writes it: text, base64 after "base64:", or target, offset and length. */
export type KerchunkReference = string | readonly [target: string, offset: number, length: number];

/** A kerchunk document of version 1. */
export interface KerchunkDocument {
  readonly version: 1;
  readonly refs: { readonly [key: string]: KerchunkReference };
}

/** Default number of references of a Parquet file. */
const defaultRecordSize = 10_000;

/** References to the chunks of files. */
export class FileReferences {
  /** Name in consoles, also in minified programs. */
  static get name(): string {
    return "FileReferences";
  }

  readonly #nodes: readonly ReferencedNode[];

  /** @internal */
  constructor(nodes: Iterable<ReferencedNode>) {
    this.#nodes = [...nodes];
  }

  /** Number of arrays. */
  get arrays(): number {
    return this.#nodes.filter(({ array }) => array).length;
  }

  /** Number of chunks. */
  get chunks(): number {
    return this.#nodes.reduce((sum, { array }) => sum + (array?.chunks.size ?? 0), 0);
  }

  /** Returns the kerchunk document. Its documents are of Zarr v2. */
  toJSON(): KerchunkDocument {
    return { version: 1, refs: Object.fromEntries(this.#entries()) };
  }

  /** Yields the JSON text of the document in pieces. Equal files yield equal text. */
  *text(): Generator<string> {
    let separator = '{"version":1,"refs":{\n';
    for (const [key, value] of this.#entries()) {
      yield `${separator}${JSON.stringify(key)}:${JSON.stringify(value)}`;
      separator = ",\n";
    }
    yield "\n}}\n";
  }

  /**
   * Yields the files of kerchunk's Parquet layout with their paths, `.zmetadata` last.
   * @param recordSize number of references of a file.
   */
  *parquet(recordSize = defaultRecordSize): Generator<[path: string, bytes: Uint8Array]> {
    if (!Number.isSafeInteger(recordSize) || recordSize < 1)
      throw invalidArgument(`the record size must be a positive integer, got ${recordSize}`);
    for (const node of this.#nodes) yield* recordFiles(node, recordSize);
    const documents = this.#nodes.flatMap((node) => documentsOf(node));
    const text = prettyJson(
      jsonObject([
        ["metadata", jsonObject(documents)],
        ["record_size", integerJson(recordSize)],
      ]),
    );
    yield [v2ConsolidatedKey, textEncoder().encode(`${text}\n`)];
  }

  *#entries(): Generator<[string, KerchunkReference]> {
    for (const node of this.#nodes) {
      for (const [key, document] of documentsOf(node)) yield [key, jsonText(document)];
      if (!node.array) continue;
      const grid = gridOf(node.array.shape, node.array.chunkShape);
      for (const [index, found] of node.array.chunks) {
        const name = coordinates(index, grid).join(".") || "0";
        const isBytes = found instanceof Uint8Array;
        yield [`${folderOf(node)}${name}`, isBytes ? `base64:${encodeBase64(found)}` : found];
      }
    }
  }
}

const folderOf = ({ path }: ReferencedNode): string => (path === "" ? "" : `${path}/`);

function documentsOf(node: ReferencedNode): [string, JsonObject][] {
  const { attributes, array } = node;
  const folder = folderOf(node);
  const main: [string, JsonObject] = array
    ? [`${folder}${v2ArrayKey}`, array.document]
    : [`${folder}${v2GroupKey}`, jsonObject([["zarr_format", integerJson(2)]])];
  return [main, [`${folder}${v2AttributesKey}`, attributes]];
}

/** Yields the files of an array, in the order of its chunks. */
function* recordFiles(node: ReferencedNode, recordSize: number): Generator<[string, Uint8Array]> {
  const { array } = node;
  if (!array) return;
  const count = countOf(gridOf(array.shape, array.chunkShape));
  for (let start = 0; start < count; start += recordSize) {
    const rows = Array.from({ length: Math.min(recordSize, count - start) }, (_, i) =>
      array.chunks.get(start + i),
    );
    const range = (at: 1 | 2) => rows.map((row) => (row instanceof Uint8Array ? 0 : (row?.[at] ?? 0)));
    const bytes = writeParquet([
      { name: "path", strings: rows.map((row) => (row instanceof Uint8Array ? undefined : row?.[0])) },
      { name: "offset", integers: range(1) },
      { name: "size", integers: range(2) },
      { name: "raw", bytes: rows.map((row) => (row instanceof Uint8Array ? row : undefined)) },
    ]);
    yield [`${folderOf(node)}refs.${start / recordSize}.parq`, bytes];
  }
}

/** See `makeReferences` in references.ts. */
export async function makeReferences(
  sources: ByteSource | ArrayFileStore | readonly (ByteSource | ArrayFileStore)[],
  options: ReferencesOptions = {},
): Promise<FileReferences> {
  checkObject(options);
  checkOptionNames(options, { along: true, inline: true, target: true, onWarning: true, signal: true });
  const { along, inline = 500, onWarning, signal } = options;
  if (!Number.isSafeInteger(inline) || inline < 0)
    throw invalidArgument(`inline must be a number of bytes, got ${inline}`);
  const list = (Array.isArray(sources) ? sources : [sources]) as readonly (ByteSource | ArrayFileStore)[];
  if (list.length === 0) throw invalidArgument("makeReferences needs at least one source");
  if (list.length > 1 && along === undefined)
    throw invalidArgument("several files require `along`, the dimension along which they are joined", {
      code: "bad-option",
    });
  const files: ReferencedFile[] = [];
  for (const [i, source] of list.entries()) {
    const store =
      source instanceof ArrayFileStore ? source : await ArrayFileStore.open(source, { onWarning, signal });
    files.push(await readFile(store, store.fileName, { inline, target: targets(options, i), signal }));
  }
  const joined = along === undefined ? files[0]! : await joinFiles(files, along, onWarning);
  return new FileReferences(joined.nodes.values());
}

/** Returns a function that names the files of a source, each once. */
function targets({ target }: ReferencesOptions, source: number): (file: ByteReader) => Promise<string> {
  const known = new Map<ByteReader, string>();
  return async (file) => {
    let name = known.get(file);
    if (name === undefined) {
      const location = await locationOf(file);
      name = target ? target(location, source) : location;
      if (name === undefined)
        throw unsupported(`${file.name} has no URL; pass \`target\` to name it`, {
          code: "unsupported-reference",
        });
      known.set(file, name);
    }
    return name;
  };
}

/** Returns the URL of a file, or the path of a local one: readers do not decode URLs of local files. */
async function locationOf(file: ByteReader): Promise<string | undefined> {
  const url = await file.url?.();
  if (!url || !isFileUrl(url) || !hasNodeModules()) return url?.href;
  return (await nodeModule<typeof import("node:url")>("node:url")).fileURLToPath(url);
}
