/** Branches and tags of version 1: a small document each. */

import { canList, keysBelow } from "../../store/listing.js";
import type { Store } from "../../store/store.js";
import { isJsonObject, parseJson } from "../../util/json.js";
import { textEncoder } from "../../util/platform.js";
import { malformed } from "./flatbuffer.js";
import { isObjectId } from "./format.js";
import type { ReadObject } from "./objects.js";
import type { IcechunkRef } from "./repo.js";

/** Most bytes of such a document. */
export const refBytes = 2 ** 16;

type Kind = "branch" | "tag";

/** What writers escape in names of keys: what is not plain ASCII, and these; on S3 they escape nothing. */
const escaped = /[^\x20-\x7e]|[%#?*<>|"~[\]{}^\\`]/gu;

const escapeOf = (sign: string): string =>
  [...textEncoder().encode(sign)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");

/** Keys under which the document may be. */
const keysOf = (kind: Kind, name: string): string[] =>
  [...new Set([name, name.replaceAll(escaped, escapeOf)])].map((text) => `/refs/${kind}.${text}/ref.json`);

/**
 * The snapshot that a branch or tag stands for; undefined where there is none of the name.
 * @throws InvalidMetadata for a document that is damaged; what the store throws.
 */
export async function snapshotOfRef(read: ReadObject, kind: Kind, name: string): Promise<string | undefined> {
  if (name.includes("/")) return undefined;
  for (const key of keysOf(kind, name)) {
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

/** All branches or tags; undefined where the store cannot list. */
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
    return name; // written as it is
  }
}
