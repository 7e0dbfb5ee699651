// Creating nodes in each version, in stores of all kinds.
import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { create, createGroup, deleteNode, get, open, resize, ZarrError } from "zarr-wasm";
import { bytesOf, errorOf } from "../support/support.js";
import {
  ConditionalStore,
  files,
  mainKey,
  small,
  tempFolder,
  textIn,
  versions,
} from "../support/writing-tools.js";

const folder = tempFolder("create");

describe.each(versions)("create in Zarr v%i", (zarrFormat) => {
  it("makes an array of all fill value, which opens as it was made", async () => {
    const store = files();
    const array = await create(store, {
      ...small,
      zarrFormat,
      fillValue: 1.5,
      attributes: { a: [1, { b: 2n ** 60n }] },
    });
    const again = await open(store, { kind: "array" });
    for (const { shape, dtype, fillValue, attributes, codecs } of [array, again]) {
      expect([shape, String(dtype), fillValue]).toEqual([[10, 20], "float32", 1.5]);
      expect(attributes).toEqual({ a: [1, { b: 2n ** 60n }] });
      expect(codecs.map(({ name }) => name)).toEqual(["bytes", "blosc"]);
    }
    expect((await get(array, [0, null])).data).toEqual(new Float32Array(20).fill(1.5));
    expect([...store.keys()].at(-1)).toBe(mainKey[zarrFormat]);
  });

  it("has attributes that cannot be changed", async () => {
    const array = await create(files(), { ...small, zarrFormat, attributes: { a: { b: [1] } } });
    const attributes = array.attributes as { a?: { b: number[] }; foo?: number };
    expect(() => {
      attributes.foo = 1;
    }).toThrow(TypeError);
    expect(() => attributes.a!.b.push(2)).toThrow(TypeError);
    expect(Object.isFrozen((await create(files(), { ...small, zarrFormat })).attributes)).toBe(true);
  });

  it("has lists that cannot be changed, also once its shape has changed", async () => {
    const array = await create(files(), {
      ...small,
      zarrFormat,
      dtype: "|V2",
      fillValue: undefined,
      codecs: "zlib:5",
    });
    const { shape, chunkShape, codecs } = array;
    await resize(array, [3, 4]);
    for (const list of [shape, chunkShape, codecs, array.shape, array.codecs] as unknown[][])
      expect(() => list.reverse()).toThrow(TypeError);
    expect(() => Object.assign(codecs.at(-1)!.configuration!, { level: 9 })).toThrow(TypeError);
    (array.fillValue as Uint8Array).fill(1);
    expect((await get(array, [0, [0]])).data).toEqual(new Uint8Array(2));
  });

  it("refuses to overwrite a node of any version, and does when told to", async () => {
    for (const before of versions) {
      const store = files();
      await create(store, { ...small, zarrFormat: before, attributes: { old: true } });
      store.set(before === 3 ? "/c/0/0" : "/0.0", bytesOf("chunk"));
      const size = store.size;
      const makers = [
        () => create(store, { ...small, zarrFormat }),
        ...(zarrFormat > 1 ? [() => createGroup(store, { zarrFormat: zarrFormat as 2 | 3 })] : []),
      ];
      for (const make of makers) {
        const error = await errorOf(make);
        expect([error._tag, store.size]).toEqual(["AlreadyExists", size]);
        expect(error.message).toContain('already exists at "/"; pass overwrite to replace it');
      }
      await create(store, { ...small, zarrFormat, overwrite: true });
      expect([...store.keys()]).toEqual(zarrFormat === 1 ? ["/attrs", "/meta"] : [mainKey[zarrFormat]]);
    }
  });

  it("sees chunks that another writer has left", async () => {
    for (const key of ["/c/0/0", "/0.0", "/a/zarr.json"]) {
      const error = await errorOf(() => create(new Map([[key, bytesOf("x")]]), { ...small, zarrFormat }));
      expect([error._tag, error.code]).toEqual(["AlreadyExists", "already-exists"]);
    }
  });

  // v3 stores attributes in the document of the array.
  for (const key of zarrFormat === 1 ? ["/attrs"] : zarrFormat === 2 ? ["/.zattrs"] : [])
    it(`sees attributes without an array, ${key}`, async () => {
      const store = new Map([[key, bytesOf('{"a": 1}')]]);
      expect((await errorOf(() => create(store, { ...small, zarrFormat })))._tag).toBe("AlreadyExists");
      expect(store.size).toBe(1);
    });

  it("loses to a faster writer, and keeps that writer's array", async () => {
    const store = new ConditionalStore();
    const theirs = await create(files(), { shape: [1], dtype: "int8", zarrFormat });
    store.before = (key) => {
      if (key === mainKey[zarrFormat] && !store.files.has(key)) store.files.set(key, bytesOf("theirs"));
    };
    const error = await errorOf(() => create(store, { ...small, zarrFormat, attributes: { a: 1 } }));
    expect(error._tag).toBe("AlreadyExists");
    expect([...store.files.keys()]).toEqual([mainKey[zarrFormat]]);
    expect(textIn(store.files, mainKey[zarrFormat])).toBe("theirs");
    expect(theirs.zarrFormat).toBe(zarrFormat);
  });

  it("leaves no part of an array if the store fails at any write", async () => {
    for (let failing = 0; ; failing++) {
      const store = new ConditionalStore();
      let writes = 0;
      store.before = () => {
        if (writes++ === failing) throw new ZarrError("Network", "disk full");
      };
      const options = { ...small, zarrFormat, path: "g/h", attributes: { a: 1 } } as const;
      const error = await create(store, options).then(
        () => undefined,
        (reason) => reason as ZarrError,
      );
      if (!error) {
        expect(failing).toBe(zarrFormat === 1 ? 2 : zarrFormat === 2 ? 4 : 3);
        break;
      }
      expect(error._tag).toBe("Network");
      expect([...store.files.keys()].filter((key) => key.startsWith("/g/h"))).toEqual([]);
      for (const key of store.files.keys()) expect(key).toMatch(/\/(\.zgroup|zarr\.json)$/);
    }
  });

  it("refuses arguments that fit no array, before anything is written", async () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    const hostile: [Record<string, unknown>, RegExp][] = [
      [{ shape: "10" }, /InvalidArgument/],
      [{ shape: [-1, 2] }, /InvalidArgument/],
      [{ shape: [1.5, 2] }, /InvalidArgument/],
      [{ shape: [2 ** 60, 2] }, /InvalidArgument/],
      [{ shape: new Array(65).fill(1) }, /InvalidArgument|LimitExceeded/],
      [{ chunkShape: [0, 5] }, /InvalidArgument/],
      [{ chunkShape: [5] }, /InvalidArgument/],
      [{ chunkShape: [2 ** 40, 2 ** 10] }, /LimitExceeded/],
      [{ shardShape: [7, 7], chunkShape: [2, 2] }, /InvalidArgument|Unsupported/],
      [{ dtype: "float99" }, /Unsupported/],
      [{ dtype: {} }, /InvalidArgument/],
      [{ dtype: "<f3" }, /Unsupported|InvalidArgument/],
      [{ dtype: undefined }, /InvalidArgument/],
      [{ dtype: "<U99999999" }, /LimitExceeded/],
      [
        {
          dtype: [
            ["a", "<i2"],
            ["a", "<i2"],
          ],
        },
        /InvalidArgument/,
      ],
      [{ dtype: "uint8", fillValue: 256 }, /InvalidArgument/],
      [{ dtype: "uint8", fillValue: 1.5 }, /InvalidArgument/],
      [{ fillValue: "red" }, /InvalidArgument/],
      [{ fillValue: loop }, /InvalidArgument/],
      [{ fillValue: () => 1 }, /InvalidArgument/],
      [{ codecs: "zstd:five" }, /InvalidArgument|Unsupported/],
      [{ codecs: "zlib:1:2" }, /InvalidArgument/],
      [{ codecs: "pickle" }, /Unsupported|UnknownCodec/],
      [{ codecs: "best" }, /UnknownCodec/],
      [{ codecs: [42] }, /InvalidArgument/],
      [{ codecs: ["zlib", "bytes"] }, /InvalidArgument/],
      [{ codecs: [{ name: "zlib", configuration: { level: 99 } }] }, /InvalidArgument/],
      [{ codecs: ["zlib", { name: "transpose", configuration: { order: [1, 0] } }] }, /InvalidArgument/],
      [{ order: "A" }, /InvalidArgument/],
      [{ dimensionNames: ["y"] }, /InvalidArgument/],
      [{ dimensionNames: [1, 2] }, /InvalidArgument/],
      [{ attributes: [1] }, /InvalidArgument/],
      [{ attributes: { a: Number.NaN } }, /InvalidArgument/],
      [{ attributes: { a: () => 1 } }, /InvalidArgument/],
      [{ attributes: { a: new Date() } }, /InvalidArgument/],
      [{ attributes: loop }, /InvalidArgument/],
      [{ chunkKeyEncoding: { separator: "-" } }, /InvalidArgument/],
      [{ path: "a/../b" }, /InvalidArgument/],
      [{ path: "__proto__" }, /InvalidArgument/],
      [{ path: "a/zarr.json" }, /InvalidArgument/],
      [{ path: "..." }, /InvalidArgument/],
      [{ path: 7 }, /InvalidArgument/],
      [{ overwrite: "yes" }, /InvalidArgument/],
      [{ zarrFormat: 4 }, /InvalidArgument/],
      [{ limits: { rank: -1 } }, /InvalidArgument/],
    ];
    for (const [options, tag] of hostile) {
      const store = new ConditionalStore();
      const error = await errorOf(() => create(store, { ...small, zarrFormat, ...options } as never));
      expect(`${error._tag} ${error.message}`, JSON.stringify(Object.keys(options))).toMatch(tag);
      expect(store.log).toEqual([]);
    }
    const aborted = AbortSignal.abort(new Error("enough"));
    const store = new ConditionalStore();
    expect((await errorOf(() => create(store, { ...small, zarrFormat, signal: aborted }))).message).toBe(
      "enough",
    );
    expect(store.log).toEqual([]);
  });
});

it("create makes an array in a folder, by its URL", async () => {
  const url = pathToFileURL(path.join(folder, "plain.zarr/"));
  await create(url, { ...small, path: "a" });
  expect(readdirSync(path.join(folder, "plain.zarr"))).toEqual(["a", "zarr.json"]);
  expect((await open(url, { path: "a", kind: "array" })).shape).toEqual([10, 20]);
  await deleteNode(url, "a");
  expect((await errorOf(() => open(url, { path: "a" })))._tag).toBe("NotFound");
});
