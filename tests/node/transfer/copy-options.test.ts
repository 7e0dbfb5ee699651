// Options and operands of copies: names, shards, and destinations that are not places.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { create, createGroup, MapStore, open, set } from "zarr-wasm";
import { copy } from "zarr-wasm/transfer";
import { run, temporaryPlaces } from "../support/cli-tool.js";
import { copy as copyByTool } from "../support/copying.js";
import { S3Server } from "../support/s3-server.js";
import { errorOf } from "../support/support.js";

const place = temporaryPlaces("copy-options");

/** A dataset: a variable of four chunks and a coordinate of one. */
async function dataset(source: MapStore | string = new MapStore()): Promise<MapStore | string> {
  const group = await createGroup(source);
  for (const [path, length] of [
    ["data", 32],
    ["time", 8],
  ] as const)
    await set(await create(group, { path, shape: [length], chunkShape: [8], dtype: "uint8" }), null, 1);
  return source;
}

describe("options of copy()", () => {
  it.each([
    ["chunks", "chunkShape"],
    ["chunk_shape", "chunkShape"],
    ["shards", "shardShape"],
    ["format", "zarrFormat"],
    ["zarr_format", "zarrFormat"],
  ])("%s: the message names %s", async (given, meant) => {
    const source = await dataset();
    const error = await errorOf(() => copy(source, new MapStore(), { [given]: [4] }));
    expect(error.message).toBe(`unknown option "${given}"; did you mean ${meant}?`);
    const options = { shape: [4], dtype: "uint8", [given]: [4] } as const;
    expect((await errorOf(() => create(new MapStore(), options))).message).toBe(error.message);
  });

  it("shardShape: null means no shards, as in create()", async () => {
    const [source, sharded, plain] = [await dataset(), new MapStore(), new MapStore()];
    await copy(source, sharded, { path: "data", shardShape: [16] });
    expect((await open(sharded, { kind: "array" })).shardShape).toEqual([16]);
    await copy(sharded, plain, { shardShape: null });
    expect((await open(plain, { kind: "array" })).shardShape).toBeUndefined();
  });

  it('shardShape: "auto" gives no shards to arrays of one chunk', async () => {
    const to = new MapStore();
    await copy(await dataset(), to, { shardShape: "auto" });
    expect((await open(to, { kind: "array", path: "data" })).shardShape).toEqual([32]);
    expect((await open(to, { kind: "array", path: "time" })).shardShape).toBeUndefined();
    const single = new MapStore();
    await copy(await dataset(), single, { path: "time", shardShape: [8] });
    const again = new MapStore();
    await copy(single, again, { shardShape: "auto" });
    expect((await open(again, { kind: "array" })).shardShape).toBeUndefined();
  });
});

describe("options of the command", () => {
  it("--shards that --chunks do not divide: the message names the remedy", async () => {
    const source = place("source.zarr");
    await dataset(pathToFileURL(source).href);
    const { message } = await errorOf(() =>
      copyByTool(source, place("to.zarr"), { path: "data", shards: "7" }),
    );
    expect(message).toBe("chunks of [8] do not divide shards of [7]; choose multiples, or pass --chunks");
  });

  it("--out: the message names the operand", async () => {
    for (const operands of [["a.zarr"], ["a.zarr", "b.zarr"]]) {
      const { status, err } = await run("copy", ...operands, "--out", "c.zarr");
      expect([status, err]).toEqual([
        2,
        expect.stringContaining("copy has no option --out; DEST is an operand: zarr-wasm copy SOURCE DEST"),
      ]);
    }
  });
});

describe("a URL pipeline as the destination is refused", () => {
  it("in a folder", async () => {
    const source = await dataset();
    for (const inner of ["", "out", "out|zarr3:"]) {
      const dest = place(`x.zip|zip:${inner}`);
      for (const name of [pathToFileURL(dest), pathToFileURL(dest).href]) {
        const error = await errorOf(() => copy(source, name));
        expect(error).toMatchObject({ _tag: "InvalidArgument", code: "bad-option" });
        expect(error.message).toMatch(/cannot be a URL pipeline.*; pass .*x\.zip to write the archive$/);
      }
      expect(existsSync(dest)).toBe(false);
    }
  });

  it("on a server, before any request", async () => {
    const server = await new S3Server().start();
    try {
      const source = await dataset();
      const error = await errorOf(() => copy(source, `${server.url}/a.zip|zip:out`));
      expect(error.message).toContain("cannot be a URL pipeline");
      expect(server.log).toEqual([]);
    } finally {
      await server.close();
    }
  });
});
