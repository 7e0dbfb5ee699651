// Worker pools: reads and writes with two workers over one thread, and over the ceiling that two threads reach in the same
// run (bench/ceiling.mjs).
import path from "node:path";
import { create, get, open, set, WorkerPool } from "zarr-wasm";
import { Ceiling } from "../ceiling.mjs";
import { codecOf } from "../codecs.mjs";
import { bestOfCalls, effort, speedRow, timeRow } from "../measure.mjs";
import { encodedChunks, mapStore, repeatingStore, someElements } from "../stores.mjs";
import { array, bytes, codecsOf, distinctChunks, serve, writeArray } from "./http.mjs";
import { ChunkSink, shapes, valuesIn } from "./writing.mjs";

const count = bytes / (2 * 64 ** 3);
/** A pool compares its speed with the calling thread's in the first calls; the rows are of the later ones. */
const steadyCalls = (candidates) => bestOfCalls(candidates, effort.steadyCalls);
const ways = { two: "2 workers", shared: "2 workers, SharedArrayBuffer" };

/** Names of the rows of an operation, by comparison. */
const poolRows = (what) =>
  Object.entries(ways).flatMap(([way, label]) => [
    { name: `pool, ${what}: ${label} over one thread`, way },
    { name: `pool, ${what}: ${label} over the two-thread ceiling`, way, isShare: true },
  ]);

const ceilingRow = (what) => `pool, ceiling, ${what}: two threads over one`;

/** The candidate without a pool of each way: it has the same kind of memory. */
const baselines = { two: "alone", shared: "sharedAlone" };

/** The rows of an operation from the seconds of its candidates. */
function rowsOf(what, seconds) {
  const ceiling = seconds.oneThread / seconds.twoThreads;
  return poolRows(what).map(({ name, way, isShare }) => {
    const alone = seconds[baselines[way]];
    return speedRow(name, bytes, seconds[way], isShare ? alone / ceiling : alone);
  });
}

async function withThreads(label, work) {
  const codecs = codecsOf(codecOf(label));
  const encoded = await encodedChunks({ ...array, codecs }, distinctChunks);
  const elements = someElements(array, distinctChunks);
  const ceiling = await Ceiling.start(2, { ...array, codecs }, { encoded, elements });
  const pool = new WorkerPool({ size: 2 });
  const threads = (kind) => ({
    oneThread: () => ceiling.run(kind, 1, count),
    twoThreads: () => ceiling.run(kind, 2, count),
  });
  try {
    return await work({ codecs, encoded, pool, threads });
  } finally {
    ceiling.stop();
    pool.destroy();
  }
}

const reads = (volume, pool) => ({
  alone: () => get(volume),
  sharedAlone: () => get(volume, null, { useSharedArrayBuffer: true }),
  two: () => get(volume, null, { pool }),
  shared: () => get(volume, null, { pool, useSharedArrayBuffer: true }),
});

function readSuite(label, dir) {
  const what = `get, 256 MiB uint16 in 64³ ${label} chunks`;
  const [memory, http] = [`${what} from memory`, `${what} over loopback HTTP`];
  const fresh = `pool, ${what} from a Map into a fresh array: one thread over decoding and first touch, time`;
  const ceiling = ceilingRow(`decoding 256 MiB uint16 in 64³ ${label} chunks and first touch`);
  const names = (place) => poolRows(place).map(({ name }) => name);
  const fromMemory = {
    rows: [ceiling, fresh, ...names(memory)],
    measure: () =>
      withThreads(label, async ({ codecs, encoded, pool, threads }) => {
        const store = await repeatingStore({ ...array, codecs }, distinctChunks);
        const map = await open(mapStore({ ...array, codecs }, encoded), { kind: "array" });
        const seconds = await steadyCalls({
          ...threads("decode"),
          ...reads(await open(store, { kind: "array" }), pool),
          fresh: () => get(map),
        });
        return [
          speedRow(ceiling, bytes, seconds.twoThreads, seconds.oneThread),
          timeRow(fresh, "ms", seconds.fresh, seconds.oneThread),
          ...rowsOf(memory, seconds),
        ];
      }),
  };
  const overHttp = {
    rows: names(http),
    measure: async () => {
      const folder = path.join(dir, `pool ${label}`);
      await writeArray(folder, codecOf(label));
      const server = await serve(folder);
      try {
        return await withThreads(label, async ({ pool, threads }) => {
          const volume = await open(server.url, { kind: "array" });
          return rowsOf(http, await steadyCalls({ ...threads("decode"), ...reads(volume, pool) }));
        });
      } finally {
        server.stop();
      }
    },
  };
  return [fromMemory, overHttp];
}

const writtenLabel = "blosc lz4 shuffle";

function writeSuite() {
  const kinds = Object.entries(shapes).map(([kind, { title, options }]) => ({ kind, title, options }));
  const ceiling = ceilingRow(`encoding 256 MiB uint16 in 64³ ${writtenLabel} chunks`);
  return kinds.map(({ kind, title, options }, i) => ({
    rows: [...(i === 0 ? [ceiling] : []), ...poolRows(title).map(({ name }) => name)],
    measure: () =>
      withThreads(writtenLabel, async ({ codecs, pool, threads }) => {
        const [data, shared] = [valuesIn(new ArrayBuffer(bytes)), valuesIn(new SharedArrayBuffer(bytes))];
        const { shape, chunks: chunkShape } = array;
        const base = { shape, chunkShape, dtype: "uint16", codecs: codecs.slice(1) };
        const volume = await create(new ChunkSink(), { ...base, ...options });
        const seconds = await steadyCalls({
          ...threads("encode"),
          alone: () => set(volume, null, data),
          sharedAlone: () => set(volume, null, shared),
          two: () => set(volume, null, data, { pool }),
          shared: () => set(volume, null, shared, { pool }),
        });
        const top =
          kind === kinds[0].kind ? [speedRow(ceiling, bytes, seconds.twoThreads, seconds.oneThread)] : [];
        return [...top, ...rowsOf(title, seconds)];
      }),
  }));
}

/**
 * @param {string} dir for the arrays
 * @returns {import("../measure.mjs").Measurement[]}
 */
export function poolSuite(dir) {
  return [
    ...["blosc lz4 shuffle", "blosc zstd shuffle"].flatMap((label) => readSuite(label, dir)),
    ...writeSuite(),
  ];
}
