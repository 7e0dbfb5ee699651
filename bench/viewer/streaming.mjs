// How busy the page's main thread is while a whole array comes over HTTP, as fast as the server sends it: the time
// that the thread has computed, of the time that the read took.

/** @returns {Promise<Record<string, number>>} the least share of several reads, by reader */
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
        // The first read starts workers and modules.
        if (round > 0) least[reader] = Math.min(least[reader] ?? Number.POSITIVE_INFINITY, share);
      }
    }
    if (sums.size !== 1) throw new Error("the readers give different elements");
    return least;
  } finally {
    await close();
  }
}
