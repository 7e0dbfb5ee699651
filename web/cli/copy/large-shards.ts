/** Shards that are larger than the memory for elements: their chunks are encoded box by box, and stay encoded. */

import { slice } from "zarr-wasm";
import {
  type Box,
  ChunkEncoder,
  changeShard,
  encodersOf,
  Jobs,
  positionsIn,
  resolveRegion,
  sessionOf,
  stridesOf,
  valuesOf,
  writeObject,
} from "#internal";
import { BoxCopier } from "./box-copy.js";
import { cellsOf, elementsOf, tilesOf } from "./boxes.js";
import { planPass } from "./plan.js";
import { plannedAxes } from "./rechunk.js";
import { boxCopy, itemBytesOf, type Work } from "./work.js";

/** Chunks by their coordinates, encoded; undefined for those that are all fill value. */
type Encoded = Map<string, Uint8Array | undefined>;

/** Copies one shard of the target. @returns its elements. */
export async function copyLargeShard(work: Work, object: readonly number[], boxBytes: number): Promise<Box> {
  const { target, store, verify, view } = work;
  const { reader } = target;
  const region = elementsOf({ from: object, to: object.map((at) => at + 1) }, reader.objectAxes);
  const axes = plannedAxes(view, target, region, target.chunkShape);
  const { boxShape } = planPass({ axes, itemBytes: itemBytesOf(target), boxBytes });
  const encoded: Encoded = new Map();
  const copier = new BoxCopier({ ...boxCopy(work, view), to: target });
  for (const box of tilesOf(region, boxShape)) await encodeBox(work, copier, box, encoded);
  const key = reader.objectKey(object);
  const shard = await joinedShard(work, object, region, encoded);
  if (shard) await writeObject(store, key, shard);
  else if (work.resume) await store.delete(key);
  if (verify) for (const box of tilesOf(region, boxShape)) await copier.compare(box);
  return region;
}

async function encodeBox(work: Work, copier: BoxCopier, box: Box, encoded: Encoded): Promise<void> {
  const { target } = work;
  const { reader, dtype } = target;
  const leaf = reader.firstCodec;
  const region = resolveRegion(
    reader,
    box.from.map((start, axis) => slice(start, box.to[axis]!)),
  );
  const content = await copier.source(box);
  const width = dtype.itemBytes;
  const values =
    content instanceof Uint8Array
      ? { content, width, strides: stridesOf(region.counts, width), isScalar: false }
      : valuesOf(dtype, leaf.type === "vlen", region, content);
  const encoder = new ChunkEncoder(values, region, {
    keepsFill: target.spec.fill.value === null,
    encoders: work.pool && encodersOf(work.pool),
    signal: undefined,
  });
  await encoder.start(leaf);
  try {
    // All at a time, for all are kept: what encodes bounds what is under way.
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
  { target }: Work,
  object: readonly number[],
  region: Box,
  encoded: Encoded,
): Promise<Uint8Array | undefined> {
  const { reader, limits } = target;
  const tasks = [...positionsIn(cellsOf(region, reader.axes))].map((coordinates) => ({ coordinates }));
  const { levels } = reader.layoutOf(object);
  const at = reader.positionsOf(object, tasks);
  return changeShard(
    {
      session: await sessionOf("full"),
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
