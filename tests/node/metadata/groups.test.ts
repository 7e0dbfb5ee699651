// Groups: members from consolidated metadata and from listing, and the requests for opening them.
import { afterEach, describe, expect, it } from "vitest";
import { get, HttpStore, MapStore, open, type Store, ZarrGroup, type ZarrWarning } from "zarr-wasm";
import { ObjectServer } from "../support/store-server.js";
import { errorOf } from "../support/support.js";
import { CountingStore, documents, json, v2Meta, v3Meta } from "../support/zarr-writer.js";

const v3Group = (fields: Record<string, unknown> = {}) => ({ zarr_format: 3, node_type: "group", ...fields });
const v2Group = { zarr_format: 2 };
const inline = (metadata: unknown) => ({
  consolidated_metadata: { must_understand: false, kind: "inline", metadata },
});
const openGroup = (store: Store, options = {}) => open(store, { kind: "group", ...options });
const namesOf = async (group: ZarrGroup) =>
  (await group.members()).map(({ name, kind }) => `${name} ${kind}`);

/** The same hierarchy in both versions, and the paths of its nodes in order. */
const paths = ["a", "a/b", "a/b/x", "a/y", "z"];
const isArray = (path: string) => /[xyz]$/.test(path);
const v3Nodes = Object.fromEntries(
  paths.map((path) => [
    path,
    isArray(path) ? v3Meta({ attributes: { at: path } }) : v3Group({ attributes: { at: path } }),
  ]),
);
const v2Nodes = Object.fromEntries(
  paths.flatMap((path) => [
    [`${path}/${isArray(path) ? ".zarray" : ".zgroup"}`, isArray(path) ? v2Meta() : v2Group],
    [`${path}/.zattrs`, { at: path }],
  ]),
);

function v3Hierarchy(root: Record<string, unknown> = {}, prefix = "") {
  const nodes = Object.entries(v3Nodes).map(([path, node]) => [`${prefix}/${path}/zarr.json`, node]);
  return documents({ [`${prefix}/zarr.json`]: v3Group(root), ...Object.fromEntries(nodes) });
}

function v2Hierarchy(root: Record<string, unknown> = {}, prefix = "") {
  const nodes = Object.entries({ ".zgroup": v2Group, ".zattrs": { at: "root" }, ...v2Nodes, ...root });
  return documents(Object.fromEntries(nodes.map(([key, node]) => [`${prefix}/${key}`, node])));
}

const v2Consolidated = (metadata: Record<string, unknown> = v2Nodes) => ({
  ".zmetadata": { zarr_consolidated_format: 1, metadata: { ".zgroup": v2Group, ...metadata } },
});

/** Groups inside consolidated metadata as zarr-python writes them: without nested consolidated metadata. */
const withEmptyOnes = Object.fromEntries(
  Object.entries(v3Nodes).map(([path, node]) => [path, isArray(path) ? node : { ...node, ...inline({}) }]),
);

const stores: [string, 2 | 3, boolean, (prefix?: string) => MapStore][] = [
  ["v3, listed", 3, false, (prefix) => v3Hierarchy({}, prefix)],
  ["v3, consolidated", 3, true, (prefix) => v3Hierarchy(inline(v3Nodes), prefix)],
  ["v3, consolidated by zarr-python", 3, true, (prefix) => v3Hierarchy(inline(withEmptyOnes), prefix)],
  ["v3, consolidated null", 3, false, (prefix) => v3Hierarchy({ consolidated_metadata: null }, prefix)],
  ["v2, listed", 2, false, (prefix) => v2Hierarchy({}, prefix)],
  ["v2, consolidated", 2, true, (prefix) => v2Hierarchy(v2Consolidated(), prefix)],
];

describe.each(stores)("a group of %s", (_what, version, isConsolidated, make) => {
  it.each(["", "deep/down"])("has members and nodes below them, at %j", async (path) => {
    const group = await openGroup(make(path && `/${path}`), { path });
    expect([group.kind, group.zarrFormat, group.path, group.isConsolidated]).toEqual([
      "group",
      version,
      path,
      isConsolidated,
    ]);
    expect(await namesOf(group)).toEqual(["a group", "z array"]);
    const inner = await group.open("a", { kind: "group" });
    expect(inner.isConsolidated).toBe(isConsolidated);
    expect(await namesOf(inner)).toEqual(["b group", "y array"]);
    const prefix = path && `${path}/`;
    expect((await inner.members()).map((member) => member.path)).toEqual([`${prefix}a/b`, `${prefix}a/y`]);
    const array = await group.open("/a/b/x/", { kind: "array" });
    expect([array.path, array.attributes, array.shape]).toEqual([`${prefix}a/b/x`, { at: "a/b/x" }, [4, 6]]);
    expect((await get(array)).data.length).toBe(24);
  });

  it("is walked, groups before their members", async () => {
    const seen: string[] = [];
    for await (const node of (await openGroup(make())).walk()) seen.push(node.path);
    expect(seen).toEqual(paths);
  });

  it("reports the kind found when the caller asks for the other", async () => {
    const group = await openGroup(make());
    for (const [path, kind] of [
      ["a", "array"],
      ["z", "group"],
    ] as const) {
      const error = await errorOf(() => group.open(path, { kind } as never));
      expect([error._tag, error.code]).toEqual(["NotFound", "wrong-kind"]);
    }
    expect((await errorOf(() => group.open("nothing")))._tag).toBe("NotFound");
    expect((await errorOf(() => group.open("a/../../b")))._tag).toBe("InvalidArgument");
    expect((await group.open("")).path).toBe("");
  });

  it("opens what consolidated metadata names without a request", async () => {
    const counting = new CountingStore(make());
    const group = await openGroup(counting);
    counting.reset();
    expect((await group.members()).length).toBe(2);
    for (const path of paths) {
      const node = await group.open(path);
      if (node.kind === "group") expect((await node.members()).length).toBeGreaterThan(0);
      expect(node.attributes).toEqual({ at: path });
    }
    const requests = counting.requests.length;
    if (isConsolidated) expect(requests).toBe(0);
    else expect(requests).toBeGreaterThan(paths.length);
    // Nodes missing from it are looked up in the store.
    await errorOf(() => group.open("new"));
    expect(counting.requests.length).toBeGreaterThan(requests);
  });
});

describe("consolidated metadata", () => {
  const withWarnings = async (store: Store) => {
    const warnings: string[] = [];
    const group = await openGroup(store, { onWarning: (w: ZarrWarning) => warnings.push(w.code) });
    return { group, warnings };
  };

  it.each([
    ["v3", "a string"],
    ["v3", []],
    ["v3", {}],
    ["v3", { kind: "other", metadata: {} }],
    ["v3", { kind: "inline" }],
    ["v3", { kind: "inline", metadata: [] }],
    ["v2", "no json"],
    ["v2", []],
    ["v2", {}],
    ["v2", { zarr_consolidated_format: 2, metadata: {} }],
    ["v2", { zarr_consolidated_format: "1", metadata: {} }],
    ["v2", { zarr_consolidated_format: 1 }],
    ["v2", { zarr_consolidated_format: 1, metadata: "x" }],
  ])("of %s that is %j is ignored with a warning", async (version, value) => {
    const store =
      version === "v3" ? v3Hierarchy({ consolidated_metadata: value }) : v2Hierarchy({ ".zmetadata": value });
    const { group, warnings } = await withWarnings(store);
    expect(warnings).toEqual(["consolidated"]);
    expect(group.isConsolidated).toBe(false);
    expect(await namesOf(group)).toEqual(["a group", "z array"]);
  });

  const hostile = [
    "../x",
    "a/../../x",
    ".",
    "..",
    "",
    "/x",
    "x/",
    "a//b",
    "a\\b",
    "a\0",
    "zarr.json/../../x",
  ];
  it("is not trusted if names lead elsewhere", async () => {
    const array = v3Meta();
    const metadata = Object.fromEntries(hostile.map((name) => [name, array]));
    const v3 = await openGroup(v3Hierarchy(inline({ ...metadata, good: array })));
    expect(await namesOf(v3)).toEqual(["good array"]);
    const keys = Object.fromEntries(hostile.map((name) => [`${name}/.zarray`, v2Meta()]));
    const v2 = await openGroup(v2Hierarchy(v2Consolidated({ ...keys, "good/.zarray": v2Meta() })));
    expect(await namesOf(v2)).toEqual(["good array"]);
    const outside = documents({ "/in/zarr.json": v3Group(inline({ "../x": array })) });
    const inner = await openGroup(outside, { path: "in" });
    expect(await namesOf(inner)).toEqual([]);
    expect((await errorOf(() => open(outside, { path: "x" })))._tag).toBe("NotFound");
  });

  it("may have names of Object.prototype", async () => {
    const names = ["__proto__", "constructor", "hasOwnProperty", "toString"];
    const text = `{${names.map((name) => `"${name}": ${JSON.stringify(v3Meta())}`).join()}}`;
    const group = await openGroup(
      documents({
        "/zarr.json": JSON.stringify(v3Group(inline("here"))).replace('"here"', text),
      }),
    );
    expect((await group.members()).map(({ name }) => name)).toEqual([...names].sort());
    for (const name of names) expect((await group.open(name)).kind).toBe("array");
    const other = await openGroup(v3Hierarchy(inline({ x: v3Meta() })));
    for (const name of names) expect((await errorOf(() => other.open(name)))._tag).toBe("NotFound");
  });

  it("skips entries that are not nodes, and warns of invalid ones", async () => {
    const group = await openGroup(
      v3Hierarchy(
        inline({
          n: null,
          t: "text",
          l: [],
          o: {},
          k: { node_type: "file" },
          v2: { zarr_format: 2 },
          bad: v3Meta({ shape: "?" }),
        }),
      ),
    );
    expect(await namesOf(group)).toEqual(["bad array"]);
    expect((await errorOf(() => group.open("bad")))._tag).toBe("InvalidMetadata");
    const older = await openGroup(
      v2Hierarchy(v2Consolidated({ "n/.zarray": null, "l/.zgroup": [], "bad/.zarray": {} })),
    );
    expect(await namesOf(older)).toEqual(["bad array"]);
    expect((await errorOf(() => older.open("bad")))._tag).toBe("InvalidMetadata");
  });

  it("may be older than the store's documents", async () => {
    for (const store of [
      v3Hierarchy(inline({ gone: v3Meta() })),
      v2Hierarchy(v2Consolidated({ "gone/.zarray": v2Meta() })),
    ]) {
      const group = await openGroup(store);
      expect(await namesOf(group)).toEqual(["gone array"]);
      // A node missing from it is still found by its path; deleted chunks are missing.
      expect((await group.open("a/b/x")).attributes).toEqual({ at: "a/b/x" });
      const gone = await group.open("gone", { kind: "array" });
      expect([...((await get(gone)).data as Int32Array)]).toEqual(Array(24).fill(0));
    }
  });

  it("does not list the members of groups that it lacks", async () => {
    const x = v3Meta({ attributes: { at: "consolidated" } });
    const group = await openGroup(v3Hierarchy(inline({ "a/b/x": x, z: v3Meta() })));
    expect(await namesOf(group)).toEqual(["z array"]);
    const inner = await group.open("a", { kind: "group" });
    expect([inner.isConsolidated, await namesOf(inner)]).toEqual([false, ["b group", "y array"]]);
    expect((await group.open("a/b/x")).attributes).toEqual({ at: "consolidated" });
  });

  it("of a subgroup is used if that is opened directly", async () => {
    const store = v3Hierarchy();
    store.set("/a/zarr.json", json(v3Group(inline({ only: v3Meta() }))));
    const group = await openGroup(store);
    expect(await namesOf(await group.open("a", { kind: "group" }))).toEqual(["only array"]);
    const older = v2Hierarchy();
    older.set("/a/.zmetadata", json(v2Consolidated({ "only/.zarray": v2Meta() })[".zmetadata"]));
    expect(await namesOf(await (await openGroup(older)).open("a", { kind: "group" }))).toEqual([
      "only array",
    ]);
  });

  it("is rejected if it is too large or nested too deep", async () => {
    for (const store of [v3Hierarchy(inline(v3Nodes)), v2Hierarchy(v2Consolidated())]) {
      const error = await errorOf(() => openGroup(store, { limits: { metadataBytes: 200 } }));
      expect(error._tag).toBe("LimitExceeded");
    }
    const deep = `{"zarr_consolidated_format": 1, "metadata": ${"[".repeat(1e5)}`;
    const error = await errorOf(() => openGroup(v2Hierarchy({ ".zmetadata": deep })));
    expect(error._tag).toBe("LimitExceeded");
  });
});

describe("listing", () => {
  it("opens a bounded number of nodes at a time", async () => {
    const names = Array.from({ length: 500 }, (_, i) => `n${i}`);
    const counting = new CountingStore(documents({ "/zarr.json": v3Group() }));
    counting.before = () => new Promise((resolve) => setTimeout(resolve, 0));
    const store: Store = { get: (key) => counting.get(key), listChildren: () => names };
    const group = await openGroup(store);
    // The answers about older versions that `open` did not wait for.
    while (counting.running > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    counting.reset();
    expect(await group.members()).toEqual([]);
    expect(counting.requests.length).toBe(3 * 500);
    expect(counting.peak).toBeLessThanOrEqual(3 * 32);
  });

  it("skips entries that are not nodes, warns of unreadable ones", async () => {
    const store = v3Hierarchy();
    store.set("/chunks/0/0", Uint8Array.of(1));
    store.set("/file", Uint8Array.of(1));
    store.set("/broken/zarr.json", json([]));
    store.set("/odd/zarr.json", json({ zarr_format: 3, node_type: "?" }));
    store.set("/older/.zarray", json(v2Meta()));
    const warnings: ZarrWarning[] = [];
    const group = await openGroup(store, { onWarning: (w: ZarrWarning) => warnings.push(w) });
    expect(await namesOf(group)).toEqual(["a group", "older array", "z array"]);
    expect(warnings.map(({ code }) => code)).toEqual(["bad-member", "bad-member"]);
    expect(warnings.map(({ message }) => /"\/(broken|odd)"/.exec(message)?.[1]).sort()).toEqual([
      "broken",
      "odd",
    ]);
    expect((await errorOf(() => group.open("broken")))._tag).toBe("InvalidMetadata");
  });

  it("keeps to the requested version", async () => {
    const store = v2Hierarchy({ "z/zarr.json": v3Meta(), "three/zarr.json": v3Meta() });
    const group = await openGroup(store, { version: 2 });
    expect(await namesOf(group)).toEqual(["a group", "z array"]);
    expect((await group.open("z", { kind: "array" })).zarrFormat).toBe(2);
  });

  it("passes on errors of the store", async () => {
    const counting = new CountingStore(v3Hierarchy());
    const store: Store = { get: (key) => counting.get(key), listChildren: () => ["a", "z"] };
    const group = await openGroup(store);
    counting.before = (key) => {
      if (key === "/z/zarr.json") throw new Error("no power");
    };
    expect((await errorOf(() => group.members())).message).toBe("no power");
  });

  it("works on a Map, a MapStore and a store that lists keys", async () => {
    const { entries } = v3Hierarchy();
    const keys: Store = { get: (key) => entries.get(key), list: () => entries.keys() };
    for (const store of [entries, new MapStore(entries), keys]) {
      expect(await namesOf(await openGroup(store))).toEqual(["a group", "z array"]);
    }
  });

  it.each([
    ["v3", v3Hierarchy({}), { "/older/.zarray": v2Meta() }, "older"],
    ["v2", v2Hierarchy(), { "/newer/zarr.json": v3Meta() }, "newer"],
  ])("of a %s group names nodes of the other version, and opens them", async (_what, store, added, name) => {
    for (const [key, bytes] of documents(added).entries) store.entries.set(key, bytes);
    const group = await openGroup(store);
    expect(await namesOf(group)).toEqual(["a group", `${name} array`, "z array"].sort());
    expect((await group.open(name)).zarrFormat).not.toBe(group.zarrFormat);
    const seen: string[] = [];
    for await (const { path } of group.walk()) seen.push(path);
    expect(seen.sort()).toEqual([...paths, name].sort());
  });

  it("stops when aborted", async () => {
    const counting = new CountingStore(v3Hierarchy());
    const store: Store = {
      get: (key, options) => counting.get(key, options),
      listChildren: () => ["a", "z"],
    };
    const group = await openGroup(store);
    const controller = new AbortController();
    counting.before = () => {
      controller.abort(new Error("enough"));
      controller.signal.throwIfAborted();
    };
    expect((await errorOf(() => group.members({ signal: controller.signal }))).message).toBe("enough");
    expect((await errorOf(() => group.open("a", { signal: controller.signal }))).message).toBe("enough");
  });
});

describe("versions", () => {
  const all = {
    "/zarr.json": v3Meta({
      shape: [3],
      chunk_grid: { name: "regular", configuration: { chunk_shape: [1] } },
    }),
    "/.zarray": v2Meta({ shape: [2], chunks: [1] }),
    "/.zgroup": v2Group,
    "/meta": {
      zarr_format: 1,
      shape: [1],
      chunks: [1],
      dtype: "<i4",
      compression: null,
      compression_opts: null,
      fill_value: 0,
      order: "C",
    },
    "/attrs": {},
  };
  const without = (...keys: string[]) =>
    documents(Object.fromEntries(Object.entries(all).filter(([key]) => !keys.includes(key))));

  it("are taken newest first, arrays before groups", async () => {
    expect((await open(without())).zarrFormat).toBe(3);
    const v2 = await open(without("/zarr.json"));
    expect([v2.kind, v2.zarrFormat]).toEqual(["array", 2]);
    expect((await open(without("/zarr.json", "/.zarray"))).kind).toBe("group");
    expect((await open(without("/zarr.json", "/.zarray", "/.zgroup"), { kind: "array" })).zarrFormat).toBe(1);
    for (const version of [1, 2, 3] as const)
      expect((await open(without(), { version })).zarrFormat).toBe(version);
    const error = await errorOf(() => open(without("/meta"), { version: 1 }));
    expect([error._tag, error.message]).toEqual(["NotFound", expect.stringMatching(/\/meta$/)]);
  });

  it("that are older are ignored if a newer one exists", async () => {
    for (const bad of ["{", "[]", "\uFEFF{}"]) {
      const store = documents({ ...all, "/.zarray": bad, "/.zgroup": bad, "/meta": bad });
      expect((await open(store)).zarrFormat).toBe(3);
    }
    expect((await open(documents({ "/.zarray": v2Meta(), "/.zgroup": "{", "/meta": "{" }))).zarrFormat).toBe(
      2,
    );
    const broken = await errorOf(() => open(documents({ ...all, "/zarr.json": "{" })));
    expect([broken._tag, broken.message]).toEqual(["InvalidMetadata", expect.stringContaining("zarr.json")]);
  });

  it("are not used if a newer one cannot be read", async () => {
    const counting = new CountingStore(without());
    const failing = (key: string) => {
      counting.before = (asked) => {
        if (asked === key) throw new Error(`no ${key}`);
      };
    };
    failing("/zarr.json");
    expect((await errorOf(() => open(counting))).message).toBe("no /zarr.json");
    for (const key of ["/.zarray", "/.zgroup", "/meta"]) {
      failing(key);
      expect((await open(counting)).zarrFormat).toBe(3);
    }
    failing("/.zarray");
    expect((await errorOf(() => open(counting, { version: 2 }))).message).toBe("no /.zarray");
    const older = new CountingStore(without("/zarr.json", "/.zarray"));
    older.before = (key) => {
      if (key === "/.zarray") throw new Error("no");
    };
    expect((await errorOf(() => open(older))).message).toBe("no");
  });

  it.each([{}, { zarr_format: 1 }, { zarr_format: 3 }, { zarr_format: "2" }])(
    "of a group are checked: %j",
    async (group) => {
      const error = await errorOf(() => open(documents({ "/.zgroup": group })));
      expect([error._tag, error.code]).toEqual(["InvalidMetadata", "invalid-metadata"]);
    },
  );

  it.each([
    [{ node_type: "group" }, "invalid-metadata"],
    [{ zarr_format: 3 }, "invalid-metadata"],
    [{ zarr_format: 2, node_type: "group" }, "invalid-metadata"],
    [{ zarr_format: 3, node_type: "folder" }, "invalid-metadata"],
    [{ zarr_format: 3, node_type: "group", attributes: [] }, "not-json"],
    [{ zarr_format: 3, node_type: "group", extra: {} }, "must-understand"],
    [{ zarr_format: 3, node_type: "group", extra: false }, "must-understand"],
    [{ zarr_format: 3, node_type: "group", extra: { must_understand: true } }, "must-understand"],
  ])("of a v3 group are checked: %j", async (group, code) => {
    const error = await errorOf(() => open(documents({ "/zarr.json": group })));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", code]);
  });

  it("of a v3 group may contain extensions with must_understand false", async () => {
    const group = await openGroup(
      documents({ "/zarr.json": v3Group({ extra: { must_understand: false, x: 1 } }) }),
    );
    expect(group).toBeInstanceOf(ZarrGroup);
    expect(group.attributes).toEqual({});
  });
});

describe("over HTTP", () => {
  const servers: ObjectServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  async function start(store: MapStore) {
    const server = await new ObjectServer(Object.fromEntries(store.entries)).start();
    servers.push(server);
    return { server, http: new HttpStore(server.url, { retries: 0 }) };
  }

  it("groups have members where metadata is consolidated", async () => {
    for (const store of [v3Hierarchy(inline(withEmptyOnes)), v2Hierarchy(v2Consolidated())]) {
      const { http } = await start(store);
      const seen: string[] = [];
      for await (const node of (await openGroup(http)).walk()) seen.push(node.path);
      expect(seen).toEqual(paths);
    }
  });

  it("other groups say that they cannot list, and open nodes by their path", async () => {
    for (const store of [v3Hierarchy(), v2Hierarchy()]) {
      const group = await openGroup((await start(store)).http);
      const error = await errorOf(() => group.members());
      expect([error._tag, error.code]).toEqual(["Unsupported", "no-listing"]);
      expect((await errorOf(() => group.walk().next())).code).toBe("no-listing");
      expect((await group.open("a/b/x")).kind).toBe("array");
    }
  });

  it("groups that are not listed request the documents of their own version only", async () => {
    const { server, http } = await start(v3Hierarchy());
    const group = await openGroup(http);
    expect((await errorOf(() => group.open("labels"))).code).toBe("not-found");
    expect(server.log.filter((line) => line.includes("/labels/"))).toEqual(["GET /labels/zarr.json"]);
  });

  it("a failure of the server is an error, not an older version", async () => {
    const { server, http } = await start(documents({ "/zarr.json": v3Meta(), "/.zarray": v2Meta() }));
    for (const status of [500, 403, 401]) {
      server.behaviour = { trouble: ({ url }) => (url === "/zarr.json" ? { status } : undefined) };
      const error = await errorOf(() => open(http));
      expect([error._tag, error.status]).toEqual(["Network", status]);
      expect((await open(http, { version: 2 })).zarrFormat).toBe(2);
    }
  });
});
