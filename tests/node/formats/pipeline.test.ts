// URL pipelines: the parser, and what they open from archives, repositories and folders.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { create, get, isZarrError, type OpenOptions, open, type ZarrArray } from "zarr-wasm";
import { copy } from "zarr-wasm/transfer";
import { parsePipeline } from "#src/formats/part.js";
import { arrayDocument } from "../../shared/icechunk-writer.mjs";
import { plainValues, repository, snapshotIds } from "../support/icechunk-repository.js";
import { ObjectServer } from "../support/store-server.js";
import { writeZip } from "../support/zip-builder.js";

const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const v3 = text(arrayDocument([2], [2]));
const v2 = text({
  zarr_format: 2,
  shape: [3],
  chunks: [3],
  dtype: "|u1",
  compressor: null,
  fill_value: 5,
  order: "C",
  filters: null,
});
const archive = (entries: Iterable<readonly [string, Uint8Array]>) =>
  writeZip([...entries].map(([name, bytes]) => ({ name: name.replace(/^\//, ""), bytes })));

const inner = archive([["deep/zarr.json", v3]]);
const outer = archive([
  ["in/a b.zarr/zarr.json", v3],
  ["in/old/.zarray", v2],
  ["in/inner.zip", inner],
  ...[...repository()].map(([key, bytes]) => [`in/repo${key}`, bytes] as const),
]);

const server = new ObjectServer();
const tmp = new URL("../../../build/tmp/", import.meta.url).pathname;
let folder = "";
beforeAll(async () => {
  await server.start();
  folder = mkdtempSync(path.join(tmp, "pipeline-"));
  server.objects.set("/a.zip", outer);
  server.objects.set("/download", outer);
  server.objects.set("/d/three/zarr.json", v3);
  server.objects.set("/d/two/.zarray", v2);
  for (const [key, bytes] of repository()) server.objects.set(`/r${key}`, bytes);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Version and path of the node that a pipeline opens. */
const opened = async (pipeline: string, options: OpenOptions = {}): Promise<string> => {
  const node = await open(`${server.url}${pipeline}`, options);
  return `${node.kind} v${node.zarrFormat} /${node.path}`;
};

/** Tag and message of the error of a call. */
const failure = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (error) {
    if (isZarrError(error)) return `${error._tag}: ${error.message}`;
    throw error;
  }
  return "no error";
};

describe("the parser", () => {
  const zip = (below: string) => ({ scheme: "zip", path: below, version: undefined });
  const zarr3 = (below: string) => ({ scheme: "zarr3", path: below, version: undefined });
  const icechunk = (below: string, version?: object) => ({ scheme: "icechunk", path: below, version });
  const [, , id] = snapshotIds;

  it.each([
    ["https://h/a.zip|zip:p/q/|zarr3:", "https://h/a.zip", [zip("p/q"), zarr3("")]],
    ["https://h/a?b=c|ZIP|Zarr3:x", "https://h/a?b=c", [zip(""), zarr3("x")]],
    ["file:///a|zip:/p", "file:///a", [zip("p")]],
    ["https://h/a|zip:a%20b%7Cc%25%23%3F", "https://h/a", [zip("a b|c%#?")]],
    ["https://h/a|zip:b.zip|zip:c", "https://h/a", [zip("b.zip"), zip("c")]],
    ["https://h/a/|icechunk:", "https://h/a/", [icechunk("")]],
    ["https://h/a/|icechunk:x/y", "https://h/a/", [icechunk("x/y")]],
    ["https://h/a/|icechunk://branch.main/", "https://h/a/", [icechunk("", { branch: "main" })]],
    ["https://h/a/|icechunk://branch.a%2Fb/c", "https://h/a/", [icechunk("c", { branch: "a/b" })]],
    ["https://h/a/|icechunk://tag.v1.0|zarr3:x", "https://h/a/", [icechunk("", { tag: "v1.0" }), zarr3("x")]],
    [`https://h/a/|icechunk://${id}/x`, "https://h/a/", [icechunk("x", { snapshot: id })]],
  ])("reads %s", (pipeline, root, adapters) => {
    expect(parsePipeline(pipeline)).toEqual({ root, adapters });
  });

  it.each([
    [
      "https://h/a|gzip:",
      'Unsupported: unsupported scheme "gzip:" in "https://h/a|gzip:"; supported are zip, zarr, zarr2, zarr3, icechunk, n5, neuroglancer-precomputed',
    ],
    ["https://h/a|b.zarr", /^Unsupported: .* "b\.zarr:" .*; write %7C for "\|" in a name$/],
    ["https://h/a| zip:", /^Unsupported: unsupported scheme " zip:" in/],
    ["https://h/a||zip:", /^InvalidArgument: .* has an empty part/],
    ["|zip:", /^InvalidArgument: .* has an empty part/],
    ["https://h/a|", /^InvalidArgument: .* has an empty part/],
    ["https://h/a|zip:b#c", /^InvalidArgument: .* cannot have a fragment/],
    ["https://h/a|zip:b?c", /^InvalidArgument: "zip:" .* cannot have a query/],
    ["https://h/a|zip:%zz", /^InvalidArgument: .* has an invalid percent-encoding/],
    ["https://h/a|zip:a/../../b", /^InvalidArgument: the path .* is not allowed/],
    ["https://h/a|zarr3:%2e%2e%2fb", /^InvalidArgument: the path .* is not allowed/],
    ["https://h/a|zip:a%00b", /^InvalidArgument: the path .* is not allowed/],
    ["https://h/a|zip:|zip:b", /^InvalidArgument: the first "zip:" .* must name the inner archive/],
    ["https://h/a|zarr3:|zip:", /^InvalidArgument: "zip:" cannot follow "zarr3:" in/],
    ["https://h/a|zarr:|zarr3:", /^InvalidArgument: "zarr3:" cannot follow "zarr:" in/],
    ["https://h/a|icechunk:|zip:", /^InvalidArgument: "zip:" cannot follow "icechunk:" in/],
    ["https://h/a|icechunk://main/", /^InvalidArgument: .*branch\.NAME, tag\.NAME or the id .* got "main"$/],
    ["https://h/a|icechunk://branch./", /^InvalidArgument: .* got "branch\."$/],
    [`https://h/a${"|zip:b".repeat(17)}`, "InvalidArgument: a URL pipeline has at most 16 adapters, got 17"],
  ])("refuses %s", async (pipeline, message) => {
    expect(await failure(() => parsePipeline(pipeline))).toMatch(message);
  });

  it("is fast for long input, and quotes only its beginning", async () => {
    const long = [
      "|".repeat(1e6),
      `h|${"a".repeat(1e6)}`,
      `h|zip:${"%2e".repeat(3e5)}#`,
      `h|a:${" ".repeat(1e6)}`,
    ];
    const start = performance.now();
    for (const pipeline of long)
      expect((await failure(() => parsePipeline(pipeline))).length).toBeLessThan(700);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe("open", () => {
  it.each([
    ["/a.zip|zip:in/a%20b.zarr/|zarr3:", "array v3 /in/a b.zarr"],
    ["/a.zip|zip:in|zarr3:a%20b.zarr", "array v3 /in/a b.zarr"],
    ["/a.zip|zip:in/old|zarr2:", "array v2 /in/old"],
    ["/a.zip|zarr:in/old", "array v2 /in/old"],
    ["/a.zip|zip:in/old", "array v2 /in/old"],
    ["/download?id=1|zip:in/old/|zarr:", "array v2 /in/old"],
    ["/a.zip|zip:in/inner.zip|zip:|zarr3:deep", "array v3 /deep"],
    ["/d/|zarr3:three", "array v3 /three"],
    ["/d/two/|zarr2", "array v2 /"],
    ["/d|zarr:two/", "array v2 /two"],
    ["/r/|icechunk:a", "array v3 /a"],
    ["/r/|icechunk://branch.main/|zarr3:a", "array v3 /a"],
    ["/r|icechunk://tag.v1/a", "array v3 /a"],
    [`/r|icechunk://${snapshotIds[2]}/a|zarr:`, "array v3 /a"],
    ["/a.zip|zip:in/repo/|icechunk://branch.main/|zarr3:a", "array v3 /a"],
  ])("reads %s", async (pipeline, node) => {
    expect(await opened(pipeline)).toBe(node);
  });

  it("appends the path of the options", async () => {
    expect(await opened("/a.zip|zip:in|zarr:", { path: "old" })).toBe("array v2 /in/old");
    expect(await opened("/r|icechunk:", { path: "a", tag: "v1" })).toBe("array v3 /a");
  });

  it("reads the elements of the version that is named", async () => {
    const read = async (pipeline: string) => {
      const array = (await open(`${server.url}${pipeline}`, { kind: "array" })) as ZarrArray;
      return [...((await get(array)).data as Uint8Array)];
    };
    expect(await read("/r|icechunk://branch.main/|zarr3:a")).toEqual(plainValues);
    expect((await read("/r|icechunk://tag.v1/|zarr3:a")).slice(0, 3)).toEqual([9, 9, 7]);
    expect(await read("/a.zip|zip:in/repo|icechunk:a")).toEqual(plainValues);
  });

  it("requests only the documents of the version", async () => {
    server.seen.length = 0;
    await opened("/d/three/|zarr3:");
    expect(server.log).toEqual(["GET /d/three/zarr.json"]);
  });

  it.each([
    ["/d/three|zarr2:", {}, /^NotFound: expected Zarr v2 because of "zarr2:", found a Zarr v3 array at http/],
    ["/d/|zarr3:two", {}, /^NotFound: expected Zarr v3 because of "zarr3:", found a Zarr v2 array at http/],
    ["/d/|zarr3:none", {}, /^NotFound: no Zarr array or group found/],
    ["/none.zip|zip:a|zarr3:", {}, /^NotFound/],
    ["/d/three/zarr.json|zip:|zarr3:", {}, /^InvalidMetadata/],
    ["/r|icechunk://branch.none/", {}, /^NotFound/],
    ["/d/three|zarr3:", { version: 2 }, /^InvalidArgument: version is 2, but .* has "zarr3:"$/],
    [
      "/r|icechunk://tag.v1/a",
      { branch: "main" },
      /^InvalidArgument: branch is "main", but .* names a version/,
    ],
  ])("fails for %s %j", async (pipeline, options, message) => {
    expect(await failure(() => opened(pipeline, options as OpenOptions))).toMatch(message);
  });

  it.each([
    ["memory:|zarr3:", /^InvalidArgument: cannot read from memory: URLs/],
    ["s3://bucket/a|zarr3:", /^InvalidArgument: cannot read from s3: URLs/],
    ["data.zip|zip:|zarr3:", /^InvalidArgument: "data.zip" is not a URL/],
  ])("fails for %s", async (pipeline, message) => {
    expect(await failure(() => open(pipeline))).toMatch(message);
  });

  it("checks the signal first", async () => {
    const reason = new Error("stop");
    const opening = open(`${server.url}/a.zip|zip:in|zarr:old`, { signal: AbortSignal.abort(reason) });
    await expect(opening).rejects.toBe(reason);
  });

  it("reads files, and names with an encoded | or in URL objects", async () => {
    writeFileSync(path.join(folder, "a|b.zip"), outer);
    const url = pathToFileURL(path.join(folder, "a|b.zip")).href;
    const encoded = `${url.replaceAll("|", "%7C")}|zip:in|zarr2:old`;
    expect((await open(encoded)).zarrFormat).toBe(2);
    expect((await open(new URL(url), { path: "in/old" })).zarrFormat).toBe(2);
  });
});

it("copy takes pipelines as its source; writes refuse them", async () => {
  const target = new Map<string, Uint8Array>();
  await copy(`${server.url}/a.zip|zip:in|zarr2:old`, target);
  expect([...((await get((await open(target)) as ZarrArray)).data as Uint8Array)]).toEqual([5, 5, 5]);
  const writing = () => create("file:///none|zarr3:", { shape: [1], dtype: "uint8" });
  expect(await failure(writing)).toMatch(/^InvalidArgument: .* is a URL pipeline, which can only be read/);
});
