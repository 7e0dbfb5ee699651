/** Lazy part: formats that store an array as a folder of objects: N5 and precomputed volumes of Neuroglancer. */

import { handleOf } from "../../store/handle.js";
import { HttpStore } from "../../store/http/store.js";
import { joinPath } from "../../store/path.js";
import { locateKey } from "../../store/read.js";
import { joinKey, type Store } from "../../store/store.js";
import { isZarrError, notFound, type OnWarning } from "../../util/errors.js";
import type { JsonObject } from "../../util/json.js";
import { type Limits, resolveLimits } from "../../util/limits.js";
import { ArrayFileStore } from "../array-file/store.js";
import type { FileNode } from "../file/model.js";
import { isForbidden } from "../kerchunk/place.js";
import { FolderContext } from "./context.js";
import { n5Node } from "./n5.js";
import { volumeNode } from "./precomputed.js";

interface FolderFormat {
  /** Name of the object that describes the folder. */
  readonly document: string;
  /** Matches URLs that are tried without a prefix: each kind costs a request also if it is missing. */
  readonly url: RegExp;
  readonly name: string;
  /** Short name, for lists. */
  readonly label: string;
  /** Returns the root; undefined if the document is of something else. */
  root(context: FolderContext, path: string, document: JsonObject): FileNode | undefined;
}

const formats = {
  n5: {
    document: "attributes.json",
    url: /\.n5(?:\/|$)/i,
    name: "an N5 hierarchy",
    label: "N5",
    root: n5Node,
  },
  precomputed: {
    document: "info",
    url: /precomputed/i,
    name: "a precomputed volume",
    label: "precomputed",
    root: volumeNode,
  },
} as const satisfies Record<string, FolderFormat>;

export type FolderKind = keyof typeof formats;

interface FolderOptions {
  readonly limits?: Partial<Limits> | undefined;
  readonly onWarning?: OnWarning | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a folder of a known format.
 * @throws NotFound if it lacks the document; InvalidMetadata; Unsupported.
 */
export async function openFolder(
  store: Store,
  path: string,
  kind: FolderKind,
  options: FolderOptions,
): Promise<Store> {
  const { document, name } = formats[kind];
  const opened = await open(store, path, formats[kind], options);
  if (opened) return opened;
  throw notFound(`${locateKey(store, joinKey(path, document))} is not the document of ${name}`);
}

/**
 * Looks for a folder at a path, and at the root of the store.
 * @returns a store, and the rest of the path; undefined if there is none.
 */
export async function findFolder(
  store: Store,
  path: string,
  options: FolderOptions,
): Promise<{ readonly store: Store; readonly path: string } | undefined> {
  const url = store instanceof HttpStore ? joinPath(store.url.pathname, path) : undefined;
  for (const format of Object.values(formats)) {
    if (url !== undefined && !format.url.test(url)) continue;
    // Folders of N5 stand for themselves; a path in a volume names a level.
    const places = format === formats.n5 ? [path, ""] : ["", path];
    for (const folder of new Set(places)) {
      const opened = await open(store, folder, format, options).catch(absent);
      if (opened) return { store: opened, path: folder === "" ? path : "" };
    }
  }
  return undefined;
}

/** Ignores objects that are not documents, such as pages that servers send instead of them. */
function absent(error: unknown): undefined {
  const isPage = isZarrError(error) && ["not-json", "html-page"].includes(error.code ?? "");
  const isMissing = isZarrError(error, "NotFound") || isForbidden(error);
  if (!isPage && !isMissing) throw error;
}

async function open(
  store: Store,
  path: string,
  { document, root, label }: FolderFormat,
  { limits, onWarning, signal }: FolderOptions,
): Promise<Store | undefined> {
  const context = new FolderContext(store, resolveLimits(limits), onWarning);
  const json = await context.json(path, document, signal);
  const node = json && root(context, path, json);
  if (!node) return undefined;
  const reader = context.reader(path, document);
  const opened = new ArrayFileStore(
    { ...reader, name: context.locate(path, "") || joinKey(path, "") },
    node,
    { onWarning, format: label },
  );
  handleOf(opened).lastVersion = 3;
  return opened;
}
