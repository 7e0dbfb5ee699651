/** Copying one array: as it is stored where that is possible, else decoded and encoded. */

import type { ZarrArray } from "zarr-wasm";
import type { ArraySpec, Box } from "#internal";
import { copyAsStored } from "./as-stored.js";
import { BoxCopier } from "./box-copy.js";
import { cellsOf, countIn, elementsOf, tilesOf } from "./boxes.js";
import { isSameEncoding } from "./encoding.js";
import { planPass } from "./plan.js";
import { plannedAxes, rechunk } from "./rechunk.js";
import type { View } from "./view.js";
import { boxCopy, itemBytesOf, type Work } from "./work.js";

export async function copyArray(work: Work): Promise<void> {
  const { target, view } = work;
  work.tally.arrays++;
  const offsets = storedOffsets(view, target.spec);
  if (offsets) await copyAsStored(work, offsets);
  else await rechunk(work);
}

/** Where the view starts, in chunks, if those can be copied as they are stored. */
export function storedOffsets(view: View, target: ArraySpec): number[] | undefined {
  return isSameEncoding(view.array.spec, target) ? view.cellOffsets(view.array.chunkShape) : undefined;
}

/** How much an array's share is. */
export function sizeOf({ boxes, target }: Pick<Work, "boxes" | "target">): { bytes: number; chunks: number } {
  const { axes, objectAxes } = target.reader;
  let [bytes, chunks] = [0, 0];
  for (const box of boxes) {
    const elements = elementsOf(box, objectAxes);
    bytes += countIn(elements) * itemBytesOf(target);
    chunks += countIn(cellsOf(elements, axes));
  }
  return { bytes, chunks };
}

/** Reads all of both arrays, and compares: for copies that cannot be read while they are written. */
export async function compareArrays(work: Work, written: ZarrArray): Promise<void> {
  const all: Box = { from: written.shape.map(() => 0), to: written.shape };
  if (countIn(all) === 0) return;
  const axes = plannedAxes(work.view, written, all);
  const { boxShape } = planPass({ axes, itemBytes: itemBytesOf(written), boxBytes: work.memory / 3 });
  const copier = new BoxCopier({ ...boxCopy(work, work.view), to: written });
  for (const box of tilesOf(all, boxShape)) await copier.compare(box);
}
