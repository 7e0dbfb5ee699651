// `zarr-wasm copy` of groups: nodes, attributes, consolidated metadata; from and to every kind of store.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  consolidate,
  create,
  createGroup,
  get,
  HttpStore,
  open,
  set,
  updateAttributes,
  type ZarrGroup,
  ZipStore,
} from "zarr-wasm";
import { run, temporaryFolder, writeStore } from "../support/cli-tool.js";
import { copy, filesOf, urlOf, verify } from "../support/copying.js";
import { S3Server } from "../support/s3-server.js";
import { serve } from "../support/support.js";

const folder = temporaryFolder();
const place = (name = "copy.zarr") => path.join(mkdtempSync(path.join(folder, "groups-")), name);

/** A tree of every kind of node, consolidated. */
async function makeTree(zarrFormat: 2 | 3): Promise<string> {
  const dir = place("tree.zarr");
  const root = await createGroup(urlOf(dir), { zarrFormat, attributes: { title: "tree", n: 2n ** 63n } });
  const image = { shape: [10, 12], chunkShape: [4, 5], dtype: "uint16", codecs: "zstd:1" } as const;
  const a = await create(root, { path: "a", ...image, dimensionNames: ["y", "x"] });
  await set(
    a,
    null,
    Uint16Array.from({ length: 120 }, (_, i) => i),
  );
  await createGroup(root, { path: "deep/empty", attributes: { here: true } });
  const b = await create(root, { path: "deep/b", ...image, fillValue: 7, order: "F" });
  await set(b, [[0, 9], null], 3);
  const names = await create(root, { path: "deep/names", shape: [3], chunkShape: [2], dtype: "string" });
  await set(names, null, ["one", "", "drei"]);
  await consolidate(root);
  return dir;
}

async function contents(source: Parameters<typeof open>[0]): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const node of ((await open(source)) as ZarrGroup).walk()) {
    const data = node.kind === "array" ? [...((await get<readonly unknown[]>(node)).data as unknown[])] : [];
    const names = node.kind === "array" ? node.dimensionNames : undefined;
    // An attribute holds dimension names in v2, and xarray's masked value in v3.
    const { _ARRAY_DIMENSIONS: _, _FillValue: __, ...attributes } = node.attributes;
    found.push([node.kind, node.path, attributes, names, data]);
  }
  return found;
}

let [v2, v3] = ["", ""];
beforeAll(async () => {
  [v2, v3] = [await makeTree(2), await makeTree(3)];
});

describe("groups", () => {
  it("are copied whole, documents and all", async () => {
    for (const source of [v2, v3]) {
      const dest = place();
      expect(await copy(source, dest, { verify: true })).toMatchObject({ arrays: 3, groups: 3 });
      expect(filesOf(dest)).toEqual(filesOf(source));
    }
  });

  it("are converted with their consolidated metadata", async () => {
    const [newer, older] = [place(), place()];
    await copy(v2, newer, { format: "3", verify: true });
    await copy(newer, older, { format: "2" });
    const group = (await open(urlOf(newer))) as ZarrGroup;
    expect([group.zarrFormat, group.isConsolidated, group.attributes]).toEqual([
      3,
      true,
      { title: "tree", n: 2n ** 63n },
    ]);
    expect(await contents(urlOf(newer))).toEqual(await contents(urlOf(v2)));
    expect(filesOf(older)).toEqual(filesOf(v2));
    const document = JSON.parse(readFileSync(path.join(newer, "zarr.json"), "utf8"));
    expect(Object.keys(document.consolidated_metadata.metadata)).toEqual([
      "a",
      "deep",
      "deep/b",
      "deep/empty",
      "deep/names",
    ]);
    expect(document.consolidated_metadata.metadata["a"].codecs.at(-1).name).toBe("zstd");
  });

  it("have consolidated metadata only if the source has it, and it is correct", async () => {
    const dest = place();
    await copy(v3, dest, { path: "deep", chunks: "2,2" });
    const group = (await open(urlOf(dest))) as ZarrGroup;
    expect(group.isConsolidated).toBe(false); // it is the root that was
    expect((await group.open("b", { kind: "array" })).chunkShape).toEqual([2, 2]);
    const bare = place();
    await createGroup(urlOf(bare), { attributes: { none: 1 } });
    const again = place();
    await copy(bare, again);
    expect(filesOf(again)).toEqual(filesOf(bare));
  });

  it("--path to an array makes it the destination", async () => {
    const dest = place();
    await copy(v3, dest, { path: "deep/b" });
    expect((await open(urlOf(dest), { kind: "array" })).shape).toEqual([10, 12]);
  });

  it("--metadata-only makes nodes, and no chunks", async () => {
    const dest = place();
    expect(await copy(v3, dest, { "metadata-only": true, format: "2" })).toMatchObject({
      arrays: 3,
      groups: 3,
      bytesWritten: 0,
    });
    expect([...filesOf(dest).keys()].every((name) => /(^|\/)\.z[a-z]+$/.test(name))).toBe(true);
    expect(await copy(v3, dest, { format: "2", resume: true })).toMatchObject({ arrays: 3 });
    expect(await contents(urlOf(dest))).toEqual(await contents(urlOf(v3)));
  });

  it("cannot be Zarr v1, and --select is for arrays", async () => {
    const { status, err } = await run("copy", v3, place(), "--format", "1");
    expect([status, err]).toEqual([1, "zarr-wasm: Zarr v1 has no groups\n"]);
    expect((await run("copy", v3, place(), "--select", "0")).status).toBe(2);
  });
});

describe("stores", () => {
  it("archives", async () => {
    const file = place("copy.ozx");
    await copy(v3, file, { verify: true });
    const store = new ZipStore(urlOf(file));
    expect(await contents(store)).toEqual(await contents(urlOf(v3)));
    const { status, err } = await run("copy", v3, file);
    expect([status, err]).toEqual([
      1,
      `zarr-wasm: "${file}" already exists; pass --overwrite to replace it\n`,
    ]);
    await copy(file, file.replace("ozx", "zip"), { format: "2", verify: true });
    await copy(v2, file, { overwrite: true });
    expect((await run("copy", v3, file, "--overwrite", "--resume")).status).toBe(2);
    expect((await run("copy", v3, place("p.zip"), "--part", "0/2")).status).toBe(2);
  });

  it("failed archives do not exist", async () => {
    const dir = place();
    writeStore(dir, [
      [
        "zarr.json",
        {
          ...JSON.parse(readFileSync(path.join(v3, "a/zarr.json"), "utf8")),
          codecs: [{ name: "bytes", configuration: { endian: "little" } }],
        },
      ],
      ["c/0/0", "too short"],
    ]);
    const file = place("copy.zip");
    const { status, err } = await run("copy", dir, file);
    expect(status).toBe(1);
    expect(err).toMatch(
      /^zarr-wasm: chunk \/c\/0\/0: .*it has 9 bytes instead of 40 \(\d of 9 chunks copied\)\n$/,
    );
    expect(filesOf(path.dirname(file)).size).toBe(0);
  });

  it("from a server", async () => {
    const files = filesOf(v3);
    const server = await serve((request) => files.get(decodeURIComponent(request.slice(1))));
    try {
      const dest = place();
      const { status, err } = await run("copy", server.url, dest, "--verify");
      expect([status, err]).toEqual([0, ""]);
      expect(filesOf(dest)).toEqual(files);
    } finally {
      await server.close();
    }
  });

  it("from a document of references", async () => {
    const refs: Record<string, unknown> = {};
    for (const [name, bytes] of filesOf(v2))
      refs[name] = /\.z/.test(name) ? bytes.toString() : [urlOf(path.join(v2, name)).href, 0, bytes.length];
    const file = path.join(folder, "refs.json");
    writeFileSync(file, JSON.stringify({ version: 1, refs }));
    const dest = place();
    await copy(file, dest);
    expect(filesOf(dest)).toEqual(filesOf(v2));
  });

  describe("that take PUT", () => {
    const server = new S3Server();
    beforeAll(() => server.start());
    afterAll(() => server.close());

    it("with listing, given the bucket", async () => {
      const dest = `${server.url}/tree.zarr`;
      await copy(v2, dest, { format: "3", bucket: server.url, verify: true });
      const store = new HttpStore(dest);
      expect((await contents(store)).length).toBe(5);
      expect(await copy(v2, dest, { format: "3", bucket: server.url, resume: true })).toMatchObject({
        chunks: { asStored: 0, reencoded: 0 },
      });
      await copy(v3, dest, { overwrite: true, bucket: server.url });
      expect(server.objects.has("tree.zarr/a/c/0/0")).toBe(true);
    });

    it("without", async () => {
      await copy(v3, `${server.url}/plain.zarr`);
      expect((await verify(`${server.url}/plain.zarr`)).badCount).toBe(0);
      const { status, err } = await run("copy", v2, `${server.url}/plain.zarr`, "--overwrite");
      expect(status).toBe(1);
      expect(err).toMatch(/cannot be deleted: the store has no list\(\).*--bucket URL/);
    });

    it("that fail in the middle: the error reports the progress", async () => {
      server.fault = ({ method, key }) =>
        method === "PUT" && key.endsWith("/c/1/1") ? { status: 403, code: "AccessDenied" } : undefined;
      const { status, err } = await run("copy", v3, `${server.url}/broken.zarr`);
      server.fault = undefined;
      expect(status).toBe(1);
      expect(err).toMatch(
        /^zarr-wasm: .*403.*AccessDenied.*\(\d+ of 20 chunks copied; pass --resume to continue\)\n$/,
      );
      await copy(v3, `${server.url}/broken.zarr`, { resume: true, verify: true });
    });
  });
});

it("documents changed by other writers during the copy do not count as the copy's", async () => {
  const dest = place();
  await copy(v3, dest);
  const array = await open(urlOf(dest), { path: "a" });
  await updateAttributes(array, { mine: true });
  const { status, err } = await run("copy", v3, dest, "--resume");
  expect([status, err]).toEqual([
    1,
    'zarr-wasm: the array "/a" at DEST differs from the one to create; pass --overwrite to replace it\n',
  ]);
});

it("reports OME-Zarr attributes that do not belong in Zarr v2", async () => {
  const dir = place("ome.zarr");
  const root = await createGroup(urlOf(dir), { attributes: { title: "other" } });
  await createGroup(root, { path: "image", attributes: { ome: { version: "0.5", multiscales: [] } } });
  const { err, status } = await run("copy", dir, place(), "--format", "2");
  expect([status, err]).toEqual([
    0,
    expect.stringMatching(/"\/image": .* OME-Zarr 0\.5, which is stored as Zarr v3/),
  ]);
  expect(err).not.toContain('"/":');
  expect((await run("copy", dir, place())).err).not.toContain("OME-Zarr");
});
