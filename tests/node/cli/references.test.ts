// The command line on folders of references in Parquet files.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { run, temporaryFolder, writeStore } from "../support/cli-tool.js";
import { data, sampleFolder, sampleValues } from "../support/parquet-sample.js";
import { ObjectServer } from "../support/store-server.js";

const folder = temporaryFolder();
const place = path.join(folder, "sample.parquet");
const filesOf = (url: string) =>
  Object.entries(sampleFolder(url)).map(([key, bytes]): [string, Uint8Array] => [key.slice(1), bytes]);

beforeAll(() => {
  writeStore(place, filesOf("../data.bin"));
  writeFileSync(path.join(folder, "data.bin"), data);
});

const read = async (source: string, array: string) => [
  ...(await run("read", source, "--path", array, "--format", "raw")).out,
];

describe("zarr-wasm on references in Parquet files", () => {
  it("shows and reads", async () => {
    const tree = JSON.parse((await run("info", place, "--json")).text);
    expect(tree.members.map(({ path }: { path: string }) => path)).toEqual([
      "deep",
      "empty",
      "scalar",
      "slashed",
      "t",
    ]);
    for (const [name, values] of Object.entries(sampleValues))
      expect(await read(place, name), name).toEqual(values);
    // Whatever it is called.
    const other = path.join(folder, "plain name");
    writeStore(other, filesOf("../data.bin"));
    expect(await read(other, "t")).toEqual(sampleValues["t"]);
  });

  it("verifies and copies", async () => {
    expect((await run("verify", place)).status).toBe(0);
    for (const copy of ["copy.zarr", "copy.zip"].map((name) => path.join(folder, name))) {
      expect(await run("copy", place, copy, "--verify")).toMatchObject({ status: 0 });
      for (const [name, values] of Object.entries(sampleValues))
        expect(await read(copy, name), name).toEqual(values);
    }
  });

  it("reports errors", async () => {
    const broken = path.join(folder, "broken.parquet");
    writeStore(broken, filesOf("../lost.bin"));
    const verified = await run("verify", broken);
    expect([verified.status, verified.text + verified.err]).toEqual([1, expect.stringContaining("lost.bin")]);
    writeFileSync(
      path.join(broken, "t/refs.0.parq"),
      readFileSync(path.join(place, "t/refs.0.parq")).subarray(1),
    );
    const damaged = await run("read", broken, "--path", "t");
    expect([damaged.status, damaged.err]).toEqual([1, expect.stringContaining("refs.0.parq")]);
  });

  it("does not write to the targets of references", async () => {
    const files = path.join(folder, "files");
    writeStore(files, [["data.bin", data]]);
    writeStore(path.join(folder, "there.parq"), filesOf("../files/data.bin"));
    const refused = await run("copy", path.join(folder, "there.parq"), files, "--overwrite");
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("lies in DEST")]);
    expect(readFileSync(path.join(files, "data.bin")).equals(data)).toBe(true);
  });

  it("reads over HTTP", async () => {
    const server = await new ObjectServer({ "/data.bin": data }).start();
    try {
      for (const [key, bytes] of filesOf("/data.bin")) server.objects.set(`/s.parquet/${key}`, bytes);
      const { out } = await run("read", `${server.url}/s.parquet`, "--path", "deep/grid", "--format", "raw");
      expect([...out]).toEqual(sampleValues["deep/grid"]);
    } finally {
      await server.close();
    }
  });
});
