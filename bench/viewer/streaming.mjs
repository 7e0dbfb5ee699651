// Load of the main thread while a whole array is read over HTTP at full speed: the thread's CPU time divided
// by the duration of the read.

/** @returns {Promise<Record<string, number>>} the minimum share of several reads, by reader */
export async function measureStreaming(host, readers, rounds) {
  const { page, session, close } = await host.openPage({ isSlow: false });
  try {
    await page.goto(`${host.server.plainUrl}/pages/stream.html`);
    await page.waitForFunction(() => globalThis.stream !== undefined);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const busy = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration").value;
    };
    const least = {};
    const sums = new Set();
    for (let round = 0; round <= rounds; round++) {
      for (const reader of readers) {
        const before = await busy();
        const asked = [reader, `${host.server.plainUrl}/volume`];
        const { seconds, sum } = await page.evaluate((args) => globalThis.stream(...args), asked);
        const share = ((await busy()) - before) / seconds;
        sums.add(sum);
        // The first read includes starting workers and modules.
        if (round > 0) least[reader] = Math.min(least[reader] ?? Number.POSITIVE_INFINITY, share);
      }
    }
    if (sums.size !== 1) throw new Error("the readers give different elements");
    return least;
  } finally {
    await close();
  }
}
