/** Copies an array, or a group with everything below it, into any layout. */

import { requireEncodable } from "../edit/codecs-option.js";
import { checkSeen, metadataAt } from "../edit/target.js";
import { ZarrArray } from "../hierarchy/array.js";
import { type OpenedNode, ZarrGroup } from "../hierarchy/group.js";
import { open, type Source } from "../hierarchy/open.js";
import { mainDocument } from "../metadata/model.js";
import type { ArraySpec } from "../metadata/spec.js";
import { blockForFiles } from "../store/file/copy.js";
import { FileSystemStore } from "../store/file/store.js";
import { innermostStore } from "../store/handle.js";
import { joinPath } from "../store/path.js";
import type { Store } from "../store/store.js";
import { sha256 } from "../store/temp-names.js";
import { pickOptions } from "../util/arguments.js";
import { conflict } from "../util/errors.js";
import { countOf } from "../util/shapes.js";
import { elementBox, shareBoxes, tileBox } from "../walk/boxes.js";
import {
  type ArrayCopy,
  boxCopyOptions,
  Callbacks,
  countWork,
  elementBytes,
  Tally,
  TargetStore,
  untilGivenUp,
  visitedBoxes,
} from "./array-copy.js";
import { copyAsStored } from "./as-stored.js";
import { BoxCopier } from "./box-copy.js";
import { badOption, type Destination, openDestination } from "./destination.js";
import { loadNode, node } from "./host.js";
import type { DestinationLock, LockOptions } from "./lock.js";
import {
  awaitNodes,
  documentsText,
  makeNodes,
  readTree,
  type SourceNode,
  type TargetNode,
  withPathInErrors,
} from "./nodes.js";
import {
  type CheckedOptions,
  type CopyOptions,
  type CopyResult,
  checkCopyOptions,
  checkTemp,
  type SourceOptions,
  sourceOptions,
} from "./options.js";
import { checkOverlap, checkViews } from "./places.js";
import { plannedAxes, rechunk } from "./rechunk.js";
import { planPass } from "./rechunk-plan.js";
import { isSameEncoding } from "./stored-form.js";
import { arrayTarget, groupTarget, omeNote } from "./target.js";
import { View } from "./view.js";

/** A node to create, and its source. */
interface PlannedNode extends TargetNode {
  /** Selection of the source array; undefined for groups. */
  readonly view: View | undefined;
}

/**
 * Copies an array, or a group with everything below it. Properties without an option do not change. Chunks whose
 * encoding does not change are copied as they are stored; others are decoded and encoded in bounded memory.
 *
 * The destination is locked against other writers while the copy runs: no other copy can start to write to it, or to a
 * place in it. A copy to a place that contains it is not detected.
 * @param source URL or store, as for `open`, or an opened array or group.
 * @param destination an http or https URL, the file URL of a folder or of a `.zip` or `.ozx` archive (Node), or a store.
 * @throws InvalidArgument ("bad-option") and Unsupported before anything is written; AlreadyExists for data at the
 *   destination; Conflict ("locked") for another writer; NotAllowed ("is-source") for a destination that
 *   contains the source or lies in it; CorruptChunk ("differs") if `verify` finds a difference; what `open`, `get` and
 *   `set` throw; the reason of the signal. All objects written until then are whole.
 */
export async function copy(
  source: Source | OpenedNode,
  destination: string | URL | Store,
  options: CopyOptions = {},
): Promise<CopyResult> {
  const checked = checkCopyOptions(options);
  const callbacks = new Callbacks(checked.signal, [options.onProgress]);
  const { signal } = callbacks;
  signal?.throwIfAborted();
  await loadNode();
  const root = await openNode(source, { ...options, signal });
  const folder = innermostStore(root.store);
  const isOwn = typeof source === "string" || source instanceof URL;
  if (isOwn && folder instanceof FileSystemStore) await blockForFiles(folder);
  const tally = new Tally(callbacks, options.onProgress);
  return untilGivenUp(copyTree(root, destination, { ...checked, signal }, tally), signal, 2);
}

async function copyTree(
  root: OpenedNode,
  destination: string | URL | Store,
  options: CheckedOptions,
  tally: Tally,
): Promise<CopyResult> {
  const { signal } = options;
  const tree = await readTree(root);
  const nodes = await planNodes(tree, options);
  const target = await openDestination(destination, { ...options, name: options.destinationName });
  let lock: DestinationLock | undefined;
  try {
    checkDestination(target, options);
    if (isLong(nodes, options)) options.pool?.start("full");
    await checkOverlap(root, target);
    lock = await target.lock({ ...(await lockOptions(nodes, options)), source: root.store });
    signal?.throwIfAborted(); // the copy may have been given up
    if (options.overwrite && target.kind !== "zip")
      await checkViews(viewedSource(root, tree), target.store, signal);
    await untilGivenUp(copyAll(root, nodes, target, options, tally), signal);
    await tally.callbacks.settle();
    await lock.finish();
  } catch (error) {
    await target.abort(error);
    signal?.throwIfAborted();
    throw error;
  } finally {
    await lock?.release();
  }
  return tally.result;
}

const viewedSource = ({ store, path }: OpenedNode, nodes: readonly SourceNode[]) => ({
  ...{ store, path, document: mainDocument(nodes[0]!.metadata.documents).key },
  paths: nodes.map((node) => joinPath(path, node.path)),
});

/** Opens a node, or returns an opened one. */
export async function openNode(source: Source | OpenedNode, options: SourceOptions): Promise<OpenedNode> {
  if (source instanceof ZarrArray && options.path)
    throw badOption("`path` requires a group or a store as the source, got an array");
  if (source instanceof ZarrGroup) {
    const { path, signal } = options;
    return path ? source.open(path, { signal }) : source;
  }
  return source instanceof ZarrArray ? source : open(source, pickOptions(options, sourceOptions));
}

/** Parts of the same copy write at the same time. Parts also wait for the writer that creates the nodes. */
async function lockOptions(nodes: readonly PlannedNode[], options: CheckedOptions): Promise<LockOptions> {
  const { onWarning, share, signal, wait } = options;
  if (!share) return { onWarning, signal };
  const texts = nodes.map(({ path, metadata }) => [path, documentsText(metadata)]);
  const digest = await sha256(JSON.stringify(texts));
  return { share: `one of ${share.count} parts of ${digest}`, wait, onWarning, signal };
}

const isCopiedAsStored = ({ metadata, view }: PlannedNode): boolean =>
  !view || metadata.kind !== "array" || storedOffsets(view, metadata.spec) !== undefined;

/** Decoded bytes of arrays in a long copy. */
const longBytes = 2 ** 25;

/** Whether workers surely get boxes: they start while the destination is locked, which takes as long. */
const isLong = (nodes: readonly PlannedNode[], { metadataOnly, resume }: CheckedOptions): boolean =>
  !metadataOnly && !resume && nodes.some((node) => !isCopiedAsStored(node) && decodedBytes(node) > longBytes);

const decodedBytes = ({ metadata }: PlannedNode): number =>
  metadata.kind === "array" ? countOf(metadata.spec.shape) * metadata.spec.dtype.itemBytes : 0;

/** Plans the target of each node, so that errors occur before anything is written. */
async function planNodes(nodes: readonly SourceNode[], options: CheckedOptions): Promise<PlannedNode[]> {
  if (nodes[0]!.kind === "group" && options.selection !== null)
    throw badOption("`select` requires an array; name one with `path`");
  const changes = new Changes();
  const planned: PlannedNode[] = [];
  for (const source of nodes)
    planned.push(await withPathInErrors(source.path, () => planNode(source, options, changes)));
  changes.report(options.onWarning);
  const ranks = new Set(planned.flatMap(({ view }) => view?.kept.length ?? []));
  for (const name of ["chunkShape", "shardShape"] as const) {
    const lengths = options[name];
    if (Array.isArray(lengths) && !ranks.has(lengths.length))
      throw badOption(
        `\`${name}\` needs one length per dimension: ${[...ranks].join(" or ") || "none, as there is no array"}, got [${lengths}]`,
      );
  }
  return planned;
}

async function planNode(source: SourceNode, options: CheckedOptions, changes: Changes): Promise<PlannedNode> {
  const { path } = source;
  checkSeen(path);
  if (source.kind === "group") {
    const metadata = await groupTarget(source.metadata, options.zarrFormat ?? source.metadata.zarrFormat);
    const text = source.metadata.zarrFormat === 3 ? omeNote(metadata) : undefined;
    if (text !== undefined) changes.add(path, text);
    return { path, metadata, isConsolidated: source.isConsolidated, view: undefined };
  }
  const view = View.of(source.array, options.selection);
  const { metadata, notes } = await arrayTarget(source, view, options);
  if (!storedOffsets(view, metadata.spec)) await requireEncodable(metadata.spec);
  for (const text of notes) changes.add(path, text);
  return { path, metadata, isConsolidated: false, view };
}

/** Maximum number of nodes named in a warning. */
const maxNamed = 3;

/** Properties that copies cannot keep, each reported once for all nodes. */
class Changes {
  readonly #paths = new Map<string, string[]>();

  add(path: string, text: string): void {
    this.#paths.set(text, [...(this.#paths.get(text) ?? []), `"/${path}"`]);
  }

  report(onWarning: CopyOptions["onWarning"]): void {
    for (const [text, paths] of this.#paths) {
      const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : "";
      const message = `${paths.slice(0, maxNamed).join(", ")}${more}: ${text}`;
      onWarning?.({ code: "copy-changes", message });
    }
  }
}

async function copyAll(
  root: OpenedNode,
  nodes: readonly PlannedNode[],
  destination: Destination,
  options: CheckedOptions,
  tally: Tally,
): Promise<void> {
  const { metadataOnly, overwrite = false, resume, share, signal, verify, wait } = options;
  // Planned first, so that errors occur before anything is written.
  const works = metadataOnly ? [] : await planWorks(nodes, destination, options, tally);
  // Sources in other stores have been checked by `checkOverlap`.
  const sources = root.store instanceof FileSystemStore ? [root] : [];
  const mayExist = resume === true || share !== undefined;
  if (share && share.index > 0) await awaitNodes(destination.store, nodes, wait, signal);
  else await makeNodes(destination.store, nodes, { overwrite, sources, mayExist });
  tally.groups = nodes.filter(({ view }) => !view).length;
  if (metadataOnly) tally.arrays = nodes.length - tally.groups;
  for (const { boxes, target } of works) tally.expect(countWork(boxes, target));
  for (const work of works) await withPathInErrors(work.target.path, () => copyArray(work));
  await tally.callbacks.settle();
  signal?.throwIfAborted();
  await destination.close();
  if (verify && isComparedLater(destination, options)) await compareAll(works, destination);
}

async function planWorks(
  nodes: readonly PlannedNode[],
  destination: Destination,
  options: CheckedOptions,
  tally: Tally,
): Promise<ArrayCopy[]> {
  const { memory, resume = false, share, signal } = options;
  const verify = options.verify === true && !isComparedLater(destination, options);
  const temp = (await checkTemp(options.temp)) ?? (await defaultTemp(destination));
  const works: ArrayCopy[] = [];
  for (const { metadata, path, view } of nodes) {
    if (!view || metadata.kind !== "array") continue;
    const store = new TargetStore(destination, tally, resume);
    const target = new ZarrArray(store, path, metadata.spec, view.array.limits);
    const counts = target.reader.objectAxes.map((axis) => axis.count);
    const own = { view, target, resume, boxes: shareBoxes(counts, share, works.length) };
    const there = new ZarrArray(destination.store, path, metadata.spec, view.array.limits);
    const isAsStored = storedOffsets(view, target.spec) !== undefined;
    const { boxes, left } = await withPathInErrors(path, () => visitedBoxes(own, there, isAsStored));
    tally.countUnvisited(left);
    const { pool } = options;
    const folders = isAsStored ? undefined : await destination.foldersWith?.(view.array.store);
    const work = { view, target, store, tally, memory, resume, pool, boxes, verify, temp, signal, folders };
    works.push({ ...work, isSparse: left.chunks > 0n });
  }
  return works;
}

/** Returns the parent folder of the destination, or the system's temporary folder; undefined in pages. */
async function defaultTemp({ kind, place }: Destination): Promise<string | undefined> {
  if (!(await loadNode())) return undefined;
  const { os, path } = node();
  return place !== undefined && kind !== "http" ? path.dirname(path.resolve(place)) : os.tmpdir();
}

/** @throws InvalidArgument ("bad-option"). */
function checkDestination({ kind, name }: Destination, { resume, share }: CheckedOptions): void {
  if (kind === "zip" && (share || resume))
    throw badOption(
      `${name}: an archive is written in one pass by one process; omit \`part\` and \`resume\``,
    );
}

async function copyArray(work: ArrayCopy): Promise<void> {
  const { target, view } = work;
  work.tally.arrays++;
  const { missing } = work.tally.chunks;
  const offsets = storedOffsets(view, target.spec);
  if (offsets) await copyAsStored(work, offsets);
  else await rechunk(work);
  if (work.isSparse || work.tally.chunks.missing > missing) await requireDocuments(view.array, work.signal);
}

/** Tells missing chunks from an array that was deleted. @throws Conflict if the source has no documents any more. */
async function requireDocuments(
  { limits, path, store }: ZarrArray,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (await metadataAt(store, path, { limits, signal })) return;
  throw conflict(
    `the array "/${path}" of \`source\` was deleted while it was copied; the copy is incomplete`,
  );
}

/** Start of a selection in chunks, if chunks can be copied as they are stored. */
function storedOffsets(view: View, target: ArraySpec): number[] | undefined {
  return isSameEncoding(view.array.spec, target) ? view.cellOffsets(view.array.chunkShape) : undefined;
}

/** Archives cannot be read while they are written, and a resumed copy does not decode the objects that it keeps. */
const isComparedLater = ({ kind }: Destination, { resume }: CheckedOptions): boolean =>
  kind === "zip" || resume === true;

async function compareAll(works: readonly ArrayCopy[], destination: Destination): Promise<void> {
  const store = destination.readBack();
  for (const work of works) {
    const written = await open(store, { path: work.target.path, kind: "array" });
    await withPathInErrors(work.target.path, () => compareArrays(work, written));
  }
}

/** Compares a finished copy with its source. */
async function compareArrays(work: ArrayCopy, written: ZarrArray): Promise<void> {
  const copier = new BoxCopier({ ...boxCopyOptions(work, work.view), to: written });
  for (const objects of work.boxes) {
    const region = elementBox(objects, written.reader.objectAxes);
    const axes = plannedAxes(work.view, written, region);
    const { boxShape } = planPass({ axes, itemBytes: elementBytes(written), boxBytes: work.memory / 3 });
    for (const box of tileBox(region, boxShape)) await copier.compare(box);
  }
}
