/** What takes the chunks of a region. */
import type { Fetched } from "../fetch/object-read.js";
import type { RegionTask } from "./task.js";

/** Takes the chunks of a region as they come. */
export interface Sink {
  /** Called once before the first chunk: the place to check and prepare plans. */
  start(): Promise<void>;
  /**
   * Takes a chunk, undefined for a missing one; in any order.
   * @param signal aborted when the read is given up, for whatever reason
   */
  put(task: RegionTask, fetched: Fetched | undefined, signal: AbortSignal): void | Promise<void>;
  /** Called once, also after a failure. */
  end(): void;
}
