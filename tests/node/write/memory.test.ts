// Memory of a write in addition to the caller's array: some chunks, or a few shards, however large the array is.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const root = new URL("../../../", import.meta.url).href;
const mib = 2 ** 20;

interface Peak {
  /** Peak bytes of reachable array buffers, above the initial amount. */
  buffers: number;
  /** Memory of the core in this thread, at the end. */
  core: number;
}

/**
 * Writes arrays of some sizes in a separate process, with a garbage collection at every step. A first write, which is
 * not measured, starts the workers and compiles the core.
 */
function peaksOf(sizes: readonly number[], options: object, workers: number, isShared: boolean): Peak[] {
  const code = `
    const { create, set, WorkerPool } = await import("${root}dist/index.js");
    const { getSession } = await import("${root}dist/engine/engine.js");
    const mib = ${mib};
    const reachable = () => (gc(), process.memoryUsage().arrayBuffers);
    globalThis.document = {}; // workers encode everything, as in pages
    const pool = ${workers} > 0 ? new WorkerPool({ size: ${workers} }) : undefined;
    const peaks = [];
    for (const mebibytes of ${JSON.stringify([32, ...sizes])}) {
      const shape = [mebibytes, 1024, 1024];
      const length = mebibytes * 2 ** 20;
      const data = new Uint8Array(${isShared} ? new SharedArrayBuffer(length) : length);
      data.fill(7);
      let [peak, calls, before] = [0, 0, 0];
      const note = () => {
        peak = Math.max(peak, reachable() - before);
      };
      const store = {
        get() {},
        async set() {
          if (++calls % (${"shardShape" in options} ? 1 : 16) === 0) note();
          await new Promise((resolve) => setImmediate(resolve));
        },
        delete() {},
      };
      // The pool keeps memory of the write before for a second; workers keep shared memory for longer.
      while (!${isShared} && reachable() > length + mib) await new Promise((resolve) => setTimeout(resolve, 50));
      const array = await create(store, { shape, dtype: "uint8", codecs: "crc32c", ...${JSON.stringify(options)} });
      [peak, calls, before] = [0, 0, reachable()];
      await set(array, null, data, { pool });
      const core = await getSession("full");
      peaks.push({ buffers: peak, core: core.memoryBytes });
    }
    console.log(JSON.stringify(peaks.slice(1)));
    process.exit();`;
  // Buffers that the collector frees later, in another thread, would count as reachable.
  const exact = ["--expose-gc", "--no-concurrent-array-buffer-sweeping"];
  const args = [...exact, "--input-type=module", "-e", code];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 120_000 });
  expect(stderr).toBe("");
  return JSON.parse(stdout) as Peak[];
}

describe.each([0, 2])("a write with %i workers", (workers) => {
  it.each([false, true])("has 16 chunks per worker in memory, values shared: %s", (isShared) => {
    // Encoded chunks of 512 KiB, and elements of two tasks per worker: four chunks each, in memory an eighth larger.
    const encoded = 16 * Math.max(1, workers) * 0.5 * mib;
    const elements = 2 * workers * 4 * 0.5 * 1.125 * mib;
    const [small, large] = peaksOf([32, 96], { chunkShape: [8, 256, 256] }, workers, isShared) as [
      Peak,
      Peak,
    ];
    for (const { buffers, core } of [small, large]) {
      expect(buffers).toBeLessThan(encoded + elements + mib);
      expect(core).toBeLessThan(64 * mib);
    }
    expect(large.core).toBe(small.core);
  });

  it("has few shards and 16 inner chunks in memory", () => {
    // Shards of 16 MiB, two at a time, each while the one before it may still be there; in memory that is an eighth
    // larger than the last one.
    const options = { chunkShape: [8, 256, 256], shardShape: [16, 1024, 1024] };
    const [small, large] = peaksOf([32, 96], options, workers, false) as [Peak, Peak];
    for (const { buffers, core } of [small, large]) {
      expect(buffers).toBeLessThan(2 * 2 * 18 * mib + 16 * 0.5 * mib);
      expect(core).toBeLessThan(64 * mib);
    }
    expect(large.core).toBe(small.core);
  });
});

it("of a listing does not grow with the number of its pages", () => {
  const code = `
    const { WritableHttpStore } = await import("${root}dist/index.js");
    const base = "http://localhost/bucket/";
    let page = 0;
    const fetch = async () => {
      const keys = Array.from({ length: 1000 }, (_, i) => \`<Key>a/\${page}/\${i}/\${"x".repeat(200)}</Key>\`);
      const next = \`<IsTruncated>true</IsTruncated><NextContinuationToken>\${"token".repeat(8)}\${++page}</NextContinuationToken>\`;
      return new Response(\`<ListBucketResult>\${page < 100 ? next : ""}\${keys.join("")}</ListBucketResult>\`);
    };
    const used = () => (gc(), process.memoryUsage().heapUsed);
    const at = new Map();
    for await (const _ of new WritableHttpStore(base, { bucket: base, fetch }).list(""))
      if (!at.has(page)) at.set(page, page % 80 === 20 ? used() : 0);
    console.log(at.get(100) - at.get(20));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", code], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(Number(stdout)).toBeLessThan(4 * mib); // 80 pages have 17 MiB
});
