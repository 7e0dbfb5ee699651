// ZipWriter: others can read its archives, the documents come first, and invalid writes are rejected.

import { execFileSync, spawnSync } from "node:child_process";
import fs, { createWriteStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { getBytes, open, ZipStore, ZipWriter, type ZipWriterOptions } from "zarr-wasm";
import { fileSink } from "zarr-wasm/node";
import { writeObject } from "#src/store/write.js";
import { directoryEnd, directoryRecord, localHeader } from "#src/store/zip/writer.js";
import { missingProgram, skipFor } from "../../shared/skips.js";
import { bytesOf, errorOf, goldenCases, randomBytes, sha256, storeOf } from "../support/support.js";
import { tempFolder } from "../support/writing-tools.js";

const folder = tempFolder("writing-zip");

function inMemory(options?: ZipWriterOptions) {
  const pieces: Uint8Array[] = [];
  const writer = new ZipWriter((piece) => void pieces.push(piece.slice()), options);
  return { writer, bytes: () => new Uint8Array(Buffer.concat(pieces)) };
}

const python = (...args: string[]) => execFileSync("python3", args, { encoding: "utf8" });
/** The reason to skip tests with Python's zipfile, which minimal installations lack. */
const missingZipfile =
  spawnSync("python3", ["-c", "import zipfile"]).status === 0
    ? undefined
    : "python3 with its module zipfile is not installed";

/** Names of the objects in the archive's local headers, and in its directory. */
function order(bytes: Uint8Array) {
  const text = Buffer.from(bytes);
  const names = (signature: string, at: number, from: number) => {
    const found: string[] = [];
    for (let i = text.indexOf(signature, 0, "latin1"); i >= 0; i = text.indexOf(signature, i + 4, "latin1")) {
      found.push(text.toString("utf8", i + at, i + at + text.readUInt16LE(i + from)));
    }
    return found;
  };
  return { stored: names("PK\x03\x04", 30, 26), directory: names("PK\x01\x02", 46, 28) };
}

const ome = bytesOf(
  JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { ome: { version: "0.5" } } }),
);
const comment = '{"ome":{"version":"0.5","zipFile":{"centralDirectory":{"jsonFirst":true}}}}';

describe("archives", () => {
  const archive = path.join(folder, "a.ozx");
  const objects = new Map<string, Uint8Array>([
    ["/zarr.json", ome],
    ["/s0/zarr.json", bytesOf("{}")],
    ["/s0/c/0/0", randomBytes(200_000)],
    ["/s0/c/0/1", new Uint8Array(0)],
    ["/é ü/x", randomBytes(70_000, 2)],
    ["/s0/c/0/2", randomBytes(65_536, 3)],
  ]);

  beforeAll(async () => {
    const writer = new ZipWriter(Writable.toWeb(createWriteStream(archive)) as WritableStream<Uint8Array>);
    await Promise.all([...objects].map(([key, bytes]) => writeObject(writer, key, bytes)));
    expect([...writer.list("")].sort()).toEqual([...objects.keys()].sort());
    expect(writer.listChildren("")).toEqual(["s0", "é ü"]);
    await writer.close();
  });

  it("are read back by ZipStore", async () => {
    const store = new ZipStore(archive);
    for (const [key, bytes] of objects) expect(Buffer.compare((await store.get(key))!, bytes), key).toBe(0);
  });

  it("are read by Python", skipFor(missingZipfile), () => {
    expect(python("-m", "zipfile", "-t", archive)).toMatch(/Done/);
    const script =
      "import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);print(z.comment.decode(),[i.filename for i in z.infolist()],{i.compress_type for i in z.infolist()})";
    const printed = python("-c", script, archive);
    expect(printed).toContain(comment);
    expect(printed).toContain("'zarr.json', 's0/zarr.json', 's0/c/0/0'");
    expect(printed).toContain("{0}");
  });

  it("are read by unzip", skipFor(missingProgram("unzip")), () => {
    expect(execFileSync("unzip", ["-t", archive], { encoding: "utf8" })).toMatch(/No errors/);
  });

  it("hold a golden array", async () => {
    const golden = goldenCases("v1")[0]!;
    const { writer, bytes } = inMemory();
    for (const [key, value] of storeOf(golden)) await writer.set(key, value);
    await writer.close();
    const array = await open(new ZipStore(bytes()), { kind: "array" });
    expect(sha256((await getBytes(array)).bytes)).toBe(golden.sha256);
  });

  it("of nothing, and the same twice over", async () => {
    const { writer, bytes } = inMemory();
    await writer.close();
    expect(bytes().byteLength).toBe(22);
    expect(await new ZipStore(bytes()).get("/a")).toBeUndefined();
    const make = async () => {
      const { writer, bytes } = inMemory({ comment: "by hand" });
      await writer.set("/zarr.json", ome);
      await writer.set("/c/0", randomBytes(100));
      await writer.close();
      return bytes();
    };
    expect(await make()).toEqual(await make());
    expect(Buffer.from(await make()).toString("latin1")).toMatch(/by hand$/);
  });

  it("have their documents first, breadth first, the root before all", async () => {
    const { writer, bytes } = inMemory();
    for (const key of ["/b/deep/zarr.json", "/b/zarr.json", "/a/zarr.json", "/zarr.json"]) {
      await writer.set(key, key === "/zarr.json" ? ome : bytesOf("{}"));
    }
    await writer.set("/a/c/0", bytesOf("chunk"));
    await writer.close();
    const names = ["zarr.json", "a/zarr.json", "b/zarr.json", "b/deep/zarr.json", "a/c/0"];
    expect(order(bytes())).toEqual({ stored: names, directory: names });
    expect(Buffer.from(bytes()).toString()).toContain(comment);
    // Zip64 regardless of the size, as RFC-9 requires.
    expect(Buffer.from(bytes()).indexOf("PK\x06\x06", 0, "latin1")).toBeGreaterThan(0);
  });

  it("do not claim that order if a document came late; the directory still lists it first", async () => {
    const { writer, bytes } = inMemory();
    await writer.set("/zarr.json", ome);
    await writer.set("/a/c/0", bytesOf("chunk"));
    await writer.set("/a/zarr.json", bytesOf("{}"));
    expect(writer.get("/a/zarr.json")).toEqual(bytesOf("{}"));
    await writer.close();
    expect(order(bytes())).toEqual({
      stored: ["zarr.json", "a/c/0", "a/zarr.json"],
      directory: ["zarr.json", "a/zarr.json", "a/c/0"],
    });
    expect(Buffer.from(bytes()).toString()).not.toContain("jsonFirst");
  });
});

describe("documents", () => {
  it("can be read, replaced and removed until the first chunk comes", async () => {
    const { writer, bytes } = inMemory();
    await writer.set("/zarr.json", bytesOf("one"));
    await writer.set("/a/zarr.json", bytesOf("{}"));
    await writer.set("/zarr.json", bytesOf("two"));
    expect(writer.get("/zarr.json")).toEqual(bytesOf("two"));
    expect((await errorOf(() => writer.set("/zarr.json", ome, { ifVersion: "absent" })))["_tag"]).toBe(
      "AlreadyExists",
    );
    await writer.deletePrefix("a");
    expect(writer.get("/a/zarr.json")).toBeUndefined();
    await writer.set("/c/0", bytesOf("chunk"));
    expect(writer.get("/zarr.json")).toEqual(bytesOf("two"));
    for (const [work, tag, code] of [
      [() => writer.set("/zarr.json", ome), "AlreadyExists", "already-exists"],
      [() => writer.set("/c/0", ome), "AlreadyExists", "already-exists"],
      [() => writer.set("/c/1", ome, { ifVersion: {} }), "Unsupported", "no-conditions"],
      [() => writer.delete("/c/0"), "Unsupported", "append-only"],
      [() => writer.deletePrefix(""), "Unsupported", "append-only"],
      [() => writer.get("/c/0"), "Unsupported", "append-only"],
      [() => writer.set("/", ome), "InvalidArgument", "bad-path"],
      [() => writer.set(`/${"a".repeat(65_536)}`, ome), "InvalidArgument", "bad-path"],
    ] as const) {
      const error = await errorOf(work);
      expect([error["_tag"], error["code"]]).toEqual([tag, code]);
    }
    await writer.delete("/c/1");
    await writer.close();
    const store = new ZipStore(bytes());
    expect(await store.get("/zarr.json")).toEqual(bytesOf("two"));
    expect(await store.get("/a/zarr.json")).toBeUndefined();
    expect((await errorOf(() => writer.set("/c/2", ome)))["code"]).toBe("closed");
    expect((await errorOf(() => writer.close()))["code"]).toBe("closed");
  });

  it("are copies", async () => {
    const { writer } = inMemory();
    const bytes = bytesOf("{}");
    await writer.set("/zarr.json", bytes);
    bytes.fill(0);
    writer.get("/zarr.json")!.fill(1);
    expect(writer.get("/zarr.json")).toEqual(bytesOf("{}"));
  });
});

describe("sinks", () => {
  it("that fail end the archive", async () => {
    let calls = 0;
    const cause = new Error("no room");
    const writer = new ZipWriter(() => {
      if (++calls === 2) throw cause;
    });
    await writer.set("/c/0", bytesOf("x"));
    const error = await errorOf(() => writer.set("/c/1", bytesOf("x")));
    expect([error["_tag"], error["code"], error.cause]).toEqual(["Network", "store-failed", cause]);
    expect((await errorOf(() => writer.set("/c/2", bytesOf("x"))))["code"]).toBe("store-failed");
    expect((await errorOf(() => writer.close()))["code"]).toBe("store-failed");
    expect(calls).toBe(2);
  });

  it("are aborted with the archive", async () => {
    const reasons: unknown[] = [];
    const stream = new WritableStream<Uint8Array>({ abort: (reason) => void reasons.push(reason) });
    const writer = new ZipWriter(stream);
    await writer.set("/c/0", bytesOf("x"));
    await writer.abort("enough");
    expect(reasons).toEqual(["enough"]);
    expect((await errorOf(() => writer.set("/c/1", bytesOf("x"))))["code"]).toBe("store-failed");
  });

  it("are waited for, one piece at a time", async () => {
    let running = 0;
    let most = 0;
    const writer = new ZipWriter(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
    });
    await Promise.all(Array.from({ length: 10 }, (_, i) => writer.set(`/c/${i}`, randomBytes(100_000))));
    expect(most).toBe(1);
  });

  it("are streams or functions", () => {
    for (const sink of [undefined, {}, "a.zip"]) {
      expect(() => new ZipWriter(sink as never)).toThrow(
        expect.objectContaining({ _tag: "InvalidArgument" }),
      );
    }
    expect(() => new ZipWriter(() => {}, { comment: "é".repeat(40_000) })).toThrow(/comment/);
  });

  it("an aborted object is not in the archive", async () => {
    const { writer, bytes } = inMemory();
    await writer.set("/c/0", bytesOf("x"));
    const signal = AbortSignal.abort(new Error("gone"));
    expect((await errorOf(() => writer.set("/c/1", bytesOf("x"), { signal }))).message).toBe("gone");
    await writer.close();
    expect(order(bytes()).directory).toEqual(["c/0"]);
  });
});

describe("a file as the sink", () => {
  it("exists once the archive is complete", async () => {
    const file = path.join(folder, "deep/er/b.zip");
    for (const [value, target] of [
      ["one", file],
      ["two", pathToFileURL(file)],
    ] as const) {
      const writer = new ZipWriter(fileSink(target, { fsync: true }));
      await writer.set("/c/0", bytesOf(value));
      await writer.set("/c/1", randomBytes(100_000));
      const before = new ZipStore(file);
      if (value === "one") expect((await errorOf(() => before.get("/c/0")))["_tag"]).toBe("NotFound");
      else expect(await before.get("/c/0")).toEqual(bytesOf("one"));
      await writer.close();
      expect(await new ZipStore(file).get("/c/0")).toEqual(bytesOf(value));
    }
    expect(readdirSync(path.dirname(file))).toEqual(["b.zip"]);
  });

  it("is unchanged if the archive is aborted or the disk is full", async () => {
    const file = path.join(folder, "c.zip");
    writeFileSync(file, "old");
    const given = new ZipWriter(fileSink(file));
    await given.set("/c/0", bytesOf("x"));
    await given.abort();
    const open = fs.promises.open;
    vi.spyOn(fs.promises, "open").mockImplementation(async (...how) => {
      const handle = await open(...how);
      handle.write = () => Promise.reject(Object.assign(new Error("no room"), { code: "ENOSPC" }));
      return handle;
    });
    const full = new ZipWriter(fileSink(file));
    const error = await errorOf(() => full.set("/c/0", bytesOf("x")));
    vi.restoreAllMocks();
    expect([error["_tag"], error["code"]]).toEqual(["Network", "disk-full"]);
    expect((await errorOf(() => full.close()))["code"]).toBe("disk-full");
    const folderInTheWay = new ZipWriter(fileSink(folder));
    await folderInTheWay.set("/c/0", bytesOf("x"));
    expect((await errorOf(() => folderInTheWay.close()))["code"]).toBe("file-failed");
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(folder).filter((name) => name.startsWith(".zw-"))).toEqual([]);
    expect(readdirSync(path.dirname(folder)).filter((name) => name.startsWith(".zw-"))).toEqual([]);
  });
});

describe("zip64", () => {
  const count = 70_000;
  let many: Uint8Array;
  beforeAll(async () => {
    const { writer, bytes } = inMemory();
    const work: Promise<void>[] = [];
    for (let i = 0; i < count; i++) work.push(writer.set(`/c/${i}`, bytesOf(String(i))));
    await Promise.all(work);
    await writer.close();
    many = bytes();
  });

  it("many objects", async () => {
    const store = new ZipStore(many);
    for (const i of [0, 65_535, 65_536, count - 1])
      expect(await store.get(`/c/${i}`)).toEqual(bytesOf(String(i)));
  });

  it("many objects, for Python", skipFor(missingZipfile), () => {
    const file = path.join(folder, "many.zip");
    writeFileSync(file, many);
    const script = "import sys,zipfile;print(len(zipfile.ZipFile(sys.argv[1]).infolist()))";
    expect(python("-c", script, file).trim()).toBe(String(count));
  });

  it("large objects and far ones: the records", () => {
    const name = bytesOf("c/0");
    const entry = { name, crc: 1, bytes: 5 * 2 ** 30, offset: 6 * 2 ** 30 };
    const local = localHeader(entry);
    const view = new DataView(local.buffer);
    expect([view.getUint32(18, true), view.getUint32(22, true), view.getUint16(28, true)]).toEqual([
      2 ** 32 - 1,
      2 ** 32 - 1,
      20,
    ]);
    expect(view.getBigUint64(30 + 3 + 4, true)).toBe(BigInt(entry.bytes));
    const record = new DataView(directoryRecord(entry).buffer);
    expect(record.getUint16(30, true)).toBe(28);
    expect(record.getBigUint64(46 + 3 + 4 + 16, true)).toBe(BigInt(entry.offset));
    const near = new DataView(directoryRecord({ ...entry, bytes: 5 }).buffer);
    expect([near.getUint32(24, true), near.getUint16(30, true)]).toEqual([5, 12]);
    expect(near.getBigUint64(46 + 3 + 4, true)).toBe(BigInt(entry.offset));
    const end = directoryEnd({ entries: 1, offset: 2 ** 33, bytes: 50 }, new Uint8Array(0), false);
    expect(end.byteLength).toBe(98);
    expect(new DataView(end.buffer).getBigUint64(48, true)).toBe(BigInt(2 ** 33));
  });

  it("an archive beyond 4 GiB is read where its far objects lie", async () => {
    // The middle is not kept: the reader requests only the ends.
    const kept: [at: number, piece: Uint8Array][] = [];
    let length = 0;
    const writer = new ZipWriter((piece) => {
      if (piece.byteLength < 2 ** 20) kept.push([length, piece.slice()]);
      length += piece.byteLength;
    });
    const block = new Uint8Array(2 ** 28);
    for (let i = 0; i < 17; i++) await writer.set(`/c/${i}`, block);
    await writer.set("/far", bytesOf("far away"));
    await writer.close();
    expect(length).toBeGreaterThan(2 ** 32);
    const cut = (start: number, end: number) => {
      const out = new Uint8Array(end - start);
      for (const [at, piece] of kept) {
        const from = Math.max(start, at);
        const to = Math.min(end, at + piece.byteLength);
        if (from < to) out.set(piece.subarray(from - at, to - at), from - start);
      }
      return out;
    };
    const store = {
      get: () => undefined,
      getRange: (_key: string, range: { offset: number; length: number } | { suffixLength: number }) =>
        "offset" in range
          ? cut(range.offset, Math.min(length, range.offset + range.length))
          : cut(Math.max(0, length - range.suffixLength), length),
    };
    const zip = new ZipStore({ store, key: "/a.zip" });
    expect(await zip.get("/far")).toEqual(bytesOf("far away"));
    expect(await zip.getRange("/c/16", { offset: 2 ** 28 - 3, length: 10 })).toEqual(new Uint8Array(3));
  });
});

it("the written file is the one that is read", () => {
  expect(readFileSync(path.join(folder, "a.ozx")).subarray(0, 4).toString("latin1")).toBe("PK\x03\x04");
});
