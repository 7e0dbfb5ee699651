/** `zarr-wasm copy`. */
import { createHash } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { type OpenedNode, open, type WorkerPool, ZarrArray } from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { checkSeen, type NodePlace, requireEncodable } from "#internal";
import { type Destination, hintFor, openDestination } from "../destination.js";
import { withCodecsHint } from "../hints.js";
import { type DestinationLock, type LockOptions, lockDestination } from "../lock/destination.js";
import { shareOf } from "../part.js";
import { checkTargets, placeBelow } from "../places.js";
import { poolOf } from "../pool.js";
import { progressLine, sizeText } from "../progress.js";
import { note, printSummary } from "../summary.js";
import { openSource, UsageError, type Values } from "../usage.js";
import { compareArrays, copyArray, storedOffsets } from "./array.js";
import { awaitNodes, documentsText, makeNodes, type TargetNode } from "./nodes.js";
import { type CopyOptions, readOptions } from "./options.js";
import { Tally } from "./tally.js";
import { type ArrayTarget, arrayTarget, groupTarget, omeNote } from "./target.js";
import { TargetStore } from "./target-store.js";
import { readTree, type SourceArray, type SourceNode } from "./tree.js";
import { View } from "./view.js";
import { sizeOf, visitedBoxes } from "./visited.js";
import type { Work } from "./work.js";

/** A node of the source, and what it becomes. */
interface Planned extends TargetNode {
  /** What is copied of an array. */
  readonly view: View | undefined;
}

export async function runCopy(source: string, dest: string, values: Values): Promise<number> {
  const options = readOptions(values);
  checkPlaces(source, dest);
  const root = await openSource(source, values);
  await checkTargets(root.store, dest);
  const nodes = await planNodes(await readTree(root), options);
  const destination = await openDestination(dest, { overwrite: options.overwrite, bucket: values.bucket });
  checkDestination(destination, options);
  const line = progressLine("copying");
  const tally = new Tally(line);
  let lock: DestinationLock | undefined;
  try {
    lock = await lockDestination(destination, lockOptions(nodes, options));
    await copyAll(nodes, destination, { ...options, sources: sourcesIn(root) }, tally);
    await lock.finish();
  } catch (error) {
    await destination.abort(error);
    throw withProgress(error, tally, destination);
  } finally {
    line.clear();
    await lock?.release();
  }
  printResult(values, { source, destination: dest }, options, tally);
  return 0;
}

/** Parts of the same copy write at the same time; a part waits for another command to make the nodes. */
function lockOptions(nodes: readonly Planned[], { overwrite, part, patience }: CopyOptions): LockOptions {
  if (!part) return { overwrite };
  const texts = nodes.map((node) => [node.path, documentsText(node.metadata)]);
  const digest = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  return { share: `one of ${part.count} parts of ${digest}`, wait: patience };
}

/** What becomes of each node; whatever does not fit is said before anything is written. */
async function planNodes(nodes: readonly SourceNode[], options: CopyOptions): Promise<Planned[]> {
  const { chunks, format, selection, shards } = options;
  if (nodes[0]!.kind === "group" && selection !== null)
    throw new UsageError("--select is for arrays: name one with --path");
  const planned: Planned[] = [];
  const ranks = new Set<number>();
  const notes = new Notes();
  for (const node of nodes) {
    const { path: below } = node;
    checkSeen(below);
    if (node.kind === "group") {
      const metadata = await naming(below, () =>
        groupTarget(node.metadata, format ?? node.metadata.zarrFormat),
      );
      const text = node.metadata.zarrFormat === 3 ? omeNote(metadata) : undefined;
      if (text !== undefined) notes.add(below, text);
      planned.push({ path: below, metadata, isConsolidated: node.isConsolidated, view: undefined });
      continue;
    }
    const view = View.of(node.array, selection);
    ranks.add(view.kept.length);
    const { metadata, notes: texts } = await naming(below, () => planArray(node, view, options));
    for (const text of texts) notes.add(below, text);
    planned.push({ path: below, metadata, isConsolidated: false, view });
  }
  notes.print();
  for (const [name, lengths] of [
    ["--chunks", chunks],
    ["--shards", shards],
  ] as const) {
    if (Array.isArray(lengths) && !ranks.has(lengths.length))
      throw new UsageError(`${name} has ${lengths.length} lengths, and no array has so many dimensions`);
  }
  return planned;
}

/** Maximum number of nodes named in a note. */
const maxNamed = 3;

/** Notes about nodes, each printed once. */
class Notes {
  readonly #paths = new Map<string, string[]>();

  add(path: string, text: string): void {
    this.#paths.set(text, [...(this.#paths.get(text) ?? []), `"/${path}"`]);
  }

  print(): void {
    for (const [text, paths] of this.#paths) {
      const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : "";
      note(`${paths.slice(0, maxNamed).join(", ")}${more}: ${text}`);
    }
  }
}

/** What an array becomes, whose chunks can be made; errors about its codecs say which option names others. */
async function planArray(source: SourceArray, view: View, options: CopyOptions): Promise<ArrayTarget> {
  try {
    const target = await arrayTarget(source, view, options);
    if (!storedOffsets(view, target.metadata.spec)) await requireEncodable(target.metadata.spec);
    return target;
  } catch (error) {
    throw withCodecsHint(error, options.codecs);
  }
}

/** Errors of a node below the root say which one it is. */
async function naming<T>(below: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (below !== "" && error instanceof Error && !Object.isFrozen(error))
      error.message = `"/${below}": ${error.message}`;
    throw error;
  }
}

async function copyAll(
  nodes: readonly Planned[],
  destination: Destination,
  options: CopyOptions & { readonly sources: readonly NodePlace[] },
  tally: Tally,
): Promise<void> {
  const { metadataOnly, overwrite, part, resume, sources } = options;
  const pool = metadataOnly ? undefined : poolOf(options.threads);
  try {
    // What cannot be copied is said before anything is written.
    const works = metadataOnly ? [] : await planWorks(nodes, destination, options, tally, pool);
    if (part && part.index > 0) await awaitNodes(destination.store, nodes, options.patience);
    else
      await makeNodes(destination.store, nodes, {
        overwrite,
        sources,
        mayExist: resume || part !== undefined,
      });
    tally.groups = nodes.filter(({ view }) => !view).length;
    if (metadataOnly) tally.arrays = nodes.length - tally.groups;
    for (const { boxes, target } of works) tally.expect(sizeOf(boxes, target));
    for (const work of works) await naming(work.target.path, () => copyArray(work));
    await destination.close();
    if (options.verify && destination.kind === "zip") await compareAll(works, destination);
  } finally {
    pool?.destroy();
  }
}

/** Nodes whose deletion is refused. Other sources have been checked by `checkTargets`. */
const sourcesIn = (root: OpenedNode): NodePlace[] => (root.store instanceof FileSystemStore ? [root] : []);

async function planWorks(
  nodes: readonly Planned[],
  destination: Destination,
  options: CopyOptions,
  tally: Tally,
  pool: WorkerPool | undefined,
): Promise<Work[]> {
  const { memory, part, resume } = options;
  const works: Work[] = [];
  for (const { metadata, path: below, view } of nodes) {
    if (!view || metadata.kind !== "array") continue;
    const store = new TargetStore(destination.store, tally, resume);
    const target = new ZarrArray(store, below, metadata.spec, view.array.limits);
    const counts = target.reader.objectAxes.map((axis) => axis.count);
    const share = { view, target, resume, boxes: shareOf(counts, part, works.length) };
    const there = new ZarrArray(destination.store, below, metadata.spec, view.array.limits);
    const isAsStored = storedOffsets(view, target.spec) !== undefined;
    const { boxes, left } = await naming(below, () => visitedBoxes(share, there, isAsStored));
    tally.leave(left);
    const work: Work = {
      ...{ view, target, store, tally, memory, resume, pool, boxes },
      verify: options.verify && destination.kind !== "zip",
      temp: options.temp ?? tempOf(destination),
    };
    works.push(work);
  }
  return works;
}

/** Beside what is written, where there is room for that. */
const tempOf = ({ kind, name }: Destination): string =>
  kind === "http" ? os.tmpdir() : path.dirname(path.resolve(name));

async function compareAll(works: readonly Work[], destination: Destination): Promise<void> {
  const store = destination.readBack();
  for (const work of works) {
    const written = await open(store, { path: work.target.path, kind: "array" });
    await naming(work.target.path, () => compareArrays(work, written));
  }
}

function checkDestination({ kind, name }: Destination, { part, resume }: CopyOptions): void {
  if (kind !== "zip" || (!part && !resume)) return;
  throw new UsageError(`${name}: an archive is written at once, by one process: no --part and no --resume`);
}

/** @throws an Error where source and destination are in one another: what is read would be deleted, or copied again. */
function checkPlaces(source: string, dest: string): void {
  if (placeBelow(source, dest) !== undefined || placeBelow(dest, source) !== undefined)
    throw new Error("SOURCE and DEST are the same place, or one is in the other");
}

/** An error that says how far the copy came, and what to do about it. */
function withProgress(error: unknown, tally: Tally, destination: Destination): unknown {
  if (!(error instanceof Error) || error instanceof UsageError || Object.isFrozen(error)) return error;
  const { chunksDone, totalChunks } = tally;
  const goesOn = destination.kind === "zip" ? "" : "; --resume goes on";
  if (totalChunks > 0) error.message += ` (${chunksDone} of ${totalChunks} chunks copied${goesOn})`;
  else error.message += hintFor(error, destination);
  return error;
}

function printResult(
  { json }: Values,
  places: { source: string; destination: string },
  { metadataOnly, verify }: CopyOptions,
  tally: Tally,
): void {
  const { arrays, bytesRead, bytesWritten, chunks, groups, megabytesPerSecond, seconds, bytes } = tally.facts;
  const nodes = `${arrays} ${arrays === 1 ? "array" : "arrays"}, ${groups} ${groups === 1 ? "group" : "groups"}`;
  const lines = metadataOnly
    ? [`made ${nodes}`]
    : [
        `copied ${nodes}: ${chunks.asStored} chunks as stored, ${chunks.reencoded} re-encoded, ${chunks.missing} missing, ${chunks.skipped} there already`,
        `${sizeText(Number(bytes))} in ${seconds.toFixed(2)} s (${megabytesPerSecond.toFixed(0)} MB/s), ${sizeText(bytesRead)} read, ${sizeText(bytesWritten)} written${verify ? ", verified" : ""}`,
      ];
  printSummary(json, { ...places, ...tally.facts, verified: verify && !metadataOnly }, lines);
}
