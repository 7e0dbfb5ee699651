/** The interface for receiving the chunks of a region. */

import type { Fetched, RegionTask } from "../plan/task.js";

/** Receives the chunks of a region as they arrive. */
export interface Sink {
  /** Called once before the first chunk, to check and prepare plans. */
  start(): Promise<void>;
  /**
   * Decodes a chunk to its place in the result, or fills it with the fill value if it is not stored; in any
   * order.
   * @param signal aborted when the read ends early for any reason.
   */
  put(task: RegionTask, fetched: Fetched, signal: AbortSignal): void | Promise<void>;
  /** Called once, also after a failure. */
  end(): void;
}

/** Adds the chunk's key to an error. */
export type LocateError = (error: unknown, task: RegionTask) => unknown;
