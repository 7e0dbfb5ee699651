// Whether a place of the command line lies in another one, however both are written.
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { placeBelow } from "#src/transfer/places.js";
import { root, run, temporaryFolder } from "../support/cli-tool.js";

const folder = temporaryFolder();

it.each([
  ["https://host.test/a", "https://host.test/a", ""],
  ["https://host.test/a/", "https://host.test/a/b/c", "b/c"],
  ["https://host.test:443/a", "HTTPS://HOST.test/x/../a/b?key=1", "b"],
  ["https://host.test/a", "https://host.test/a/some name/%C3%A9", "some name/é"],
  ["https://host.test/a", "https://host.test/ab", undefined],
  ["https://host.test/a/b", "https://host.test/a", undefined],
  ["https://host.test/a", "https://other.test/a", undefined],
  ["https://host.test/a", "http://host.test/a/b", "b"],
  ["https://host.test/a", "http://host.test:8080/a", undefined],
  ["https://host.test/a%2Fb/%61", "https://host.test./a//b/a/c", "c"],
  ["http://localhost:8000/a", "http://127.0.0.1:8000/a/b", "b"],
  ["https://bucket.s3.amazonaws.com/a", "https://s3.eu-west-1.amazonaws.com/bucket/a/b", "b"],
  [
    "https://s3.dualstack.eu-west-1.amazonaws.com/my.bucket",
    "https://my.bucket.s3-eu-west-1.amazonaws.com/a",
    "a",
  ],
  ["https://bucket.s3.amazonaws.com/a", "https://other.s3.amazonaws.com/a", undefined],
  ["https://storage.googleapis.com/bucket/a", "http://bucket.storage.googleapis.com/a/b", "b"],
  ["s3://bucket/a", "s3://other/a", undefined],
  ["https://host.test/a", "/a", undefined],
])("of %s and %s", async (outer, inner, below) => {
  expect(await placeBelow(outer, inner)).toBe(below);
});

it("of folders, existing or not, and through links", async () => {
  mkdirSync(path.join(folder, "real/inner"), { recursive: true });
  symlinkSync(path.join(folder, "real"), path.join(folder, "link"));
  const at = (name: string) => path.join(folder, name);
  expect(await placeBelow(at("link"), at("real/inner/../new/one"))).toBe("new/one");
  expect(await placeBelow(at("real"), at("link/inner"))).toBe("inner");
  expect(await placeBelow(at("real"), at("real"))).toBe("");
  expect(await placeBelow(at("rea"), at("real"))).toBeUndefined();
  expect(await placeBelow("/", at("real"))).toBe(at("real").slice(1));
});

it("opens a folder with the extension of an archive", async () => {
  const place = path.join(folder, "folder.zip");
  cpSync(path.join(root, "examples/field.zarr"), place, { recursive: true });
  const { status, text, err } = await run("info", place);
  expect([status, err]).toEqual([0, ""]);
  expect(text).toBe((await run("info", path.join(root, "examples/field.zarr"))).text);
});
