/** Checks that work lets other tasks run, and how much memory it takes. */
import { getHeapStatistics } from "node:v8";
import { holds } from "./target.js";

/** Maximum time without a turn of the event loop, in milliseconds. */
const maxBlocked = 500;

/** Maximum growth of memory, in bytes. */
const maxGrowth = 256 * 2 ** 20;

/** Runs between two looks at the memory of the process, which take long. */
const lookEvery = 64;
/** Shorter work cannot touch much memory, in milliseconds. */
const shortWork = 10;

let [peak, runs] = [0, 0];

/** Runs work; long work again, with a timer beside it, since the process may have been suspended. */
export async function isResponsive(work: () => Promise<unknown>): Promise<void> {
  if (runs++ % lookEvery === 0) peak = process.resourceUsage().maxRSS;
  const before = memory();
  const start = performance.now();
  try {
    await work();
  } finally {
    const took = performance.now() - start;
    if (took > shortWork) {
      const grown = 1024 * (process.resourceUsage().maxRSS - peak);
      runs = 0;
      holds(grown < maxGrowth && memory() - before < maxGrowth, "memory stays bounded");
    }
    if (took > maxBlocked) {
      const blocked = Math.min(await longestBlock(work), await longestBlock(work));
      holds(blocked < maxBlocked, `blocks the event loop for ${Math.round(blocked)} ms`);
    }
  }
}

function memory(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** Returns the longest time between two turns of the event loop while work runs. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let [last, longest, isOver] = [performance.now(), 0, false];
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work().catch(() => undefined);
  turn();
  isOver = true;
  return longest;
}
