/**
 * N5 hierarchies. Spec: https://github.com/saalfeldlab/n5, "file-system specification". Axes are reversed: the first one
 * of N5 varies fastest.
 */

import { jsonEntries, jsonObject } from "../../metadata/print.js";
import { listChildren } from "../../store/listing.js";
import { joinPath } from "../../store/path.js";
import { limitExceeded } from "../../util/errors.js";
import { isJsonObject, type Json, type JsonObject } from "../../util/json.js";
import { unsupportedFile } from "../file/cursor.js";
import { type ArrayParts, bytesCodec, named, zeroFill } from "../file/documents.js";
import type { FileArray, FileChunk, FileGroup, FileNode } from "../file/model.js";
import { chunkLengths, type FolderContext, lengths, Members } from "./context.js";
import { blocksOfLz4 } from "./lz4-blocks.js";
import { type Child, mayBeMultiscale, n5Multiscale } from "./n5-multiscale.js";

const document = "attributes.json";
/** Members of the document of an array that are not attributes. */
const own = ["dimensions", "blockSize", "dataType", "compression", "compressionType"];
const types = /^(?:u?int(?:8|16|32|64)|float(?:32|64))$/;

/** Returns the node of a document. */
export function n5Node(context: FolderContext, path: string, object: JsonObject): FileNode {
  const isArray = Object.hasOwn(object, "dimensions") && Object.hasOwn(object, "dataType");
  return isArray ? new N5Array(context, path, object) : new N5Group(context, path, object);
}

class N5Group implements FileGroup {
  readonly kind = "group";
  readonly #members = new Map<string, FileNode>();
  #multiscale: { readonly ome: Json; readonly paths: readonly string[] } | undefined;
  #isRead = false;

  constructor(
    private readonly context: FolderContext,
    private readonly path: string,
    private readonly object: JsonObject,
  ) {}

  async attributes(signal: AbortSignal | undefined): Promise<JsonObject> {
    const image = await this.#image(signal);
    const entries = jsonEntries(this.object).filter(([key]) => key !== "n5");
    return jsonObject(image ? [...entries, ["ome", image.ome]] : entries);
  }

  /** Returns the folders; over HTTP the levels of an image. */
  async members(signal: AbortSignal | undefined): Promise<readonly string[]> {
    const listed = await listChildren(this.context.store, this.path, signal);
    return listed ?? (await this.#image(signal))?.paths ?? [];
  }

  async member(name: string, signal: AbortSignal | undefined): Promise<FileNode | undefined> {
    const known = this.#members.get(name);
    if (known) return known;
    const { context } = this;
    const path = joinPath(this.path, name);
    const object = await context.json(path, document, signal);
    // Groups need no document.
    const isGroup = !object && (await listChildren(context.store, this.path, signal))?.includes(name);
    const node = object
      ? n5Node(context, path, object)
      : isGroup
        ? new N5Group(context, path, {})
        : undefined;
    if (node) this.#members.set(name, node);
    return node;
  }

  async #image(signal: AbortSignal | undefined) {
    if (this.#isRead) return this.#multiscale;
    if (mayBeMultiscale(this.object))
      this.#multiscale = await n5Multiscale(this.object, (name) => this.#child(name, signal));
    this.#isRead = true;
    return this.#multiscale;
  }

  async #child(name: string, signal: AbortSignal | undefined): Promise<Child | undefined> {
    const node = await this.member(name, signal);
    return node instanceof N5Array ? node.object : undefined;
  }
}

class N5Array implements FileArray {
  readonly kind = "array";
  #parts: ArrayParts | undefined;
  #isLz4 = false;

  constructor(
    private readonly context: FolderContext,
    private readonly path: string,
    readonly object: JsonObject,
  ) {}

  describe(): ArrayParts {
    this.#parts ??= this.#describe();
    return this.#parts;
  }

  chunk(at: readonly number[]): FileChunk {
    const reader = this.context.reader(this.path, [...at].reverse().join("/"));
    this.describe();
    return this.#isLz4 ? blocksOfLz4(reader, at.length, this.context.limits) : { object: reader };
  }

  #describe(): ArrayParts {
    const what = this.context.locate(this.path, document);
    const members = new Members(this.object, what);
    const shape = [...members.numbers("dimensions", lengths)].reverse();
    const rank = shape.length;
    const maxRank = this.context.limits.rank;
    if (rank > maxRank)
      throw limitExceeded(`${what} has ${rank} dimensions, more than the limit of ${maxRank}`);
    if (rank === 0) throw members.bad("dimensions", "a list of at least one length");
    const chunks = [...members.numbers("blockSize", chunkLengths, rank)].reverse();
    const dataType = members.text("dataType") ?? "";
    if (!types.test(dataType))
      throw unsupportedFile(`${what}: N5 data of the type ${JSON.stringify(dataType)}`);
    const codecs = [bytesCodec(false), ...this.#compressor(what)];
    return {
      shape,
      dataType,
      chunks,
      fillValue: zeroFill(dataType),
      codecs: [named("n5_default", { codecs, reversed: true })],
      dimensionNames: namesIn(this.object, rank),
      attributes: jsonObject(jsonEntries(this.object).filter(([key]) => !own.includes(key))),
    };
  }

  /** Returns the type of compression and its options. */
  #compression(what: string): [type: string, options: Members] {
    const { object } = this;
    const value = Object.hasOwn(object, "compression") ? object["compression"] : undefined;
    const options = new Members(isJsonObject(value) ? value : {}, `the compression in ${what}`);
    // "compressionType" is the form before N5 2.0.
    const type =
      value === undefined ? new Members(object, what).text("compressionType") : options.text("type");
    if (type === undefined) throw options.bad("type", "a string");
    return [type, options];
  }

  #compressor(what: string): Json[] {
    const [type, options] = this.#compression(what);
    this.#isLz4 = type === "lz4";
    const known = compressors[type];
    if (!known) throw unsupportedFile(`${what}: N5 blocks with the compression ${JSON.stringify(type)}`);
    return known(options);
  }
}

const shuffles = ["noshuffle", "shuffle", "bitshuffle"];

/** Codecs by N5's types of compression. */
const compressors: Readonly<Record<string, (options: Members) => Json[]>> = Object.assign(
  Object.create(null),
  {
    raw: () => [],
    // Blocks are decompressed when they are read: the frame of lz4-java has no codec.
    lz4: () => [],
    gzip: (options) => {
      const level = Math.max(0, options.integer("level", -1, 9, 5));
      return [named(options.get("useZlib") === true ? "numcodecs.zlib" : "gzip", { level })];
    },
    bzip2: (options) => [named("numcodecs.bz2", { level: options.integer("blockSize", 1, 9, 9) })],
    xz: () => [named("numcodecs.lzma", { format: 1 })],
    zstd: (options) => [named("zstd", { level: options.integer("level", -131072, 22, 3), checksum: false })],
    blosc: (options) => {
      const shuffle = shuffles[options.integer("shuffle", 0, 2, 0)]!;
      const cname = options.text("cname") ?? "blosclz";
      const clevel = options.integer("clevel", 0, 9, 5);
      return [named("blosc", { cname, clevel, shuffle, typesize: 1, blocksize: 0 })];
    },
  } satisfies Record<string, (options: Members) => Json[]>,
);

/** Returns names of dimensions: Neuroglancer's are in the order of N5, xarray's in the one of Zarr. */
function namesIn(object: JsonObject, rank: number): string[] | undefined {
  const lists = [
    object["_ARRAY_DIMENSIONS"],
    Array.isArray(object["axes"]) ? [...object["axes"]].reverse() : [],
  ];
  for (const list of lists) {
    const isNames = Array.isArray(list) && list.every((name) => typeof name === "string");
    if (isNames && list.length === rank && new Set(list).size === rank) return list as string[];
  }
  return undefined;
}
