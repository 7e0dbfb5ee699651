/** What takes the chunks of a region. */

import type { Fetched, RegionTask } from "../plan/task.js";

/** Takes the chunks of a region as they come. */
export interface Sink {
  /** Called once before the first chunk: the place to check and prepare plans. */
  start(): Promise<void>;
  /**
   * Takes a chunk, decodes it and puts it where it belongs, or fill value for one that is not stored; in any order.
   * @param signal aborted when the read is given up, for whatever reason
   */
  put(task: RegionTask, fetched: Fetched, signal: AbortSignal): void | Promise<void>;
  /** Called once, also after a failure. */
  end(): void;
}

/** Names the chunk in an error. */
export type LocateError = (error: unknown, task: RegionTask) => unknown;
