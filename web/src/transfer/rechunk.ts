/** Copies an array with other chunks or codecs: decodes, reassembles and encodes it in bounded memory. */

import { create } from "../edit/edit.js";
import { getSession } from "../engine/engine.js";
import type { ZarrArray } from "../hierarchy/array.js";
import { slice } from "../plan/selection.js";
import { Jobs } from "../plan/slabs.js";
import { writeObject } from "../store/write.js";
import { type Box, positionsIn, stridesOf } from "../util/shapes.js";
import {
  boxLengths,
  cellBox,
  countIn,
  elementBox,
  intersect,
  type ObjectBox,
  tileBox,
} from "../walk/boxes.js";
import { inLanes, lanesFor } from "../walk/lanes.js";
import { poolEncoders } from "../workers/encode-work.js";
import { ChunkEncoder } from "../write/encoder.js";
import { resolveRegion, resolveValues } from "../write/region.js";
import { changeShard } from "../write/shard.js";
import { type ArrayCopy, boxCopyOptions, chunkCount, elementBytes, isDone } from "./array-copy.js";
import { BoxCopier, type BoxCopy, type BoxData, CellDigests } from "./box-copy.js";
import {
  dividePass,
  type ParallelPass,
  type PlannedAxis,
  planPass,
  planRechunk,
  type RechunkPlan,
} from "./rechunk-plan.js";
import { type Scratch, withScratch } from "./scratch.js";
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
    if (target.spec.isSharded && objectBytes > boxBytes) await largeShards(own, left, boxBytes);
    else await copyRegion(own, left, boxBytes / lanes);
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
  return work.verify ? box : left;
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
    return withScratch(work.temp!, (store) => stagedCopy(work, region, plan, store, advance));
  const parallel = dividePass(input, plan.pass, boxLanes + boxesPerWorker * (work.pool?.size ?? 0));
  await copyBoxes({ ...boxCopyOptions(work, view), to: target }, region, parallel, advance);
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

/** Copies a region through intermediate chunks in a scratch folder. */
async function stagedCopy(
  work: ArrayCopy,
  region: Box,
  plan: Extract<RechunkPlan, { type: "staged" }>,
  store: Scratch,
  advance: (box: Box) => void,
): Promise<void> {
  const { target, verify, view } = work;
  const middle = await create(store, {
    like: target,
    shape: boxLengths(region),
    chunkShape: plan.middle,
    shardShape: null,
    codecs: middleCodecs(target),
    dimensionNames: target.shape.map(() => null),
    attributes: {},
  });
  const digests = verify ? new CellDigests(region, plan, target.dtype.itemBytes) : undefined;
  const into = {
    ...boxCopyOptions(work, view),
    to: middle,
    origin: region.from,
    verify: false,
    writeEmptyChunks: true, // so that a missing chunk has been removed
    onData: digests && ((box: Box, data: BoxData) => digests.add(box, data)),
  };
  await copyBoxes(into, region, { pass: plan.into, lanes: 1 }, () => {});
  store.seal();
  const out = new BoxCopier({
    ...boxCopyOptions(work, View.from(middle, region.from)),
    to: target,
    verify: false,
    onRead: () => {},
  });
  for (const box of tileBox(region, plan.out.boxShape)) {
    work.signal?.throwIfAborted();
    await out.box(box);
    digests?.check(box, await out.readTarget(box));
    advance(box);
  }
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

async function largeShards(work: ArrayCopy, objects: ObjectBox, boxBytes: number): Promise<void> {
  const advance = advancing(work);
  for (const object of positionsIn(objects)) {
    if (work.store.kept.has(work.target.reader.objectKey(object)) && !work.verify) continue;
    advance(await copyLargeShard(work, object, boxBytes));
  }
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

/** Encoded chunks by coordinates; undefined for chunks that contain only the fill value. */
type Encoded = Map<string, Uint8Array | undefined>;

/**
 * Copies one shard of the target that exceeds the memory limit: its chunks are encoded box by box, and kept encoded.
 * @returns the box of its elements.
 */
export async function copyLargeShard(
  work: ArrayCopy,
  object: readonly number[],
  boxBytes: number,
): Promise<Box> {
  const { target, store, verify, view } = work;
  const { reader } = target;
  const region = elementBox({ from: object, to: object.map((at) => at + 1) }, reader.objectAxes);
  const axes = plannedAxes(view, target, region, target.chunkShape);
  const { boxShape } = planPass({ axes, itemBytes: elementBytes(target), boxBytes });
  const encoded: Encoded = new Map();
  const copier = new BoxCopier({ ...boxCopyOptions(work, view), to: target });
  for (const box of tileBox(region, boxShape)) await encodeBox(work, copier, box, encoded);
  const key = reader.objectKey(object);
  const shard = await joinedShard(work, object, region, encoded);
  if (shard) await writeObject(store, key, shard);
  else if (work.resume) await store.delete(key);
  if (verify) for (const box of tileBox(region, boxShape)) await copier.compare(box);
  return region;
}

async function encodeBox(work: ArrayCopy, copier: BoxCopier, box: Box, encoded: Encoded): Promise<void> {
  const { target } = work;
  const { reader, dtype } = target;
  const leaf = reader.firstCodec;
  const region = resolveRegion(
    reader,
    box.from.map((start, axis) => slice(start, box.to[axis]!)),
  );
  const content = await copier.readSource(box);
  const width = dtype.itemBytes;
  const values =
    content instanceof Uint8Array
      ? { content, width, strides: stridesOf(region.counts, width), isScalar: false }
      : resolveValues(dtype, leaf.type === "vlen", region, content);
  const encoder = new ChunkEncoder(values, region, {
    keepsFill: target.spec.fill.value === null,
    encoders: work.pool && poolEncoders(work.pool),
    signal: work.signal,
  });
  await encoder.start(leaf);
  try {
    // All at once, because all are kept; the encoder bounds its concurrency.
    const tasks = [...new Jobs(reader, region.parts, values.width).inOrder(undefined)].flatMap(
      (job) => job.tasks,
    );
    const done = await Promise.allSettled(
      tasks.map(async (task) => {
        encoded.set(task.coordinates.join(), await encoder.whole(task, leaf, true));
      }),
    );
    const failed = done.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
  } finally {
    encoder.end();
  }
}

async function joinedShard(
  { target }: ArrayCopy,
  object: readonly number[],
  region: Box,
  encoded: Encoded,
): Promise<Uint8Array | undefined> {
  const { reader, limits } = target;
  const tasks = [...positionsIn(cellBox(region, reader.axes))].map((coordinates) => ({ coordinates }));
  const { levels } = reader.layoutOf(object);
  const at = reader.positionsOf(object, tasks);
  return changeShard(
    {
      session: await getSession("full"),
      limits,
      replace: ({ coordinates }) => encoded.get(coordinates.join()),
      concurrency: 1,
      sizes: new Map(),
    },
    levels,
    undefined,
    tasks,
    at,
  );
}
