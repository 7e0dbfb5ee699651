/** Resolves branches, tags and snapshots of a repository, in both versions of the format. */

import { locateKey } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { invalidArgument, notFound, unsupported, type ZarrError } from "../../util/errors.js";
import { absentIfForbidden, isForbidden } from "../kerchunk/place.js";
import { hasMagic, isObjectId, lostObject, objectReader, type ReadObject, readFile } from "./format.js";
import { type Containers, containersOfYaml } from "./locations.js";
import {
  fromMicroseconds,
  type IcechunkCommit,
  type IcechunkRef,
  listRefs,
  Repo,
  snapshotOfRef,
} from "./repo.js";
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
    const read = objectReader(this.store, signal);
    let bytes: Uint8Array | undefined;
    try {
      bytes = await read(repoKey, this.maxBytes);
    } catch (error) {
      // Buckets without permission to list respond 403 for missing objects. A ref of version 1 proves that it is missing.
      if (!isForbidden(error) || !(await read(mainKey, this.maxBytes).catch(() => undefined))) throw error;
    }
    return bytes && new Repo(await readFile(bytes, "repo", this.locate(repoKey), this.maxBytes));
  }

  /** Whether there is a repository: a `repo` file, or version 1's ref of main. */
  async exists(signal: AbortSignal | undefined): Promise<boolean> {
    const read = objectReader(this.store, signal);
    const bytes = await read(repoKey, this.maxBytes).catch(absentIfForbidden);
    if (bytes && hasMagic(bytes)) {
      this.#repo = readFile(bytes, "repo", this.locate(repoKey), this.maxBytes).then(
        (file) => new Repo(file),
      );
      this.#repo.catch(() => {}); // reading it reports the error
      return true;
    }
    const ref = await read(mainKey, 2 ** 16).catch(absentIfForbidden);
    if (ref) this.#repo = Promise.resolve(undefined);
    return ref !== undefined;
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
    if (snapshot) return snapshot;
    // Garbage collection may have removed it since the ref was read.
    this.#repo = undefined;
    const now = await this.#resolve(wanted, signal);
    const next = now === id ? undefined : await this.#snapshot(now, signal);
    if (!next) throw lostObject("a snapshot", this.locate(`/snapshots/${id}`));
    return next;
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
    if (!isMain && (await this.#reader(signal)(mainKey, 2 ** 16))) return this.#lacks(kind, name);
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
