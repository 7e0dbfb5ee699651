/** zarrita's consolidated metadata: stores that answer for metadata from one document. */

import { asObject, documentsIn, parseDocument } from "../../metadata/document.js";
import { answerOf } from "../../store/read.js";
import type { Store } from "../../store/store.js";
import { WrittenKeys } from "../../store/write-events.js";
import { checkObject } from "../../util/arguments.js";
import { invalidArgument } from "../../util/errors.js";
import { isJsonObject, type Json, JsonNumber, type JsonObject, jsonText } from "../../util/json.js";
import { defaultLimits } from "../../util/limits.js";
import { textEncoder } from "../../util/platform.js";
import { InvalidMetadataError, likeZarrita, NotFoundError } from "./errors.js";
import { defineStoreExtension } from "./extensions.js";
import type { AbsolutePath, AsyncReadable, GetBytesOptions } from "./types.js";

export type ConsolidatedFormat = "v2" | "v3";

export interface ConsolidatedMetadataOptions {
  /** Which to look for, in this order. Default: v3, then v2. */
  readonly format?: ConsolidatedFormat | ConsolidatedFormat[] | undefined;
  /** Key of a v2 document other than ".zmetadata". */
  readonly metadataKey?: string | undefined;
}

/** A node that consolidated metadata names. */
export interface ContentsEntry {
  path: AbsolutePath;
  kind: "array" | "group";
}

export type Listable<S> = S & { contents(): ContentsEntry[] };

/** Documents by their keys in the store. */
type Documents = ReadonlyMap<string, JsonObject>;

interface Loaded {
  readonly documents: Documents;
  /** The consolidated document itself, where it has a key of its own. */
  readonly source?: { readonly key: string; readonly bytes: Uint8Array } | undefined;
}

const metadataName = /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|meta|attrs)$/;

/**
 * A store that knows its metadata from the root's consolidated document, and lists it with `contents()`.
 * @throws NotFoundError, InvalidMetadataError where there is none.
 */
export const withConsolidatedMetadata = defineStoreExtension(
  async (store, options: ConsolidatedMetadataOptions = {}) => {
    checkObject(options, "options of withConsolidatedMetadata");
    const { documents, source } = await load(store, options);
    const folders = new Set([...documents.keys()].map((key) => key.slice(0, key.lastIndexOf("/"))));
    const written = new WrittenKeys(store as Store);
    return {
      async get(key: AbsolutePath, getOptions?: GetBytesOptions): Promise<Uint8Array | undefined> {
        if (written.has(key)) return store.get(key, getOptions);
        const document = documents.get(key);
        if (key === source?.key) return source.bytes;
        if (document) return textEncoder().encode(jsonText(document));
        // What consolidated metadata does not name beside a node that it does is not there.
        if (metadataName.test(key) && folders.has(key.slice(0, key.lastIndexOf("/")))) return undefined;
        return store.get(key, getOptions);
      },
      contents: (): ContentsEntry[] => contentsOf(documents),
    };
  },
);

/** {@link withConsolidatedMetadata} where there is some; else the store as it is. */
export async function withMaybeConsolidatedMetadata<S extends AsyncReadable>(
  store: S,
  options: ConsolidatedMetadataOptions = {},
): Promise<Listable<S> | S> {
  try {
    return await withConsolidatedMetadata(store, options);
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof InvalidMetadataError) return store;
    throw error;
  }
}

async function load(
  store: AsyncReadable,
  { format = ["v3", "v2"], metadataKey = ".zmetadata" }: ConsolidatedMetadataOptions,
): Promise<Loaded> {
  const versions: unknown[] = [format].flat();
  if (versions.length === 0 || !versions.every((version) => version === "v2" || version === "v3"))
    throw invalidArgument('the format of consolidated metadata must be "v2", "v3", or a list of these');
  let failure: unknown;
  for (const version of versions) {
    const key: AbsolutePath = version === "v2" ? `/${metadataKey}` : "/zarr.json";
    try {
      return await likeZarrita(key, async () => {
        const bytes = await answerOf(store, key, () => store.get(key), undefined);
        if (!bytes) throw new NotFoundError(`${version} consolidated metadata`, { path: key });
        const object = parseDocument(bytes, key, { limits: defaultLimits });
        return version === "v2"
          ? { documents: documentsOfV2(object), source: { key, bytes } }
          : { documents: documentsOfV3(object) };
      });
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof InvalidMetadataError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

function documentsOfV2(object: JsonObject): Documents {
  const format = object["zarr_consolidated_format"];
  if (!(format instanceof JsonNumber && format.text === "1"))
    throw new InvalidMetadataError("Invalid or unsupported v2 consolidated format");
  const documents = documentsIn(asObject(object["metadata"], '"metadata"'));
  return new Map([...documents].map(([key, document]) => [`/${key}`, document]));
}

function documentsOfV3(object: JsonObject): Documents {
  const { consolidated_metadata: consolidated, ...root } = object;
  const metadata: Json | undefined = isJsonObject(consolidated) ? consolidated["metadata"] : undefined;
  if (!isJsonObject(metadata))
    throw new InvalidMetadataError("Root zarr.json does not contain consolidated_metadata");
  const below = [...documentsIn(metadata)].map(
    ([path, document]) => [`${path.startsWith("/") ? path : `/${path}`}/zarr.json`, document] as const,
  );
  return new Map([["/zarr.json", root], ...below]);
}

function contentsOf(documents: Documents): ContentsEntry[] {
  const entries: ContentsEntry[] = [];
  for (const [key, document] of documents) {
    const at = key.lastIndexOf("/");
    const path = (key.slice(0, at) || "/") as AbsolutePath;
    const kind = { ".zarray": "array", ".zgroup": "group", "zarr.json": document["node_type"] }[
      key.slice(at + 1)
    ];
    if (kind === "array" || kind === "group") entries.push({ path, kind });
  }
  return entries;
}
