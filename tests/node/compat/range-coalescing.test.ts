// withRangeCoalescing of the zarrita drop-in.
import { describe, expect, it } from "vitest";
import * as dropIn from "zarr-wasm/zarrita";
import { both } from "../support/both-libraries.js";

describe("withRangeCoalescing", () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i & 255);
  function counted() {
    const asked: { offset: number; length: number; signal?: AbortSignal }[] = [];
    const store = {
      get: async () => bytes,
      async getRange(
        _: string,
        range: { offset: number; length: number },
        options?: { signal?: AbortSignal },
      ) {
        asked.push({ ...range, ...options });
        options?.signal?.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 5));
        options?.signal?.throwIfAborted();
        return bytes.slice(range.offset, range.offset + range.length);
      },
    };
    return { store: store as never as Required<dropIn.AsyncReadable>, asked };
  }

  it.each(both)("of %s makes one request of several", async (_, zarr) => {
    const { store, asked } = counted();
    const reports: object[] = [];
    const merged = zarr.withRangeCoalescing(store, {
      coalesceSize: 10,
      onFlush: (r) => reports.push(r),
    });
    const read = (offset: number, length: number) => merged.getRange!("/x", { offset, length });
    const parts = await Promise.all([read(100, 10), read(0, 10), read(15, 5), read(2, 3)]);
    expect(asked.map(({ offset, length }) => [offset, length])).toEqual([
      [0, 20],
      [100, 10],
    ]);
    expect(parts.map((part) => part?.[0])).toEqual([100, 0, 15, 2]);
    expect(reports).toEqual([{ path: "/x", groupCount: 2, requestCount: 4, bytesFetched: 30 }]);
  });

  it("aborts one caller without the others", async () => {
    const { store, asked } = counted();
    const merged = dropIn.withRangeCoalescing(store);
    const [leaving, staying] = [new AbortController(), new AbortController()];
    const read = (offset: number, signal: AbortSignal) =>
      merged.getRange!("/x", { offset, length: 4 }, { signal });
    const results = [read(0, leaving.signal), read(4, staying.signal)];
    setTimeout(() => leaving.abort(new Error("gone")), 1);
    await expect(results[0]).rejects.toThrow("gone");
    expect(await results[1]).toEqual(bytes.slice(4, 8));
    expect(asked).toHaveLength(1);
    const all = new AbortController();
    const both = [read(0, all.signal), read(4, all.signal)];
    setTimeout(() => all.abort(new Error("all gone")), 1);
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked[1]!.signal!.aborted).toBe(true);
  });

  it("rejects an invalid range without failing the others", async () => {
    const { store } = counted();
    const merged = dropIn.withRangeCoalescing(store);
    const read = (offset: number, length: number) => merged.getRange!("/x", { offset, length });
    const results = await Promise.allSettled([read(0, 4), read(Number.NaN, 4), read(-1, 4), read(4, 4)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  });

  it("reads at and beyond the end of an object as without it", async () => {
    const { store } = counted();
    const merged = dropIn.withRangeCoalescing(store);
    const read = (offset: number, length: number) => merged.getRange!("/x", { offset, length });
    const parts = await Promise.all([read(980, 10), read(990, 20), read(1000, 5)]);
    expect(parts.map((part) => part?.length)).toEqual([10, 10, 0]);
  });
});
