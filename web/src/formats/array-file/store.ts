/** Files of other formats as Zarr stores: chunks are byte ranges of the file. */

import { parseChunkKey } from "../../metadata/chunk-key-encodings.js";
import { printDocument } from "../../metadata/print.js";
import { handleOf } from "../../store/handle.js";
import { type HttpStoreOptions, httpOptions } from "../../store/http/store.js";
import { isSegment, normalizePath } from "../../store/path.js";
import { cutRange, RangedStore, resolveRange } from "../../store/read.js";
import { type ByteReader, type ByteSource, byteReader } from "../../store/source/byte-reader.js";
import { fileFormat, formatHint, headBytes, readableFormats } from "../../store/source/file-formats.js";
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
import { checkSignalIn, type OptionNames } from "../../util/arguments.js";
import { joinBytes } from "../../util/bytes.js";
import { isZarrError, limitExceeded, type OnWarning, unsupported } from "../../util/errors.js";
import { type Limits, resolveLimits } from "../../util/limits.js";
import { isFileUrl } from "../../util/platform.js";
import { inSlices, type Steps } from "../../util/slices.js";
import { blocksOf } from "../file/blocks.js";
import { arrayDocument, chunkCount, groupDocument } from "../file/documents.js";
import type { ChunkBytes, FileChunk, FileContext, FileGroup, FileNode, FilePart } from "../file/model.js";
import { loadParser, preloadParser } from "./detect.js";

/** Options; those of HttpStore are for files read by URL. */
export interface ArrayFileOptions extends HttpStoreOptions {
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<Limits> | undefined;
  /** Receives warnings, such as about members that are left out. */
  readonly onWarning?: OnWarning | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Files that may belong to this one, such as the other files of an OME-TIFF: `File` objects, or a function that returns
   * a file by its path relative to the folder of this one. Default: the files in the same folder, for URLs, paths and
   * stored objects.
   */
  readonly siblings?: readonly File[] | ((path: string) => ByteSource | undefined) | undefined;
}

const fileOptions: OptionNames<ArrayFileOptions> = {
  ...httpOptions,
  limits: true,
  onWarning: true,
  signal: true,
  siblings: true,
};

/** Chunks up to this size are read through the block cache: small ones, such as coordinates, are close to others. */
const smallChunk = 2 ** 15;

/** Members between two points where listing may pause. */
const pause = 2 ** 12;

/** Names of documents in stores of any version. */
const documentName = /^(?:zarr\.json|\.z(?:array|group|attrs|metadata))$/;

interface OpenedContext extends Pick<FileContext, "onWarning"> {
  /** Short name of the format. */
  readonly format?: string;
}

/**
 * A file of another format as a read-only store: its groups and arrays have Zarr v3 documents, its chunks are byte ranges
 * of the file. Metadata is read when it is needed.
 */
export class ArrayFileStore extends RangedStore implements OwnStore {
  /** Name in consoles, also in minified programs. */
  static override get name(): string {
    return "ArrayFileStore";
  }

  readonly #file: ByteReader;
  readonly #context: OpenedContext;
  readonly #root: FileNode;
  /** All files that have been opened, the own one first. */
  readonly #files: Iterable<ByteReader>;

  /** @internal */
  constructor(
    file: ByteReader,
    root: FileNode,
    context: OpenedContext,
    files: Iterable<ByteReader> = [file],
  ) {
    super();
    this.#file = file;
    this.#root = root;
    this.#context = context;
    this.#files = files;
  }

  /**
   * Opens a file; its format is determined by its first bytes.
   * @param source a URL, the path of a file (Node), an object in a store, a Blob or bytes.
   * @throws Unsupported for files of other formats, and for features that have no exact form in Zarr; NotFound for a
   *   missing file; InvalidMetadata ("bad-file"), LimitExceeded, and errors of its source.
   */
  static async open(source: ByteSource, options: ArrayFileOptions = {}): Promise<ArrayFileStore> {
    checkSignalIn(options, fileOptions);
    const file = byteReader(source, options);
    const store = await openFile(file, options);
    if (store) return store;
    throw unsupported(`${file.name} has an unknown format; supported are ${readableFormats}`, {
      code: "unsupported-file",
    });
  }

  /** @internal */
  get [own](): Pick<Store, "get"> {
    return ArrayFileStore.prototype;
  }

  /** @internal Name of the format, such as "HDF5". */
  get format(): string {
    return this.#context.format ?? "file";
  }

  /** @internal Name of the file. */
  get fileName(): string {
    return this.#file.name;
  }

  /** @internal Whether the file is unchanged since it was opened; false if its source cannot tell. */
  async isCurrent(signal: AbortSignal | undefined): Promise<boolean> {
    const { version } = blocksOf(this.#file);
    if (version.etag === undefined) return false;
    try {
      return (await this.#file.read({ offset: 0, length: 1 }, { signal, version })) !== undefined;
    } catch (error) {
      if (isZarrError(error, "Network") && error.code === "changed") return false;
      throw error;
    }
  }

  locate(key: string): string {
    return `${this.#file.name}!${key}`;
  }

  /** Lists the members of a group in the order of the file. Members whose names cannot be parts of keys are left out. */
  async listChildren(path: string): Promise<readonly string[]> {
    const found = await this.#find(segments(path), undefined);
    if (found?.node.kind !== "group") return [];
    return inSlices(this.#safeNames(path, await found.node.members(undefined)));
  }

  *#safeNames(path: string, members: readonly string[]): Steps<string[]> {
    const names = new Set<string>();
    for (const [i, name] of members.entries()) {
      if (i % pause === pause - 1) yield;
      if (isSafe(name)) names.add(name);
      else
        this.#context.onWarning?.({
          code: "bad-member",
          message: `${this.locate(`/${path}`)}: ${JSON.stringify(name)} is left out: it cannot be part of a key`,
        });
    }
    return [...names];
  }

  /** @internal The files that have been opened. */
  async *placesRead(_path: string, isFile: boolean): AsyncGenerator<URL | Store> {
    for (const file of this.#files) {
      if (file.store) yield file.store;
      const url = await file.url?.();
      if (url && isFileUrl(url) === isFile) yield url;
    }
  }

  /** @internal */
  async readPart(
    key: string,
    wanted: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array | undefined> {
    const path = segments(key);
    const name = path.at(-1);
    if (name !== undefined && documentName.test(name)) {
      const document = name === "zarr.json" ? await this.#document(path.slice(0, -1), options) : undefined;
      return document && wanted ? cutRange(document, wanted) : document;
    }
    const chunk = await this.#chunk(path, options.signal);
    if (chunk && "object" in chunk) return chunk.object.read(wanted, options);
    return chunk && this.#read(key, chunk, wanted, options);
  }

  /** @internal */
  async [findSpan](key: string, signal: AbortSignal | undefined): Promise<PartSpan | undefined> {
    const chunk = await this.#chunk(segments(key), signal);
    if (!chunk || !("offset" in chunk)) return undefined;
    const { file = this.#file, offset, length } = chunk;
    blocksOf(file).check(offset, length); // the caller reads the chunk alone then
    return { file: file.name, offset, length, reader: file };
  }

  /** @internal */
  [readSpan](
    { reader }: PartSpan,
    part: { offset: number; length: number },
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    return this.#readFile("chunks", { ...part, file: reader }, { signal, maxBytes: part.length });
  }

  async #document(path: readonly string[], { signal }: StoreGetOptions): Promise<Uint8Array | undefined> {
    const node = (await this.#find(path, signal))?.node;
    if (!node) return undefined;
    return printDocument(
      node.kind === "group"
        ? groupDocument(await node.attributes(signal))
        : arrayDocument(await node.describe(signal)),
    );
  }

  async #chunk(path: readonly string[], signal: AbortSignal | undefined): Promise<FileChunk | undefined> {
    const found = await this.#find(path, signal, true);
    if (found?.node.kind !== "array" || path[found.depth] !== "c") return undefined;
    const { shape, chunks } = await found.node.describe(signal);
    const at = parseChunkKey(chunkKeys, path.slice(found.depth).join("/"), shape.length);
    const isInside = at?.every((index, axis) => index < chunkCount(shape[axis]!, chunks[axis]!));
    return at && isInside ? found.node.chunk(at, signal) : undefined;
  }

  /**
   * Returns the node at a path; undefined if there is none. A group inside itself, which links may cause, is left out.
   * @param isPrefix whether an array may end the search before the end of the path.
   */
  async #find(
    path: readonly string[],
    signal: AbortSignal | undefined,
    isPrefix = false,
  ): Promise<{ node: FileNode; depth: number } | undefined> {
    let node: FileNode = this.#root;
    const outer: FileGroup[] = [];
    for (let depth = 0; ; depth++) {
      if (depth === path.length || (isPrefix && node.kind === "array")) return { node, depth };
      const name = path[depth]!;
      if (node.kind === "array" || !isSafe(name)) return undefined;
      outer.push(node);
      const member: FileNode | undefined = await node.member(name, signal);
      if (!member || outer.includes(member as FileGroup)) return undefined;
      node = member;
    }
  }

  async #read(
    key: string,
    chunk: ChunkBytes,
    wanted: RangeQuery | undefined,
    options: StoreGetOptions,
  ): Promise<Uint8Array> {
    if (wanted && "offset" in chunk) {
      const { start, end } = resolveRange(wanted, chunk.length);
      return this.#readFile(key, { ...chunk, offset: chunk.offset + start, length: end - start }, options);
    }
    const parts = joined(chunk);
    const length = parts.reduce((sum, part) => sum + ("bytes" in part ? part.bytes : part).length, 0);
    const { maxBytes = Number.POSITIVE_INFINITY } = options;
    if (length > maxBytes && !wanted)
      throw limitExceeded(`${this.locate(key)} has ${length} bytes, more than the limit of ${maxBytes}`);
    const read = await Promise.all(
      parts.map((part) => ("bytes" in part ? part.bytes : this.#readFile(key, part, options))),
    );
    const bytes = read.length === 1 ? read[0]! : joinBytes(read);
    return wanted ? cutRange(bytes, wanted) : bytes;
  }

  async #readFile(key: string, part: FilePart, { signal, maxBytes }: StoreGetOptions): Promise<Uint8Array> {
    const { offset, length, file = this.#file } = part;
    if (length === 0) return new Uint8Array(0);
    const blocks = blocksOf(file);
    if (length <= smallChunk) return blocks.read(offset, length, signal);
    return blocks.readChunk(offset, length, { signal, maxBytes }, `${key}: ${file.name}`);
  }
}

/**
 * Opens a file as a store; undefined if its format is unknown.
 * @throws Unsupported for known formats that cannot be read; errors of the parser and of the source.
 */
export async function openFile(
  file: ByteReader,
  options: ArrayFileOptions,
): Promise<ArrayFileStore | undefined> {
  const { signal, onWarning } = options;
  const limits = resolveLimits(options.limits);
  const blocks = blocksOf(file, limits.indexBytes);
  preloadParser(file.name);
  const found = fileFormat(await blocks.head(headBytes, signal));
  if (!found) return undefined;
  const parser = await loadParser(found.id);
  if (!parser)
    throw unsupported(`${file.name} is ${formatHint(found)}`, {
      code: "unsupported-file",
    });
  const siblings = new Siblings(file, options);
  const { name } = file;
  const context = { name, blocks, limits, onWarning, sibling: (path: string) => siblings.find(path) };
  const root = await parser.open(context, signal).catch((error: unknown) => {
    if (isZarrError(error) && !error.message.includes(name)) error.message = `${name}: ${error.message}`;
    throw error;
  });
  const store = new ArrayFileStore(
    file,
    root,
    { onWarning, format: found.label ?? found.name },
    siblings.opened(),
  );
  handleOf(store).lastVersion = 3;
  return store;
}

/** The files beside a file, each with one reader. */
class Siblings {
  readonly #found = new Map<string, ByteReader | undefined>();

  constructor(
    private readonly file: ByteReader,
    private readonly options: ArrayFileOptions,
  ) {}

  /** Returns a reader of the file at a relative path; undefined if the source has none, and for paths with "..". */
  find(path: string): ByteReader | undefined {
    if (!path.split("/").every(isSegment)) return undefined;
    if (!this.#found.has(path)) this.#found.set(path, this.#open(path));
    return this.#found.get(path);
  }

  /** Returns the file itself and the siblings opened so far. */
  opened(): Iterable<ByteReader> {
    const { file } = this;
    const found = this.#found;
    return {
      *[Symbol.iterator]() {
        yield file;
        for (const sibling of found.values()) if (sibling) yield sibling;
      },
    };
  }

  #open(path: string): ByteReader | undefined {
    const { siblings } = this.options;
    if (!siblings) return this.file.sibling?.(path);
    const source =
      typeof siblings === "function" ? siblings(path) : siblings.find(({ name }) => name === path);
    return source === undefined ? undefined : byteReader(source, this.options);
  }
}

export interface PartSpan extends FileSpan {
  readonly reader: ByteReader;
}

/** The encoding of the keys of chunks in the documents. */
const chunkKeys = { name: "default", separator: "/" } as const;

/** Whether a member's name can be part of a key, and of the path of a copy. */
const isSafe = (name: string): boolean => isSegment(name) && !documentName.test(name);

/** Returns the ranges and bytes of a chunk, adjacent ranges as one. */
function joined(chunk: ChunkBytes): (FilePart | { readonly bytes: Uint8Array })[] {
  if (!("parts" in chunk)) return [chunk];
  const result: (FilePart | { readonly bytes: Uint8Array })[] = [];
  for (const part of chunk.parts.flatMap(joined)) {
    const last = result.at(-1);
    const isAdjacent =
      last !== undefined &&
      "offset" in last &&
      "offset" in part &&
      last.file === part.file &&
      last.offset + last.length === part.offset;
    if (isAdjacent) result[result.length - 1] = { ...last, length: last.length + part.length };
    else result.push(part);
  }
  return result;
}

const segments = (path: string): string[] => {
  const normal = normalizePath(path);
  return normal === "" ? [] : normal.split("/");
};
