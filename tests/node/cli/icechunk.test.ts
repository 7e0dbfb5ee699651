// The command line on Icechunk repositories.
import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { run, temporaryFolder, writeStore } from "../support/cli-tool.js";
import {
  bytesOf,
  plainReferences,
  plainValues,
  repository,
  snapshotIds,
} from "../support/icechunk-repository.js";
import { writeZip } from "../support/zip-builder.js";

const folder = temporaryFolder();
const [repo, virtual] = [path.join(folder, "repo"), path.join(folder, "virtual")];

beforeAll(() => {
  writeStore(repo, repository());
  const references = plainReferences.map((reference, i) =>
    i === 1 ? { index: [0, 1], location: "s3://bucket/x.nc", offset: 1, length: 4 } : reference,
  );
  writeStore(virtual, repository({ references }));
  writeStore(path.join(folder, "files"), [["x.nc", bytesOf(9, 10, 11, 12, 13)]]);
});

describe("zarr-wasm on Icechunk repositories", () => {
  it("reads, by branch, tag and mark", async () => {
    const read = async (...args: string[]) => [
      ...(await run("read", ...args, "--path", "a", "--format", "raw")).out,
    ];
    expect(await read(repo)).toEqual(plainValues);
    expect(await read(`icechunk+${repo}`)).toEqual(plainValues);
    expect((await read(repo, "--tag", "v1")).slice(0, 3)).toEqual([9, 9, 7]);
    expect((await read(repo, "--as-of", "2025-01-02T12:00Z")).slice(0, 3)).toEqual([9, 9, 7]);
  });

  it("reads URL pipelines, and existing files with | in their names", async () => {
    const read = async (...args: string[]) => [...(await run("read", ...args, "--format", "raw")).out];
    const archive = path.join(folder, "pipeline");
    const entries = [...repository()].map(([key, bytes]) => ({ name: `in${key}`, bytes }));
    writeFileSync(archive, writeZip(entries));
    const named = writeStore(path.join(folder, "repo|zarr2:"), repository());
    for (const source of [
      `${repo}|icechunk://branch.main/|zarr3:a`,
      `${repo}/|icechunk:a`,
      `${pathToFileURL(repo).href}|icechunk:|zarr:a`,
      `${archive}|zip:in|icechunk:a`,
      `${pathToFileURL(named).href.replaceAll("|", "%7C")}|icechunk:a`,
    ])
      expect([source, await read(source)]).toEqual([source, plainValues]);
    expect(await read(`${repo}|icechunk:`, "--path", "a")).toEqual(plainValues);
    expect(await read(named, "--path", "a")).toEqual(plainValues);
    expect((await read(`${repo}|icechunk://tag.v1/a`)).slice(0, 3)).toEqual([9, 9, 7]);
    const history = await run("info", `${repo}|icechunk:`, "--history");
    expect([history.status, history.text]).toEqual([0, (await run("info", repo, "--history")).text]);
    const unknown = await run("info", `${repo}|gzip:`);
    expect([unknown.status, unknown.err]).toEqual([1, expect.stringContaining('unsupported scheme "gzip:"')]);
    const gone = await run("info", `${repo}x|icechunk:`);
    expect([gone.status, gone.err]).toEqual([1, expect.stringContaining("does not exist; did you mean")]);
    const bucket = await run("info", "https://h/a|zarr3:", "--bucket", "https://h");
    expect([bucket.status, bucket.err]).toEqual([2, expect.stringContaining("URL pipeline")]);
    const inside = await run("copy", `${repo}|icechunk:`, path.join(repo, "copy"));
    expect([inside.status, inside.err]).toEqual([1, expect.stringContaining("one contains the other")]);
  });

  it("reads archives and file URLs, with and without a mark", async () => {
    const read = async (...args: string[]) => [
      ...(await run("read", ...args, "--path", "a", "--format", "raw")).out,
    ];
    const url = pathToFileURL(repo).href;
    const short = url.replace("file:///", "file:/");
    const archive = path.join(folder, "repo.zip");
    const entries = [...repository()].map(([key, bytes]) => ({ name: key.slice(1), bytes }));
    writeFileSync(archive, writeZip(entries));
    const other = path.join(folder, "archive"); // not known by its name
    writeFileSync(other, writeZip(entries));
    for (const source of [
      url,
      short,
      `icechunk+${url}`,
      `icechunk+${short}`,
      `icechunk+${archive}`,
      `icechunk+${other}`,
    ])
      expect([source, await read(source)]).toEqual([source, plainValues]);
    expect((await read(`icechunk+${archive}`, "--tag", "v1")).slice(0, 3)).toEqual([9, 9, 7]);
    expect((await run("info", `icechunk+${short}`, "--history", "--json")).status).toBe(0);
    const inside = await run("copy", `icechunk+${url}`, path.join(repo, "copy"));
    expect([inside.status, inside.err]).toEqual([1, expect.stringContaining("one contains the other")]);
    const gone = await run("info", `icechunk+${url}x`);
    expect([gone.status, gone.err]).toEqual([1, expect.stringContaining("does not exist; did you mean")]);
  });

  it("shows the tree and the history", async () => {
    const tree = JSON.parse((await run("info", repo, "--json")).text);
    expect(tree.members.map(({ path }: { path: string }) => path)).toEqual(["a"]);
    expect(JSON.parse((await run("info", repo, "--history", "--json")).text)).toEqual({
      snapshot: snapshotIds[2],
      branches: [
        { name: "main", snapshot: snapshotIds[2] },
        { name: "old", snapshot: snapshotIds[1] },
      ],
      tags: [{ name: "v1", snapshot: snapshotIds[1] }],
      history: ["changed", "filled", "made"].map((message, i) => ({
        snapshot: snapshotIds[2 - i],
        message,
        time: `2025-01-0${3 - i}T00:00:00.000Z`,
      })),
    });
    expect((await run("info", repo, "--history", "--branch", "old")).text).toContain(
      `  ${snapshotIds[1]}  2025-01-02`,
    );
  });

  it("copies and verifies, virtual chunks too", async () => {
    const copy = path.join(folder, "copy.zarr");
    const files = `s3://bucket/=${path.join(folder, "files")}`;
    expect(await run("copy", virtual, copy, "--verify")).toMatchObject({ status: 1 });
    expect(await run("copy", virtual, copy, "--overwrite", "--virtual", files)).toMatchObject({ status: 0 });
    expect([...(await run("read", copy, "--path", "a", "--format", "raw")).out]).toEqual(plainValues);
    expect((await run("verify", virtual, "--virtual", files)).status).toBe(0);
    const refused = await run("verify", virtual);
    expect([refused.status, refused.text + refused.err]).toEqual([1, expect.stringContaining("--virtual")]);
  });

  it("never deletes the repository, nor files of virtual chunks", async () => {
    const files = path.join(folder, "files");
    const allowed = ["--virtual", `s3://bucket/=${files}`];
    for (const dest of [files, path.join(folder, "link")]) {
      if (dest !== files) symlinkSync(files, dest);
      const { status, err } = await run("copy", virtual, dest, "--overwrite", ...allowed);
      expect([status, err]).toEqual([
        1,
        expect.stringMatching(/SOURCE refers to .*files.*, which lies in DEST/),
      ]);
    }
    expect((await run("copy", `icechunk+${repo}`, repo, "--overwrite")).err).toContain("same location");
    expect((await run("copy", virtual, repo, "--overwrite", ...allowed)).err).toContain("is not a Zarr node");
    expect((await run("verify", virtual, ...allowed)).status).toBe(0);
  });

  it("refuses wrong usage", async () => {
    for (const args of [
      ["--branch", "main", "--tag", "v1"],
      ["--as-of", "soon"],
      ["--virtual", "s3://bucket/"],
      ["--tag", "v1", "--as-of", "2025-01-01"],
    ])
      expect(await run("info", repo, ...args)).toMatchObject({ status: 2, text: "" });
  });
});
