// `zarr-wasm bench`: request counts compared with a server's own, limits, and the advice it prints.
import http from "node:http";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { create, createGroup, set } from "zarr-wasm";
import { adviceFor, metadataAdvice } from "#src/cli/commands/bench/advice.js";
import { spread } from "#src/cli/commands/bench/measure.js";
import { run, temporaryFolder } from "../support/cli-tool.js";
import { urlOf } from "../support/copying.js";
import { serve } from "../support/support.js";

interface Report {
  arrays: number;
  metadata: { requests: number };
  codecs: { codecs: string; bytes: number; megabytesPerSecond: number }[];
  measured: {
    path: string;
    chunks: { read: number; missing: number; failed: number };
    reading: { requests: number; bytes: number };
    decoding: { bytes: number; storedShare: number; megabytesPerSecond?: number };
    alternatives: { codecs: string; storedShare: number }[];
    advice: string[];
  }[];
}

const folder = temporaryFolder();

/** An in-memory store: a group with an array of 64 chunks of 8 KiB, four of them missing, and an array of strings. */
async function makeStore(): Promise<Map<string, Uint8Array>> {
  const store = new Map<string, Uint8Array>();
  const group = await createGroup(store);
  const shape = [64, 4096];
  const array = await create(group, {
    path: "a",
    shape,
    chunkShape: [1, 4096],
    dtype: "uint16",
    codecs: "gzip:1",
  });
  await set(
    array,
    [{ start: 0, stop: 60, step: 1 }],
    Uint16Array.from({ length: 60 * 4096 }, (_, i) => (i * i) >> 7),
  );
  const texts = await create(group, { path: "t", shape: [3], dtype: "string" });
  await set(texts, null, ["a", "b", "c"]);
  return store;
}

const isChunk = (path: string) => path.includes("/c/");

describe("zarr-wasm bench", () => {
  it("reports the same counts as the server", async () => {
    const store = await makeStore();
    let bytes = 0;
    const server = await serve((key) => {
      const value = store.get(key);
      if (value && key.startsWith("/a/c")) bytes += value.byteLength;
      return value;
    });
    const { status, text, err } = await run("bench", server.url, "--path", "a", "--json", "--time", "60");
    await server.close();
    expect([status, err]).toEqual([0, ""]);
    const report = JSON.parse(text) as Report;
    const [one] = report.measured;
    const chunks = server.requests.filter(({ path }) => path.startsWith("/a/c"));
    expect(new Set(chunks.map(({ path }) => path)).size).toBe(64);
    expect(one!.chunks).toEqual({ read: 60, missing: 4, failed: 0 });
    expect(one!.reading).toMatchObject({ requests: chunks.length, bytes });
    expect(one!.decoding.bytes).toBe(60 * 8192);
    expect(one!.decoding.storedShare).toBeCloseTo(bytes / (60 * 8192), 3);
    expect(report.codecs).toEqual([
      {
        codecs: "bytes, gzip",
        bytes: 60 * 8192,
        seconds: expect.any(Number),
        megabytesPerSecond: expect.any(Number),
      },
    ]);
    expect(one!.alternatives.map(({ codecs }) => codecs)).toEqual(["zstd", "blosc:lz4", "blosc:zstd"]);
    for (const { storedShare } of one!.alternatives) expect(storedShare).toBeGreaterThan(0);
    expect(one!.advice.length).toBeGreaterThan(0);
  });

  it("measures the largest arrays of a group on disk, and prints a line for each", async () => {
    const group = await createGroup(urlOf(path.join(folder, "g")));
    for (let i = 1; i <= 6; i++) {
      const array = await create(group, { path: `x${i}`, shape: [i * 10], chunkShape: [10], dtype: "int32" });
      await set(array, null, i);
    }
    const texts = await create(group, { path: "texts", shape: [1000], dtype: "string" });
    await set(texts, null, "word");
    const { status, text, err } = await run("bench", path.join(folder, "g"), "--time", "8");
    expect([status, err]).toEqual([0, ""]);
    expect(text).toMatch(/^7 arrays, the 4 largest measured; metadata: \d+ requests/);
    expect(text.match(/^\/\w+/gm)).toEqual(["/texts", "/x6", "/x5", "/x4"]);
    expect(text).toMatch(/reading {3}6 requests, .*\n {2}decoding {2}6 chunks in .*240 bytes: /);
    expect(text).not.toContain("\u001b");
  });

  it("ends in time if a server does not respond, and stays within the byte limit", async () => {
    const store = await makeStore();
    const stuck = http.createServer((request, response) => {
      const value = store.get(request.url!);
      if (value && !isChunk(request.url!)) response.end(value);
      else if (!value) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => stuck.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(stuck.address() as { port: number }).port}`;
    const waited = await run("bench", url, "--path", "a", "--time", "1");
    stuck.closeAllConnections();
    stuck.close();
    expect([waited.status, waited.text]).toEqual([0, expect.stringContaining("No chunks to measure")]);

    const server = await serve((key) => store.get(key));
    const { text } = await run("bench", server.url, "--path", "a", "--bytes", "20K", "--json", "--time", "2");
    await server.close();
    const [one] = (JSON.parse(text) as Report).measured;
    // A chunk for each of the eight requests at a time may come after the bound.
    const largest = Math.max(
      ...[...store].filter(([key]) => isChunk(key)).map(([, { byteLength }]) => byteLength),
    );
    expect(one!.reading.bytes).toBeLessThan(20 * 1024 + 8 * largest);
  });

  it("fails readably", async () => {
    const store = await makeStore();
    for (const key of store.keys()) if (key.startsWith("/a/c")) store.set(key, Uint8Array.of(1, 2, 3));
    const server = await serve((key) => store.get(key));
    const corrupt = await run("bench", server.url, "--path", "a", "--time", "2");
    await server.close();
    expect([corrupt.status, corrupt.text, corrupt.err]).toEqual([
      1,
      "",
      expect.stringMatching(/^zarr-wasm: .*gzip/),
    ]);
    for (const args of [
      ["--time", "0"],
      ["--time", "x"],
      ["--bytes", "-1"],
      ["--bytes", "2X"],
      ["--bytes", "0"],
    ])
      expect((await run("bench", folder, ...args)).status).toBe(2);
  });
});

it("samples are spread over the grid without repetition", () => {
  expect([...spread([3, 2])].toSorted()).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
  ]);
  expect([...spread([])]).toEqual([[]]);
  expect([...spread([0, 4])]).toEqual([]);
  const many = [...spread([1000, 1000])];
  expect(new Set(many.map(String)).size).toBe(many.length);
  const quarters = new Set(
    many.slice(0, 20).map(([y, x]) => `${Math.floor(y! / 500)} ${Math.floor(x! / 500)}`),
  );
  expect(quarters.size).toBe(4);
  for (const [y, x] of many) expect(y! >= 0 && y! < 1000 && x! >= 0 && x! < 1000).toBe(true);
});

describe("advice", () => {
  const measured = {
    ...{
      shape: [4096, 4096],
      chunkShape: [512, 512],
      isSharded: false,
      itemBytes: 2,
      isRemote: true,
      objects: 64,
    },
    ...{ chunks: 64, missing: 0, storedBytes: 64 * 300_000, readSeconds: 2, decodedBytes: 64 * 2 ** 19 },
    ...{ waiting: 0.2, decodeSeconds: 0.2, alternatives: [] },
  };

  it("leaves well alone", () => {
    expect(adviceFor(measured)).toEqual([
      expect.stringMatching(/^No tested setting .* 91 % of the time is spent on the network/),
    ]);
  });

  it("suggests larger chunks if the latency is high", () => {
    const tiny = { ...measured, chunkShape: [64, 64], storedBytes: 64 * 4000, waiting: 0.9 };
    const [text] = adviceFor(tiny);
    expect(text).toMatch(
      /small \(3\.9 KiB as stored\), and 90 % .* --chunks 512,1024 reduces .* by a factor of 128/,
    );
    expect(adviceFor({ ...tiny, isRemote: false })[0]).toMatch(/^No tested setting/);
    expect(adviceFor({ ...tiny, waiting: 0.3 })[0]).toMatch(/^No tested setting/);
  });

  it("suggests smaller chunks, in shards of the present size", () => {
    const huge = { ...measured, chunkShape: [8192, 8192], shape: [8192, 8192] };
    expect(adviceFor(huge)[0]).toMatch(
      /128\.0 MiB.* --chunks 512,1024 with --shards 8192,8192|--chunks 1024,512/,
    );
  });

  it("suggests the fastest codec if the gain is worthwhile", () => {
    const alternatives = [
      { codecs: "zstd", bytes: 0.7, seconds: 1.6 },
      { codecs: "blosc:zstd", bytes: 0.5, seconds: 1.1 },
    ];
    expect(adviceFor({ ...measured, alternatives })).toEqual([
      expect.stringMatching(/--codecs blosc:zstd, .* 50 % of the time, with 50 % of the bytes/),
    ]);
    const close = [{ codecs: "zstd", bytes: 0.9, seconds: 2 }];
    expect(adviceFor({ ...measured, alternatives: close })[0]).toMatch(/^No tested setting/);
    expect(adviceFor({ ...measured, alternatives, decodedBytes: 1000 })[0]).toMatch(/^No tested setting/);
  });

  it("suggests shards for many objects, and consolidated metadata for many documents", () => {
    expect(adviceFor({ ...measured, chunkShape: [16, 16], objects: 65_536 })[0]).toMatch(
      /65536 objects; --shards auto stores them in 1,/,
    );
    expect(metadataAdvice(40, true, false)).toMatch(/40 requests; consolidated/);
    expect(metadataAdvice(40, true, true)).toBeUndefined();
    expect(metadataAdvice(40, false, false)).toBeUndefined();
    expect(metadataAdvice(3, true, false)).toBeUndefined();
  });

  it("reports that there is nothing to measure", () => {
    expect(adviceFor({ ...measured, chunks: 0, missing: 8 })).toEqual([
      expect.stringMatching(/^The sampled chunks are missing/),
    ]);
  });
});
