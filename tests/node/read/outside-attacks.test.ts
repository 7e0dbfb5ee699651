// Findings of an external attack: a server that switches protocols, empty selections, lists and nested values
// beyond any memory, archives and workers that give false information.

import type { AddressInfo } from "node:net";
import net from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { get, HttpStore, MapStore, open, slice, WorkerPool, ZipStore } from "zarr-wasm";
import { bytesOf, errorOf, openArray } from "../support/support.js";
import { json, regular, v3Meta } from "../support/zarr-writer.js";
import { writeZip } from "../support/zip-builder.js";

const little = { name: "bytes", configuration: { endian: "little" } };

const stored = (meta: object, chunks: Record<string, Uint8Array> = {}) =>
  new Map([["/zarr.json", json(meta)], ...Object.entries(chunks)]);

it("a server that switches protocols is an error, not an endless wait", async () => {
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const store = new HttpStore(`http://127.0.0.1:${port}/`, { retries: 1, retryDelay: 1, timeout: 2000 });
    const error = await errorOf(() => store.get("/a"));
    expect([error._tag, error.code]).toEqual(["Network", "fetch-failed"]);
  } finally {
    server.close();
  }
});

it("an invalid URL is an invalid argument", async () => {
  expect((await errorOf(() => new HttpStore("not a url")))._tag).toBe("InvalidArgument");
});

describe("selections of nothing", () => {
  it("cost nothing, however many chunks other axes have", async () => {
    const huge = await openArray(
      stored(v3Meta({ shape: [0, 2 ** 53 - 1], chunk_grid: regular(1, 1), codecs: [little] })),
    );
    expect((await get(huge)).shape).toEqual([0, 2 ** 53 - 1]);
    const long = await openArray(
      stored(v3Meta({ shape: [10, 3e7], chunk_grid: regular(1, 1), codecs: [little] })),
    );
    const region = await get(long, [slice(0, 0), null]);
    expect([region.shape, region.data.length]).toEqual([[0, 3e7], 0]);
    expect((await get(long, [[], null])).shape).toEqual([0, 3e7]);
  });
});

describe("lists larger than memory", () => {
  const strings = (length: number, chunk: number, name = "vlen-utf8", data_type = "string") =>
    stored(
      v3Meta({ shape: [length], data_type, chunk_grid: regular(chunk), codecs: [{ name }], fill_value: "" }),
    );

  it("are refused before they are made", async () => {
    for (const [length, chunk] of [
      [2 ** 27, 2 ** 27],
      [2e8, 1000],
      [3e9, 1000],
    ] as const) {
      const error = await errorOf(async () => get(await openArray(strings(length, chunk))));
      expect(error._tag, `${length}`).toBe("LimitExceeded");
    }
  });

  it("of byte strings count the memory of each", async () => {
    const error = await errorOf(() =>
      openArray(strings(2 ** 25, 2 ** 25, "vlen-bytes", "variable_length_bytes")),
    );
    expect(error._tag).toBe("LimitExceeded");
  });
});

describe("endlessly nested values", () => {
  const v2 = (id: string) => ({
    "/.zarray": json({
      zarr_format: 2,
      shape: [1],
      chunks: [1],
      dtype: "|O",
      compressor: { id: "gzip", level: 1 },
      fill_value: null,
      order: "C",
      filters: [{ id }],
    }),
  });

  it("are a corrupt chunk", async () => {
    const count = 30e6;
    const packed = new Uint8Array(5 + count).fill(0x90);
    packed.set([0xdd, count >>> 24, (count >> 16) & 255, (count >> 8) & 255, count & 255]);
    const text = bytesOf(`[${"[],".repeat(10e6)}[]]`);
    for (const [id, chunk] of [
      ["msgpack2", packed],
      ["json2", text],
    ] as const) {
      const array = await openArray(new Map([...Object.entries(v2(id)), ["/0", gzipSync(chunk)]]));
      expect((await errorOf(() => get(array)))._tag, id).toBe("CorruptChunk");
    }
  });

  it("numbers have a length", async () => {
    const digits = "7".repeat(2e6);
    const chunk = gzipSync(bytesOf(`[${digits},"|O",[1]]`));
    const array = await openArray(new Map([...Object.entries(v2("json2")), ["/0", chunk]]));
    expect((await errorOf(() => get(array)))._tag).toBe("CorruptChunk");
    const meta = `{"zarr_format":3,"node_type":"group","attributes":{"a":${digits}}}`;
    const error = await errorOf(() => open(new Map([["/zarr.json", bytesOf(meta)]])));
    expect([error._tag, error.message.length < 5000]).toEqual(["LimitExceeded", true]);
  });
});

it("an archive whose directory lost entries is damaged, not an array without chunks", async () => {
  const meta = v3Meta({ shape: [2], chunk_grid: regular(2), codecs: [little] });
  const zip = writeZip([
    { name: "zarr.json", bytes: json(meta) },
    { name: "c/0", bytes: Uint8Array.of(1, 0, 2, 0, 3, 0, 4, 0) },
  ]);
  const end = new DataView(zip.buffer, zip.byteOffset + zip.byteLength - 22);
  for (const offset of [8, 10]) end.setUint16(offset, 3, true);
  const error = await errorOf(() => open(new ZipStore(zip)));
  expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-zip"]);
});

it("a MapStore accepts ranges of any kind of bytes", async () => {
  const entries = new Map([["/a", Uint8Array.of(1, 2, 3, 4).buffer as unknown as Uint8Array]]);
  expect(new MapStore(entries).getRange("/a", { offset: 1, length: 2 })).toEqual(Uint8Array.of(2, 3));
});

describe("workers with unexpected answers", () => {
  class Fake extends EventTarget {
    constructor(private readonly reply: object) {
      super();
      setTimeout(() => this.#say({ ready: true }), 5); // after a listener is attached
    }
    #say(data: object): void {
      queueMicrotask(() => this.dispatchEvent(Object.assign(new Event("message"), { data })));
    }
    postMessage({ id }: { id: number }): void {
      this.#say({ id, ...this.reply });
    }
    terminate(): void {}
  }

  it("are not believed", async () => {
    const length = 2 ** 18;
    const meta = v3Meta({
      shape: [2 * length],
      chunk_grid: regular(length),
      codecs: [little],
      fill_value: 5,
    });
    const elements = Int32Array.from({ length }, (_, i) => i);
    const bytes = new Uint8Array(elements.buffer);
    const codecs = [little, { name: "crc32c" }];
    const { createCodecChain } = await import("zarr-wasm/codecs");
    const chain = await createCodecChain({ dtype: "int32", shape: [length], codecs });
    const encoded = chain.encode(elements);
    expect(encoded.byteLength).toBe(bytes.byteLength + 4);
    const array = await openArray(stored({ ...meta, codecs }, { "/c/0": encoded, "/c/1": encoded }));
    const replies = [
      {},
      { bytes: new Uint8Array(10) },
      { bytes: "x" },
      { failure: {} },
      { failure: 5 },
      { failure: null },
    ];
    for (const reply of replies) {
      const pool = new WorkerPool({ size: 1, createWorker: () => new Fake(reply) as unknown as Worker });
      try {
        const { data } = await get<Int32Array>(array, null, { pool });
        expect([data[7], data[length + 9]], JSON.stringify(reply)).toEqual([7, 9]);
        expect((await array.getChunk<Int32Array>([1], { pool })).data[11]).toBe(11);
      } finally {
        pool.destroy();
      }
    }
  });
});
