/** Copying with other chunks or codecs: decoded, put together anew and encoded, in bounded memory. */

import { create, type ZarrArray } from "zarr-wasm";
import { type Box, positionsIn } from "#internal";
import type { ObjectBox } from "../part.js";
import { BoxCopier } from "./box-copy.js";
import { countIn, elementsOf, intersect, lengthsOf, tilesOf } from "./boxes.js";
import { CellDigests } from "./digests.js";
import { inLanes, lanesFor } from "./lanes.js";
import { copyLargeShard } from "./large-shards.js";
import { type PlannedAxis, planRechunk, type RechunkPlan } from "./plan.js";
import { type ScratchStore, withScratch } from "./scratch.js";
import { View } from "./view.js";
import { boxCopy, chunkCount, isDone, itemBytesOf, type Work } from "./work.js";

/** Of the memory for elements on their way a box takes so much; what it is decoded from and encoded to takes as well. */
const boxShare = { copied: 1 / 2, verified: 1 / 3 };

/** Most chunks that are read, or written, for a box: tiny ones take more memory than their elements do. */
const maxChunks = 2 ** 16;
const chunkBytes = (array: ZarrArray): number => array.chunkShape.reduce((a, b) => a * b, itemBytesOf(array));

/** What reading costs in stores that are not of this machine, in terms of reading from its disk. */
const remoteCost = 4;

export async function rechunk(work: Work): Promise<void> {
  const { target } = work;
  const objectBytes = (target.shardShape ?? target.chunkShape).reduce((a, b) => a * b, itemBytesOf(target));
  const share = work.memory * (work.verify ? boxShare.verified : boxShare.copied);
  const boxBytes = Math.min(share, maxChunks * Math.min(chunkBytes(work.view.array), chunkBytes(target)));
  // Of an array that is mostly empty there are many small boxes.
  const largest = work.boxes.reduce((most, box) => Math.max(most, bytesIn(work, box)), 0);
  const lanes = lanesFor(largest, boxBytes);
  const own: Work = { ...work, memory: work.memory / lanes };
  await inLanes(work.boxes, lanes, async (box) => {
    const left = await boxToDo(own, box);
    if (!left) return;
    if (target.spec.isSharded && objectBytes > boxBytes) await largeShards(own, left, boxBytes);
    else await regionOf(own, left, boxBytes / lanes);
  });
}

const bytesIn = ({ target }: Work, box: ObjectBox): number =>
  countIn(elementsOf(box, target.reader.objectAxes)) * itemBytesOf(target);

/** The smallest box of objects with all that are to be written; of a copy that goes on, not those that are there. */
async function boxToDo(work: Work, box: ObjectBox): Promise<ObjectBox | undefined> {
  if (!work.resume) return box;
  let left: { from: number[]; to: number[] } | undefined;
  for (const object of positionsIn(box)) {
    if (await isDone(work, object)) continue;
    left ??= { from: [...object], to: object.map((at) => at + 1) };
    left.from = left.from.map((start, axis) => Math.min(start, object[axis]!));
    left.to = left.to.map((end, axis) => Math.max(end, object[axis]! + 1));
  }
  return work.verify ? box : left;
}

async function regionOf(work: Work, objects: ObjectBox, boxBytes: number): Promise<void> {
  const { target, view } = work;
  const region = elementsOf(objects, target.reader.objectAxes);
  const axes = plannedAxes(view, target, region);
  const plan = planRechunk({
    axes,
    itemBytes: itemBytesOf(target),
    boxBytes,
    readCost: readCost(view.array),
  });
  const advance = advancing(work);
  if (plan.type === "direct")
    return new BoxCopier({ ...boxCopy(work, view), to: target }).region(region, plan.pass.boxShape, advance);
  await withScratch(work.temp, (store) => stagedCopy(work, region, plan, store, advance));
}

/** Copies a region through intermediate chunks in a scratch folder. */
async function stagedCopy(
  work: Work,
  region: Box,
  plan: Extract<RechunkPlan, { type: "staged" }>,
  store: ScratchStore,
  advance: (box: Box) => void,
): Promise<void> {
  const { target, verify, view } = work;
  const middle = await create(store, {
    like: target,
    shape: lengthsOf(region),
    chunkShape: plan.middle,
    shardShape: null,
    codecs: middleCodecs(target),
    dimensionNames: target.shape.map(() => null),
    attributes: {},
  });
  const digests = verify ? new CellDigests(region, plan, target.dtype.itemBytes) : undefined;
  await new BoxCopier({
    ...boxCopy(work, view),
    to: middle,
    origin: region.from,
    verify: false,
    writeEmptyChunks: true, // so that a chunk that is missing was removed
    onData: (box, data) => digests?.add(box, data),
  }).region(region, plan.into.boxShape);
  store.seal();
  const out = new BoxCopier({
    ...boxCopy(work, View.from(middle, region.from)),
    to: target,
    verify: false,
    onRead: () => {},
  });
  for (const box of tilesOf(region, plan.out.boxShape)) {
    await out.box(box);
    digests?.check(box, await out.target(box));
    advance(box);
  }
}

/** Fast ones; objects keep the codec that they have. */
const middleCodecs = ({ dtype }: ZarrArray): string | undefined =>
  dtype.name === "object" ? undefined : dtype.isVariable ? "zstd:1" : "blosc:lz4:1";

/** Counts what is done of a box, but what had been there. */
function advancing({ store, tally, target }: Work): (box: Box) => void {
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
        const held = elementsOf({ from: object, to: object.map((at) => at + 1) }, reader.objectAxes);
        elements -= countIn(intersect(held, box) ?? { from: [], to: [] });
      } else if (store.written.delete(key)) tally.chunks.reencoded += chunks;
      else tally.chunks.missing += chunks;
    }
    tally.advance(elements * itemBytesOf(target));
  };
}

async function largeShards(work: Work, objects: ObjectBox, boxBytes: number): Promise<void> {
  const advance = advancing(work);
  for (const object of positionsIn(objects)) {
    if (work.store.kept.has(work.target.reader.objectKey(object)) && !work.verify) continue;
    advance(await copyLargeShard(work, object, boxBytes));
  }
}

/** What is read per axis: chunks, or where no parts of shards can be read, shards. */
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
  return lengthsOf(region).map((length, axis) => {
    const step = view.axes[axis]!.step;
    return { length, cell: objects[axis]!, chunk: Math.max(1, chunks[view.kept[axis]!]! / step) };
  });
}

const readCost = ({ store }: ZarrArray): number =>
  /^https?:/.test(store.locate?.("/") ?? "") ? remoteCost : 1;
