/** What a read of a region consists of. */

import type { ChunkTask } from "../read/fetched.js";
import type { Projection } from "./projections.js";

/** A chunk of a region, with the part of it that is wanted. */
export interface RegionTask extends ChunkTask {
  readonly projections: readonly Projection[];
  readonly group: Group;
}

/** A box of the result that is put together from the chunks of whole stored objects. */
export interface Group {
  /** First element of the box in the result, and its extent, per axis. */
  readonly origin: readonly number[];
  readonly shape: readonly number[];
  /** The projections of the box, axis by axis. */
  readonly projections: readonly (readonly Projection[])[];
  /** Chunks go to the result one by one, as they come: those that are asked for first are to be there first. */
  readonly isLoose?: boolean;
}
