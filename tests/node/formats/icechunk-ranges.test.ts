// Chunks of Icechunk repositories that lie close together in one object or file: read with one request.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type GetBytesOptions, get, isZarrError, open, slice, type ZarrArray } from "zarr-wasm";
import { IcechunkStore } from "zarr-wasm/formats";
import { arrayDocument, idOf, idText, type Reference } from "../../shared/icechunk-writer.mjs";
import { bytesOf, nodesOf, plainValues, repository } from "../support/icechunk-repository.js";
import { ObjectServer } from "../support/store-server.js";

/** Chunks of one element; the elements are 0, 1, 2, …, at shuffled positions in one file, with gaps. */
const count = 600;
const placeOf = (i: number) => 3 * ((i * 7) % count);
const file = Uint8Array.from({ length: 3 * count }, () => 0xee);
const values = Array.from({ length: count }, (_, i) => i % 251);
values.forEach((value, i) => {
  file[placeOf(i)] = value;
});

type Where = (i: number) => Partial<Reference>;

const many = (where: Where) =>
  repository({
    references: values.map((_, i) => ({ index: [0, i], offset: placeOf(i), length: 1, ...where(i) })),
    nodes: nodesOf(idOf(50), [1, count], [1, 1]),
  });

let server: ObjectServer;
beforeAll(async () => {
  server = await new ObjectServer().start();
});
afterAll(() => server.close());
beforeEach(() => {
  server.objects.clear();
  server.behaviour = {};
});

const virtual = () => ({ "s3://bucket/": `${server.url}/mirror/` });

async function opened(objects: Map<string, Uint8Array>): Promise<ZarrArray> {
  for (const [key, bytes] of objects) server.objects.set(`/r${key}`, bytes);
  return open(`${server.url}/r`, { path: "a", kind: "array", branch: "main", virtual: virtual() });
}

/** Result of a read, and its requests for chunks. */
async function reading(
  array: ZarrArray,
  options: GetBytesOptions = {},
  selection: Parameters<typeof get>[1] = null,
) {
  server.seen.length = 0;
  const { data } = await get(array, selection, options);
  const requests = server.log.filter((line) => /chunks|mirror/.test(line));
  return { data: [...(data as Uint8Array)], requests: requests.map((line) => line.replace(/.* /, "")) };
}

const all = "bytes=0-1797";

describe("near ranges", () => {
  it("of an object of the repository are one request", async () => {
    const objects = many(() => ({ id: idOf(100) }));
    objects.set(`/chunks/${idText(idOf(100))}`, file);
    const array = await opened(objects);
    expect(await reading(array)).toEqual({ data: values, requests: [all] });
  });

  it("of a file elsewhere are one request, also where the centre comes first", async () => {
    server.objects.set("/mirror/f", file);
    const array = await opened(many(() => ({ location: "s3://bucket/f" })));
    expect(await reading(array)).toEqual({ data: values, requests: [all] });
    const first = await reading(array, { priority: "centre" });
    expect(first).toEqual({ data: values, requests: [all] });
  });

  it("are requested only as far as needed", async () => {
    server.objects.set("/mirror/f", file);
    const array = await opened(many(() => ({ location: "s3://bucket/f" })));
    const { data, requests } = await reading(array, {}, [0, slice(0, 3)]);
    expect([data, requests]).toEqual([[0, 1, 2], ["bytes=0-42"]]);
  });

  it("of one file count as one only where the same was noted of it", async () => {
    server.objects.set("/mirror/f", file);
    server.objects.set("/mirror/g", file);
    server.etag = '"1"';
    const noted: Where = (i) => ({
      location: `s3://bucket/${i % 2 ? "f" : "g"}`,
      ...(i % 3 === 0 && { etag: '"1"' }),
    });
    const { data, requests } = await reading(await opened(many(noted)));
    expect([data, requests.length]).toEqual([values, 4]);
    // Every recorded ETag is compared with the merged response.
    const other: Where = (i) => ({ location: "s3://bucket/f", ...(i === 77 && { etag: '"2"' }) });
    const error = await get(await opened(many(other)), null).catch((cause: unknown) => cause);
    expect(isZarrError(error, "SourceChanged") && error.chunkKey).toBe("/a/c/0/77");
  });

  it("are merged within the limits of the options", async () => {
    server.objects.set("/mirror/f", file);
    const array = await opened(many(() => ({ location: "s3://bucket/f" })));
    const apart = await reading(array, { coalesceMaxGap: 1 });
    expect([apart.data, apart.requests.length]).toEqual([values, count]);
    const short = await reading(array, { coalesceMaxBytes: 900 });
    expect([short.data, short.requests.length]).toEqual([values, 2]);
    expect(server.peak).toBeLessThanOrEqual(16);
  });

  it("are merged beside inline and missing chunks", async () => {
    const objects = repository();
    const { data, requests } = await reading(await opened(objects));
    expect([data, requests]).toEqual([plainValues, ["bytes=2-9", "bytes=0-3"]]);
  });

  it("that end too early are an error that names a chunk", async () => {
    server.objects.set("/mirror/f", file.subarray(0, 1700));
    const array = await opened(many(() => ({ location: "s3://bucket/f" })));
    const error = await get(array, null).catch((cause: unknown) => cause);
    expect(isZarrError(error, "Network") && [error.code, error.chunkKey]).toEqual(["bad-target", "/a/c/0/0"]);
  });

  it("with a chunk that does not decode are an error that names that chunk", async () => {
    const document = arrayDocument([4, 6], [2, 2]) as { codecs: object[] };
    document.codecs = [{ name: "bytes" }, { name: "crc32c" }];
    const nodes = nodesOf(idOf(50));
    nodes[1]!.document = document;
    const chunk = bytesOf(1, 2, 3, 4, 0xf4, 0x8c, 0x30, 0x29); // with its CRC-32C
    const references: Reference[] = [0, 1, 2].map((i) => ({
      index: [0, i],
      id: idOf(100),
      offset: 8 * i,
      length: 8,
    }));
    const objects = repository({ nodes, references });
    const broken = Uint8Array.from([...chunk, ...chunk, ...chunk]);
    const key = `/chunks/${idText(idOf(100))}`;
    objects.set(key, broken);
    const before = await reading(await opened(objects), {}, [slice(0, 2), null]);
    expect([before.data, before.requests]).toEqual([[1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4], ["bytes=0-23"]]);
    broken[9]! ^= 1;
    const error = await get(await opened(objects), null).catch((cause: unknown) => cause);
    expect(isZarrError(error, "CorruptChunk") && error.chunkKey).toBe("/a/c/0/1");
  });

  it("are not merged if a program replaces `get`", async () => {
    const store = await IcechunkStore.open(
      many(() => ({ id: idOf(100) })).set(`/chunks/${idText(idOf(100))}`, file),
    );
    const asked: string[] = [];
    const own = store.get;
    store.get = function (this: IcechunkStore, key, options) {
      asked.push(key);
      return own.call(this, key, options);
    };
    const { data } = await get(await open(store, { path: "a", kind: "array" }), [0, slice(0, 5)]);
    expect([...(data as Uint8Array)]).toEqual([0, 1, 2, 3, 4]);
    expect(asked.filter((key) => key.includes("/c/"))).toHaveLength(5);
  });

  it("do not delay an aborted read", async () => {
    server.objects.set("/mirror/f", file);
    const array = await opened(many(() => ({ location: "s3://bucket/f" })));
    const abort = new AbortController();
    server.behaviour = {
      trouble: async (request) => void (request.url?.startsWith("/mirror") && abort.abort()),
    };
    const error = await get(array, null, { signal: abort.signal }).catch((cause: unknown) => cause);
    expect(error).toBe(abort.signal.reason);
  });
});
