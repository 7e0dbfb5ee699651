// Icechunk repositories made by the tests' writer: versions, requests, virtual chunks, errors.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  get,
  isZarrError,
  type OpenOptions,
  open,
  type ZarrArray,
  type ZarrError,
  type ZarrGroup,
} from "zarr-wasm";
import { IcechunkStore } from "zarr-wasm/formats";
import { arrayDocument, idOf, idText, repoFile, snapshotFile } from "../../shared/icechunk-writer.mjs";
import {
  bytesOf,
  days,
  nodesOf,
  type Objects,
  plainReferences,
  plainValues,
  repository,
  repositoryV1,
  snapshotIds,
} from "../support/icechunk-repository.js";
import { ObjectServer } from "../support/store-server.js";
import { writeZip } from "../support/zip-builder.js";

const read = async (source: Objects | string, options: OpenOptions = {}): Promise<number[]> => {
  const array = await open(source, { ...options, path: "a", kind: "array" });
  return [...((await get(array, null)).data as Uint8Array)];
};

/** Tag and code of a promise's rejection. */
const failure = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    (value) => expect.fail(`there is a value: ${JSON.stringify(value)}`),
    (cause: unknown) => cause,
  );
  if (!isZarrError(error)) throw error;
  return `${error._tag} ${error.code}`;
};

const listed = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

const ones = Array.from({ length: 24 }, () => 7);

describe("versions", () => {
  it.each([
    ["nothing", {}, plainValues],
    ["a branch", { branch: "main" }, plainValues],
    ["a snapshot", { snapshot: snapshotIds[2] }, plainValues],
  ])("of %s", async (_, options, values) => {
    expect(await read(repository(), options)).toEqual(values);
  });

  it("of a tag, another branch, a time", async () => {
    const older = ones.map((value, i) => ([0, 1, 6, 7].includes(i) ? 9 : value));
    for (const options of [
      { tag: "v1" },
      { branch: "old" },
      { asOf: new Date(days[1]!) },
      { asOf: "2025-01-02T23:59Z" },
    ])
      expect(await read(repository(), options)).toEqual(older);
  });

  it.each([
    [{ branch: "none" }, "NotFound no-version"],
    [{ tag: "main" }, "NotFound no-version"],
    [{ snapshot: idText(idOf(99)) }, "NotFound no-version"],
    [{ asOf: "2024-12-31" }, "NotFound no-version"],
    [{ snapshot: "../../x" }, "InvalidArgument invalid-argument"],
    [{ branch: "main", tag: "v1" }, "InvalidArgument invalid-argument"],
    [{ tag: "v1", asOf: "2025-01-01" }, "InvalidArgument invalid-argument"],
    [{ asOf: "yesterday" }, "InvalidArgument invalid-argument"],
    [{ virtual: 5 as never }, "InvalidArgument invalid-argument"],
    [{ virtual: null as never }, "InvalidArgument invalid-argument"],
  ])("%j is %s", async (options, expected) => {
    expect(await failure(read(repository(), options))).toBe(expected);
  });

  it("lists refs and history", async () => {
    const store = await IcechunkStore.open(repository());
    expect(await store.branches()).toEqual([
      { name: "main", snapshot: snapshotIds[2] },
      { name: "old", snapshot: snapshotIds[1] },
    ]);
    expect(await store.tags()).toEqual([{ name: "v1", snapshot: snapshotIds[1] }]);
    expect(await listed(store.history())).toEqual(
      ["changed", "filled", "made"].map((message, i) => ({
        message,
        snapshot: snapshotIds[2 - i],
        time: new Date(days[2 - i]!),
      })),
    );
  });

  it("refuses history that leads in a circle", async () => {
    const objects = repository();
    const snapshots = [0, 1].map((number) => ({ id: idOf(11 + number), parent: 1 - number }));
    objects.set("/repo", repoFile({ snapshots, branches: [{ name: "main", index: 1 }] }));
    const store = await IcechunkStore.open(objects);
    expect(await failure(listed(store.history()))).toBe("InvalidMetadata bad-icechunk");
  });

  it("reads repositories of version 1", async () => {
    expect(await read(repositoryV1())).toEqual(plainValues);
    const store = await IcechunkStore.open(repositoryV1(), { tag: "v1" });
    expect(store.snapshot).toBe(snapshotIds[0]);
    expect((await IcechunkStore.open(repositoryV1(), { branch: "entwürfe" })).snapshot).toBe(snapshotIds[0]);
    expect(await store.tags()).toEqual([{ name: "v1", snapshot: snapshotIds[0] }]);
    expect((await store.branches()).map(({ name }) => name)).toEqual(["entwürfe", "main"]);
    expect(await failure(IcechunkStore.open(repositoryV1(), { tag: "gone" }))).toBe("NotFound no-version");
    const newest = await IcechunkStore.open(repositoryV1());
    expect((await listed(newest.history())).map(({ message }) => message)).toEqual(["filled", "made"]);
    expect((await IcechunkStore.open(repositoryV1(), { asOf: new Date(days[0]!) })).snapshot).toBe(
      snapshotIds[0],
    );
  });
});

describe("nodes", () => {
  it("are listed, and opened without their parents", async () => {
    const nodes = nodesOf(idOf(50));
    const group = nodes[0]!;
    const paths = ["/b/c/d", "/b/c-d", "/b.c", "/é", "/𐀀"].map((path) => ({ ...group, path }));
    const sorted = [...nodes, ...paths].sort((a, b) =>
      Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)),
    );
    const root = await open(repository({ nodes: sorted }), { kind: "group" });
    expect((await root.members()).map(({ name }) => name)).toEqual(["a", "b.c", "é", "𐀀"].sort());
    expect((await root.open("b/c/d")).kind).toBe("group");
    expect((await root.open("𐀀")).kind).toBe("group");
    expect(await failure(root.open("b/c"))).toBe("NotFound not-found");
  });

  it("have the keys of the default encoding, and no old consolidated metadata", async () => {
    const [group, array] = nodesOf(idOf(50)) as [
      ReturnType<typeof nodesOf>[0],
      ReturnType<typeof nodesOf>[1],
    ];
    const stale = { ...(group!.document as object), consolidated_metadata: { kind: "inline", metadata: {} } };
    const encoding = { chunk_key_encoding: { name: "v2", configuration: { separator: "." } } };
    const nodes = [
      { ...group!, document: stale },
      { ...array!, document: arrayDocument([4, 6], [2, 2], encoding) },
    ];
    const objects = repository({ nodes });
    expect(await read(objects)).toEqual(plainValues);
    const root = (await open(objects, { kind: "group" })) as ZarrGroup;
    expect(root.isConsolidated).toBe(false);
    expect((await root.members()).map(({ name }) => name)).toEqual(["a"]);
  });

  it.each(["/b/../c", "b", "/b//c", "/b/", "/./b", "//"])("of the path %s are refused", async (path) => {
    const nodes = nodesOf(idOf(50));
    const sorted = [...nodes, { ...nodes[0]!, path }].sort((a, b) =>
      Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)),
    );
    expect(await failure(open(repository({ nodes: sorted })))).toBe("InvalidMetadata bad-icechunk");
  });
});

describe("over HTTP", () => {
  let server: ObjectServer;
  beforeAll(async () => {
    server = await new ObjectServer().start();
  });
  afterAll(() => server.close());

  const serve = (objects: Objects): string => {
    server.objects.clear();
    for (const [key, bytes] of objects) server.objects.set(`/r${key}`, bytes);
    server.seen.length = 0;
    return `${server.url}/r`;
  };
  const firstChunk = async (source: string, options: OpenOptions) => {
    const array = (await open(source, { path: "a", ...options })) as ZarrArray;
    return array.getChunk([0, 1]);
  };
  const [snapshot, manifest] = [`GET /r/snapshots/${snapshotIds[2]}`, `GET /r/manifests/${idText(idOf(50))}`];
  const chunk = `GET /r/chunks/${idText(idOf(100))} bytes=2-5`;

  it("takes four requests to the first chunk, and one to the next", async () => {
    const url = serve(repository());
    const array = (await open(url, { path: "a", branch: "main" })) as ZarrArray;
    expect([...((await array.getChunk([0, 1])).data as Uint8Array)]).toEqual([10, 11, 12, 13]);
    expect(server.log).toEqual(["GET /r/repo", snapshot, manifest, chunk]);
    await array.getChunk([0, 2]);
    await array.getChunk([0, 0]); // inline
    await array.getChunk([1, 2]); // missing
    expect(server.log.slice(4)).toEqual([`GET /r/chunks/${idText(idOf(100))} bytes=6-9`]);
  });

  it("takes three requests if the snapshot is named", async () => {
    await firstChunk(serve(repository()), { snapshot: snapshotIds[2] });
    expect(server.log).toEqual([snapshot, manifest, chunk]);
  });

  it("finds repositories without an option, or by a marker", async () => {
    const url = serve(repository());
    await firstChunk(`icechunk+${url}`, {});
    expect(server.log).toEqual(["GET /r/repo", snapshot, manifest, chunk]);
    server.log.length = 0;
    const marked = await open(new URL(`icechunk+${url}`), { path: "a", kind: "array" });
    expect(marked.shape).toEqual((await open(`icechunk+${url}`, { path: "a", kind: "array" })).shape);
    expect(server.log.filter((line) => /zarr/.test(line))).toEqual([]);
    server.log.length = 0;
    await firstChunk(serve(repository()), {});
    const probes = ["meta", "zarr.json", ".zarray", ".zgroup"].map((name) => `GET /r/a/${name}`);
    expect(server.log.slice(0, 4).sort()).toEqual(probes.sort());
    expect(server.log.slice(4)).toEqual(["GET /r/repo", snapshot, manifest, chunk]);
  });

  it("does not look for repositories if the caller does not want other formats", async () => {
    const opening = open(serve(repository()), { path: "a", otherFormats: false });
    expect(await failure(opening)).toBe("NotFound not-found");
    const probes = ["meta", "zarr.json", ".zarray", ".zgroup"].map((name) => `GET /r/a/${name}`);
    expect(server.log.sort()).toEqual(probes.sort());
  });

  it("reads repositories in archives, if they are marked or the caller names a version", async () => {
    const parts = (objects: Objects) =>
      writeZip([...objects].map(([key, bytes]) => ({ name: key.slice(1), bytes })));
    server.objects.clear();
    server.objects.set("/repo.zip", parts(repository()));
    server.objects.set("/v1.zip", parts(repositoryV1()));
    expect(await read(`icechunk+${server.url}/repo.zip`)).toEqual(plainValues);
    expect(await read(`${server.url}/repo.zip`, { tag: "v1" })).toEqual(
      await read(repository(), { tag: "v1" }),
    );
    expect(await read(`${server.url}/v1.zip`, { branch: "main" })).toEqual(plainValues);
  });

  it("takes no more requests for ordinary stores than before", async () => {
    const document = new TextEncoder().encode(JSON.stringify(arrayDocument([2], [2])));
    await open(
      serve(
        new Map([
          ["/a/zarr.json", document],
          ["/repo/zarr.json", document],
        ]),
      ),
      { path: "a" },
    );
    expect(server.log.filter((line) => /repo|refs/.test(line))).toEqual([]);
  });

  it("requests a manifest once for concurrent reads", async () => {
    const array = (await open(serve(repository()), { path: "a", branch: "main" })) as ZarrArray;
    expect([...((await get(array, null)).data as Uint8Array)]).toEqual(plainValues);
    expect(server.log.filter((line) => line === manifest)).toHaveLength(1);
  });

  it("treats 403 as absent if the other entry exists", async () => {
    server.behaviour = {
      trouble: ({ url = "" }) => (server.objects.has(decodeURIComponent(url)) ? undefined : { status: 403 }),
    };
    try {
      expect(await read(serve(repositoryV1()))).toEqual(plainValues);
      expect(await read(serve(repositoryV1()), { branch: "main" })).toEqual(plainValues);
      const lost = repository();
      lost.delete(`/manifests/${idText(idOf(50))}`);
      expect(await failure(read(serve(lost)))).toBe("Network http-status");
    } finally {
      server.behaviour = {};
    }
  });

  describe("virtual chunks", () => {
    const prefix = "s3://bucket/data/";
    const virtual = (...more: object[]) =>
      repository({
        references: plainReferences.map((reference, i) =>
          i === 1
            ? {
                index: [0, 1],
                location: `${prefix}x%20y.nc`,
                offset: 3,
                length: 4,
                ...Object.assign({}, ...more),
              }
            : reference,
        ),
      });
    const file = bytesOf(1, 2, 3, 10, 11, 12, 13, 4);
    const allowed = () => ({ virtual: { [prefix]: `${server.url}/mirror/` } });
    const serveAll = (objects: Objects) => {
      const url = serve(objects);
      server.objects.set("/mirror/x y.nc", file);
      return url;
    };

    it("are read from the location that the caller names", async () => {
      expect(await read(serveAll(virtual()), allowed())).toEqual(plainValues);
      expect(server.log).toContain("GET /mirror/x%20y.nc bytes=3-6");
      const store = new Map([["/x y.nc", file]]);
      expect(await read(virtual(), { virtual: { [prefix]: store } })).toEqual(plainValues);
    });

    it("are cut out of whole responses", async () => {
      server.behaviour = { ranges: "whole" };
      try {
        expect(await read(serveAll(virtual()), allowed())).toEqual(plainValues);
      } finally {
        server.behaviour = {};
      }
    });

    it.each([
      ["no prefix", {}],
      ["another prefix", { "s3://bucket/dat/": "http://127.0.0.1:1/" }],
      ["another bucket", { "s3://other/data/": "http://127.0.0.1:1/" }],
    ])("are not read with %s allowed", async (_, allow) => {
      expect(await failure(read(virtual(), { virtual: allow }))).toBe("NotAllowed not-allowed");
    });

    it.each([
      `${prefix}../secret`,
      `${prefix}a/%2e%2e/%2e%2e/secret`,
      `${prefix}a%2f..%2f..%2fsecret`,
      `${prefix}a\\b`,
      "s3://user:word@bucket/data/x",
      "javascript:alert(1)",
      "data/x",
      "ftp://bucket/data/x",
      `${prefix}%zz`,
      "vcc://unknown/x",
    ])("at %s are not read", async (location) => {
      expect(await failure(read(serveAll(virtual({ location })), allowed()))).toBe("NotAllowed not-allowed");
      expect(server.log.filter((line) => line.includes("mirror"))).toEqual([]);
    });

    it("use the longest prefix, and the caller's names", async () => {
      const url = serveAll(virtual());
      const both = { [prefix]: `${server.url}/mirror/`, "s3://bucket/": `${server.url}/nowhere/` };
      expect(await read(url, { virtual: both })).toEqual(plainValues);
      const named = serveAll(virtual({ location: "vcc://Archive/x y.nc" }));
      expect(await read(named, { virtual: { "vcc://archive/": `${server.url}/mirror/` } })).toEqual(
        plainValues,
      );
    });

    it.each([
      [{ etag: '"1"' }, {}],
      [{ etag: "1" }, { etag: 'W/"1"' }],
      [{ modified: 1_700_000_000 }, { "last-modified": new Date(1_700_000_000_000).toUTCString() }],
      [{ modified: 1_700_000_000 }, { "last-modified": new Date(1_600_000_000_000).toUTCString() }],
    ])("that match the recorded state (%j) are read", async (noted, sent) => {
      server.behaviour = { headers: (headers) => ({ ...headers, ...sent }) };
      try {
        expect(await read(serveAll(virtual(noted)), allowed())).toEqual(plainValues);
      } finally {
        server.behaviour = {};
      }
    });

    it.each([
      [{ etag: '"2"' }, {}, "SourceChanged source-changed"],
      [
        { modified: 1_600_000_000 },
        { "last-modified": new Date(1_700_000_000_000).toUTCString() },
        "SourceChanged source-changed",
      ],
      [{ modified: 1_600_000_000 }, {}, "SourceChanged source-unverified"],
    ])("of a source that moved (%j) are refused", async (noted, sent, expected) => {
      server.behaviour = { headers: (headers) => ({ ...headers, ...sent }) };
      try {
        expect(await failure(read(serveAll(virtual(noted)), allowed()))).toBe(expected);
      } finally {
        server.behaviour = {};
      }
    });

    it("may be read unverified, but not changed", async () => {
      const options = { ...allowed(), checkSources: false };
      const values = async (objects: Objects) => {
        const store = await IcechunkStore.open(serveAll(objects), options);
        const array = await open(store, { path: "a", kind: "array" });
        return [...((await get(array, null)).data as Uint8Array)];
      };
      expect(await values(virtual({ modified: 1_600_000_000 }))).toEqual(plainValues);
      expect(await failure(values(virtual({ etag: '"2"' })))).toBe("SourceChanged source-changed");
    });

    it("of a source that is gone or too short are refused", async () => {
      expect(await failure(read(serve(virtual()), allowed()))).toBe("Network bad-target");
      expect(await failure(read(serveAll(virtual({ length: 6 })), allowed()))).toBe("Network bad-target");
      expect(await failure(read(serveAll(virtual({ offset: 100 })), allowed()))).toBe("Network bad-target");
    });

    it("get no headers of the repository's", async () => {
      const seen: [string, string | undefined][] = [];
      server.behaviour = {
        trouble: ({ url = "", headers }) => void seen.push([url, headers["authorization"]]),
      };
      try {
        const store = await IcechunkStore.open(serveAll(virtual()), {
          ...allowed(),
          headers: { authorization: "secret" },
        });
        await get(await open(store, { path: "a", kind: "array" }), null);
      } finally {
        server.behaviour = {};
      }
      expect(seen.filter(([url]) => url.startsWith("/mirror"))).toEqual([["/mirror/x%20y.nc", undefined]]);
      expect(seen.find(([url]) => url === "/r/repo")).toEqual(["/r/repo", "secret"]);
    });
  });
});

describe("lost or damaged files", () => {
  it.each([
    ["snapshots", snapshotIds[2]!],
    ["manifests", idText(idOf(50))],
    ["chunks", idText(idOf(100))],
  ])("of %s are not a missing chunk", async (folder, id) => {
    const objects = repository();
    objects.delete(`/${folder}/${id}`);
    expect(await failure(read(objects))).toBe("Network bad-target");
  });

  it("of chunks that are too short", async () => {
    const objects = repository();
    objects.set(`/chunks/${idText(idOf(101))}`, bytesOf(40, 41, 42));
    expect(await failure(read(objects))).toBe("Network bad-target");
    const error = await read(objects).catch((cause: unknown) => cause);
    const { message, chunkKey } = error as ZarrError;
    expect(chunkKey).toMatch(/^.+$/);
    expect(message).toMatch(/^chunk .* bytes too short$/);
    expect(message.split(`${chunkKey}: `)).toHaveLength(2);
  });

  it("of references of no kind, two kinds or no bytes, out of order, or of another rank", async () => {
    const swap = (at: number, reference: object) =>
      repository({
        references: plainReferences.map((own, i) => (i === at ? { ...own, ...reference } : own)),
      });
    const [first, second, ...rest] = plainReferences;
    for (const objects of [
      repository({ references: [{ index: [0, 0], length: 4 }] }),
      swap(1, { inline: bytesOf(1, 2, 3, 4) }),
      swap(1, { length: 0 }),
      swap(1, { offset: 2n ** 64n - 2n }),
      swap(1, { length: 2n ** 53n }),
      swap(1, { index: [0] }),
      repository({ references: [second!, first!, ...rest] }),
      repository({ references: [first!, first!, ...rest] }),
    ])
      expect(await failure(read(objects))).toBe("InvalidMetadata bad-icechunk");
    expect(await failure(read(swap(1, { length: 2 ** 40 })))).toBe("LimitExceeded limit-exceeded");
  });

  it("of files of a future version, and of the wrong kind", async () => {
    const [group] = nodesOf(idOf(50));
    const future = { ...{ version: 3 } };
    const objects = repository();
    objects.set(`/snapshots/${snapshotIds[2]}`, snapshotFile(idOf(13), [group!], future));
    expect(await failure(read(objects))).toBe("FutureVersion future-version");
    objects.set("/repo", repoFile({ snapshots: [], branches: [], specVersion: 9 }));
    expect(await failure(read(objects))).toBe("FutureVersion future-version");
    objects.set("/repo", objects.get(`/snapshots/${snapshotIds[1]}`)!);
    expect(await failure(read(objects))).toBe("InvalidMetadata bad-icechunk");
    objects.set("/repo", new TextEncoder().encode("<html>"));
    expect(await failure(read(objects, { branch: "main" }))).toBe("InvalidMetadata bad-icechunk");
  });

  it("of snapshots under another one's name", async () => {
    const objects = repository();
    objects.set(`/snapshots/${snapshotIds[2]}`, objects.get(`/snapshots/${snapshotIds[1]}`)!);
    expect(await failure(read(objects))).toBe("InvalidMetadata bad-icechunk");
  });

  it("of no repository at all", async () => {
    expect(await failure(read(new Map()))).toBe("NotFound not-found");
    expect(await failure(read(new Map(), { branch: "main" }))).toBe("NotFound wrong-kind");
  });
});
