/** Files of other formats as Zarr stores: chunks are byte ranges of the file. */

import { printDocument } from "../../metadata/print.js";
import { normalizePath } from "../../store/path.js";
import { cutRange, RangedStore, resolveRange } from "../../store/read.js";
import type { ByteReader } from "../../store/source/byte-reader.js";
import {
  type FileSpan,
  findSpan,
  type OwnStore,
  own,
  type RangeQuery,
  readSpan,
  type Store,
  type StoreGetOptions,
} from "../../store/store.js";
import { joinBytes } from "../../util/bytes.js";
import { networkError } from "../../util/errors.js";
import type { BlockCache } from "./blocks.js";
import { arrayDocument, chunkCount, groupDocument } from "./documents.js";
import type { FileArray, FileChunk, FileNode, FilePart } from "./model.js";

/** A read-only store of the nodes of a file. */
export class ArrayFileStore extends RangedStore implements OwnStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "ArrayFileStore";
  }

  /** @internal */
  constructor(
    private readonly file: ByteReader,
    private readonly blocks: BlockCache,
    private readonly root: FileNode,
  ) {
    super();
  }

  /** @internal */
  get [own](): Pick<Store, "get"> {
    return ArrayFileStore.prototype;
  }

  locate(key: string): string {
    return `${this.file.name}!${key}`;
  }

  async listChildren(path: string): Promise<readonly string[]> {
    const node = await this.#node(segments(path), undefined);
    return node?.kind === "group" ? node.members(undefined) : [];
  }

  /** @internal */
  async readPart(
    key: string,
    wanted: RangeQuery | undefined,
    { signal, maxBytes }: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    const document = await this.#document(key, signal);
    if (document) return wanted ? cutRange(document, wanted) : document;
    const chunk = await this.#chunk(key, signal);
    return chunk && this.#read(key, chunk, wanted, { signal, maxBytes });
  }

  /** @internal */
  async [findSpan](key: string, signal: AbortSignal | undefined): Promise<PartSpan | undefined> {
    const chunk = await this.#chunk(key, signal);
    if (!chunk || !("offset" in chunk)) return undefined;
    const file = chunk.file ?? this.file;
    return { file: file.name, offset: chunk.offset, length: chunk.length, part: chunk };
  }

  /** @internal */
  [readSpan](
    { part: { file } }: PartSpan,
    part: { offset: number; length: number },
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    return this.#readFile("a chunk", { ...part, file }, { signal, maxBytes: part.length });
  }

  async #document(key: string, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const path = segments(key);
    if (path.pop() !== "zarr.json") return undefined;
    const node = await this.#node(path, signal);
    if (!node) return undefined;
    return printDocument(
      node.kind === "group"
        ? groupDocument(await node.attributes(signal))
        : arrayDocument(await node.describe(signal)),
    );
  }

  async #chunk(key: string, signal: AbortSignal | undefined): Promise<FileChunk | undefined> {
    const found = await this.#array(segments(key), signal);
    if (found?.rest[0] !== "c") return undefined;
    const at = found.rest.slice(1).map((text) => (/^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : -1));
    const { shape, chunks } = await found.array.describe(signal);
    const isInside = shape.every(
      (length, axis) => at[axis]! >= 0 && at[axis]! < chunkCount(length, chunks[axis]!),
    );
    return at.length === shape.length && isInside ? found.array.chunk(at, signal) : undefined;
  }

  /** Returns the array at the start of a path, and the rest of the path. */
  async #array(
    path: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<{ array: FileArray; rest: readonly string[] } | undefined> {
    let node: FileNode | undefined = this.root;
    for (let depth = 0; node; depth++) {
      if (node.kind === "array") return { array: node, rest: path.slice(depth) };
      node = depth < path.length ? await node.member(path[depth]!, signal) : undefined;
    }
    return undefined;
  }

  async #node(path: readonly string[], signal: AbortSignal | undefined): Promise<FileNode | undefined> {
    let node: FileNode | undefined = this.root;
    for (const name of path) {
      if (node?.kind !== "group") return undefined;
      node = await node.member(name, signal);
    }
    return node;
  }

  async #read(
    key: string,
    chunk: FileChunk,
    wanted: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array> {
    if ("bytes" in chunk) return wanted ? cutRange(chunk.bytes, wanted) : chunk.bytes;
    if ("parts" in chunk) {
      const parts = await Promise.all(chunk.parts.map((part) => this.#read(key, part, undefined, options)));
      const joined = joinBytes(parts);
      return wanted ? cutRange(joined, wanted) : joined;
    }
    if (!wanted) return this.#readFile(key, chunk, options);
    const { start, end } = resolveRange(wanted, chunk.length);
    return this.#readFile(key, { ...chunk, offset: chunk.offset + start, length: end - start }, options);
  }

  async #readFile(key: string, part: FilePart, { signal, maxBytes }: StoreGetOptions): Promise<Uint8Array> {
    const { offset, length, file = this.file } = part;
    if (length === 0) return new Uint8Array(0);
    const isOwn = file === this.file;
    const known = isOwn ? this.blocks.cached(offset, length) : undefined;
    if (known) return known;
    const version = isOwn ? this.blocks.version : undefined;
    const bytes = await file.read({ offset, length }, { signal, maxBytes, version });
    if (!bytes || bytes.byteLength < length) {
      const what = bytes ? `is ${length - bytes.byteLength} bytes too short` : "is missing";
      throw networkError(`${key}: ${file.name} ${what}`, { code: "bad-target" });
    }
    return bytes;
  }
}

interface PartSpan extends FileSpan {
  readonly part: FilePart;
}

const segments = (path: string): string[] => {
  const normal = normalizePath(path);
  return normal === "" ? [] : normal.split("/");
};
