// Files of other formats by URL, path, File and stored object, in archives and on the command line.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, HttpStore, MapStore, open, type Source } from "zarr-wasm";
import { ArrayFileStore } from "zarr-wasm/formats";
import { copy, verify } from "zarr-wasm/transfer";
import { readableFormats } from "#src/store/source/file-formats.js";
import { run, temporaryFolder } from "../support/cli-tool.js";
import { ObjectServer } from "../support/store-server.js";
import { errorOf } from "../support/support.js";
import { writeZip } from "../support/zip-builder.js";

const golden = new URL("../../golden/files/netcdf3/types-classic.nc", import.meta.url);
const bytes = new Uint8Array(readFileSync(golden));
const expected = readFileSync(new URL("expected.jsonl", golden), "utf8").split("\n");
const line = expected.find((text) => /"types-classic\.nc", "path": "i4_fixed"/.test(text))!;
const elements = Buffer.from(JSON.parse(line).values.slice("base64:".length), "base64");
const values = new Int32Array(new Uint8Array(elements).buffer);

const server = new ObjectServer();
const folder = temporaryFolder();
const inFolder = (name: string) => path.join(folder, name);
beforeAll(async () => {
  await server.start();
  for (const name of ["/a.nc", "/download", "/b/a.nc"]) server.objects.set(name, bytes);
  server.objects.set("/c.zip", writeZip([{ name: "in/a.nc", bytes }]));
  for (const name of ["a.nc", "data"]) writeFileSync(inFolder(name), bytes);
  writeFileSync(inFolder("c.zip"), writeZip([{ name: "in/a.nc", bytes }]));
});
afterAll(() => server.close());

async function expectFile(source: Source, nodePath = "i4_fixed") {
  const array = await open(source, { path: nodePath, kind: "array" });
  expect(String(array.dtype)).toBe("int32");
  expect((await get(array)).data).toEqual(values);
}

it("docs/files.md lists the formats", () => {
  const [, section = ""] = readFileSync("docs/files.md", "utf8").split("\n## Formats\n");
  const [table = ""] = section.split("\n\nValues");
  const names = [...table.matchAll(/^\| (\w[^|]*) \|/gm)].map(([, name]) => name!).slice(1);
  const folders = ["N5", "precomputed"];
  expect(names.sort()).toEqual([...readableFormats.split(", "), ...folders].sort());
});

describe("open", () => {
  it.each([
    ["a URL", () => `${server.url}/a.nc`],
    ["a URL with another name", () => `${server.url}/download`],
    ["a URL with a query", () => `${server.url}/a.nc?key=1`],
    ["an HttpStore", () => new HttpStore(`${server.url}/a.nc`)],
    ["an HttpStore with another name", () => new HttpStore(`${server.url}/download`)],
    ["a file URL", () => pathToFileURL(inFolder("a.nc"))],
    ["a file URL with another name", () => pathToFileURL(inFolder("data"))],
    ["a member of an archive", () => `${server.url}/c.zip|zip:in/a.nc`],
    ["an ArrayFileStore of a File", () => ArrayFileStore.open(new File([bytes], "a.nc"))],
    ["an ArrayFileStore of bytes", () => ArrayFileStore.open(bytes)],
    ["an ArrayFileStore of a path", () => ArrayFileStore.open(inFolder("a.nc"))],
    [
      "an ArrayFileStore of a stored object",
      () => ArrayFileStore.open({ store: new Map([["/x/a", bytes]]), key: "/x/a" }),
    ],
  ] as const)("reads %s", async (_, source) => {
    await expectFile(await source());
  });

  it.each([
    ["a URL", () => `${server.url}/a.nc/i4_fixed`, undefined],
    ["the path below a URL", () => `${server.url}/b`, "a.nc/i4_fixed"],
    ["the path below a folder", () => pathToFileURL(folder), "a.nc/i4_fixed"],
    ["the path in a store", () => new MapStore(new Map([["/x/a.nc", bytes]])), "x/a.nc/i4_fixed"],
    ["the path in an archive", () => `${server.url}/c.zip`, "in/a.nc/i4_fixed"],
  ] as const)("reads a node in a file: %s", async (_, source, nodePath) => {
    await expectFile(source(), nodePath ?? "");
  });

  it("reads a file by its name without looking for Zarr documents, its metadata once", async () => {
    server.seen.length = 0;
    await expectFile(`${server.url}/a.nc`);
    expect(server.log.join("\n")).not.toContain("zarr.json");
    expect(server.seen).toHaveLength(1);
    server.seen.length = 0;
    const store = new HttpStore(`${server.url}/a.nc`);
    await expectFile(store);
    await expectFile(store, "i4_fixed");
    expect(server.seen).toHaveLength(2); // the second asks only whether the file has changed
  });

  it("reads a changed file anew", async () => {
    const name = inFolder("changed.nc");
    const { FileSystemStore } = await import("zarr-wasm/node");
    const store = new FileSystemStore(folder);
    writeFileSync(name, bytes);
    await expectFile(store, "changed.nc/i4_fixed");
    writeFileSync(name, Buffer.concat([bytes, Buffer.alloc(2 ** 16)]));
    await expectFile(store, "changed.nc/i4_fixed");
    const last = await open(store, { path: "changed.nc/i4_fixed" });
    expect(last.store).toBe((await open(store, { path: "changed.nc" })).store);
    writeFileSync(name, "text");
    expect((await errorOf(() => open(store, { path: "changed.nc/i4_fixed" })))._tag).toBe("NotFound");
  });

  it("keeps the files last opened in a store", async () => {
    const names = Array.from({ length: 17 }, (_, i) => `${i}.nc`);
    const store = new MapStore(new Map(names.map((name) => [`/${name}`, bytes])));
    const storeOf = async (name: string) => (await open(store, { path: name })).store;
    const first = await storeOf("0.nc");
    expect(await storeOf("0.nc")).toBe(first);
    let last: unknown;
    for (const name of names) last = await storeOf(name);
    expect(await storeOf("16.nc")).toBe(last);
    expect(await storeOf("0.nc")).not.toBe(first);
  });

  it("names the node that a file does not have", async () => {
    const error = await errorOf(() => open(`${server.url}/a.nc`, { path: "none" }));
    expect([error._tag, error.message]).toEqual([
      "NotFound",
      expect.stringContaining("/a.nc!/none/zarr.json"),
    ]);
  });

  it("refuses files of unknown formats", async () => {
    const error = await errorOf(() => ArrayFileStore.open(new Uint8Array([1, 2, 3])));
    expect([error._tag, error.code]).toEqual(["Unsupported", "unsupported-file"]);
    expect(error.message).toMatch(/unknown format; supported are NetCDF, HDF5, TIFF/);
  });

  it("can be aborted", async () => {
    const signal = AbortSignal.abort(new Error("not needed"));
    const error = await errorOf(() => ArrayFileStore.open(bytes, { signal }));
    expect(error.message).toBe("not needed");
  });
});

describe("copies", () => {
  it("have all nodes, and are verified", async () => {
    const source = await ArrayFileStore.open(inFolder("a.nc"));
    const destination = new Map<string, Uint8Array>();
    await copy(source, new MapStore(destination));
    await expectFile(destination);
    await verify(new MapStore(destination));
  });

  it("do not overwrite their source", async () => {
    const source = await ArrayFileStore.open(inFolder("a.nc"));
    const error = await errorOf(() => copy(source, pathToFileURL(folder), { overwrite: true }));
    expect([error._tag, error.code]).toEqual(["NotAllowed", "is-source"]);
    await errorOf(() => copy(source, pathToFileURL(inFolder("a.nc")), { overwrite: true }));
    expect(readFileSync(inFolder("a.nc")).equals(bytes)).toBe(true);
  });
});

describe("the command line", () => {
  it.each(["info", "verify"])("%s", async (command) => {
    for (const name of ["a.nc", "data"]) {
      const { status, text, err } = await run(command, inFolder(name));
      expect([status, err.replace(/^.*\r/s, "")]).toEqual([0, expect.any(String)]);
      expect(text + err).toMatch(/i4_fixed|verified|arrays/);
    }
    expect((await run(command, `${server.url}/a.nc`)).status).toBe(0);
  });

  it("reads a node in a file", async () => {
    const whole = await run("read", inFolder("a.nc"), "--path", "i4_fixed");
    expect(whole.status).toBe(0);
    expect(await run("read", inFolder("a.nc/i4_fixed"))).toEqual(whole);
    expect(await run("read", `${inFolder("c.zip")}|zip:in/a.nc/i4_fixed`)).toEqual(whole);
  });

  it("copies to Zarr", async () => {
    const out = inFolder("copy.zarr");
    const { status, err } = await run("copy", inFolder("a.nc"), out, "--shards", "auto");
    expect([status, err]).toEqual([0, expect.any(String)]);
    await expectFile(pathToFileURL(out));
  });

  it.each([
    ["text.txt", "text", /unknown format: it starts with the bytes 74 65 78 74; supported/],
    ["empty.hdf", "", /unknown format: it is empty; supported/],
    [
      "old.hdf",
      "\x0e\x03\x13\x01",
      /cannot be read: it is an HDF4 file; open it through references.*; supported/,
    ],
  ])("names the format of %s and the supported ones", async (name, text, message) => {
    writeFileSync(inFolder(name), text, "latin1");
    const { status, err } = await run("info", inFolder(name));
    expect([status, err]).toEqual([1, expect.stringMatching(message)]);
    expect(err).toMatch(/supported files are NetCDF, HDF5, .*, zip archives/);
  });

  it("names the format of files", async () => {
    expect((await run("info", inFolder("a.nc"))).text).toMatch(/^\/ {2}NetCDF group/);
    expect((await run("info", inFolder("a.nc"), "--path", "i4_fixed")).text).toMatch(
      /NetCDF array at i4_fixed/,
    );
    const { text } = await run("info", inFolder("a.nc"), "--json");
    expect(JSON.parse(text)).toMatchObject({ format: "NetCDF", zarrFormat: 3 });
  });
});
