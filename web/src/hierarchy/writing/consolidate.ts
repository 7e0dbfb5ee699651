/** Consolidating: one document with those of all nodes below a group. */
import { notFound, unsupported } from "../../base/errors.js";
import type { JsonObject } from "../../base/json.js";
import { Limiter } from "../../base/limiter.js";
import { settleAll, settledValues } from "../../base/settle.js";
import { v2ArrayKey, v2AttributesKey, v2ConsolidatedKey, v2GroupKey, v3Key } from "../../metadata/keys.js";
import { withEntries } from "../../metadata/print.js";
import { v3NodeType } from "../../metadata/v3.js";
import { listChildren } from "../../store/children.js";
import type { Store } from "../../store/store.js";
import { checkOptions } from "../arguments.js";
import type { Target, UpdateOptions } from "../create.js";
import type { ZarrGroup } from "../group.js";
import { Opener } from "../open.js";
import { consolidatedV2, consolidatedV3, inlined, replaceDocument } from "./consolidated.js";
import { placeOf, readDocument } from "./place.js";

/** Documents that are read at a time. */
const concurrency = 16;

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
    throw notFound(`there is no Zarr group at "/${path}" to consolidate`);
  if (isV3) await writeV3(store, path, found, signal);
  else await writeV2(store, path, found, signal);
  return (await new Opener(store, {}).open(path, { kind: "group", signal })) as ZarrGroup;
}

/** Documents of nodes by their paths below the group, "" for its own, parents before children. */
type Found = Map<string, Map<string, JsonObject>>;

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
  await replaceDocument(store, path, v3Key, change, signal);
}

/** As zarr-python orders them: by depth, then by name. */
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
  await replaceDocument(store, path, v2ConsolidatedKey, () => consolidatedV2(new Map(entries)), signal);
}

/** All documents of nodes below a path. @throws Unsupported where the store cannot list. */
async function collect(store: Store, path: string, signal: AbortSignal | undefined): Promise<Found> {
  const limiter = new Limiter(concurrency);
  const found: Found = new Map();
  const visit = async (below: string): Promise<void> => {
    const full = [path, below].filter((part) => part !== "").join("/");
    const documents = await limiter.run(() => documentsAt(store, full, signal));
    if (documents.size > 0) found.set(below, documents);
    if (below !== "" && !isGroup(documents)) return;
    const names = await listChildren(store, full);
    if (!names)
      throw unsupported("this store cannot list what is to be consolidated", { code: "no-listing" });
    await settleAll(names.map((name) => visit(below === "" ? name : `${below}/${name}`)));
  };
  await visit("");
  return new Map([...found].sort(byDepth));
}

async function documentsAt(store: Store, path: string, signal: AbortSignal | undefined) {
  const keys = [v3Key, v2ArrayKey, v2GroupKey, v2AttributesKey];
  const read = await settledValues(keys.map((key) => readDocument(store, path, key, signal)));
  const documents = new Map<string, JsonObject>();
  read.forEach((document, i) => {
    if (document) documents.set(keys[i]!, document.object);
  });
  return documents;
}

function isGroup(documents: ReadonlyMap<string, JsonObject>): boolean {
  const v3 = documents.get(v3Key);
  return documents.has(v2GroupKey) || (v3 !== undefined && v3NodeType(v3) === "group");
}
