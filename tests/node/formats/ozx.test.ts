// OME-Zarr archives (.ozx): copied to, opened by file and by URL, and their comment. Spec: OME-Zarr RFC-9.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, open, ZipStore } from "zarr-wasm";
import { multiscales, writeMultiscale } from "zarr-wasm/conventions";
import { run, runBeside, temporaryFolder } from "../support/cli-tool.js";
import { ObjectServer } from "../support/store-server.js";
import { bytesOf, errorOf } from "../support/support.js";
import { writeZip } from "../support/zip-builder.js";

const folder = temporaryFolder();
const place = (name: string) => path.join(folder, name);
const shape = [40, 60];
const data = Uint8Array.from({ length: 2400 }, (_, i) => (i * 7) % 251);
const axes = ["y", "x"].map((name) => ({ name, unit: "micrometer" }));

/** The entries of a directory, in its order. */
function directoryOf(archive: Buffer): string[] {
  const names: string[] = [];
  for (let at = archive.readUInt32LE(archive.lastIndexOf("PK\x05\x06", undefined, "latin1") + 16); ; ) {
    if (archive.toString("latin1", at, at + 4) !== "PK\x01\x02") return names;
    const [name, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    expect(archive.readUInt16LE(at + 10), "stored uncompressed").toBe(0);
    names.push(archive.toString("utf8", at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
}

describe.each(["0.5", "0.6rc0"] as const)("an archive of OME-Zarr %s", (omeVersion) => {
  const image = place(`${omeVersion}.zarr`);
  const archive = place(`${omeVersion}.ozx`);
  let bytes: Buffer;
  let server: ObjectServer;

  beforeAll(async () => {
    await writeMultiscale(
      pathToFileURL(`${image}/`),
      { data, shape },
      { omeVersion, axes, levels: 2, chunkShape: [16, 16], scale: [0.5, 0.25] },
    );
    expect(run("copy", image, archive, "--verify").err).toBe("");
    bytes = readFileSync(archive);
    server = await new ObjectServer({ "/a/image.ozx": new Uint8Array(bytes) }).start();
  });
  afterAll(() => server.close());

  it("stores the documents first, beginning with the root's, and marks that order in its comment", async () => {
    const names = directoryOf(bytes);
    expect(names.slice(0, 3)).toEqual(["zarr.json", "0/zarr.json", "1/zarr.json"]);
    expect(names.slice(3).filter((name) => name.endsWith("zarr.json"))).toEqual([]);
    expect(names).toHaveLength(3 + 12 + 4);
    const comment = await new ZipStore(pathToFileURL(archive)).comment();
    expect(JSON.parse(comment)).toEqual({
      ome: { version: omeVersion, zipFile: { centralDirectory: { jsonFirst: true } } },
    });
    expect(bytes.includes("PK\x06\x06", 0, "latin1"), "Zip64").toBe(true);
  });

  it("is opened by URL as the image that it is", async () => {
    const group = await open(`${server.url}/a/image.ozx?token=1#x`, { kind: "group" });
    const [{ version, levels }] = multiscales(group) as [ReturnType<typeof multiscales>[number]];
    expect([version, levels.map(({ scale }) => scale)]).toEqual([
      omeVersion,
      [
        [0.5, 0.25],
        [1, 0.5],
      ],
    ]);
    expect((await get(await levels[0]!.open())).data).toEqual(data);
  });

  it("is recognised by info, from a file and by URL", async () => {
    for (const source of [archive, `${server.url}/a/image.ozx`]) {
      // The server is in this process.
      const { text } = await runBeside("info", source);
      expect(text).toContain(`OME-Zarr ${omeVersion} archive, documents first`);
      expect(text).toContain(`OME-Zarr ${omeVersion} image: axes y (micrometer), x (micrometer)`);
    }
  });

  it("is converted by pyramid to another version", () => {
    const again = place(`${omeVersion}-again.zarr`);
    const { err, status } = run("pyramid", archive, again, "--levels", "1", "--ome-version", "0.6rc0");
    expect([status, err]).toEqual([0, ""]);
    expect(run("info", again).text).toContain("OME-Zarr 0.6rc0 image: axes y (micrometer), x (micrometer)");
  });
});

describe("other files", () => {
  it("that are called .ozx are refused in one sentence", async () => {
    const file = place("no.ozx");
    writeFileSync(file, "a picture, perhaps");
    const error = await errorOf(() => open(pathToFileURL(file)));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-zip"]);
    expect(error.message).toMatch(/no\.ozx is not a valid zip archive/);
    const { status, err } = run("info", file);
    expect([status, err.split("\n").length]).toEqual([1, 2]);
    expect(run("pyramid", file, place("p.ozx")).err).toContain("write a folder and copy it into an archive");
    expect(run("pyramid", file, place("p"), "--ome-version", "0.6").status).toBe(2);
  });

  it("may have any comment", async () => {
    const parts = [{ name: "zarr.json", bytes: bytesOf('{"zarr_format": 3, "node_type": "group"}') }];
    for (const comment of [
      "",
      "by hand",
      "[1",
      '{"ome": 5}',
      '{"ome": {"version": 7}}',
      "é\u0001\u001b[31m",
    ]) {
      const bytes = writeZip(parts, { comment: bytesOf(comment) });
      expect(await new ZipStore(bytes).comment()).toBe(comment);
      const file = place("other.ozx");
      writeFileSync(file, bytes);
      const { status, text } = run("info", file);
      expect([status, text]).toEqual([0, "/  Zarr v3 group\n"]);
    }
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(new ZipStore(writeZip(parts)).comment({ signal })).rejects.toBe(reason);
  });
});
