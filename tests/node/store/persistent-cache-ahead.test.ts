// Persistent caches in pages: requests that are sent before they are needed.
import { describe, expect, it, vi } from "vitest";
import { getBytes, open, type ZarrArray } from "zarr-wasm";
import { fresh, putArray, server, useCacheServer, visit } from "../support/cache-visits.js";

useCacheServer();

describe("in a page, a second visit", () => {
  /** Opens the array, calls `before`, and reads it; returns its elements and the requests for its chunks. */
  const look = async (before: (array: ZarrArray) => unknown = () => {}) => {
    vi.stubGlobal("origin", server.url);
    const { store, cache } = visit();
    const array = await open(store, { path: "a", version: 3, kind: "array" });
    await before(array);
    const { bytes } = await getBytes(array);
    await cache.flush();
    return { bytes, chunks: server.log().filter((line) => !line.includes("zarr.json")) };
  };
  const key = "/a/c/0/0";

  it("confirms chunks while the first document is read", async () => {
    const written = await putArray("/a", 11);
    await look();
    let release = () => {};
    server.intercept = (request, response) => {
      if (request.url === "/a/zarr.json") release = () => server.answer(request, response);
      else server.answer(request, response);
      if (server.asked.filter(({ status }) => status === 304).length === 4) release();
      return true;
    };
    const { bytes, chunks } = await look();
    expect(bytes).toEqual(written.elements);
    expect(chunks).toHaveLength(4);
  });

  it("requests those again that have changed, or whose document has", async () => {
    await putArray("/a", 12);
    await look();
    server.set(key, new Uint8Array(32), '"new"');
    const changed = await look();
    expect(changed.bytes.subarray(0, 8)).toEqual(new Uint8Array(8));
    expect(changed.chunks.filter((line) => line === `${key} 200`).length).toBeGreaterThan(0);
    expect((await look()).chunks).toHaveLength(4);
    const written = await putArray("/a", 13, { attributes: { version: 2 } });
    expect((await look()).bytes).toEqual(written.elements);
    expect((await look()).chunks).toHaveLength(4);
  });

  it("confirms them again after ten seconds", async () => {
    const written = await putArray("/a", 14);
    await look();
    const now = Date.now();
    const { bytes, chunks } = await look(async (array) => {
      await array.getChunk([0, 0]);
      vi.spyOn(Date, "now").mockReturnValue(now + 3e4);
    });
    vi.restoreAllMocks();
    expect(bytes).toEqual(written.elements);
    expect(chunks).toHaveLength(8);
  });

  it("does not confirm chunks that have become fresh", async () => {
    const written = await putArray("/a", 15);
    await look();
    server.headers = fresh;
    expect((await look()).chunks).toHaveLength(4);
    const { bytes, chunks } = await look();
    expect([bytes, chunks]).toEqual([written.elements, []]);
  });
});
