// N5 hierarchies and precomputed volumes over HTTP, by the prefixes of Neuroglancer, and damaged ones.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isZarrError, open } from "zarr-wasm";
import { multiscales } from "zarr-wasm/conventions";
import { FileSystemStore } from "zarr-wasm/node";
import { mortonCode } from "#src/formats/folder/sharding.js";
import { amount } from "../support/amounts.js";
import { errorOf, randomizer, serve } from "../support/support.js";

const golden = new URL("../../golden/files/", import.meta.url).pathname;
const volumes = path.join(golden, "precomputed");
const hierarchy = path.join(golden, "n5/java.n5");

/** Reads all objects of a folder. */
function objectsIn(folder: string): Map<string, Uint8Array> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    names.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [`/${path.relative(folder, file)}`, new Uint8Array(readFileSync(file))];
    }),
  );
}

describe("over HTTP", () => {
  const objects = new Map<string, Uint8Array>();
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    for (const [key, bytes] of objectsIn(path.join(volumes, "shards-3"))) objects.set(`/v${key}`, bytes);
    for (const [key, bytes] of objectsIn(path.join(volumes, "typed")))
      objects.set(`/precomputed/v${key}`, bytes);
    for (const [key, bytes] of objectsIn(hierarchy)) objects.set(`/a.n5${key}`, bytes);
    for (const [key, bytes] of objectsIn(hierarchy)) objects.set(`/a${key}`, bytes);
    server = await serve((at, { headers }) => {
      const bytes = objects.get(decodeURIComponent(at));
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
      if (!bytes || from === undefined) return bytes;
      const body = bytes.subarray(Number(from), Number(to) + 1);
      const range = `bytes ${from}-${Number(from) + body.length - 1}/${bytes.length}`;
      return { status: 206, body, headers: { "content-range": range } };
    });
  });
  afterAll(() => server.close());

  it.each([
    ["precomputed://URL/v", "s0_key"],
    ["URL/v|neuroglancer-precomputed:", "s0_key"],
    ["URL/precomputed/v", "s0_key"],
    ["URL/a|n5:gzip/uint16", ""],
    ["URL/a.n5", "gzip/uint16"],
    ["URL/a.n5/gzip/uint16", ""],
  ])("opens %s", async (text, at) => {
    const source = text.replace("URL", server.url);
    const array = await open(source, { path: at, kind: "array" });
    const { data } = await get<Uint8Array>(array as never);
    const isN5 = `${text}/${at}`.includes("gzip");
    const file = text.includes("/precomputed/") ? "typed.0.bin" : "shards-3.0.bin";
    const wanted = readFileSync(isN5 ? `${hierarchy}.gzip.uint16.bin` : path.join(volumes, file));
    const bytes = data;
    expect(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).equals(wanted)).toBe(true);
  });

  it.each([
    ["n5://URL/a", "gzip/uint16"],
    ["n5://URL/a/gzip", "uint16"],
  ])("knows groups without a document only in stores that can list: %s", async (text, at) => {
    const source = text.replace("URL", server.url);
    expect((await errorOf(() => open(source, { path: at })))["_tag"]).toBe("NotFound");
  });

  it("refuses other folders by their document", async () => {
    const missing = await errorOf(() => open(`precomputed://${server.url}/a`));
    expect([missing["_tag"], missing.message]).toEqual([
      "NotFound",
      expect.stringContaining("precomputed volume"),
    ]);
  });

  it("does not ask for documents of folders without their name in the URL", async () => {
    const before = server.requests.length;
    await errorOf(() => open(`${server.url}/nothing`));
    const asked = server.requests.slice(before).map((request) => request.path);
    expect(asked.filter((at) => /attributes\.json|info$/.test(at))).toEqual([]);
  });
});

it("levels are an OME-Zarr image", async () => {
  const group = await open(new FileSystemStore(path.join(volumes, "shards-1")), { kind: "group" });
  const image = multiscales(group)[0]!;
  expect(image.axes.map(({ name }) => name)).toEqual(["c", "z", "y", "x"]);
  expect(image.levels.map(({ scale }) => scale)).toEqual([
    [1, 30.5, 8, 8],
    [1, 30.5, 16, 16],
  ]);
});

it("numbers chunks as in the specification", () => {
  expect(mortonCode([5, 3, 1], [8, 4, 2])).toBe(0b110111n);
  expect(mortonCode([0, 0, 2 ** 23], [1, 1, 2 ** 24])).toBe(1n << 23n);
});

/** Changes a few bytes, or cuts or repeats a part. */
function mutated(bytes: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * bytes.length);
  const kind = random();
  if (kind < 0.1) return bytes.subarray(0, at);
  if (kind < 0.2) return Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(at >> 1));
  const changed = bytes.slice();
  for (let i = 0; i < 1 + random() * 3; i++)
    changed[Math.floor(random() * bytes.length)] =
      kind < 0.6 ? 48 + Math.floor(random() * 10) : random() * 256;
  return changed;
}

describe("damage", () => {
  const sources: [string, Map<string, Uint8Array>, string][] = [
    ["shards", objectsIn(path.join(volumes, "shards-1")), "s0_key"],
    ["compressed shards", objectsIn(path.join(volumes, "shards-labels-gzip")), "s0_key"],
    ["labels", objectsIn(path.join(volumes, "labels-channels")), "s0_key"],
    [
      "N5",
      new Map([...objectsIn(hierarchy)].filter(([key]) => /^\/(?:attributes|lz4\/uint16)/.test(key))),
      "lz4/uint16",
    ],
    ["N5 images", objectsIn(path.join(golden, "n5/images.n5")), "viewer"],
  ];
  const limits = { resultBytes: 2 ** 24, chunkBytes: 2 ** 24, readChunks: 2 ** 12 };

  it.each(sources)("of %s gives typed errors", { timeout: 300_000 }, async (_, objects, at) => {
    const random = randomizer(40);
    const keys = [...objects.keys()];
    const documents = keys.filter((key) => /info$|attributes\.json$/.test(key));
    for (let i = 0; i < amount(200, 2000); i++) {
      const list = random() < 0.5 ? documents : keys;
      const key = list[Math.floor(random() * list.length)]!;
      const store = new Map(objects).set(key, mutated(objects.get(key)!, random));
      try {
        const node = await open(store, { path: at, limits });
        if (node.kind === "array") await get(node);
      } catch (error) {
        if (!isZarrError(error)) throw new Error(`${key} (${i}): ${error}`, { cause: error });
      }
    }
  });
});

it("reads volumes whose objects are compressed in transfer only", async () => {
  const bytes = objectsIn(path.join(volumes, "labels-channels"));
  const server = await serve((at) => {
    const body = bytes.get(at);
    return body && { status: 200, body: gzipSync(body), headers: { "content-encoding": "gzip" } };
  });
  const array = await open(`precomputed://${server.url}`, { path: "s0_key", kind: "array" });
  const { data } = await get<Uint32Array>(array as never);
  const wanted = readFileSync(path.join(volumes, "labels-channels.0.bin"));
  expect(Buffer.from(data.buffer).equals(wanted)).toBe(true);
  await server.close();
});
