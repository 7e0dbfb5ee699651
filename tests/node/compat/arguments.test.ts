// Arguments of any wrong type, passed to the zarrita and numcodecs drop-ins, are typed errors.
import { describe, expect, it } from "vitest";
import { isZarrError } from "zarr-wasm";
import * as numcodecs from "zarr-wasm/numcodecs";
import * as dropIn from "zarr-wasm/zarrita";

const values = [null, undefined, 5, "x", true, {}, [], () => 1, Symbol("s"), 10n];
const nameOf = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** Functions and classes that accept any argument. */
type Loose = { readonly [name: string]: Loose } & ((...given: unknown[]) => Loose) &
  (new (
    ...given: unknown[]
  ) => Loose);
const zarr = dropIn as unknown as Loose;

const array = await dropIn.create(new Map(), {
  shape: [4, 4],
  chunkShape: [2, 2],
  dtype: "int8",
  dimensionNames: ["y", "x"],
});
const chunk = { data: new Int8Array(16), shape: [4, 4], stride: [4, 1] };
const options = { shape: [4], chunkShape: [2], dtype: "int8" };

type Call = (value: unknown) => unknown;
const each = (names: string[], call: (name: string, value: unknown) => unknown): [string, Call][] =>
  names.map((name) => [name, (value) => call(name, value)]);
const reading = ["signal", "opts", "createQueue", "concurrency", "pool", "onProgress", "priority"];
const writing = [
  "signal",
  "opts",
  "createQueue",
  "concurrency",
  "onProgress",
  "conflicts",
  "writeEmptyChunks",
];
const creating = [
  ...Object.keys(options),
  "codecs",
  "fillValue",
  "chunkSeparator",
  "dimensionNames",
  "attributes",
];

const calls: Record<string, [string, Call][]> = {
  get: [
    ["array", (v) => zarr["get"]!(v)],
    ["selection", (v) => zarr["get"]!(array, v)],
    ["entry", (v) => zarr["get"]!(array, [v])],
    ["options", (v) => zarr["get"]!(array, null, v)],
    ...each(reading, (name, v) => zarr["get"]!(array, null, { [name]: v })),
  ],
  set: [
    ["array", (v) => zarr["set"]!(v, null, 1)],
    ["selection", (v) => zarr["set"]!(array, v, 1)],
    ["value", (v) => zarr["set"]!(array, null, v)],
    ["data", (v) => zarr["set"]!(array, null, { ...chunk, data: v })],
    ["shape", (v) => zarr["set"]!(array, null, { ...chunk, shape: v })],
    ["stride", (v) => zarr["set"]!(array, null, { ...chunk, stride: v })],
    ["options", (v) => zarr["set"]!(array, null, 1, v)],
    ["setter", (v) => zarr["_zarrita_internal_set"]!(array, null, chunk, {}, v)],
    ...each(writing, (name, v) => zarr["set"]!(array, null, 1, { [name]: v })),
  ],
  create: [
    ["location", (v) => zarr["create"]!(v)],
    ["store", (v) => zarr["create"]!(zarr["root"]!(v))],
    ["path", (v) => zarr["create"]!(new zarr["Location"]!(new Map(), v))],
    ["options", (v) => zarr["create"]!(new Map(), v)],
    ["codec", (v) => zarr["create"]!(new Map(), { ...options, codecs: [v] })],
    ...each(creating, (name, v) => zarr["create"]!(new Map(), { ...options, [name]: v })),
  ],
  open: [
    ["location", (v) => zarr["open"]!(v)],
    ["store", (v) => zarr["open"]!["v2"]!(zarr["root"]!(v))],
    ["path", (v) => zarr["open"]!(new zarr["Location"]!(array.store, v))],
    ["options", (v) => zarr["open"]!(array.store, v)],
    ...each(["kind", "signal", "attrs"], (name, v) => zarr["open"]!(array.store, { [name]: v })),
  ],
  nodes: [
    ["resolve", (v) => zarr["root"]!()["resolve"]!(v)],
    ["is", (v) => array.is(v as never)],
    ["coordinates", (v) => array.getChunk(v as never)],
    ["coordinate", (v) => array.getChunk([0, v as never])],
    ["options of getChunk", (v) => array.getChunk([0, 0], v as never)],
    ["memory of getChunk", (v) => array.getChunk([0, 0], {}, v as never)],
    ["metadata of an array", (v) => new zarr["Array"]!(new Map(), "/", v)],
    ["metadata of a group", (v) => new zarr["Group"]!(new Map(), "/", v)],
  ],
  selections: [
    ["stop", (v) => zarr["get"]!(array, [zarr["slice"]!(v)])],
    ["step", (v) => zarr["get"]!(array, [zarr["slice"]!(0, 1, v)])],
    ["select", (v) => zarr["select"]!(array, v)],
    ["select of", (v) => zarr["select"]!(v, {})],
  ],
  extensions: [
    ["store", (v) => zarr["extendStore"]!(v, zarr["withByteCaching"]!)],
    ["step", (v) => zarr["extendStore"]!(new Map(), v)],
    ["step of arrays", (v) => zarr["extendArray"]!(array, v)],
    ["of stores", (v) => zarr["defineStoreExtension"]!(v)(new Map())],
    ["of arrays", (v) => zarr["defineArrayExtension"]!(v)(array)],
    ["withByteCaching", (v) => zarr["withByteCaching"]!(v)],
    ["its options", (v) => zarr["withByteCaching"]!(new Map(), v)],
    ["withRangeCoalescing", (v) => zarr["withRangeCoalescing"]!(v)],
    ["withConsolidatedMetadata", (v) => zarr["withConsolidatedMetadata"]!(v)],
    ["options of that", (v) => zarr["withConsolidatedMetadata"]!(new Map(), v)],
    ["format", (v) => zarr["withMaybeConsolidatedMetadata"]!(new Map(), { format: v })],
  ],
  others: [
    ["URL", (v) => new zarr["FetchStore"]!(v)],
    ["key", (v) => new zarr["FetchStore"]!("http://127.0.0.1:9/")["getRange"]!(v, { offset: 0, length: 1 })],
    ["booleans", (v) => new zarr["BoolArray"]!(v)],
    ["width", (v) => new zarr["ByteStringArray"]!(v, 1)],
    ["strings", (v) => new zarr["UnicodeStringArray"]!(2, v)],
    ["registry", (v) => zarr["registerCodecs"]!(v)],
  ],
  numcodecs: ["Blosc", "GZip", "LZ4", "Zlib", "Zstd"].flatMap((name): [string, Call][] => {
    const Codec = (numcodecs as unknown as Loose)[name]!;
    return [
      [`new ${name}`, (v) => new Codec(v)],
      [`${name}.fromConfig`, (v) => Codec["fromConfig"]!(v)],
      ...each(["level", "clevel", "cname", "shuffle", "checksum", "acceleration"], (key, v) =>
        Codec["fromConfig"]!({ [key]: v }),
      ),
      [`encode of ${name}`, (v) => new Codec()["encode"]!(v)],
      [`decode of ${name}`, (v) => new Codec()["decode"]!(v)],
    ];
  }),
};

describe.each(Object.entries(calls))("%s", (_, list) => {
  it.each(list)("%s", async (_name, call) => {
    for (const value of values) {
      try {
        await call(value);
      } catch (error) {
        const isTyped = isZarrError(error) || dropIn.isZarritaError(error);
        expect(isTyped, `${nameOf(value)}: ${error}`).toBe(true);
      }
    }
  });
});

it("an invalid location throws a clear error", async () => {
  const error = await dropIn.open(null as never).catch((e: unknown) => e);
  expect((error as Error).message).toBe("a store, or a place in one, cannot be null");
});
