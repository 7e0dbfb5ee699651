// Help, hints and suggestions of the command line.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { create, createGroup, set } from "zarr-wasm";
import { root, run, runBeside, temporaryFolder } from "../support/cli-tool.js";
import { urlOf } from "../support/copying.js";
import { S3Server } from "../support/s3-server.js";

const server = new S3Server();
beforeAll(() => server.start());
afterAll(() => server.close());
const folder = temporaryFolder();

it("prints the version, and the help of one command", () => {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(run("--version").text).toBe(`${version}\n`);
  const { text, status } = run("verify", "--help");
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
  expect((await runBeside("copy", source, dest, ...bucket)).status).toBe(0);
  expect((await runBeside("verify", dest, ...bucket)).text).toMatch(/^1 array, 1 group: 1 chunk/);
  expect((await runBeside("info", dest, ...bucket)).text).toContain("x  uint8 [4, 4]");
  expect((await runBeside("copy", source, dest, "--overwrite")).err).toContain("--bucket URL");
  const image = path.join(folder, "image.zarr");
  const pyramid = () => run("pyramid", source, image, "--path", "x");
  expect(pyramid().status).toBe(0);
  expect(pyramid().err).toContain("already exists; pass --overwrite to replace it");
});

it("lists the readable file types for other files", () => {
  const none = (name: string) => {
    const file = path.join(folder, name);
    writeFileSync(file, "II*\0 and so on, but no archive");
    const { err, status } = run("info", file);
    expect(status).toBe(1);
    return err;
  };
  expect(none("x.tif")).toMatch(
    /zip archives \(\.zip, \.ozx\).*files of this kind are read through references/,
  );
  expect(none("x.dat")).toMatch(/TIFF, HDF5 and NetCDF files are read through references/);
  expect(none("x.zip")).not.toContain("references");
});
