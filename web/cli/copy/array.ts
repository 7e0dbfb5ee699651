/** Copying one array: as it is stored where that is possible, else decoded and encoded. */

import type { ZarrArray } from "zarr-wasm";
import type { ArraySpec } from "#internal";
import { copyAsStored } from "./as-stored.js";
import { BoxCopier } from "./box-copy.js";
import { elementsOf, tilesOf } from "./boxes.js";
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

/** Reads all that was copied of both arrays, and compares: for copies that cannot be read while they are written. */
export async function compareArrays(work: Work, written: ZarrArray): Promise<void> {
  const copier = new BoxCopier({ ...boxCopy(work, work.view), to: written });
  for (const objects of work.boxes) {
    const region = elementsOf(objects, written.reader.objectAxes);
    const axes = plannedAxes(work.view, written, region);
    const { boxShape } = planPass({ axes, itemBytes: itemBytesOf(written), boxBytes: work.memory / 3 });
    for (const box of tilesOf(region, boxShape)) await copier.compare(box);
  }
}
