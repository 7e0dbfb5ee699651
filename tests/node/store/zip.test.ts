// ZipStore: archives of zarr-python, unusual ones and hostile ones.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import {
  getBytes,
  listChildren,
  MapStore,
  open,
  type RangeQuery,
  readRange,
  ZipStore,
  type ZipStoreOptions,
} from "zarr-wasm";
import { ObjectServer } from "../support/store-server.js";
import { bytesOf, errorOf, goldenCases, randomBytes, sha256, storeOf } from "../support/support.js";
import { writeZip, type ZipOptions, type ZipPart } from "../support/zip-builder.js";

interface ZipCase {
  name: string;
  zip: string;
  objects: Record<string, string>;
}

const golden = readFileSync(new URL("../../golden/zip.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as ZipCase);

const tmp = new URL("../../../build/tmp/", import.meta.url).pathname;
mkdirSync(tmp, { recursive: true });
const folder = mkdtempSync(path.join(tmp, "zip-"));
afterAll(() => rmSync(folder, { recursive: true }));
const servers: ObjectServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serveZip(bytes: Uint8Array) {
  const server = await new ObjectServer({ "/a b.zip": bytes }).start();
  servers.push(server);
  return { server, url: `${server.url}/a%20b.zip?token=x` };
}

async function keysOf(store: ZipStore, at = ""): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(at)) keys.push(key);
  return keys.sort();
}

const zipOf = (parts: ZipPart[], options?: ZipOptions, own?: ZipStoreOptions) =>
  new ZipStore(writeZip(parts, options), own);

const someRanges: RangeQuery[] = [{ offset: 3, length: 10 }, { offset: 1e9, length: 1 }, { suffixLength: 4 }];
const object = randomBytes(5000);
const text = new Uint8Array(50_000).map((_, at) => at % 7);

describe("archives that zarr-python wrote", () => {
  it.each(golden.map((one) => [one.name, one] as const))("%s", async (_name, { zip, objects }) => {
    const bytes = new Uint8Array(Buffer.from(zip, "base64"));
    const file = path.join(folder, "store %.zip");
    writeFileSync(file, bytes);
    const { url } = await serveZip(bytes);
    const sources = [
      bytes,
      bytes.buffer,
      new Blob([bytes]),
      { store: new MapStore(new Map([["/in/memory.zip", bytes]])), key: "/in/memory.zip" },
      file,
      pathToFileURL(file),
      pathToFileURL(file).href,
      url,
      new URL(url),
    ];
    for (const source of sources) {
      const store = new ZipStore(source);
      expect(await keysOf(store)).toEqual(
        Object.keys(objects)
          .map((name) => `/${name}`)
          .sort(),
      );
      for (const [name, sum] of Object.entries(objects)) {
        const whole = (await store.get(`/${name}`))!;
        expect(sha256(whole), name).toBe(sum);
        for (const range of someRanges) {
          const part = (await readRange(store, `/${name}`, range))!;
          const expected =
            "offset" in range ? whole.slice(range.offset, range.offset + range.length) : whole.slice(-4);
          expect(Buffer.compare(part, expected)).toBe(0);
        }
      }
      expect(await store.get("/nothing")).toBeUndefined();
      expect(await store.getRange("/nothing", { suffixLength: 1 })).toBeUndefined();
    }
  });
});

describe("archives of every shape", () => {
  const parts: ZipPart[] = [
    { name: "zarr.json", bytes: object },
    { name: "a/b", bytes: text, method: 8 },
    { name: "a/c/", bytes: new Uint8Array(0) },
    { name: "a/c/d", bytes: object, flags: 8 },
    { name: "a/c/e", bytes: text, method: 8, flags: 8, extra: new Uint8Array(300) },
    { name: "a/f", bytes: object, extra: new Uint8Array(300), zip64: true },
    { name: "g", bytes: text, method: 8, zip64: true },
    { name: "empty", bytes: new Uint8Array(0) },
    { name: "empty-deflated", bytes: new Uint8Array(0), method: 8 },
  ];
  const many = (count: number): ZipPart[] =>
    Array.from({ length: count }, (_, at) => ({ name: `chunk/${at}/0.0`, bytes: bytesOf(`${at}`) }));
  const shapes: Record<string, [ZipPart[], ZipOptions]> = {
    plain: [parts, {}],
    zip64: [parts, { zip64: true }],
    "zip64 with its end elsewhere": [parts, { zip64: true, gap: 100 }],
    "a comment": [parts, { comment: bytesOf("hello") }],
    "a comment with the mark of an end": [
      parts,
      { comment: Uint8Array.of(0x50, 0x4b, 5, 6, ...new Uint8Array(40)) },
    ],
    "the longest comment": [parts, { comment: new Uint8Array(0xffff) }],
    "a directory of more than 64 KiB": [[...parts, ...many(2000)], {}],
    "a long directory with zip64": [[...parts, ...many(2000)], { zip64: true }],
  };
  it.each(Object.entries(shapes))("%s", async (_name, [content, options]) => {
    const bytes = writeZip(content, options);
    const { server, url } = await serveZip(bytes);
    for (const source of [bytes, url]) {
      const store = new ZipStore(source);
      for (const part of content.filter(
        ({ name }, at) => !name.endsWith("/") && (at < 20 || at % 200 === 0),
      )) {
        const { name } = part;
        expect(Buffer.compare((await store.get(`/${name}`))!, part.bytes), name).toBe(0);
        const { bytes: all } = part;
        if (all.byteLength < 100) continue;
        for (const range of [{ offset: 7, length: 90 }, { suffixLength: 90 }]) {
          const fresh = new ZipStore(source);
          const wanted = "offset" in range ? all.slice(7, 97) : all.slice(-90);
          expect(Buffer.compare((await fresh.getRange(`/${name}`, range))!, wanted), name).toBe(0);
        }
      }
    }
    expect(server.seen.every(({ range }) => range !== undefined)).toBe(true);
  });

  it("lists keys and folders", async () => {
    const store = zipOf(parts);
    expect(await keysOf(store, "a/c")).toEqual(["/a/c/d", "/a/c/e"]);
    expect(await keysOf(store, "nothing")).toEqual([]);
    expect(await listChildren(store, "")).toEqual(["a"]);
    expect(await listChildren(store, "a")).toEqual(["c"]);
    expect(await listChildren(store, "a/c")).toEqual([]);
    expect(await keysOf(zipOf([]))).toEqual([]);
  });

  it("reads few and small parts over HTTP", async () => {
    const { server, url } = await serveZip(
      writeZip([{ name: "big", bytes: randomBytes(2 ** 20) }, ...parts]),
    );
    const store = new ZipStore(url);
    await store.get("/zarr.json");
    await store.get("/a/f");
    expect(server.seen).toHaveLength(4); // the end, an object, another, and more of it: its header is long
    server.seen.length = 0;
    await store.getRange("/big", { suffixLength: 10 });
    await store.getRange("/big", { offset: 10, length: 10 });
    expect(server.seen.map(({ sent }) => sent)).toEqual([30, 10, 10]);
  });

  it("uses the last of several objects with the same name", async () => {
    const store = zipOf([
      { name: "a", bytes: bytesOf("old") },
      { name: "b", bytes: bytesOf("b") },
      { name: "a", bytes: bytesOf("new") },
    ]);
    expect(await store.get("/a")).toEqual(bytesOf("new"));
    expect(await keysOf(store)).toEqual(["/a", "/b"]);
  });

  it("reads names in every encoding, and only those that stay inside", async () => {
    const part = (name: string, more: Partial<ZipPart> = {}) => ({ name, bytes: bytesOf(name), ...more });
    const store = zipOf([
      part("é/utf-8", { flags: 0x800 }),
      part("ü/unmarked"),
      part("437", { rawName: Uint8Array.of(0x82, 0x2f, 0x61) }),
      part("\\back\\slash"),
      part("/absolute"),
      part("./here"),
      part("double//slash"),
      part("../outside"),
      part("a/../../outside"),
      part("a/./b"),
      part("nul\0"),
      part("__proto__"),
      part("constructor/x"),
      part("a\\"),
    ]);
    expect(await keysOf(store)).toEqual(
      [
        "/__proto__",
        "/absolute",
        "/back/slash",
        "/constructor/x",
        "/double/slash",
        "/here",
        "/é/a",
        "/é/utf-8",
        "/ü/unmarked",
      ].sort(),
    );
    expect(await store.get("/here")).toEqual(bytesOf("./here"));
    expect(await store.get("/toString")).toBeUndefined();
    expect((await errorOf(() => store.get("/../outside")))._tag).toBe("InvalidArgument");
  });

  it("opens an array in an archive", async () => {
    const stored = storeOf(goldenCases("v1")[0]!);
    const content = [...stored].map(([key, bytes], at) => ({
      name: `x/a.zarr${key}`,
      bytes,
      method: at % 2 ? 8 : 0,
    }));
    const array = await open(zipOf(content), { kind: "array", path: "x/a.zarr" });
    expect(sha256((await getBytes(array)).bytes)).toBe(goldenCases("v1")[0]!.sha256);
  });
});

describe("archives that are damaged", () => {
  const one = (more: Partial<ZipPart>): ZipPart[] => [{ name: "a", bytes: object, ...more }];
  const deflated = (more: Partial<ZipPart>): ZipPart[] => [{ name: "a", bytes: text, method: 8, ...more }];
  const cases: Record<string, [ZipPart[], tag: string, code: string, ZipOptions?]> = {
    "a wrong checksum": [one({ lie: { crc: 1 } }), "CorruptChunk", "checksum-mismatch"],
    "a wrong checksum, deflated": [deflated({ lie: { crc: 1 } }), "CorruptChunk", "checksum-mismatch"],
    "sizes that differ": [one({ lie: { bytes: 4999 } }), "CorruptChunk", "size-mismatch"],
    "inflating to less": [deflated({ lie: { bytes: 50_001 } }), "CorruptChunk", "size-mismatch"],
    "inflating to more": [deflated({ lie: { bytes: 49_999 } }), "CorruptChunk", "size-mismatch"],
    "inflating to more than can be": [deflated({ lie: { bytes: 2 ** 30 } }), "CorruptChunk", "size-mismatch"],
    "a stream cut short": [
      deflated({ lie: { storedBytes: deflateRawSync(text).byteLength - 3 } }),
      "CorruptChunk",
      "corrupt",
    ],
    "a stream of nonsense": [deflated({ body: randomBytes(500) }), "CorruptChunk", "corrupt"],
    "a header elsewhere": [
      one({ lie: { offset: 1, storedBytes: 4999, bytes: 4999 } }),
      "CorruptChunk",
      "bad-header",
    ],
    "an object past the end": [one({ lie: { storedBytes: 5010, bytes: 5010 } }), "CorruptChunk", "truncated"],
    "an offset past the end": [one({ lie: { offset: 2 ** 31 } }), "InvalidMetadata", "bad-zip"],
    "an offset past 2^53": [one({ zip64: true, lie: { offset: 2 ** 60 } }), "InvalidMetadata", "bad-zip"],
    "a size past 2^53": [one({ zip64: true, lie: { bytes: 2 ** 63 } }), "InvalidMetadata", "bad-zip"],
    "an encrypted object": [one({ flags: 1 }), "Unsupported", "unsupported-zip"],
    "an unknown method": [one({ method: 93 }), "Unsupported", "unsupported-zip"],
    "an object on another disk": [one({ lie: { disk: 2 } }), "Unsupported", "unsupported-zip"],
    "several disks": [one({}), "Unsupported", "unsupported-zip", { lie: { disk: 1 } }],
    "several disks, zip64": [one({}), "Unsupported", "unsupported-zip", { zip64: true, lie: { disks: 2 } }],
    "several disks, zip64 end": [
      one({}),
      "Unsupported",
      "unsupported-zip",
      { zip64: true, lie: { disk: 1 } },
    ],
    "a directory elsewhere": [one({}), "InvalidMetadata", "bad-zip", { lie: { directoryBytes: 20 } }],
    "a directory past the end": [
      one({}),
      "InvalidMetadata",
      "bad-zip",
      { lie: { directoryBytes: 2 ** 27, directoryOffset: 2 ** 31 } },
    ],
    "a directory past 2^53": [
      one({}),
      "InvalidMetadata",
      "bad-zip",
      { zip64: true, lie: { directoryOffset: 2 ** 62 } },
    ],
    "a huge directory": [one({}), "LimitExceeded", "limit-exceeded", { lie: { directoryBytes: 2 ** 31 } }],
    "a huge directory, zip64": [
      one({}),
      "LimitExceeded",
      "limit-exceeded",
      { zip64: true, lie: { directoryBytes: 2 ** 40 } },
    ],
  };
  it.each(Object.entries(cases))("%s", async (_name, [parts, tag, code, options]) => {
    const error = await errorOf(() => zipOf(parts, options).get("/a"));
    expect([error._tag, error.code]).toEqual([tag, code]);
  });

  it("no zip at all, an empty file, none", async () => {
    for (const bytes of [new Uint8Array(0), randomBytes(100), bytesOf("<!doctype html>".repeat(9000))]) {
      const error = await errorOf(() => new ZipStore(bytes).get("/a"));
      expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-zip"]);
    }
    const { server } = await serveZip(object);
    for (const source of [`${server.url}/none.zip`, path.join(folder, "none.zip")]) {
      expect((await errorOf(() => new ZipStore(source).get("/a")))._tag).toBe("NotFound");
    }
    expect(() => new ZipStore("ftp://x/a.zip")).toThrow(expect.objectContaining({ _tag: "InvalidArgument" }));
    expect(() => new ZipStore(5 as never)).toThrow(expect.objectContaining({ _tag: "InvalidArgument" }));
  });

  it("a small archive with any truncation or flipped byte: an error or the right bytes", async () => {
    const bytes = writeZip([
      { name: "a", bytes: bytesOf("object a"), method: 8 },
      { name: "b", bytes: bytesOf("object b") },
    ]);
    const check = async (damaged: Uint8Array, what: string) => {
      for (const name of ["a", "b"]) {
        try {
          const read = await new ZipStore(damaged).get(`/${name}`);
          if (read) expect(read, what).toEqual(bytesOf(`object ${name}`));
        } catch (error) {
          expect((error as { _tag?: string })._tag, `${what}: ${error}`).toMatch(
            /^(InvalidMetadata|CorruptChunk|Unsupported|LimitExceeded)$/,
          );
        }
      }
    };
    for (let length = 0; length < bytes.byteLength; length++)
      await check(bytes.subarray(0, length), `${length} bytes`);
    for (let at = 0; at < bytes.byteLength; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 0xff;
      await check(damaged, `byte ${at}`);
    }
  });

  it("limits objects", async () => {
    const small = { maxBytes: 4999 };
    expect((await errorOf(() => zipOf(one({}), {}, small).get("/a")))._tag).toBe("LimitExceeded");
    expect(
      (await errorOf(() => zipOf(deflated({}), {}, small).getRange("/a", { offset: 0, length: 1 })))._tag,
    ).toBe("LimitExceeded");
    expect((await zipOf(one({}), {}, small).getRange("/a", { offset: 0, length: 9 }))!.byteLength).toBe(9);
    const narrow = zipOf(one({}), {}, { limits: { indexBytes: 40 } });
    expect((await errorOf(() => narrow.get("/a")))._tag).toBe("LimitExceeded");
  });
});

describe("an archive that changes", () => {
  it("is detected, and read again", async () => {
    const { server, url } = await serveZip(writeZip([{ name: "a", bytes: bytesOf("old") }]));
    const store = new ZipStore(url);
    const version = {};
    expect(await store.get("/a", { version })).toEqual(bytesOf("old"));
    expect(await store.get("/a", { version })).toEqual(bytesOf("old"));
    server.objects.set(
      "/a b.zip",
      writeZip([
        { name: "b", bytes: object },
        { name: "a", bytes: bytesOf("new") },
      ]),
    );
    server.etag = '"2"';
    expect((await errorOf(() => store.get("/a"))).code).toBe("changed");
    expect(await store.get("/a")).toEqual(bytesOf("new"));
    // Information about the old one does not fit the new one.
    expect((await errorOf(() => store.get("/a", { version }))).code).toBe("changed");
  });

  it("an abort of one reader does not affect the others", async () => {
    const { server, url } = await serveZip(writeZip([{ name: "a", bytes: text, method: 8 }]));
    const store = new ZipStore(url);
    const controller = new AbortController();
    const gone = errorOf(() => store.getRange("/a", { offset: 0, length: 5 }, { signal: controller.signal }));
    const other = store.getRange("/a", { offset: 5, length: 5 });
    controller.abort(new Error("gone"));
    expect((await gone).message).toBe("gone");
    expect(await other).toEqual(text.slice(5, 10));
    expect(server.seen).toHaveLength(2); // the end, and the object once
    expect((await errorOf(() => store.get("/a", { signal: controller.signal }))).message).toBe("gone");
  });
});
