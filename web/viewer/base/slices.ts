/** Work on long lists that does not block the page. */

/** Milliseconds of work after which the page gets its turn. */
const sliceTime = 20;

/** Items between two looks at the clock. */
const stepSize = 256;

/**
 * Calls `work` with 0 to `count - 1`, in slices between which the page can answer.
 * @throws what `work` throws; the signal's reason.
 */
export async function eachInSlices(
  count: number,
  work: (index: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  let end = performance.now() + sliceTime;
  for (let i = 0; i < count; i++) {
    work(i);
    if (i % stepSize > 0 || performance.now() < end) continue;
    await nextTask();
    signal?.throwIfAborted();
    end = performance.now() + sliceTime;
  }
}

/** Not by a timer: browsers delay those, in hidden pages by up to a second. */
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
 * Indices of the names that contain a text, whatever the case of letters.
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
