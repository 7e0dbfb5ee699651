// Help, hints and suggestions of the command line.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { create, createGroup, set, ZipWriter } from "zarr-wasm";
import { fileSink } from "zarr-wasm/node";
import { root, run, temporaryFolder } from "../support/cli-tool.js";
import { urlOf } from "../support/copying.js";
import { S3Server } from "../support/s3-server.js";
import { ObjectServer } from "../support/store-server.js";

const server = new S3Server();
beforeAll(() => server.start());
afterAll(() => server.close());
const folder = temporaryFolder();

it("prints the version, and the help of one command", async () => {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect((await run("--version")).text).toBe(`${version}\n`);
  const { text, status } = await run("verify", "--help");
  expect(status).toBe(0);
  expect(text).toMatch(/^Usage: zarr-wasm verify SOURCE/);
  expect(text).not.toContain("pyramid");
});

it("lists the bucket of --bucket, and suggests it", async () => {
  const source = path.join(folder, "a.zarr");
  const group = await createGroup(urlOf(source));
  await set(await create(group, { path: "x", shape: [4, 4], dtype: "uint8" }), null, 1);
  const dest = `${server.url}/b`;
  const bucket = ["--bucket", server.url];
  expect((await run("copy", source, dest, ...bucket)).status).toBe(0);
  expect((await run("verify", dest, ...bucket)).text).toMatch(/^1 array, 1 group: 1 chunk/);
  expect((await run("info", dest, ...bucket)).text).toContain("x  uint8 [4, 4]");
  expect((await run("copy", source, dest, "--overwrite")).err).toContain("--bucket URL");
  const image = path.join(folder, "image.zarr");
  const pyramid = () => run("pyramid", source, image, "--path", "x");
  expect((await pyramid()).status).toBe(0);
  expect((await pyramid()).err).toContain("already exists; pass --overwrite to replace it");
});

it("finds the nodes of an archive that has none at its root, and the folder of a document", async () => {
  const file = path.join(folder, "outer.zip");
  const zip = new ZipWriter(fileSink(file));
  const group = new TextEncoder().encode('{"zarr_format": 3, "node_type": "group"}');
  for (const node of ["deep/x.zarr", "deep/x.zarr/inner"]) await zip.set(`/${node}/zarr.json`, group);
  await zip.close();
  expect((await run("info", file)).err).toMatch(
    /; found deep\/x\.zarr in it; did you mean --path deep\/x\.zarr\?\n$/,
  );
  const store = path.join(folder, "b.zarr");
  await createGroup(urlOf(store));
  for (const command of ["info", "view"]) {
    const { err, status } = await run(command, path.join(store, "zarr.json"));
    expect(status).toBe(1);
    expect(err).toContain(`; omit "zarr.json" to open the node: ${store}`);
  }
});

it("lists the readable file types for other files", async () => {
  const none = async (name: string, content = "\x0e\x03\x13\x01 and so on, but no archive") => {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    const { err, status } = await run("info", file);
    expect(status).toBe(1);
    return err;
  };
  const kinds = /zip archives \(\.zip, \.ozx\) and references \(\.json\)$/m;
  expect(await none("x.dat")).toMatch(/it is an HDF4 file; open it through references/);
  expect(await none("x.dat")).toMatch(kinds);
  expect(await none("x.tif", "neither")).toMatch(kinds);
  expect(await none("x.zip", "neither")).not.toContain("references");
});

it("rejects a JSON document without references", async () => {
  expect((await run("info", path.join(root, "package.json"))).err).toMatch(
    /has no references: version must be 1/,
  );
});

it.each([
  ["info", "a", []],
  ["info", "a.zarr", ["--path", "b"]],
  ["verify", "a", ["--path", "b"]],
  ["view", "a", ["--path", "b"]],
] as const)(
  "%s sends at most seven requests to a URL at which nothing exists: %s %j",
  async (command, name, options) => {
    const nothing = await new ObjectServer().start();
    try {
      const { err, status } = await run(command, `${nothing.url}/${name}`, ...options);
      expect([status, err]).toEqual([1, expect.stringContaining("no Zarr array or group found")]);
      if (options.length > 0)
        expect(err).toContain(`; to list the nodes, run: zarr-wasm info ${nothing.url}/${name}\n`);
      expect(nothing.log.length).toBeLessThanOrEqual(7); // the last one is for a file at the URL itself
      expect(new Set(nothing.log).size).toBe(nothing.log.length);
    } finally {
      await nothing.close();
    }
  },
);

it.each(["--chunks", "--shards"])(
  "%s with the wrong number of lengths names the right one",
  async (option) => {
    const source = path.join(folder, "plane.zarr");
    await create(urlOf(source), { shape: [20, 20], dtype: "uint8", overwrite: true });
    const { err, status } = await run("copy", source, path.join(folder, "rechunked"), option, "7,7,7");
    expect([status, err]).toEqual([
      2,
      expect.stringContaining(`${option} needs one length per dimension: 2, got [7,7,7]`),
    ]);
  },
);
