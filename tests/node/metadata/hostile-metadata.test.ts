// Metadata documents with every part replaced, strings that make regular expressions slow, and stores whose
// responses, also to writes, are of any type: every failure is a typed error.
import { describe, expect, it } from "vitest";
import {
  append,
  consolidate,
  create,
  createGroup,
  deleteNode,
  get,
  isZarrError,
  listChildren,
  MapStore,
  open,
  resize,
  type Store,
  set,
  strings,
  updateAttributes,
} from "zarr-wasm";
import { decodeCF } from "zarr-wasm/conventions";
import { parseJson } from "#src/util/json-reader.js";
import { bytesOf, errorOf, openArray, product, v1Meta } from "../support/support.js";
import { json, regular, v2Meta, v3Meta, v3Store } from "../support/zarr-writer.js";

type Fields = Record<string, unknown>;
const everyVersion: [
  name: string,
  required: string[],
  metaOf: (fields?: Fields, grid?: number[][]) => Fields,
][] = [
  [
    "meta",
    Object.keys(v1Meta()),
    (fields, [shape, chunks] = []) => v1Meta({ ...fields, ...(shape && { shape, chunks }) }),
  ],
  [
    ".zarray",
    ["zarr_format", "shape", "chunks", "dtype", "order"],
    (fields, [shape, chunks] = []) => v2Meta({ ...fields, ...(shape && { shape, chunks }) }),
  ],
  [
    "zarr.json",
    Object.keys(v3Meta()).filter((key) => key !== "codecs"),
    (fields, [shape, chunks] = []) =>
      v3Meta({ ...fields, ...(shape && { shape, chunk_grid: regular(...chunks!) }) }),
  ],
];

describe.each(everyVersion)("%s", (name, required, metaOf) => {
  const opening = (document: string | Fields, limits = {}) => {
    const text = typeof document === "string" ? document : JSON.stringify(document);
    return errorOf(() => openArray(new Map([[`/${name}`, bytesOf(text)]]), { limits }));
  };

  it.each(required)("names its missing key %s", async (key) => {
    const { [key]: _, ...meta } = metaOf();
    const error = await opening(meta);
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "invalid-metadata"]);
    expect(error.message).toContain(`"${key}"`);
  });

  const refused: [key: string, value: unknown][] = [
    ["shape", "4"],
    ["shape", [4, -1]],
    ["shape", [4, 1.5]],
    ["shape", [4, "6"]],
    ["shape", [4, 2 ** 53]],
    ["shape", null],
    ["chunks", [2, 0]],
    ["chunks", [2]],
    ["chunks", [2, 3, 4]],
    ["chunks", [2, null]],
    ["chunks", 3],
    ["chunks", null],
    ["chunks", true],
    ["dtype", "i4"],
    ["dtype", "<q8"],
    ["dtype", null],
    ["dtype", []],
    ["dtype", 7],
    ["order", "A"],
    ["order", null],
    ["order", 0],
    ["fill_value", "x"],
    ["fill_value", [1]],
    ["fill_value", 2 ** 40],
  ];
  it.each(refused.filter(([key]) => key in metaOf()))("refuses %s = %j", async (key, value) => {
    const error = await opening(metaOf({ [key]: value }));
    expect(error._tag).toMatch(/^(InvalidMetadata|Unsupported)$/);
    expect(error.message).toContain(key);
  });

  it.each(["{", "[]", "null", '"x"', "", "{}{}", "\uFEFF{}"])("that is %j is invalid", async (text) => {
    const error = await opening(text);
    expect([error._tag, error.message]).toEqual(["InvalidMetadata", expect.stringContaining(name)]);
  });

  it("respects limits", async () => {
    const one = Array<number>(65).fill(1);
    for (const [document, limits] of [
      [
        metaOf({}, [
          [4, 6],
          [2 ** 20, 2 ** 20],
        ]),
        {},
      ],
      [
        metaOf({}, [
          [4, 6],
          [2, 3],
        ]),
        { chunkBytes: 23 },
      ],
      [metaOf({}, [one, one]), {}],
      [metaOf(), { metadataBytes: 10 }],
    ] as const)
      expect((await opening(document, limits))._tag).toBe("LimitExceeded");
  });
});

/** Replacements for each part, as text: numbers need not be JavaScript's. */
const hostile = [
  ..."null true 0 -1 1.5 -0 1e400 NaN Infinity 9007199254740993 123456789012345678901234567890 [] [[]] [null] {}".split(
    " ",
  ),
  ...["", "__proto__", "constructor", "toString", "\ud800", "\0", "\u202e"].map((text) =>
    JSON.stringify(text),
  ),
  '{"__proto__":{"polluted":1}}',
  '{"name":"__proto__"}',
  '{"name":"constructor","configuration":{"__proto__":1}}',
  '[{"id":"toString"}]',
  '{"then":1,"length":4,"toString":2}',
  `[${"0,".repeat(999)}0]`,
  `${"[".repeat(50)}${"]".repeat(50)}`,
];

const configured = (name: string, configuration: object) => ({ name, configuration });
const documents: readonly [key: string, document: object][] = [
  [
    "/zarr.json",
    v3Meta({
      chunk_key_encoding: configured("suffix", {
        suffix: ".a",
        base_encoding: configured("fanout", { max_children: 1000 }),
      }),
      attributes: { _FillValue: 3, scale_factor: 0.5, units: "days since 2000-01-01", calendar: "standard" },
    }),
  ],
  [
    "/zarr.json",
    v3Meta({
      data_type: configured("struct", { fields: [{ name: "a", data_type: "uint8" }] }),
      fill_value: { a: 0 },
      chunk_grid: configured("rectilinear", { kind: "inline", chunk_shapes: [[[2, 2]], [1, 5]] }),
      shape: [4, 6],
      codecs: [{ name: "bytes" }],
    }),
  ],
  [
    "/.zarray",
    v2Meta({
      dtype: [
        ["a", "<i4"],
        ["b", "|S2", [2, 2]],
      ],
      fill_value: "AAAAAAAAAAAAAAAA",
      filters: [{ id: "shuffle", elementsize: 4 }],
      compressor: { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 },
    }),
  ],
];

function* pathsOf(value: unknown, at: readonly string[] = []): Generator<readonly string[]> {
  yield at;
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* pathsOf(child, [...at, key]);
}

/** The text of a document with one part replaced. */
function textWith(value: unknown, path: readonly string[], text: string): string {
  const [head, ...rest] = path;
  if (head === undefined) return text;
  const parts = Object.entries(value as object).map(([key, child]) => [
    JSON.stringify(key),
    key === head ? textWith(child, rest, text) : JSON.stringify(child),
  ]);
  if (Array.isArray(value)) return `[${parts.map(([, child]) => child)}]`;
  return `{${parts.map(([key, child]) => `${key}:${child}`)}}`;
}

/** Work that succeeds or fails with a given kind of error. */
async function endsWell(work: () => Promise<unknown>, what: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isZarrError(error)) throw new Error(`${what}: ${String(error)}`, { cause: error });
  }
}

describe("documents", () => {
  it.each(documents)("in %s with anything instead of each part", async (key, document) => {
    for (const path of pathsOf(document)) {
      for (const text of hostile) {
        const store = new Map([[key, bytesOf(textWith(document, path, text))]]);
        const what = `${path.join(".")} = ${text.slice(0, 60)}`;
        await endsWell(async () => {
          const array = await open(store, { kind: "array" });
          if (product(array.shape) > 1e5) return;
          const region = await get(array);
          await endsWell(async () => decodeCF(array, region as never), what);
          await set(array, null, region.data as never);
          await create(new Map(), { like: array, zarrFormat: 2 });
        }, what);
      }
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("keep attributes of any name when they are changed", async () => {
    const names = ["__proto__", "constructor", "toString", "then", "length"];
    const text = `{${names.map((name) => `"${name}":{"${name}":1}`)},"lone":"\\ud800"}`;
    const store = v3Store({ attributes: "HERE" });
    const before = new TextDecoder().decode(await store.get("/zarr.json"));
    await store.set("/zarr.json", bytesOf(before.replace('"HERE"', text)));
    const array = await open(store, { kind: "array" });
    expect(Object.keys(array.attributes)).toEqual([...names, "lone"]);
    await updateAttributes(array, JSON.parse('{"b":1,"__proto__":{"z":1}}'));
    const after = await open(store, { kind: "array" });
    expect(Object.keys(after.attributes)).toEqual([...names, "lone", "b"]);
    expect(JSON.stringify(after.attributes)).toBe(
      JSON.stringify(
        JSON.parse(
          `${text.replace('"__proto__":{"__proto__":1}', '"__proto__":{"z":1}').slice(0, -1)},"b":1}`,
        ),
      ),
    );
  });

  it("give line and column of the error", () => {
    const where = (text: string) => {
      try {
        parseJson(bytesOf(text), { name: "a", maxDepth: 8, bareNonFinite: false });
      } catch (error) {
        return /line (\d+), column (\d+)/
          .exec((error as Error).message)!
          .slice(1)
          .map(Number);
      }
    };
    expect(where("x")).toEqual([1, 1]);
    expect(where("\n\n x")).toEqual([3, 2]);
    expect(where('{"a":\n1,\n"b" 2}\n\n')).toEqual([3, 5]);
    expect(where("[1,\n")).toEqual([2, 1]);
    expect(where("1\nx\n")).toEqual([2, 1]);
  });
});

// Each of these takes hours where an expression, or a conversion, takes the square of the time for twice the text.
describe("long texts", () => {
  const many = 1_000_000;
  const text = (length_bytes: number) => configured("fixed_length_utf32", { length_bytes });

  it("of NULs as a fill value", async () => {
    const fill_value = `${"\0".repeat(many)}a`;
    const error = await errorOf(() => openArray(v3Store({ data_type: text(8), fill_value })));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-fill-value"]);
    const array = await openArray(v3Store({ data_type: text(8), fill_value: `a${"\0".repeat(many)}` }));
    expect(array.fillValue).toBe("a");
  });

  it("of NULs in elements", async () => {
    const bytes = 2 ** 20;
    const store = v3Store({
      shape: [16],
      chunk_grid: regular(16),
      data_type: text(bytes),
      fill_value: "",
      codecs: [configured("bytes", { endian: "little" })],
    });
    const chunk = new Uint8Array(16 * bytes);
    for (let i = 0; i < 16; i++) chunk[(i + 1) * bytes - 4] = 97;
    await store.set("/c/0", chunk);
    const found = strings(await get(await openArray(store)));
    expect(found.map((value) => value.length)).toEqual(Array(16).fill(bytes / 4));
  });

  it("of digits as an attribute", async () => {
    const array = await openArray(
      v3Store({
        shape: [1],
        chunk_grid: regular(1),
        data_type: "float32",
        codecs: [configured("bytes", { endian: "little" })],
        attributes: { _FillValue: `${"1".repeat(many)}x` },
      }),
    );
    const region = await get(array);
    const error = await errorOf(() => decodeCF(array, region));
    expect(error._tag).toBe("InvalidMetadata");
  });

  it("of base64 for an element of few bytes", async () => {
    const store = new Map([["/.zarray", json(v2Meta({ dtype: "|V4", fill_value: "A".repeat(many) }))]]);
    expect((await errorOf(() => openArray(store))).code).toBe("bad-fill-value");
    const fits = new Map([["/.zarray", json(v2Meta({ dtype: "|V4", fill_value: "AQIDBA==" }))]]);
    expect((await openArray(fits)).fillValue).toEqual(Uint8Array.of(1, 2, 3, 4));
  });

  it("of integers' digits in attributes", async () => {
    const meta = (digits: number) =>
      new Map([
        [
          "/zarr.json",
          bytesOf(`{"zarr_format":3,"node_type":"group","attributes":{"a":${"7".repeat(digits)}}}`),
        ],
      ]);
    expect((await errorOf(() => open(meta(2 ** 14 + 1))))._tag).toBe("LimitExceeded");
    expect((await open(meta(2 ** 14))).attributes["a"]).toBe(BigInt("7".repeat(2 ** 14)));
  });
});

const detached = new Uint8Array(8);
structuredClone(detached.buffer, { transfer: [detached.buffer] });
/** Responses of every type; functions create new ones. */
const answers: readonly unknown[] = [
  undefined,
  null,
  0,
  "text",
  true,
  Symbol("x"),
  10n,
  [],
  [1, 2, 3],
  {},
  Object.create(null),
  new Map(),
  new ArrayBuffer(8),
  new Uint16Array(4),
  new Uint8Array(new SharedArrayBuffer(16)),
  detached,
  new Proxy(new Uint8Array(4), {}),
  { byteLength: 1e18, length: 1e18 },
  () => 1,
];

const operations: Record<string, (store: Store) => Promise<unknown>> = {
  create: (store) => create(store, { path: "n", shape: [4], dtype: "uint8" }),
  overwrite: (store) => create(store, { path: "a", shape: [4], dtype: "uint8", overwrite: true }),
  createGroup: (store) => createGroup(store, { path: "g/h" }),
  set: async (store) => set(await opened(store), null, 1),
  setPart: async (store) => set(await opened(store), [1], 1),
  resize: async (store) => resize(await opened(store), [1]),
  append: async (store) => append(await opened(store), Uint8Array.of(1, 2)),
  update: async (store) => updateAttributes(await opened(store), { x: 1 }),
  consolidate: (store) => consolidate(store),
  delete: (store) => deleteNode(store, "a"),
  members: async (store) => (await open(store, { kind: "group" })).members(),
  listChildren: (store) => listChildren(store, ""),
};

/** Arrays of each store, opened before the store misbehaves. */
const arrays = new WeakMap<Store, Awaited<ReturnType<typeof openArray>>>();
const opened = async (store: Store) => arrays.get(store)!;

describe.each(["get", "set", "delete", "list", "listChildren"] as const)(
  "a store whose %s answers",
  (method) => {
    it.each(["value", "promise", "throw", "reject"] as const)("with anything, as a %s", async (how) => {
      for (const answer of answers) {
        for (const [name, operation] of Object.entries(operations)) {
          const inner = new MapStore();
          await createGroup(inner);
          await create(inner, { path: "a", shape: [4], chunkShape: [2], dtype: "uint8", codecs: "none" });
          const store: Store = {
            get: (key, options) => inner.get(key, options),
            set: (key, value, options) => inner.set(key, value, options),
            delete: (key) => inner.delete(key),
            list: (path) => inner.list(path),
          };
          const array = await open(store, { kind: "array", path: "a" });
          await set(array, null, Uint8Array.of(1, 2, 3, 4));
          arrays.set(store, array as never);
          const reads = new Set(["members"]); // errors thrown by a store reach the reader
          const honest = store[method] as ((...given: unknown[]) => unknown) | undefined;
          Object.assign(store, {
            [method]: (...given: unknown[]) => {
              if (method === "set" || method === "delete") honest?.(...given);
              if (how === "throw") throw answer;
              if (how === "reject") return Promise.reject(answer);
              return how === "value" ? answer : Promise.resolve(answer);
            },
          });
          if (method === "get" && reads.has(name) && (how === "throw" || how === "reject")) continue;
          await endsWell(() => operation(store), `${name}, ${Object.prototype.toString.call(answer)}`);
        }
      }
    });
  },
);
