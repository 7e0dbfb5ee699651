/** Consolidates the metadata of all nodes below a group into one document. */

import { checkOptions } from "../hierarchy/arguments.js";
import type { ZarrGroup } from "../hierarchy/group.js";
import { Opener } from "../hierarchy/opener.js";
import { v2ArrayKey, v2AttributesKey, v2ConsolidatedKey, v2GroupKey, v3Key } from "../metadata/document.js";
import type { Documents } from "../metadata/new-array.js";
import { withEntries } from "../metadata/print.js";
import { v3NodeType } from "../metadata/v3.js";
import { listChildren } from "../store/listing.js";
import type { Store } from "../store/store.js";
import { Limiter, settleAll, settledValues } from "../util/async.js";
import { limitExceeded, notFound, unsupported } from "../util/errors.js";
import type { JsonObject } from "../util/json.js";
import { defaultLimits } from "../util/limits.js";
import { consolidatedV2, consolidatedV3, inlined, replaceDocument } from "./consolidated-metadata.js";
import type { Target, UpdateOptions } from "./options.js";
import { placeOf, readDocument } from "./target.js";

/** Maximum number of documents that are read in parallel. */
const concurrency = 16;
/** Minimum size of a node in consolidated metadata, in bytes. */
const nodeBytes = 128;

export async function consolidate(
  target: Target,
  options: UpdateOptions & { path?: string | undefined },
): Promise<ZarrGroup> {
  checkOptions(options);
  const { path: given, signal } = options;
  const { store, path } = await placeOf(target, given);
  const found = await collect(store, path, signal);
  const main = found.get("");
  const isV3 = main?.has(v3Key);
  if (!main?.has(isV3 ? v3Key : v2GroupKey) || (isV3 && v3NodeType(main.get(v3Key)!) !== "group"))
    throw notFound(`cannot consolidate "/${path}": it is not a Zarr group`);
  await writeConsolidated(store, path, found, signal);
  return (await new Opener(store, {}).open(path, { kind: "group", signal })) as ZarrGroup;
}

/** Documents of nodes by path below the group; "" is the group itself. */
type Found = ReadonlyMap<string, Documents>;

/** Writes the consolidated metadata of all nodes below a group. */
export async function writeConsolidated(
  store: Store,
  path: string,
  found: Found,
  signal: AbortSignal | undefined,
): Promise<void> {
  const write = found.get("")!.has(v3Key) ? writeV3 : writeV2;
  await write(store, path, found, signal);
}

async function writeV3(
  store: Store,
  path: string,
  found: Found,
  signal: AbortSignal | undefined,
): Promise<void> {
  const entries = [...found].flatMap(([below, documents]): [string, JsonObject][] => {
    const document = documents.get(v3Key);
    return below === "" || !document ? [] : [[below, inlined(document)]];
  });
  const consolidated = consolidatedV3(new Map(entries.sort(byDepth)));
  const change = (object: JsonObject | undefined) =>
    object && withEntries(object, [["consolidated_metadata", consolidated]]);
  await replaceDocument(store, path, v3Key, change, { signal });
}

/** Orders paths like zarr-python: by depth, then by name. */
function byDepth([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  const depths = a.split("/").length - b.split("/").length;
  return depths !== 0 ? depths : a < b ? -1 : 1;
}

async function writeV2(
  store: Store,
  path: string,
  found: Found,
  signal: AbortSignal | undefined,
): Promise<void> {
  const entries = [...found].flatMap(([below, documents]) =>
    [...documents]
      .filter(([key]) => key !== v3Key)
      .map(([key, object]): [string, JsonObject] => [below === "" ? key : `${below}/${key}`, object]),
  );
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  await replaceDocument(store, path, v2ConsolidatedKey, () => consolidatedV2(new Map(entries)), {
    signal,
  });
}

/** Reads the documents of all nodes below a path. @throws Unsupported if the store cannot list. */
async function collect(store: Store, path: string, signal: AbortSignal | undefined): Promise<Found> {
  const limiter = new Limiter(concurrency);
  const found = new Map<string, Documents>();
  // Larger metadata could not be read back. The limit also stops cycles of groups, which stores may have.
  const { metadataBytes } = defaultLimits;
  let together = 0;
  const visit = async (below: string): Promise<void> => {
    const full = [path, below].filter((part) => part !== "").join("/");
    const { bytes, documents } = await limiter.run(() => documentsAt(store, full, signal));
    together += bytes + full.length + nodeBytes;
    if (together > metadataBytes)
      throw limitExceeded(
        `the documents below "/${path}" are larger in total than the limit of ${metadataBytes} bytes`,
      );
    if (documents.size > 0) found.set(below, documents);
    if (below !== "" && !isGroup(documents)) return;
    const names = await listChildren(store, full, signal);
    if (!names)
      throw unsupported("cannot consolidate metadata: this store does not support listing", {
        code: "no-listing",
      });
    await settleAll(names.map((name) => visit(below === "" ? name : `${below}/${name}`)));
  };
  await visit("");
  return new Map([...found].sort(byDepth));
}

async function documentsAt(store: Store, path: string, signal: AbortSignal | undefined) {
  const keys = [v3Key, v2ArrayKey, v2GroupKey, v2AttributesKey];
  const read = await settledValues(keys.map((key) => readDocument(store, path, key, signal)));
  const documents = new Map<string, JsonObject>();
  let bytes = 0;
  read.forEach((document, i) => {
    if (!document) return;
    documents.set(keys[i]!, document.object);
    bytes += document.bytes;
  });
  return { bytes, documents };
}

function isGroup(documents: ReadonlyMap<string, JsonObject>): boolean {
  const v3 = documents.get(v3Key);
  return documents.has(v2GroupKey) || (v3 !== undefined && v3NodeType(v3) === "group");
}
