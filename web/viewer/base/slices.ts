/** Loops over long lists that do not block the page. */

/** Duration of a slice, in milliseconds. */
const sliceTime = 20;

/** Items between two checks of the clock. */
const stepSize = 256;

/**
 * Calls `work` with 0 to `count - 1`, in slices between which the page can handle events.
 * @throws what `work` throws; the signal's reason.
 */
export async function eachInSlices(
  count: number,
  work: (index: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const slices = new Slices(signal);
  for (let i = 0; i < count; i++) {
    work(i);
    if (i % stepSize === 0 && slices.isOver) await slices.next();
  }
}

/** Work in slices, between which the page can handle events. */
export class Slices {
  #end = performance.now() + sliceTime;

  constructor(private readonly signal?: AbortSignal) {}

  /** Whether a slice has taken its time. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Begins the next slice if one is over. @throws the signal's reason */
  async next(): Promise<void> {
    if (!this.isOver) return;
    await nextTask();
    this.signal?.throwIfAborted();
    this.#end = performance.now() + sliceTime;
  }
}

/** Waits for a turn of the event loop. Browsers delay timers, in hidden pages by up to a second. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * Returns the indices of names that contain a string, ignoring case.
 * @throws the signal's reason.
 */
export async function namesWith(
  text: string,
  count: number,
  nameOf: (index: number) => string,
  signal: AbortSignal,
): Promise<number[]> {
  const wanted = text.toLowerCase();
  const found: number[] = [];
  const look = (i: number) => {
    if (nameOf(i).toLowerCase().includes(wanted)) found.push(i);
  };
  await eachInSlices(count, look, signal);
  return found;
}
