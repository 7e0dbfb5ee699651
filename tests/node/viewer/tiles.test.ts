// The viewer's tiles without a browser: levels, grids, the order of requests, cache, scheduler.
import { expect, it, vi } from "vitest";
import { LruCache } from "#src/util/lru.js";
import { aligned, fitted, inside, panned, visible, worldAt, zoomed } from "#src/viewer/model/camera.js";
import { type GridFacts, TileGrid } from "#src/viewer/tiles/grid.js";
import { type Client, type Job, Scheduler } from "#src/viewer/tiles/scheduler.js";
import {
  ahead,
  chooseLevel,
  type LevelView,
  selectTiles,
  type Viewpoint,
} from "#src/viewer/tiles/tile-selection.js";

const viewpoint = (row: number, column: number, scale: number, ratio = 1): Viewpoint => ({
  camera: { row, column, scale },
  size: { width: 800, height: 600 },
  ratio,
  aspect: 1,
});

it("the camera: everything is visible, the point under the pointer stays there, the centre stays inside", () => {
  const size = { width: 800, height: 600 };
  const camera = fitted({ top: 0, left: 0, bottom: 1000, right: 4000 }, size, 1);
  expect(camera).toEqual({ row: 500, column: 2000, scale: 0.2 });
  expect(visible(camera, size)).toEqual({ top: -1000, left: 0, bottom: 2000, right: 4000 });
  // Large elements cover whole device pixels.
  expect(fitted({ top: 0, left: 0, bottom: 7, right: 9 }, { width: 100, height: 100 }, 1).scale).toBe(11);
  expect(fitted({ top: 0, left: 0, bottom: 7, right: 9 }, { width: 100, height: 100 }, 1.5).scale).toBe(
    16 / 1.5,
  );
  // Unless that leaves much of the frame empty; small pictures fill large frames.
  expect(
    fitted({ top: 0, left: 0, bottom: 30, right: 35 }, { width: 100, height: 100 }, 1).scale,
  ).toBeCloseTo(100 / 35);
  expect(fitted({ top: 0, left: 0, bottom: 2, right: 3 }, { width: 1600, height: 930 }, 1).scale).toBe(465);
  // Others fill the frame.
  expect(
    fitted({ top: 0, left: 0, bottom: 7, right: 9 }, { width: 100, height: 100 }, 1, 1, false).scale,
  ).toBeCloseTo(100 / 9);
  for (const aspect of [1, -1, 0.5]) {
    const at = { x: 700, y: 50 };
    const under = worldAt(camera, size, at, aspect);
    const closer = zoomed(camera, 3, { x: at.x - 400, y: at.y - 300 }, { least: 0.01, most: 96 }, aspect);
    expect(closer.scale).toBeCloseTo(0.6);
    expect(worldAt(closer, size, at, aspect).row).toBeCloseTo(under.row);
    expect(worldAt(closer, size, at, aspect).column).toBeCloseTo(under.column);
    const moved = panned(camera, 10, 20, aspect);
    expect(worldAt(moved, size, { x: at.x + 10, y: at.y + 20 }, aspect).row).toBeCloseTo(under.row);
  }
  expect(inside({ row: -5, column: 9000, scale: 1 }, 10, 20)).toEqual({ row: 0, column: 20, scale: 1 });
});

it("the camera as it is drawn: elements begin at whole device pixels, the nearest ones, whatever the size", () => {
  for (const [height, ratio] of [
    [542, 1],
    [543, 1],
    [217.5, 2],
  ] as const)
    for (const scale of [1, 4, 0.37])
      for (const aspect of [1, -1]) {
        const size = { width: 801, height };
        const wanted = { row: 2100, column: 1050.3, scale };
        const camera = aligned(wanted, size, ratio, aspect);
        const pixel = 1 / (scale * ratio);
        expect(Math.abs(camera.row - wanted.row)).toBeLessThanOrEqual(0.5001 * pixel);
        expect(Math.abs(camera.column - wanted.column)).toBeLessThanOrEqual(0.5001 * pixel);
        const { top, left } = visible(camera, size, aspect);
        // Device pixels from the edge of the canvas to the first element of all.
        for (const [from, sign] of [
          [left, 1],
          [top, aspect],
        ] as const)
          expect(Math.abs((from * sign) / pixel - Math.round((from * sign) / pixel))).toBeLessThan(1e-6);
      }
});

it("the level for a zoom is the coarsest that looks sharp", () => {
  const factors = [1, 2, 4, 8].map((factor) => [factor, factor] as const);
  const level = (scale: number, ratio = 1) => chooseLevel(factors, viewpoint(0, 0, scale, ratio));
  expect([4, 1, 0.75].map((scale) => level(scale))).toEqual([0, 0, 0]);
  expect([0.7, 0.4, 0.3, 0.17, 0.01].map((scale) => level(scale))).toEqual([1, 1, 2, 3, 3]);
  // Twice the pixels want a finer level.
  expect(level(0.4, 2)).toBe(0);
  // The axis that is reduced less decides.
  expect(
    chooseLevel(
      [
        [1, 1],
        [1, 4],
      ],
      viewpoint(0, 0, 0.5),
    ),
  ).toBe(0);
});

const facts = (
  shape: number[],
  chunkShape: number[],
  itemBytes = 2,
  shardShape?: number[],
  gridShape = shape.map((length, axis) => Math.ceil(length / chunkShape[axis]!)),
): GridFacts => ({ shape, chunkShape, shardShape, gridShape, dtype: { itemBytes } });

it("tiles are chunks; small ones together, of large ones the plane or parts of it", () => {
  const tile = (...[grid, axes]: [GridFacts, number[]]) => new TileGrid(grid, axes).tile;
  expect(tile(facts([4096, 4096], [128, 128]), [0, 1])).toEqual([128, 128]);
  expect(new TileGrid(facts([256, 256, 256], [64, 64, 64]), [1, 2]).isChunk).toBe(true);
  // Inner chunks of a shard: one request for several, and never over a shard's edge.
  expect(tile(facts([4096, 4096], [64, 64], 2, [1024, 1024]), [0, 1])).toEqual([256, 256]);
  expect(tile(facts([4096, 4096], [64, 64], 2, [192, 192]), [0, 1])).toEqual([192, 192]);
  expect(tile(facts([900, 900], [4, 4]), [0, 1])).toEqual([16, 16]);
  // 64 MiB of 256³: only the plane; of 1 GiB in a plane parts.
  expect(tile(facts([256, 1024, 1024], [256, 256, 256], 4), [1, 2])).toEqual([1, 256, 256]);
  expect(tile(facts([20_000, 20_000], [20_000, 20_000]), [0, 1])).toEqual([1024, 1024]);
  // Chunks of several sizes: the library finds them.
  expect(tile(facts([1000, 1000], [100, 100], 2, undefined, [7, 10]), [0, 1])).toEqual([1000, 1000]);
});

it("boxes of tiles: whole chunks along hidden axes, clipped to the array", () => {
  const grid = new TileGrid(facts([100, 300, 500], [64, 128, 128]), [2, 1]);
  expect([grid.rows, grid.columns]).toEqual([4, 3]);
  expect(grid.boxOf(3, 2, [70, 0, 0])).toEqual({ start: [64, 256, 384], stop: [100, 300, 500] });
  const parts = [
    ...new TileGrid(facts([40, 40], [7, 7], 2, [14, 14]), [0, 1]).chunksOf({
      start: [14, 14],
      stop: [28, 21],
    }),
  ];
  expect(parts.map(({ coordinates }) => coordinates)).toEqual([
    [2, 2],
    [3, 2],
  ]);
  expect(parts[1]!.box).toEqual({ start: [21, 14], stop: [28, 21] });
});

const levelView = (level: number, side: number, tileSide: number): LevelView => ({
  level,
  rows: Math.ceil(side / 2 ** level / tileSide),
  columns: Math.ceil(side / 2 ** level / tileSide),
  rowsPerTile: tileSide,
  columnsPerTile: tileSide,
  factor: [2 ** level, 2 ** level],
  origin: [0, 0],
  bytesPerTile: 2 * tileSide ** 2,
  chunksPerTile: 1,
});

const plenty = { bytes: 2 ** 30, chunks: 4096 };

it("the coarsest level comes first, then the level for the zoom from the centre outwards", () => {
  const levels = [0, 1, 2, 3, 4].map((level) => levelView(level, 8192, 256));
  const { view, around, leftOut } = selectTiles(levels, 0, viewpoint(4000, 4000, 1), plenty);
  expect(view.slice(0, 4).map(({ level }) => level)).toEqual([4, 4, 4, 4]);
  const fine = view.slice(4);
  expect(new Set(fine.map(({ level }) => level))).toEqual(new Set([0]));
  // 800 × 600 around 4000, 4000 in tiles of 256.
  const expected = [14, 15, 16].flatMap((row) => [14, 15, 16, 17].map((column) => `${row} ${column}`));
  expect(fine.map(({ row, column }) => `${row} ${column}`).sort()).toEqual(expected);
  const distance = ({ row, column }: { row: number; column: number }) =>
    Math.hypot((row + 0.5) * 256 - 4000, (column + 0.5) * 256 - 4000);
  const distances = fine.map(distance);
  expect(distances).toEqual([...distances].sort((a, b) => a - b));
  expect(leftOut).toEqual({ tiles: 0, of: 12 });
  expect(around).toHaveLength(18);
  // Going right: the tiles on the right.
  const right = ahead(around, levels[0]!, { row: 4000, column: 4000, scale: 1 }, { row: 0, column: 1 });
  expect(right.map(({ row, column }) => [row, column])).toEqual(
    expect.arrayContaining([14, 15, 16].map((row) => [row, 18])),
  );
  expect(Math.min(...right.map(({ column }) => column))).toBeGreaterThan(16);
  expect(ahead(around, levels[0]!, { row: 4000, column: 4000, scale: 1 }, { row: 0, column: 0 })).toEqual([]);
});

it("the next coarser open level replaces one that is not open yet", () => {
  const levels = [0, 4].map((level) => levelView(level, 8192, 256));
  const { view } = selectTiles(levels, 2, viewpoint(4000, 4000, 0.25), plenty);
  expect(new Set(view.map(({ level }) => level))).toEqual(new Set([4]));
});

it("tiles beyond the budget are skipped, and very many are not even listed", () => {
  const huge = { ...levelView(0, 4_000_000, 100), bytesPerTile: 20_000 };
  const started = performance.now();
  const { view, leftOut } = selectTiles([huge], 0, viewpoint(2e6, 2e6, 0.0002), { bytes: 2e6, chunks: 4096 });
  expect(performance.now() - started).toBeLessThan(200);
  expect(view).toHaveLength(100);
  expect(leftOut.of).toBe(30_000 * 40_000);
  const farthest = Math.max(
    ...view.map(({ row, column }) => Math.hypot(row + 0.5 - 20_000, column + 0.5 - 20_000)),
  );
  expect(farthest).toBeLessThan(6.5);
  // Few rows: more columns.
  const flat = { ...huge, rows: 2 };
  expect(selectTiles([flat], 0, viewpoint(100, 2e6, 0.0002), { bytes: 2e6, chunks: 4096 }).view).toHaveLength(
    100,
  );
});

it("the cache evicts the least recently used entries", () => {
  const dropped: string[] = [];
  const cache = new LruCache<{ key: string; bytes: number }>(100, ({ key }) => dropped.push(key));
  for (const key of ["a", "b", "c"]) cache.set({ key, bytes: 30 });
  cache.get("a");
  cache.set({ key: "d", bytes: 30 });
  expect([dropped, cache.bytes, cache.size]).toEqual([["b"], 90, 3]);
  cache.set({ key: "e", bytes: 500 });
  expect([dropped, cache.bytes, cache.size]).toEqual([["b", "c", "a", "d"], 500, 1]);
  cache.set({ key: "e", bytes: 10 });
  expect(cache.bytes).toBe(10);
  cache.budget = 5;
  expect([cache.bytes, dropped.at(-1)]).toEqual([0, "e"]);
});

type Entry = { key: string; bytes: number };

/** Reads that end when the test resolves them. */
function reads() {
  const open = new Map<
    string,
    { resolve: (entry: Entry) => void; reject: (error: unknown) => void; signal: AbortSignal }
  >();
  const order: string[] = [];
  const job = (key: string): Job<Entry> => ({
    key,
    read: (signal) =>
      new Promise((resolve, reject) => {
        order.push(key);
        open.set(key, { resolve, reject, signal });
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  });
  const finish = async (key: string) => {
    open.get(key)!.resolve({ key, bytes: 1 });
    await vi.waitFor(() => {});
  };
  return { open, order, job, finish, jobs: (keys: string) => [...keys].map(job) };
}

const client = () => {
  const said: string[] = [];
  const own: Client<Entry> = {
    onRead: (_entry, key) => said.push(key),
    onFail: (error, key) => said.push(`${key}: ${error}`),
  };
  return Object.assign(own, { said });
};

const atATime = (reads: number) => ({ first: reads, reads, bytes: Number.POSITIVE_INFINITY, least: reads });

it("fewer large results are read at a time, but at least one", async () => {
  const { order, jobs, finish } = reads();
  const scheduler = new Scheduler<Entry>(new LruCache(100), { first: 10, reads: 10, bytes: 20, least: 2 });
  const large = jobs("abcd").map((job) => ({ ...job, bytes: 30 }));
  const small = jobs("efghijklmnop").map((job) => ({ ...job, bytes: 1 }));
  scheduler.want(client(), [...large, ...small]);
  expect(order.join("")).toBe("ab");
  for (const key of "abc") await finish(key);
  expect(order.join("")).toBe("abcde");
  await finish("d");
  expect([order.join(""), scheduler.running]).toEqual(["abcdefghijklmn", 10]);
  scheduler.want(client(), []);
});

it("few reads start at first; each one that ends makes room for two more", async () => {
  const { order, jobs, finish } = reads();
  const limits = { first: 2, reads: 5, bytes: Number.POSITIVE_INFINITY, least: 1 };
  const scheduler = new Scheduler<Entry>(new LruCache(100), limits);
  scheduler.want(client(), jobs("abcdefghij"));
  expect(order.join("")).toBe("ab");
  await finish("b");
  expect([order.join(""), scheduler.running]).toEqual(["abcde", 4]);
  await finish("a");
  expect([order.join(""), scheduler.running]).toEqual(["abcdefg", 5]);
  scheduler.want(client(), []);
});

it("the scheduler reads in order, with a limit on concurrent reads, and each tile once", async () => {
  const { order, jobs, finish } = reads();
  const scheduler = new Scheduler<Entry>(new LruCache(100), atATime(2));
  const one = client();
  scheduler.want(one, jobs("abcd"));
  expect(order).toEqual(["a", "b"]);
  await finish("b");
  expect([order, one.said]).toEqual([["a", "b", "c"], ["b"]]);
  scheduler.want(one, jobs("bacd"));
  expect(order).toEqual(["a", "b", "c"]);
  await finish("a");
  await finish("c");
  await finish("d");
  expect([order.join(""), one.said.join("")]).toEqual(["abcd", "bacd"]);
});

it("tiles no longer needed are aborted, except the ones marked to keep", async () => {
  const { order, jobs, open } = reads();
  const scheduler = new Scheduler<Entry>(new LruCache(100), atATime(3));
  const one = client();
  scheduler.want(one, jobs("abc"));
  scheduler.want(one, jobs("cd"), ["b"]);
  expect(["a", "b", "c"].map((key) => open.get(key)!.signal.aborted)).toEqual([true, false, false]);
  expect(order).toEqual(["a", "b", "c", "d"]);
  await vi.waitFor(() => {});
  expect([one.said, scheduler.isSettled("a")]).toEqual([[], false]);
  scheduler.leave(one);
  expect(open.get("c")!.signal.aborted).toBe(true);
  expect(scheduler.running).toBe(0);
});

it("clients take turns, share common tiles, and abort nothing that another needs", async () => {
  const { order, jobs, open, finish } = reads();
  const scheduler = new Scheduler<Entry>(new LruCache(100), atATime(4));
  const [one, two] = [client(), client()];
  scheduler.want(one, jobs("ab"));
  scheduler.want(two, jobs("bcxy"));
  scheduler.want(one, []);
  expect(order.slice(0, 4)).toEqual(["a", "b", "c", "x"]);
  expect([open.get("a")!.signal.aborted, open.get("b")!.signal.aborted]).toEqual([true, false]);
  await finish("b");
  expect([one.said, two.said]).toEqual([[], ["b"]]);
});

it("failures are remembered until they are tried again", async () => {
  const { order, jobs, open, finish } = reads();
  const scheduler = new Scheduler<Entry>(new LruCache(100), atATime(1));
  const one = client();
  scheduler.want(one, jobs("ab"));
  open.get("a")!.reject("broken");
  await vi.waitFor(() => expect(one.said).toEqual(["a: broken"]));
  await finish("b");
  scheduler.want(one, jobs("ab"));
  expect([order, scheduler.failureOf("a")]).toEqual([["a", "b"], "broken"]);
  scheduler.retry();
  expect(order).toEqual(["a", "b", "a"]);
  await finish("a");
  expect(scheduler.failureOf("a")).toBeUndefined();
});
