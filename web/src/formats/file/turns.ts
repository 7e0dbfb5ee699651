/** Lets other tasks run in loops whose reads may be cached. */

import { nextTask } from "../../util/platform.js";
import { sliceTime } from "../../util/slices.js";

/** Counts the time of a loop: a turn of the event loop follows each slice. */
export class Turns {
  #end = performance.now() + sliceTime;

  /** Returns a promise if the slice is over. */
  next(): Promise<void> | undefined {
    return performance.now() < this.#end ? undefined : this.#turn();
  }

  async #turn(): Promise<void> {
    await nextTask();
    this.#end = performance.now() + sliceTime;
  }
}
