// Hostile stores: excessive demands are typed errors, and take neither the time nor the memory demanded.
import { describe, expect, it } from "vitest";
import {
  defaultLimits,
  get,
  getBytes,
  isZarrError,
  type Limits,
  type MapStore,
  open,
  slice,
} from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { getSession } from "#src/engine/engine.js";
import { sampleFolder } from "../support/parquet-sample.js";
import { bytesOf, errorOf, openArray, v1Meta } from "../support/support.js";
import {
  bytesLittle,
  type Codec,
  crc32c,
  documents,
  sharded,
  v2Meta,
  v3Meta,
  v3Store,
} from "../support/zarr-writer.js";

const megabyte = 2 ** 20;
const codec = (name: string, configuration?: Record<string, unknown>): Codec => ({
  name,
  ...(configuration && { configuration }),
});
const chainOf = (codecs: Codec[], bytes: number) =>
  createCodecChain({ dtype: "uint8", shape: [bytes], codecs: ["bytes", ...codecs] as never });

/** Memory of both modules. */
async function memory(): Promise<number[]> {
  return [(await getSession("decode")).memoryBytes, (await getSession("full")).memoryBytes];
}

/** Every compressor, with its encoder. */
const compressors: [string, Codec][] = [
  ["gzip", codec("gzip", { level: 9 })],
  ["zlib", codec("numcodecs.zlib", { level: 9 })],
  ["zstd", codec("zstd", { level: 3, checksum: false })],
  ["lz4", codec("numcodecs.lz4", { acceleration: 1 })],
  ["bz2", codec("numcodecs.bz2", { level: 9 })],
  ["xz", codec("numcodecs.lzma", { preset: 1 })],
  ...["blosclz", "lz4", "lz4hc", "zlib", "zstd"].map((cname): [string, Codec] => [
    `blosc ${cname}`,
    codec("blosc", { cname, clevel: 9, shuffle: "noshuffle", typesize: 1, blocksize: 0 }),
  ]),
];

describe("decompression bombs", () => {
  const large = 8 * megabyte;

  it.each(compressors)("%s", async (_, compressor) => {
    const encoded = (await chainOf([compressor], large)).encode(new Uint8Array(large));
    const small = await chainOf([compressor], 1000);
    const before = await memory();
    const error = await errorOf(() => small.decode(encoded));
    expect([error._tag, error.code]).toEqual(["CorruptChunk", "size-mismatch"]);
    expect(await memory()).toEqual(before);
  });

  it.each(compressors)("%s, if no metadata gives the decoded size", async (_, compressor) => {
    const encoded = (await chainOf([compressor], large)).encode(new Uint8Array(large));
    const store = v3Store({
      shape: [4],
      data_type: "string",
      fill_value: "",
      chunk_grid: grid(4),
      codecs: [codec("vlen-utf8"), compressor],
    });
    store.entries.set("/c/0", encoded);
    const array = await openArray(store, { limits: { chunkBytes: megabyte } });
    expect((await errorOf(() => get(array)))._tag).toBe("LimitExceeded");
  });

  it("one in another", async () => {
    const twice = [codec("gzip", { level: 9 }), codec("gzip", { level: 9 })];
    const encoded = (await chainOf(twice, large)).encode(new Uint8Array(large));
    const small = await chainOf(twice, 1000);
    expect((await errorOf(() => small.decode(encoded)))._tag).toMatch(/CorruptChunk|LimitExceeded/);
  });
});

const grid = (...chunk_shape: number[]) => ({ name: "regular", configuration: { chunk_shape } });

describe("sizes that headers claim", () => {
  const zeros = (count: number) => new Array<number>(count).fill(0);
  const max = (count: number) => new Array<number>(count).fill(255);
  const zstdFrame = (size: number[]) => [0x28, 0xb5, 0x2f, 0xfd, 0xe0, ...size, 1, 0, 0];
  const bloscFrame = (nbytes: number[], blocksize: number[], cbytes: number[]) => [
    2,
    1,
    0,
    1,
    ...nbytes,
    ...blocksize,
    ...cbytes,
    ...zeros(16),
  ];
  const claims: [string, Codec, number[]][] = [
    ["zstd, 2⁶⁴ − 1 bytes", codec("zstd", { level: 1, checksum: false }), zstdFrame(max(8))],
    ["zstd, 2⁶³ bytes", codec("zstd", { level: 1, checksum: false }), zstdFrame([...zeros(7), 0x80])],
    [
      "zstd, the largest window",
      codec("zstd", { level: 1, checksum: false }),
      [0x28, 0xb5, 0x2f, 0xfd, 0, 0xff, 1, 0, 0],
    ],
    ["lz4, −1 bytes", codec("numcodecs.lz4"), [...max(4), 0]],
    ["lz4, 2³¹ − 1 bytes", codec("numcodecs.lz4"), [255, 255, 255, 127, 0]],
    ["blosc, all sizes 2³² − 1", compressors.at(-1)![1], bloscFrame(max(4), max(4), max(4))],
    [
      "blosc, 2³¹ − 1 bytes in one block",
      compressors.at(-1)![1],
      bloscFrame([255, 255, 255, 127], [255, 255, 255, 127], [32, 0, 0, 0]),
    ],
    [
      "blosc, blocks of one byte",
      compressors.at(-1)![1],
      bloscFrame([232, 3, 0, 0], [1, 0, 0, 0], [32, 0, 0, 0]),
    ],
    [
      "lzma, 2⁶⁴ − 2 bytes",
      codec("numcodecs.lzma", { format: 2, preset: 1 }),
      [0x5d, ...max(4), 254, ...max(7), 0],
    ],
    [
      "lzma, a dictionary of 4 GiB",
      codec("numcodecs.lzma", { format: 2, preset: 1 }),
      [0x5d, ...max(4), ...max(8), 0, 0],
    ],
    [
      "gzip, 2³² − 1 bytes",
      codec("gzip", { level: 1 }),
      [31, 139, 8, 0, 0, 0, 0, 0, 0, 255, 3, 0, ...zeros(4), ...max(4)],
    ],
  ];

  it.each(claims)("%s", async (_, compressor, bytes) => {
    const chain = await chainOf([compressor], 1000);
    await errorOf(() => chain.decode(Uint8Array.of(1, 2, 3))); // contexts are made by now
    const before = await memory();
    const error = await errorOf(() => chain.decode(Uint8Array.from(bytes)));
    expect(error._tag).toBe("CorruptChunk");
    expect(await memory()).toEqual(before);
  });

  const counts = [2 ** 31 - 1, 2 ** 32 - 1, 2 ** 24, 5];
  it.each(counts)("of %i strings", async (count) => {
    const header = new Uint8Array(Uint32Array.of(count, 0, 0, 0, 0).buffer);
    for (const name of ["vlen-utf8", "vlen-bytes"]) {
      const bytes = name === "vlen-bytes";
      const store = v3Store({
        shape: [4],
        data_type: bytes ? "bytes" : "string",
        fill_value: bytes ? [] : "",
        chunk_grid: grid(4),
        codecs: [codec(name)],
      });
      store.entries.set("/c/0", header);
      expect((await errorOf(async () => get(await openArray(store))))._tag).toBe("CorruptChunk");
    }
  });

  it("of one string", async () => {
    const store = v3Store({
      shape: [1],
      data_type: "string",
      fill_value: "",
      chunk_grid: grid(1),
      codecs: [codec("vlen-utf8")],
    });
    store.entries.set("/c/0", new Uint8Array(Uint32Array.of(1, 2 ** 32 - 1, 0).buffer));
    expect((await errorOf(async () => get(await openArray(store))))._tag).toBe("CorruptChunk");
  });
});

describe("metadata", () => {
  const huge = 2 ** 53 - 1;
  const metas: [string, (fields: Record<string, unknown>) => MapStore][] = [
    ["v1", (fields) => documents({ "/meta": v1Meta(fields), "/attrs": {} })],
    ["v2", (fields) => documents({ "/.zarray": v2Meta(fields) })],
    [
      "v3",
      ({ chunks, ...fields }) =>
        documents({
          "/zarr.json": v3Meta({
            ...fields,
            ...(chunks ? { chunk_grid: grid(...(chunks as number[])) } : {}),
          }),
        }),
    ],
  ];

  describe.each(metas)("of %s", (_, storeWith) => {
    it("chunks of more than 2⁵³ bytes", async () => {
      for (const chunks of [
        [huge, huge],
        [2 ** 31, 2 ** 31],
        [2 ** 32, 2],
        [1, huge],
      ]) {
        const error = await errorOf(() => openArray(storeWith({ shape: [huge, huge], chunks })));
        expect(error._tag).toBe("LimitExceeded");
      }
    });

    it("a thousand dimensions", async () => {
      const ones = new Array(1000).fill(1);
      expect((await errorOf(() => openArray(storeWith({ shape: ones, chunks: ones }))))._tag).toBe(
        "LimitExceeded",
      );
    });

    it("grids of 10¹⁸ chunks: elements are read, the whole is refused at once", async () => {
      const array = await openArray(storeWith({ shape: [1e9, 1e9], chunks: [1, 1] }));
      const { data } = await get(array, [slice(999_999_999, 1e9), 5]);
      expect(Array.from(data as Int32Array)).toEqual([0]);
      expect((await errorOf(() => get(array)))._tag).toBe("LimitExceeded");
      expect((await errorOf(() => get(array, [null, slice(0, 1e9, 1e8)])))._tag).toBe("LimitExceeded");
    });
  });

  it("a chain of 10,000 codecs", async () => {
    const v3 = v3Store({ codecs: [bytesLittle, ...new Array(10_000).fill(crc32c)] });
    const v2 = documents({ "/.zarray": v2Meta({ filters: new Array(10_000).fill({ id: "crc32" }) }) });
    for (const store of [v3, v2]) expect((await errorOf(() => openArray(store)))._tag).toBe("LimitExceeded");
  });

  it("codecs in codecs", async () => {
    let nested = codec("conditional", { codecs: [] });
    for (let i = 0; i < 20; i++) nested = codec("conditional", { codecs: [nested, nested] });
    const store = v3Store({ codecs: [bytesLittle, nested] }); // 2²⁰ of them
    expect((await errorOf(() => openArray(store)))._tag).toMatch(/LimitExceeded|InvalidMetadata/);
  });

  it("shards in shards", async () => {
    const nest = (depth: number): Codec[] =>
      depth === 0 ? [bytesLittle] : [sharded([1, 1], nest(depth - 1))];
    const store = (depth: number) => v3Store({ shape: [1, 1], chunk_grid: grid(1, 1), codecs: nest(depth) });
    expect((await errorOf(() => openArray(store(9))))._tag).toBe("LimitExceeded");
    expect(Array.from((await get(await openArray(store(8)))).data as Int32Array)).toEqual([0]);
  });

  it("shards of 2⁵³ inner chunks", async () => {
    for (const side of [2 ** 26, 2 ** 13]) {
      const store = v3Store({ shape: [side, side], chunk_grid: grid(side, side), codecs: [sharded([1, 1])] });
      expect((await errorOf(() => openArray(store)))._tag).toBe("LimitExceeded");
    }
  });

  it("run lengths of rectilinear grids", async () => {
    const rectilinear = (...chunk_shapes: unknown[]) => ({
      name: "rectilinear",
      configuration: { kind: "inline", chunk_shapes },
    });
    const reads = async (shape: number[], ...lists: unknown[]) =>
      openArray(v3Store({ shape, chunk_grid: rectilinear(...lists) }));
    for (const runs of [
      [
        [1, 1e9],
        [2, 1e9],
      ],
      [[huge, huge]],
      [[huge, 2]],
    ]) {
      const error = await errorOf(() => reads([huge], runs));
      expect(error._tag).toMatch(/LimitExceeded|InvalidMetadata/);
    }
    // The largest chunk count that one run can encode is accepted.
    const many = await reads([1e9], [[1, 1e9]]);
    expect(Array.from((await get(many, [slice(999_999_990, null)])).data as Int32Array)).toEqual(
      new Array(10).fill(0),
    );
  });

  it("documents that are deep or large", async () => {
    const deep = `${'{"a":'.repeat(100)}1${"}".repeat(100)}`;
    const text = (attributes: string) =>
      JSON.stringify(v3Meta({ attributes: "here" })).replace('"here"', attributes);
    const store = (document: string) => new Map([["/zarr.json", bytesOf(document)]]);
    expect((await errorOf(() => open(store(text(deep)))))._tag).toBe("LimitExceeded");
    expect((await errorOf(() => open(store("[".repeat(5_000_000)))))._tag).toBe("LimitExceeded");
    const wide = text(`{"a": [${new Array(500_000).fill('"xxxx"').join()}]}`);
    expect((await openArray(store(wide))).attributes["a"]).toHaveLength(500_000);
    expect((await errorOf(() => open(store(wide), { limits: { metadataBytes: megabyte } })))._tag).toBe(
      "LimitExceeded",
    );
  });

  it("data types", async () => {
    const type = (length: unknown) => ({
      name: "fixed_length_utf32",
      configuration: { length_bytes: length },
    });
    for (const length of [2 ** 32, huge, -4, 1.5, 2 ** 31])
      expect(
        (await errorOf(() => openArray(v3Store({ data_type: type(length), fill_value: "" }))))._tag,
      ).toMatch(/LimitExceeded|InvalidMetadata/);
    for (const dtype of ["|S9999999999", "|V2147483648", `<U${2 ** 31}`])
      expect(
        (await errorOf(() => openArray(documents({ "/.zarray": v2Meta({ dtype, fill_value: null }) }))))._tag,
      ).toMatch(/LimitExceeded|InvalidMetadata/);
  });
});

describe("every limit", () => {
  it("can be lowered, and is then kept", async () => {
    const plain = v3Store();
    plain.entries.set("/c/0/0", new Uint8Array(24));
    const nested = v3Store({
      shape: [4, 4],
      chunk_grid: grid(4, 4),
      codecs: [sharded([2, 2], [sharded([1, 1])])],
    });
    const read = async (limits: Partial<Limits>, store = plain) =>
      getBytes(await openArray(store, { limits }));
    const folder = new Map(Object.entries(sampleFolder("x")));
    const readReferences = async (limits: Partial<Limits>) =>
      getBytes(await openArray(folder, { path: "t", limits }));
    const cases: Record<keyof Limits, () => Promise<unknown>> = {
      chunkBytes: () => read({ chunkBytes: 23 }),
      encodedBytes: () => read({ encodedBytes: 23 }),
      metadataBytes: () => read({ metadataBytes: 100 }),
      metadataDepth: () => read({ metadataDepth: 2 }),
      rank: () => read({ rank: 1 }),
      chainLength: () => read({ chainLength: 1 }, v3Store({ codecs: [bytesLittle, crc32c] })),
      shardEntries: () => read({ shardEntries: 3 }, nested),
      shardDepth: () => read({ shardDepth: 1 }, nested),
      resultBytes: () => read({ resultBytes: 95 }),
      readChunks: () => read({ readChunks: 3 }),
      indexBytes: () => readReferences({ indexBytes: 10 }),
      references: () => readReferences({ references: 1 }),
    };
    expect(Object.keys(cases).sort()).toEqual(Object.keys(defaultLimits).sort());
    for (const [name, work] of Object.entries(cases))
      expect((await errorOf(work))._tag, name).toBe("LimitExceeded");
  });
});

describe("keys of Object.prototype, and duplicate keys", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
  const hostile = '{"polluted": true, "id": "zlib", "name": "bytes", "shape": [1], "value": 1}';

  /** Renames a key in every object of a document; returns the results as JSON strings. */
  function* withKey(value: unknown, key: string): Generator<string> {
    const marker = "\u0001";
    const texts = (node: unknown, put: (replacement: unknown) => unknown): string[] => {
      if (typeof node !== "object" || node === null) return [];
      const here = Array.isArray(node) ? [] : [JSON.stringify(put({ ...node, [marker]: 0 }))];
      const below = Object.entries(node).flatMap(([name, child]) =>
        texts(child, (replacement) =>
          put(
            Array.isArray(node)
              ? node.map((item, i) => (String(i) === name ? replacement : item))
              : { ...node, [name]: replacement },
          ),
        ),
      );
      return [...here, ...below];
    };
    for (const text of texts(value, (replacement) => replacement))
      yield text.replace(`"\\u0001":0`, `${JSON.stringify(key)}:${hostile}`);
  }

  const full = v3Meta({
    attributes: { a: { b: [{ c: 1 }] } },
    codecs: [sharded([1, 1], [bytesLittle, codec("gzip", { level: 1 })])],
    dimension_names: ["x", null],
  });
  const documentsOf: [string, string, unknown][] = [
    ["v3 array", "/zarr.json", full],
    [
      "v3 group",
      "/zarr.json",
      {
        zarr_format: 3,
        node_type: "group",
        attributes: {},
        consolidated_metadata: { kind: "inline", must_understand: false, metadata: { x: full } },
      },
    ],
    [
      "v2 array",
      "/.zarray",
      v2Meta({ filters: [{ id: "delta", dtype: "<i4" }], compressor: { id: "zlib", level: 1 } }),
    ],
    [
      "v2 group",
      "/.zmetadata",
      { zarr_consolidated_format: 1, metadata: { ".zgroup": { zarr_format: 2 }, "x/.zarray": v2Meta() } },
    ],
    [
      "v1 array",
      "/meta",
      v1Meta({ compression: "blosc", compression_opts: { cname: "lz4", clevel: 1, shuffle: 1 } }),
    ],
  ];

  it.each(documentsOf)("in a %s", async (what, key, document) => {
    for (const name of names) {
      for (const text of withKey(document, name)) {
        const store = new Map([[key, bytesOf(text)]]);
        if (what === "v2 group") store.set("/.zgroup", bytesOf('{"zarr_format": 2}'));
        if (what === "v1 array") store.set("/attrs", bytesOf("{}"));
        try {
          const node = await open(store);
          if (node.kind === "group") for (const member of await node.members()) await node.open(member.name);
          else await get(node);
        } catch (error) {
          if (!isZarrError(error)) throw error;
        }
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
        expect(Object.keys(Object.prototype)).toEqual([]);
      }
    }
  });

  it.each(documentsOf)("twice in a %s: the last one counts, with a warning", async (what, key, document) => {
    for (const name of Object.keys(document as object)) {
      const text = JSON.stringify(document).replace("{", `{${JSON.stringify(name)}: 12345678, `);
      const store = new Map([[key, bytesOf(text)]]);
      if (what === "v2 group") store.set("/.zgroup", bytesOf('{"zarr_format": 2}'));
      if (what === "v1 array") store.set("/attrs", bytesOf("{}"));
      const warnings: string[] = [];
      await open(store, { onWarning: ({ code }) => warnings.push(code) });
      expect(warnings).toContain("duplicate-key");
    }
  });
});

describe("names of places", () => {
  const bad = ["..", "a/../..", "../x", "a/./b", "\0", "a/\0"];

  it.each(bad)("%j is refused as a path", async (path) => {
    const error = await errorOf(() => open(new Map(), { path }));
    expect([error._tag, error.code]).toEqual(["InvalidArgument", "bad-path"]);
  });

  it.each(["%2e%2e", "%2e%2e%2fx", "http://example.org/x", "file:///etc/passwd", "c:x", "a?b#c"])(
    "%j is a name like any other",
    async (path) => {
      const asked: string[] = [];
      const store = { get: async (key: string) => void asked.push(key) };
      expect((await errorOf(() => open(store as never, { path })))._tag).toBe("NotFound");
      const place = path.replace(/\/+/g, "/");
      // An Icechunk repository, references in Parquet files, N5 or a precomputed volume would be at the root, regardless of the path.
      const atRoot =
        /^\/(repo|refs\/branch\.main\/ref\.json|config\.yaml|\.zmetadata|attributes\.json|info)$/;
      const others = asked.filter((key) => !atRoot.test(key));
      for (const key of others) expect(key.startsWith(`/${place}/`), key).toBe(true);
    },
  );
});

describe("a trap inside WebAssembly", () => {
  it("is reported, and the instance replaced", async () => {
    const chain = await chainOf([crc32c], 4);
    const encoded = chain.encode(Uint8Array.of(1, 2, 3, 4));
    const broken = await getSession("decode");
    broken.core.decode = () => {
      throw new WebAssembly.RuntimeError("unreachable");
    };
    const error = await errorOf(() => chain.decode(encoded));
    expect([error._tag, error.code]).toEqual(["EngineFailed", "trap"]);
    expect(broken.usable).toBe(false);
    const fresh = await getSession("decode");
    expect(fresh).not.toBe(broken);
    expect(fresh.usable).toBe(true);
    await new Promise((done) => setTimeout(done, 50));
    expect(chain.decode(encoded)).toEqual(Uint8Array.of(1, 2, 3, 4));
  });

  it("does not leave a read pending", async () => {
    const store = v3Store({ codecs: [bytesLittle, crc32c] });
    const chain = await createCodecChain({ dtype: "int32", shape: [2, 3], codecs: [bytesLittle, crc32c] });
    for (const key of ["/c/0/0", "/c/0/1", "/c/1/0", "/c/1/1"])
      store.entries.set(key, chain.encode(new Int32Array(6).fill(7)));
    const array = await openArray(store);
    await get(array);
    const { core } = await getSession("decode");
    core.placeChunks = () => {
      throw new WebAssembly.RuntimeError("memory access out of bounds");
    };
    const error = await errorOf(() => get(array));
    expect([error._tag, error.code]).toEqual(["EngineFailed", "trap"]);
    expect(new Set((await get(array)).data as Int32Array)).toEqual(new Set([7]));
  });
});
