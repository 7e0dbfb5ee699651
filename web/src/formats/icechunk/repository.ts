/** Resolves branches, tags and snapshots of a repository, in both versions of the format. */

import { canList, keysBelow } from "../../store/listing.js";
import { locateKey } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { utf8Text } from "../../util/bytes.js";
import { invalidArgument, notFound, unsupported, type ZarrError } from "../../util/errors.js";
import { isJsonObject } from "../../util/json.js";
import { parseJson } from "../../util/json-reader.js";
import { textEncoder } from "../../util/platform.js";
import { absentIfForbidden, isForbidden } from "../kerchunk/place.js";
import { type Containers, containersOfRepo, containersOfYaml } from "./containers.js";
import {
  type FlatBuffer,
  futureVersion,
  hasMagic,
  isObjectId,
  lostObject,
  malformed,
  objectId,
  objectReader,
  type ReadObject,
  readFile,
} from "./format.js";
import { Snapshot } from "./snapshot.js";

const repoKey = "/repo";
const mainKey = "/refs/branch.main/ref.json";
/** Maximum length of the history that is walked, each snapshot a request in version 1. */
const maxHistory = 1_000_000;

export class Repository {
  #repo: Promise<Repo | undefined> | undefined;
  #containers: Promise<Containers> | undefined;

  constructor(
    readonly store: Store,
    private readonly maxBytes: number,
  ) {}

  /** Location of an object, for messages. */
  locate(key: string): string {
    return locateKey(this.store, key);
  }

  /** Reads the `repo` file once; undefined for version 1, which has none. */
  async #repoFile(signal: AbortSignal | undefined): Promise<Repo | undefined> {
    this.#repo ??= this.#readRepo(signal);
    try {
      return await this.#repo;
    } catch (error) {
      this.#repo = undefined; // so that the next call retries
      throw error;
    }
  }

  async #readRepo(signal: AbortSignal | undefined): Promise<Repo | undefined> {
    const read = this.#reader(signal);
    let bytes: Uint8Array | undefined;
    try {
      bytes = await read(repoKey, this.maxBytes);
    } catch (error) {
      // Buckets without permission to list respond 403 for missing objects. A ref of version 1 proves that it is missing.
      if (!isForbidden(error) || !(await read(mainKey, refBytes).catch(() => undefined))) throw error;
    }
    return bytes && this.#parseRepo(bytes);
  }

  async #parseRepo(bytes: Uint8Array): Promise<Repo> {
    return new Repo(await readFile(bytes, "repo", this.locate(repoKey), this.maxBytes));
  }

  /** Whether there is a repository: a `repo` file, or version 1's ref of main. */
  async exists(signal: AbortSignal | undefined): Promise<boolean> {
    const read = this.#reader(signal);
    const bytes = await read(repoKey, this.maxBytes).catch(absentIfForbidden);
    if (bytes && hasMagic(bytes)) this.#repo = this.#parseRepo(bytes);
    else if (await read(mainKey, refBytes).catch(absentIfForbidden)) this.#repo = Promise.resolve(undefined);
    this.#repo?.catch(() => {}); // reading it reports the error
    return this.#repo !== undefined;
  }

  /** Opens the snapshot of a version. @throws NotFound; InvalidMetadata; errors of the store. */
  async open(wanted: VersionSelector, signal: AbortSignal | undefined): Promise<Snapshot> {
    if (wanted.kind === "snapshot") {
      const snapshot = await this.#snapshot(wanted.name, signal);
      if (!snapshot) throw noVersion(`snapshot ${wanted.name} does not exist in ${this.locate("")}`);
      return snapshot;
    }
    const id = await this.#resolve(wanted, signal);
    const snapshot = await this.#snapshot(id, signal);
    if (!snapshot) throw lostObject("a snapshot", this.locate(`/snapshots/${id}`));
    return snapshot;
  }

  /** Resolves a branch or tag to its snapshot, now or at a time. */
  async #resolve(
    wanted: Exclude<VersionSelector, { kind: "snapshot" }>,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { kind, name, asOf } = wanted;
    const repo = await this.#repoFile(signal);
    if (repo) {
      const index = repo.find(kind, name);
      if (index === undefined) throw this.#lacks(kind, name);
      return asOf ? firstAt(repo.history(index), asOf, name) : repo.commit(index).snapshot;
    }
    const id = await snapshotOfRef(this.#reader(signal), kind, name);
    if (id === undefined) throw await this.#missingRef(kind, name, signal);
    return asOf ? firstAt(this.#walk(id, signal), asOf, name) : id;
  }

  /** The error for an unknown branch or tag, or for no repository at all. */
  async #missingRef(kind: string, name: string, signal: AbortSignal | undefined) {
    const isMain = kind === "branch" && name === "main";
    if (!isMain && (await this.#reader(signal)(mainKey, refBytes))) return this.#lacks(kind, name);
    const names = [repoKey, mainKey].map((key) => this.locate(key)).join(" nor ");
    return notFound(`there is no Icechunk repository (of 1.0 or later): neither ${names}`, {
      code: "wrong-kind",
    });
  }

  #lacks(kind: string, name: string) {
    return noVersion(`${kind} ${JSON.stringify(name)} does not exist in ${this.locate("")}`);
  }

  #reader(signal: AbortSignal | undefined): ReadObject {
    return objectReader(this.store, signal);
  }

  /** Reads a snapshot; undefined if it is missing. */
  async #snapshot(id: string, signal: AbortSignal | undefined): Promise<Snapshot | undefined> {
    const key = `/snapshots/${id}`;
    const bytes = await this.#reader(signal)(key, this.maxBytes);
    return bytes && new Snapshot(await readFile(bytes, "snapshot", this.locate(key), this.maxBytes), id);
  }

  /** Lists branches or tags by name. @throws Unsupported ("no-listing") for version 1 in a store that cannot list. */
  async refs(kind: "branch" | "tag", signal: AbortSignal | undefined): Promise<IcechunkRef[]> {
    signal?.throwIfAborted();
    const repo = await this.#repoFile(signal);
    const refs = repo ? repo.refs(kind) : await listRefs(this.store, this.#reader(signal), kind, signal);
    if (refs) return refs;
    throw unsupported(
      `the repository has version 1, whose ${kind === "tag" ? "tags" : "branches"} must be listed, and this store does not support listing`,
      { code: "no-listing" },
    );
  }

  /** A snapshot and its ancestors, newest first. */
  async *history(from: Snapshot, signal: AbortSignal | undefined): AsyncGenerator<IcechunkCommit> {
    signal?.throwIfAborted();
    const repo = await this.#repoFile(signal);
    const index = repo?.findSnapshot(from.id);
    if (repo && index !== undefined) yield* repo.history(index);
    else yield* this.#walk(from.id, signal, from);
  }

  /** Walks the parents of snapshots of version 1. Expired history ends at the first snapshot, or at a missing one. */
  async *#walk(
    from: string,
    signal: AbortSignal | undefined,
    known?: Snapshot,
  ): AsyncGenerator<IcechunkCommit> {
    const seen = new Set<string>();
    let snapshot = known ?? (await this.#snapshot(from, signal));
    if (!snapshot) throw lostObject("a snapshot", this.locate(`/snapshots/${from}`));
    while (snapshot && !seen.has(snapshot.id) && seen.size < maxHistory) {
      seen.add(snapshot.id);
      const { id, message, flushedAt, parent }: Snapshot = snapshot;
      yield { snapshot: id, message, time: fromMicroseconds(flushedAt) };
      snapshot = parent === undefined ? undefined : await this.#snapshot(parent, signal);
    }
  }

  /** Reads the virtual chunk containers of the repository's configuration once. */
  containers(signal: AbortSignal | undefined): Promise<Containers> {
    this.#containers ??= this.#readContainers(signal).catch((error) => {
      this.#containers = undefined;
      throw error;
    });
    return this.#containers;
  }

  async #readContainers(signal: AbortSignal | undefined): Promise<Containers> {
    const repo = await this.#repoFile(signal);
    return repo ? repo.containers : containersOfYaml(await this.#reader(signal)("/config.yaml", 2 ** 20));
  }
}

/** Returns the newest version at a time. @param history newest first. */
async function firstAt(
  history: Iterable<IcechunkCommit> | AsyncIterable<IcechunkCommit>,
  time: Date,
  branch: string,
): Promise<string> {
  for await (const { snapshot, time: written } of history)
    if (written.getTime() <= time.getTime()) return snapshot;
  throw noVersion(`the branch ${JSON.stringify(branch)} has no version at or before ${time.toISOString()}`);
}

/** At most one of `branch`, `tag` and `snapshot`. Default: the branch "main". */
export interface IcechunkVersion {
  /** The newest version of a branch. */
  branch?: string | undefined;
  tag?: string | undefined;
  /** Id of a snapshot: 20 characters. */
  snapshot?: string | undefined;
  /** Selects the newest version of the branch at that time. Strings are parsed by Date. */
  asOf?: Date | string | undefined;
}

/** A version with valid options. */
export type VersionSelector =
  | { readonly kind: "branch" | "tag"; readonly name: string; readonly asOf: Date | undefined }
  | { readonly kind: "snapshot"; readonly name: string };

/** @throws InvalidArgument. */
export function checkVersion({ branch, tag, snapshot, asOf }: IcechunkVersion): VersionSelector {
  const given = Object.entries({ branch, tag, snapshot }).filter(([, name]) => name !== undefined);
  if (given.length > 1)
    throw invalidArgument(`${given.map(([kind]) => kind).join(" and ")} cannot be combined`);
  const [kind, name] = (given[0] ?? ["branch", "main"]) as [VersionSelector["kind"], unknown];
  if (typeof name !== "string" || name === "") throw invalidArgument(`${kind} must be a non-empty string`);
  if (asOf !== undefined && kind !== "branch")
    throw invalidArgument(`asOf requires a branch and cannot be combined with ${kind}`);
  if (kind !== "snapshot") return { kind, name, asOf: asOf === undefined ? undefined : parseDate(asOf) };
  if (!isObjectId(name)) throw invalidArgument(`${JSON.stringify(name)} is not the id of a snapshot`);
  return { kind, name };
}

function parseDate(value: Date | string): Date {
  const date = value instanceof Date ? value : new Date(String(value));
  if (Number.isNaN(date.getTime()))
    throw invalidArgument(`asOf must be a time, not ${String(value).slice(0, 80)}`);
  return date;
}

/** The error for a missing version. */
export const noVersion = (what: string): ZarrError => notFound(what, { code: "no-version" });

/** A branch or tag, and its snapshot. */
export interface IcechunkRef {
  readonly name: string;
  /** Id of the snapshot. */
  readonly snapshot: string;
}

/** A version of the repository. */
export interface IcechunkCommit {
  /** Id of the snapshot. */
  readonly snapshot: string;
  readonly message: string;
  readonly time: Date;
}

/** Fields of lists of refs in the root table. */
const lists = { tag: 1, branch: 2 } as const;
const maxName = 2 ** 14;
const maxMessage = 2 ** 20;

/** The `repo` file of version 2: branches, tags, snapshots and configuration. */
class Repo {
  readonly #snapshots: number;

  /** @throws InvalidMetadata; FutureVersion. */
  constructor(readonly buffer: FlatBuffer) {
    const { root } = buffer;
    const version = buffer.field(root, 0, 1);
    const number = version === 0 ? 0 : buffer.u8(version);
    if (number > 2) throw futureVersion(buffer.name, number);
    if (number !== 2) buffer.fail(`its table has version ${number}, expected 2`);
    this.#snapshots = buffer.vector(buffer.required(root, 4), 4);
  }

  /** The branches or tags. */
  refs(kind: keyof typeof lists): IcechunkRef[] {
    const list = this.#refs(kind);
    let total = 0; // names share no bytes: the list is no longer than the file
    return Array.from({ length: this.buffer.count(list) }, (_, i) => {
      const ref = this.buffer.tableIn(list, i);
      const name = this.#name(ref);
      total += Math.max(1, name.length);
      if (total > this.buffer.bytes.byteLength)
        this.buffer.fail("the names of its branches and tags are too long");
      return { name, snapshot: this.#snapshotId(this.#snapshotIndex(ref)) };
    });
  }

  /** Index of the snapshot of a branch or tag; undefined for an unknown name. */
  find(kind: keyof typeof lists, name: string): number | undefined {
    const list = this.#refs(kind);
    const wanted = textEncoder().encode(name);
    for (let i = 0; i < this.buffer.count(list); i++) {
      const ref = this.buffer.tableIn(list, i);
      const start = this.buffer.vector(this.buffer.required(ref, 0), 1);
      if (this.buffer.compare(start + 4, this.buffer.count(start), wanted) === 0)
        return this.#snapshotIndex(ref);
    }
    return undefined;
  }

  /** Index of a snapshot; undefined if it is not listed. */
  findSnapshot(snapshot: string): number | undefined {
    for (let i = 0; i < this.buffer.count(this.#snapshots); i++)
      if (this.#snapshotId(i) === snapshot) return i;
    return undefined;
  }

  /** A snapshot and its ancestors, newest first. */
  *history(from: number): Generator<IcechunkCommit> {
    const count = this.buffer.count(this.#snapshots);
    let index = from;
    for (let seen = 0; seen <= count; seen++) {
      const info = this.#info(index);
      yield this.#commit(info, index);
      const parent = this.buffer.field(info, 1);
      // FlatBuffers omit defaults: 0, the first snapshot.
      index = parent === 0 ? 0 : this.buffer.i32(parent);
      if (index === -1) return;
      if (index < 0 || index >= count)
        this.buffer.fail(`a snapshot has parent index ${index}, but the file lists ${count} snapshots`);
    }
    this.buffer.fail("the parents of its snapshots form a cycle");
  }

  commit(index: number): IcechunkCommit {
    return this.#commit(this.#info(index), index);
  }

  /** Virtual chunk containers of the repository's configuration. */
  get containers(): Containers {
    const at = this.buffer.field(this.buffer.root, 9);
    return containersOfRepo(at === 0 ? undefined : this.buffer.bytesAt(at), this.buffer.name);
  }

  #refs(kind: keyof typeof lists): number {
    return this.buffer.vector(this.buffer.required(this.buffer.root, lists[kind]), 4);
  }

  #name(ref: number): string {
    const bytes = this.buffer.bytesAt(this.buffer.required(ref, 0));
    if (bytes.byteLength > maxName) this.buffer.fail("the name of a branch or tag is too long");
    return utf8Text(bytes) ?? this.buffer.fail("the name of a branch or tag is not UTF-8");
  }

  #snapshotIndex(ref: number): number {
    const at = this.buffer.field(ref, 1);
    const index = at === 0 ? 0 : this.buffer.u32(at);
    const count = this.buffer.count(this.#snapshots);
    if (index >= count)
      this.buffer.fail(`a branch or tag has snapshot index ${index}, but the file lists ${count} snapshots`);
    return index;
  }

  #info(index: number): number {
    return this.buffer.tableIn(this.#snapshots, index);
  }

  #snapshotId(index: number): string {
    const { buffer } = this;
    return objectId(buffer.struct(buffer.required(this.#info(index), 0, 12), 12));
  }

  #commit(info: number, index: number): IcechunkCommit {
    const at = this.buffer.field(info, 2, 8);
    return {
      snapshot: this.#snapshotId(index),
      message: this.buffer.textField(info, 3, maxMessage),
      time: fromMicroseconds(at === 0 ? 0 : this.buffer.u64(at)),
    };
  }
}

/** Converts microseconds since 1970; an invalid Date if out of range. */
const fromMicroseconds = (microseconds: number): Date => new Date(microseconds / 1000);

/** Maximum size of a branch or tag document of version 1, in bytes. */
const refBytes = 2 ** 16;

type Kind = "branch" | "tag";

/** Characters that writers escape in keys: these, and all but printable ASCII. On S3 they escape none. */
const escaped = /[^\x20-\x7e]|[%#?*<>|"~[\]{}^\\`]/gu;

const percentEncode = (sign: string): string =>
  [...textEncoder().encode(sign)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");

/** Possible keys of the document. */
const refKeys = (kind: Kind, name: string): string[] =>
  [...new Set([name, name.replaceAll(escaped, percentEncode)])].map(
    (text) => `/refs/${kind}.${text}/ref.json`,
  );

/**
 * Reads the snapshot of a branch or tag; undefined for an unknown name.
 * @throws InvalidMetadata for a damaged document; errors of the store.
 */
async function snapshotOfRef(read: ReadObject, kind: Kind, name: string): Promise<string | undefined> {
  if (name.includes("/")) return undefined;
  for (const key of refKeys(kind, name)) {
    const [document, tombstone] = await Promise.all([
      read(key, refBytes),
      kind === "tag" ? read(`${key}.deleted`, refBytes) : undefined,
    ]);
    if (tombstone) return undefined;
    if (document) return snapshotIn(document, key);
  }
  return undefined;
}

function snapshotIn(document: Uint8Array, key: string): string {
  const json = parseJson(document, { name: key, maxDepth: 8, bareNonFinite: false });
  const id = isJsonObject(json) ? json["snapshot"] : undefined;
  if (typeof id !== "string" || !isObjectId(id)) throw malformed(key, "it names no snapshot");
  return id;
}

/** Lists all branches or tags; undefined if the store cannot list. */
async function listRefs(
  store: Store,
  read: ReadObject,
  kind: Kind,
  signal: AbortSignal | undefined,
): Promise<IcechunkRef[] | undefined> {
  if (!canList(store)) return undefined;
  const refs: IcechunkRef[] = [];
  for await (const key of keysBelow(store, "refs", signal)) {
    const stored = new RegExp(`^/refs/${kind}\\.([^/]+)/ref\\.json$`).exec(key)?.[1];
    if (stored === undefined) continue;
    const name = unescaped(stored);
    const snapshot = await snapshotOfRef(read, kind, name);
    if (snapshot !== undefined) refs.push({ name, snapshot });
  }
  return refs.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // was not escaped
  }
}
