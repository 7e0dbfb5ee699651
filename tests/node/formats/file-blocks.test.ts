// The block cache of array files: requests, growth, memory, aborts, and sources that lie.
import { describe, expect, it } from "vitest";
import { BlockCache } from "#src/formats/file/blocks.js";
import type { ByteReader } from "#src/store/source/byte-reader.js";
import { checkVersion, type RangeQuery } from "#src/store/store.js";
import { errorOf, randomBytes, randomizer } from "../support/support.js";

const mebi = 2 ** 20;

/** A file that records its requests. */
class Source implements ByteReader {
  readonly name = "a.bin";
  readonly requests: [start: number, end: number][] = [];
  /** Tells the size. */
  isSized = true;
  etag = "1";
  /** Changes the bytes that a request gets. */
  answer = (bytes: Uint8Array): Uint8Array | undefined => bytes;
  /** Requests wait for it. */
  gate: Promise<unknown> = Promise.resolve();
  readonly signals: (AbortSignal | undefined)[] = [];

  constructor(readonly bytes: Uint8Array) {}

  read: ByteReader["read"] = async (range: RangeQuery | undefined, { signal, version }) => {
    if (!range || "suffixLength" in range) throw new Error("not a range with an offset");
    this.requests.push([range.offset, range.offset + range.length]);
    this.signals.push(signal);
    await this.gate;
    signal?.throwIfAborted();
    const size = this.isSized ? { size: this.bytes.byteLength } : {};
    checkVersion(version, { etag: this.etag, ...size }, this.name);
    return this.answer(this.bytes.subarray(range.offset, range.offset + range.length));
  };

  /** Bytes that were requested more than once. */
  get repeated(): number {
    const sorted = this.requests.toSorted(([a], [b]) => a - b);
    return sorted.reduce((sum, [start], i) => sum + Math.max(0, i === 0 ? 0 : sorted[i - 1]![1] - start), 0);
  }
  get total(): number {
    return this.requests.reduce((sum, [start, end]) => sum + end - start, 0);
  }
}

const sample = Buffer.alloc(32 * mebi, randomBytes(65_521, 7));
const sourceOf = (size: number) => new Source(sample.subarray(0, size));

async function expectRead(blocks: BlockCache, source: Source, offset: number, length: number) {
  const found = await blocks.read(offset, length, undefined);
  const wanted = source.bytes.subarray(offset, offset + length);
  expect(Buffer.compare(found, wanted)).toBe(0);
}

describe("requests", () => {
  it("start with 64 KiB and double as the reads go on", async () => {
    const source = sourceOf(8 * mebi);
    const blocks = new BlockCache(source);
    for (let at = 0; at + 500 < 4 * mebi; at += 400) await expectRead(blocks, source, at, 500);
    expect(source.requests.length).toBeLessThanOrEqual(7);
    expect(source.requests[0]).toEqual([0, 2 ** 16]);
    expect(source.requests[1]).toEqual([2 ** 16, 3 * 2 ** 16]);
    expect(source.repeated).toBe(0);
  });

  it("double as the reads go backward", async () => {
    const source = sourceOf(8 * mebi);
    const blocks = new BlockCache(source);
    for (let at = 7 * mebi; at > 4 * mebi; at -= 400) await expectRead(blocks, source, at, 500);
    expect(source.requests.length).toBeLessThanOrEqual(8);
    expect(source.repeated).toBe(0);
  });

  it("stay small for nodes far apart", async () => {
    const source = sourceOf(24 * mebi);
    const blocks = new BlockCache(source);
    for (let at = 0; at < 24 * mebi; at += mebi) await expectRead(blocks, source, at, 2000);
    expect(source.total).toBe(24 * 2 ** 16);
  });

  it("grow for nodes of an index of many small chunks", async () => {
    const source = sourceOf(32 * mebi);
    const blocks = new BlockCache(source);
    for (let at = 0; at + 2000 < 32 * mebi; at += 100_000) await expectRead(blocks, source, at, 2000);
    expect(source.requests.length).toBeLessThan(20);
    expect(source.repeated).toBe(0);
  });

  it("are proportional to the span that is read", async () => {
    const source = sourceOf(32 * mebi);
    const blocks = new BlockCache(source);
    for (let at = 0; at < 2 * mebi; at += 300_000) await expectRead(blocks, source, at, 100);
    expect(source.total).toBeLessThan(6 * mebi);
  });

  it("are aligned to pages, even across a first block", async () => {
    const source = sourceOf(20 * mebi);
    const blocks = new BlockCache(source);
    await blocks.head(100, undefined);
    blocks.pageSize = mebi;
    await expectRead(blocks, source, 2 ** 16 + 5, 100);
    await expectRead(blocks, source, 7 * mebi + 12345, 100);
    expect(source.requests).toEqual([
      [0, 2 ** 16],
      [2 ** 16, mebi],
      [7 * mebi, 8 * mebi],
    ]);
  });

  it.each([true, false])("are never repeated, whatever the order (size told: %s)", async (isSized) => {
    const random = randomizer(3);
    for (let round = 0; round < 20; round++) {
      const source = sourceOf(1 + Math.floor(random() * 3 * mebi));
      source.isSized = isSized;
      const blocks = new BlockCache(source);
      const { length: size } = source.bytes;
      await Promise.all(
        Array.from({ length: 60 }, () => {
          const offset = Math.floor(random() * size);
          return expectRead(blocks, source, offset, Math.floor(random() * (size - offset) * random()));
        }),
      );
      expect(source.repeated).toBe(0);
      await expectRead(blocks, source, 0, size);
      if (isSized) expect(source.repeated).toBe(0);
    }
  });

  it("are shared by concurrent reads", async () => {
    const source = sourceOf(mebi);
    const blocks = new BlockCache(source);
    await Promise.all([0, 10, 20].map((at) => expectRead(blocks, source, at, 1000)));
    expect(source.requests).toHaveLength(1);
    expect(blocks.cached(5, 10)).toHaveLength(10);
  });
});

describe("memory", () => {
  it("stays within the budget: the blocks used last are kept", async () => {
    const source = sourceOf(8 * mebi);
    const blocks = new BlockCache(source, undefined, 4 * 2 ** 16);
    for (const at of [0, 1, 2, 3]) await expectRead(blocks, source, at * mebi, 10);
    await expectRead(blocks, source, 0, 10);
    await expectRead(blocks, source, 5 * mebi, 10);
    expect([0, 1, 2, 3, 5].map((at) => blocks.cached(at * mebi, 10) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
    await expectRead(blocks, source, 0, 8 * mebi); // more than the budget
  });

  it("is not used for lengths that the file does not have", async () => {
    const source = sourceOf(1000);
    const blocks = new BlockCache(source, 2 ** 30);
    await blocks.head(8, undefined);
    const error = await errorOf(() => blocks.read(0, 2 ** 40, undefined));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-file"]);
    expect(source.requests).toHaveLength(1);
    expect((await errorOf(() => new BlockCache(source, 100).read(0, 101, undefined)))._tag).toBe(
      "LimitExceeded",
    );
  });
});

describe("aborting", () => {
  it("one of two callers leaves the request to the other", async () => {
    const source = sourceOf(mebi);
    const blocks = new BlockCache(source);
    let open = () => {};
    source.gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const abort = new AbortController();
    const first = errorOf(async () => blocks.read(0, 10, abort.signal));
    const second = blocks.read(5, 10, undefined);
    abort.abort(new Error("not needed"));
    expect((await first).message).toBe("not needed");
    expect(source.signals[0]?.aborted).toBe(false);
    open();
    expect(await second).toHaveLength(10);
  });

  it("the only caller ends the request, and the next read sends it again", async () => {
    const source = sourceOf(mebi);
    const blocks = new BlockCache(source);
    source.gate = new Promise(() => {});
    const abort = new AbortController();
    const first = errorOf(async () => blocks.read(0, 10, abort.signal));
    abort.abort(new Error("not needed"));
    await first;
    expect(source.signals[0]?.aborted).toBe(true);
    source.gate = Promise.resolve();
    await expectRead(blocks, source, 0, 10);
    expect(source.requests).toHaveLength(2);
  });
});

describe("the end of the file", () => {
  it.each([true, false])("is found (size told: %s)", async (isSized) => {
    const source = sourceOf(100_000);
    source.isSized = isSized;
    const blocks = new BlockCache(source);
    expect(await blocks.head(50, undefined)).toHaveLength(50);
    for (const [offset, length] of [
      [99_990, 11],
      [100_000, 1],
      [3 * mebi, 10],
      [-1, 5],
      [0.5, 5],
      [0, Number.NaN],
      [2 ** 53, 8],
    ] as const) {
      const error = await errorOf(() => blocks.read(offset, length, undefined));
      expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-file"]);
    }
    await expectRead(blocks, source, 99_990, 10);
    expect(await blocks.read(100_000, 0, undefined)).toHaveLength(0);
    expect(blocks.fileSize).toBe(100_000);
  });

  it("of an empty and a missing file", async () => {
    const empty = new BlockCache(sourceOf(0));
    expect(await empty.head(10, undefined)).toHaveLength(0);
    const missing = sourceOf(10);
    missing.answer = () => undefined;
    expect((await errorOf(() => new BlockCache(missing).head(5, undefined)))._tag).toBe("NotFound");
  });
});

describe("sources that lie", () => {
  it("by a changed file", async () => {
    const source = sourceOf(4 * mebi);
    const blocks = new BlockCache(source);
    await blocks.head(10, undefined);
    source.etag = "2";
    const error = await errorOf(() => blocks.read(2 * mebi, 10, undefined));
    expect([error._tag, error.code]).toEqual(["Network", "changed"]);
  });

  it.each([
    ["more bytes than requested", (bytes: Uint8Array) => new Uint8Array(bytes.length + 1), "bad-range"],
    ["fewer bytes than the file has", (bytes: Uint8Array) => bytes.subarray(0, 5), "truncated-answer"],
  ])("by %s", async (_, answer, code) => {
    const source = sourceOf(mebi);
    const blocks = new BlockCache(source);
    source.answer = answer;
    const error = await errorOf(() => blocks.head(10, undefined));
    expect([error._tag, error.code]).toEqual(["Network", code]);
    source.answer = (bytes) => bytes; // the next read succeeds
    await expectRead(blocks, source, 0, 10);
  });

  it("by an end before bytes that were read", async () => {
    const source = sourceOf(4 * mebi);
    source.isSized = false;
    const blocks = new BlockCache(source);
    await expectRead(blocks, source, 3 * mebi, 10);
    source.answer = (bytes) => bytes.subarray(0, 5);
    expect((await errorOf(() => blocks.read(mebi, 10, undefined))).code).toBe("changed");
  });
});
