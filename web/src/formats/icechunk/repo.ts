/** Branches and tags: the `repo` file of version 2, and the documents of version 1. */

import { canList, keysBelow } from "../../store/listing.js";
import type { Store } from "../../store/store.js";
import { utf8Text } from "../../util/bytes.js";
import { isJsonObject } from "../../util/json.js";
import { parseJson } from "../../util/json-reader.js";
import { textEncoder } from "../../util/platform.js";
import { type FlatBuffer, malformed } from "./flatbuffer.js";
import { futureVersion, isObjectId, objectId, type ReadObject } from "./format.js";
import { type Containers, containersOfRepo } from "./locations.js";

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
export class Repo {
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
export const fromMicroseconds = (microseconds: number): Date => new Date(microseconds / 1000);

/** Maximum size of a branch or tag document of version 1, in bytes. */
export const refBytes = 2 ** 16;

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
export async function snapshotOfRef(read: ReadObject, kind: Kind, name: string): Promise<string | undefined> {
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
export async function listRefs(
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
