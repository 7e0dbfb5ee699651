/** zarrita's `create`, over this library's parts. */

import { arrayMetadata } from "../../edit/array-options.js";
import type { CreateOptions } from "../../edit/options.js";
import { replaceNode } from "../../edit/replace-node.js";
import { ZarrArray } from "../../hierarchy/array.js";
import { openPlain } from "../../hierarchy/open.js";
import { attributesOf } from "../../metadata/document.js";
import { v3Key } from "../../metadata/keys.js";
import { type Documents, groupDocuments } from "../../metadata/new-array.js";
import { attributesJson, jsonOf, withEntries } from "../../metadata/print.js";
import { normalizePath } from "../../store/path.js";
import type { Store } from "../../store/store.js";
import { checkObject } from "../../util/arguments.js";
import { invalidArgument, shown } from "../../util/errors.js";
import type { Json, JsonObject } from "../../util/json.js";
import { resolveLimits } from "../../util/limits.js";
import { checkText } from "./arguments.js";
import { likeZarrita } from "./errors.js";
import { dataTypeOf } from "./from-metadata.js";
import { type Location, ZarritaArray, ZarritaGroup } from "./nodes.js";
import { ownEndOf, withOwnCodecs } from "./registry.js";
import type { CodecMetadata, DataType, Mutable } from "./types.js";
import type { CreateArrayOptions, CreateGroupOptions } from "./writing.js";

/** Creates the node that the options ask for. */
export async function createNode<D extends DataType, S extends Mutable>(
  { store, path }: Location<S>,
  options: CreateArrayOptions<D> | CreateGroupOptions,
): Promise<ZarritaArray<D, S> | ZarritaGroup<S>> {
  checkObject(options, "options of create");
  const at = normalizePath(path);
  return likeZarrita(path, async () => {
    if ("shape" in options)
      return new ZarritaArray<D, S>(store, path, await createArray(store as Store, at, options));
    const attributes = attributesJson(options.attributes);
    await replaceNode(store as Store, at, groupDocuments(attributes, 3), { isArray: false });
    return new ZarritaGroup(store, path, { attributes: attributesOf(attributes, "attributes") });
  });
}

async function createArray<D extends DataType>(
  store: Store,
  path: string,
  options: CreateArrayOptions<D>,
): Promise<ZarrArray> {
  const limits = resolveLimits(undefined);
  const { dtype, chunkShape, codecs = [], fillValue } = options;
  if (!Array.isArray(codecs)) throw invalidArgument(`codecs must be a list, and cannot be ${shown(codecs)}`);
  const own = await ownEndOf({ dataType: dtype, shape: chunkShape, codecs, fillValue });
  const plain = codecs.slice(0, codecs.length - own.length);
  const metadata = await arrayMetadata(ownOptions(options, plain), 3, limits);
  if (own.length === 0) {
    await replaceNode(store, path, metadata.documents, { isArray: true });
    return new ZarrArray(await withOwnCodecs(store), path, metadata.spec, limits);
  }
  await replaceNode(store, path, withCodecs(metadata.documents, own), { isArray: true });
  return openPlain(await withOwnCodecs(store), { path, version: 3, kind: "array" });
}

/** The options of this library's `create` for those of zarrita's. */
function ownOptions<D extends DataType>(
  options: CreateArrayOptions<D>,
  codecs: readonly CodecMetadata[],
): CreateOptions {
  const { shape, dtype, fillValue, chunkSeparator, dimensionNames, attributes } = options;
  checkText(dtype, "dtype");
  const inner = codecs.find((codec) => codec?.name === "sharding_indexed")?.configuration?.["chunk_shape"];
  return {
    shape,
    dtype: dataTypeOf(dtype) as CreateOptions["dtype"],
    ...(inner === undefined
      ? { chunkShape: options.chunkShape }
      : { chunkShape: inner as number[], shardShape: options.chunkShape }),
    codecs,
    fillValue: (fillValue ?? undefined) as CreateOptions["fillValue"],
    chunkKeyEncoding: { name: "default", separator: chunkSeparator },
    dimensionNames,
    attributes,
  };
}

/** The documents of an array whose chunks codecs of the application's encode at the end. */
function withCodecs(documents: Documents, own: readonly (CodecMetadata & { toBytes: boolean })[]): Documents {
  const document = documents.get(v3Key) as JsonObject;
  const codecs = document["codecs"] as Json[];
  // One that makes bytes of the array stands where this library has put its own.
  const kept = own[0]!.toBytes ? codecs.slice(0, -1) : codecs;
  const added = own.map(({ name, configuration = {} }) => jsonOf({ name, configuration }, `codec ${name}`));
  return new Map([[v3Key, withEntries(document, [["codecs", [...kept, ...added]]])]]);
}
