/** Copies an array with other chunks or codecs: decodes, reassembles and encodes it in bounded memory. */

import { create } from "../edit/edit.js";
import type { CreateLikeOptions } from "../edit/options.js";
import type { ZarrArray } from "../hierarchy/array.js";
import type { Store } from "../store/store.js";
import { type Box, positionsIn } from "../util/shapes.js";
import {
  boxLengths,
  countIn,
  elementBox,
  inLanes,
  intersect,
  lanesFor,
  type ObjectBox,
  tileBox,
} from "../walk/boxes.js";
import { type ArrayCopy, boxCopyOptions, chunkCount, elementBytes, isDone, Tally } from "./array-copy.js";
import { copyAsStored } from "./as-stored.js";
import { BoxCopier, type BoxCopy } from "./box-copy.js";
import { FileBoxes } from "./box-files.js";
import {
  dividePass,
  type ParallelPass,
  type PlannedAxis,
  planPass,
  planRechunk,
  type RechunkPlan,
} from "./rechunk-plan.js";
import { withScratch } from "./scratch.js";
import { View } from "./view.js";

/** Share of the memory limit for the elements of a box. Its encoded chunks take the rest. */
const boxShare = { copied: 1 / 2, verified: 1 / 3 };

/** Limit for the chunks of a box: the bookkeeping of tiny chunks takes more memory than their elements. */
const maxChunks = 2 ** 16;
const chunkBytes = (array: ZarrArray): number =>
  array.chunkShape.reduce((a, b) => a * b, elementBytes(array));

/** Cost of reading from a server relative to reading from a local disk. */
const remoteCost = 4;

export async function rechunk(work: ArrayCopy): Promise<void> {
  const { target } = work;
  const objectBytes = (target.shardShape ?? target.chunkShape).reduce((a, b) => a * b, elementBytes(target));
  const share = work.memory * (work.verify ? boxShare.verified : boxShare.copied);
  const boxBytes = Math.min(share, maxChunks * Math.min(chunkBytes(work.view.array), chunkBytes(target)));
  // Arrays that are mostly empty have many small boxes.
  const largest = work.boxes.reduce((most, box) => Math.max(most, bytesIn(work, box)), 0);
  const lanes = lanesFor(largest, boxBytes);
  const own: ArrayCopy = { ...work, memory: work.memory / lanes };
  const copyBox = async (box: ObjectBox) => {
    const left = await boxToDo(own, box);
    if (!left) return;
    if (!target.spec.isSharded || objectBytes <= boxBytes) return copyRegion(own, left, boxBytes / lanes);
    for (const object of positionsIn(left))
      if (!own.store.kept.has(target.reader.objectKey(object))) await copyLargeShard(own, object, boxBytes);
  };
  await inLanes(work.boxes, lanes, copyBox, work.signal);
}

const bytesIn = ({ target }: ArrayCopy, box: ObjectBox): number =>
  countIn(elementBox(box, target.reader.objectAxes)) * elementBytes(target);

/** Returns the smallest box with all objects to write; a resumed copy skips existing ones. */
async function boxToDo(work: ArrayCopy, box: ObjectBox): Promise<ObjectBox | undefined> {
  if (!work.resume) return box;
  let left: { from: number[]; to: number[] } | undefined;
  for (const object of positionsIn(box)) {
    if (await isDone(work, object)) continue;
    left ??= { from: [...object], to: object.map((at) => at + 1) };
    left.from = left.from.map((start, axis) => Math.min(start, object[axis]!));
    left.to = left.to.map((end, axis) => Math.max(end, object[axis]! + 1));
  }
  return left;
}

async function copyRegion(work: ArrayCopy, objects: ObjectBox, boxBytes: number): Promise<void> {
  const { target, view } = work;
  const region = elementBox(objects, target.reader.objectAxes);
  const axes = plannedAxes(view, target, region);
  const input = {
    ...{ axes, boxBytes, itemBytes: elementBytes(target), readCost: readCost(view.array) },
    mayStage: work.temp !== undefined,
  };
  const plan = planRechunk(input);
  const advance = advancing(work);
  if (plan.type === "staged")
    return withScratch(work.temp!, work.verify, (store) => stagedCopy(work, region, plan, store, advance));
  const parallel = dividePass(input, plan.pass, boxLanes + boxesPerWorker * (work.pool?.size ?? 0));
  const files = work.folders && new FileBoxes(work.folders, work.store);
  await copyBoxes({ ...boxCopyOptions(work, view), to: target, files }, region, parallel, advance);
}

/** Boxes that are copied at a time: one is read while another one is written, and others are with workers. */
const boxLanes = 2;
const boxesPerWorker = 2;

/** Copies a region in boxes, several at a time. */
async function copyBoxes(
  options: BoxCopy,
  region: Box,
  { pass, lanes }: ParallelPass,
  onBox: (copied: Box) => void,
): Promise<void> {
  const idle = Array.from(
    { length: lanes },
    () => new BoxCopier({ ...options, memory: options.memory / lanes }),
  );
  const copyBox = async (box: Box) => {
    const copier = idle.pop()!;
    await copier.box(box);
    idle.push(copier);
    onBox(box);
  };
  await inLanes(tileBox(region, pass.boxShape), lanes, copyBox, options.signal);
}

/** Creates an array for the chunks of a part of the target. */
const createMiddle = (
  store: Store,
  target: ZarrArray,
  layout: Pick<CreateLikeOptions, "shape" | "chunkShape" | "codecs">,
): Promise<ZarrArray> =>
  create(store, {
    ...layout,
    ...{ like: target, shardShape: null, attributes: {} },
    dimensionNames: target.shape.map(() => null),
  });

/** Copies a region through intermediate chunks in a scratch folder. */
async function stagedCopy(
  work: ArrayCopy,
  region: Box,
  plan: Extract<RechunkPlan, { type: "staged" }>,
  store: Store,
  advance: (box: Box) => void,
): Promise<void> {
  const { target, view } = work;
  const layout = { shape: boxLengths(region), chunkShape: plan.middle, codecs: middleCodecs(target) };
  const middle = await createMiddle(store, target, layout);
  const into = {
    ...boxCopyOptions(work, view),
    to: middle,
    origin: region.from,
    writeEmptyChunks: true, // so that a missing chunk has been removed
  };
  await copyBoxes(into, region, { pass: plan.into, lanes: 1 }, () => {});
  const from = View.from(middle, region.from);
  const out = { ...boxCopyOptions(work, from), to: target, onRead: () => {} };
  await copyBoxes(out, region, { pass: plan.out, lanes: 1 }, advance);
}

/** Fast codecs for intermediate chunks. Data type "object" keeps its codec. */
const middleCodecs = ({ dtype }: ZarrArray): string | undefined =>
  dtype.name === "object" ? undefined : dtype.isVariable ? "zstd:1" : "blosc:lz4:1";

/** Returns a function that counts the work on a box, without objects that were kept. */
function advancing({ store, tally, target }: ArrayCopy): (box: Box) => void {
  const { reader } = target;
  return (box) => {
    const cells = {
      from: box.from.map((start, axis) => reader.objectAxes[axis]!.find(start)),
      to: box.to.map((end, axis) => reader.objectAxes[axis]!.find(end - 1) + 1),
    };
    let elements = countIn(box);
    for (const object of positionsIn(cells)) {
      const key = reader.objectKey(object);
      const chunks = chunkCount(reader, object);
      if (store.kept.has(key)) {
        const held = elementBox({ from: object, to: object.map((at) => at + 1) }, reader.objectAxes);
        elements -= countIn(intersect(held, box) ?? { from: [], to: [] });
      } else if (store.written.delete(key)) tally.chunks.reencoded += chunks;
      else tally.chunks.missing += chunks;
    }
    tally.advance(elements * elementBytes(target));
  };
}

/** Axes for the planner: reads are chunks, or whole shards if parts of them cannot be read. */
export function plannedAxes(
  view: View,
  target: ZarrArray,
  region: Box,
  cells?: readonly number[],
): PlannedAxis[] {
  const { array } = view;
  const [level] = array.spec.firstLayout.levels;
  const isReadWhole = level && (level.after.length > 0 || !array.store.getRange);
  const chunks = isReadWhole ? level.shape : array.chunkShape;
  const objects = cells ?? target.shardShape ?? target.chunkShape;
  return boxLengths(region).map((length, axis) => {
    const step = view.axes[axis]!.step;
    return { length, cell: objects[axis]!, chunk: Math.max(1, chunks[view.kept[axis]!]! / step) };
  });
}

const readCost = ({ store }: ZarrArray): number =>
  /^https?:/.test(store.locate?.("/") ?? "") ? remoteCost : 1;

/**
 * Copies one shard of the target that exceeds the memory limit: its chunks are encoded box by box, kept encoded, and joined.
 */
async function copyLargeShard(work: ArrayCopy, object: readonly number[], boxBytes: number): Promise<void> {
  const { tally, target, view } = work;
  const { reader, chunkShape } = target;
  const cell = { from: object, to: object.map((at) => at + 1) };
  const region = elementBox(cell, reader.objectAxes);
  const middle = await createMiddle(new Map(), target, { shape: boxLengths(region), chunkShape });
  const axes = plannedAxes(view, target, region, chunkShape);
  const pass = planPass({ axes, itemBytes: elementBytes(target), boxBytes });
  const options = { ...boxCopyOptions(work, view), to: middle, origin: region.from };
  await copyBoxes(options, region, { pass, lanes: 1 }, () => {});
  const joined = new Tally(tally.callbacks, undefined);
  await copyAsStored(
    { ...work, ...{ boxes: [cell], tally: joined, verify: false }, view: View.from(middle, region.from) },
    region.from.map((start, axis) => -start / chunkShape[axis]!),
  );
  work.store.written.delete(reader.objectKey(object));
  tally.chunks[joined.chunks.asStored > 0 ? "reencoded" : "missing"] += chunkCount(reader, object);
  tally.advance(countIn(region) * elementBytes(target));
}
