/** Pools give the same results, with workers if the context supports them. */
import { getBytes, WorkerPool } from "zarr-wasm";
import { at, forEach, hasHash, manifest, openArray, requestCount, sampleNamed, selectionOf } from "./data.js";
import { equal, errorOf, ok, skip, test, within } from "./registry.js";

const hasWorkers = () => typeof Worker === "function";
/** In Firefox, `new Worker` in a worker hangs now and then, which would prevent all further tests. */
const dontHang = () => {
  const isWorker = !("document" in globalThis);
  if (isWorker && hasWorkers() && navigator.userAgent.includes("Firefox"))
    skip("Firefox hangs in `new Worker` inside workers now and then");
};
const needWorkers = () => {
  if (!hasWorkers()) skip("this context cannot make workers");
  dontHang();
};

/** Runs work with a temporary pool. */
async function withPool<T>(
  work: (pool: WorkerPool) => Promise<T>,
  ...options: ConstructorParameters<typeof WorkerPool>
) {
  dontHang();
  const pool = new WorkerPool(...options);
  try {
    return await work(pool);
  } finally {
    pool.destroy();
  }
}

async function readsAll(pool: WorkerPool, useSharedArrayBuffer = false): Promise<void> {
  await forEach((await manifest()).samples, async ({ name, path, sha256, selections }) => {
    const array = await openArray(at(path));
    const { bytes } = await getBytes(array, null, { pool, useSharedArrayBuffer });
    if (useSharedArrayBuffer) ok(bytes.buffer instanceof SharedArrayBuffer, "its memory is shared");
    await hasHash(bytes, sha256, name);
    for (const { axes, sha256 } of selections) {
      await hasHash((await getBytes(array, selectionOf(axes), { pool })).bytes, sha256, name);
    }
  });
}

async function isEmpty(pool: WorkerPool): Promise<void> {
  while (pool.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

test("pool: every sample", () =>
  withPool(
    async (pool) => {
      await readsAll(pool);
      equal(pool.size, hasWorkers() ? 2 : 0, "workers that could be started");
    },
    { size: 2 },
  ));

test("pool: custom workers", () => {
  needWorkers();
  const createWorker = () => new Worker("/suite/pool-worker.js", { type: "module" });
  return withPool(
    async (pool) => {
      await readsAll(pool);
      equal(pool.size, 2, "workers that could be started");
    },
    { size: 2, createWorker },
  );
});

test("pool: workers get the module compiled", async () => {
  needWorkers();
  const { path, sha256 } = await sampleNamed("transposed");
  const array = await openArray(at(path));
  await hasHash((await getBytes(array)).bytes, sha256, "by this thread");
  const before = await requestCount("/lib/wasm/decode.wasm");
  await withPool(
    async (pool) => {
      await hasHash((await getBytes(array, null, { pool })).bytes, sha256, "by workers");
      equal(pool.size, 2, "workers that could be started");
    },
    { size: 2 },
  );
  equal(await requestCount("/lib/wasm/decode.wasm"), before, "requests for the module");
});

test("pool: without its script, the work is done by this thread", () =>
  withPool(
    async (pool) => {
      await within(30_000, readsAll(pool), "reading");
      // Threads that also work start one worker after the other: the last may fail after the reads.
      await within(30_000, isEmpty(pool), "workers that cannot be started");
    },
    { size: 2, createWorker: () => new Worker("/suite/nowhere.js", { type: "module" }) },
  ));

test("pool: aborted reads, and one that continues", () =>
  withPool(
    async (pool) => {
      const { path, sha256 } = await sampleNamed("transposed");
      const array = await openArray(at(path));
      const reason = new Error("enough");
      await Promise.all(
        Array.from({ length: 6 }, async (_, i) => {
          const controller = new AbortController();
          const onProgress = ({ chunks }: { chunks: number }) => chunks > i && controller.abort(reason);
          const error = await errorOf(() =>
            getBytes(array, null, { pool, signal: controller.signal, onProgress }),
          );
          ok(error === reason, "the reason comes back");
        }),
      );
      await hasHash((await getBytes(array, null, { pool })).bytes, sha256, "the next read");
    },
    { size: 2 },
  ));

test("pool: destroyed during a read", async () => {
  dontHang();
  const { path, sha256 } = await sampleNamed("transposed");
  const array = await openArray(at(path));
  for (const chunks of [1, 12, 29]) {
    const pool = new WorkerPool({ size: 2 });
    const onProgress = (progress: { chunks: number }) => progress.chunks === chunks && pool.destroy();
    await hasHash(
      (await getBytes(array, null, { pool, onProgress })).bytes,
      sha256,
      `after ${chunks} chunks`,
    );
  }
});

test("shared memory: results, and workers that write into them", async () => {
  if (typeof SharedArrayBuffer !== "function") skip("this context has no shared memory");
  const { path, sha256 } = await sampleNamed("transposed");
  const { bytes } = await getBytes(await openArray(at(path)), null, { useSharedArrayBuffer: true });
  ok(bytes.buffer instanceof SharedArrayBuffer, "the memory is shared");
  await hasHash(bytes, sha256, "by this thread");
  await withPool((pool) => readsAll(pool, true), { size: 2 });
});

test("shared memory: a clear error without support", async () => {
  if (typeof SharedArrayBuffer === "function") skip("this context has shared memory");
  const { path } = await sampleNamed("transposed");
  const array = await openArray(at(path));
  const error = await errorOf(() => getBytes(array, null, { useSharedArrayBuffer: true }));
  equal([error["_tag"], error["code"]], ["Unsupported", "no-shared-memory"], String(error));
  ok(/isolated/.test(error.message), `"${error.message}" names the requirement`);
});
