// Users look up error messages in docs/troubleshooting.md: each of its headings is a message that the library
// throws, with the tag and the code below it.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { configureWasm, create, get, HttpStore, isZarrError, open, set, slice } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { textOf } from "../support/doc-samples.js";
import { bytesOf, serve } from "../support/support.js";

const little = { name: "bytes", configuration: { endian: "little" } };
const metadata = (fields: object = {}) => ({
  zarr_format: 3,
  node_type: "array",
  shape: [4],
  data_type: "int16",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [4] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 0,
  codecs: [little],
  ...fields,
});

function arrayWith(fields: object = {}, chunk?: string | Uint8Array) {
  const store = new Map([["/zarr.json", bytesOf(JSON.stringify(metadata(fields)))]]);
  if (chunk !== undefined) store.set("/c/0", typeof chunk === "string" ? bytesOf(chunk) : chunk);
  return open(store, { kind: "array" });
}

const pickled = {
  zarr_format: 2,
  shape: [2],
  chunks: [2],
  dtype: "|O",
  compressor: null,
  filters: [{ id: "pickle" }],
  fill_value: null,
  order: "C",
};
const long = 2 ** 30;
const gzip = { name: "gzip", configuration: { level: 1 } };

let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  server = await serve((url) => {
    if (url === "/group/zarr.json") return bytesOf('{"zarr_format":3,"node_type":"group","attributes":{}}');
    return undefined;
  });
});
afterAll(() => server.close());

/** A server with a fixed status, as a `fetch`; 0 is no response at all, as in browsers if CORS forbids it. */
function answering(status: number) {
  const headers = { "content-type": "text/html" };
  const answer = () =>
    new Response("<!doctype html><title>Start</title>", { status, statusText: "Forbidden", headers });
  return new HttpStore("https://example.org/a.zarr", {
    retries: 0,
    fetch: async () => {
      if (status === 0) throw new TypeError("Failed to fetch");
      return answer();
    },
  });
}

/** Triggers of each message, by the start of its heading. */
const causes: Record<string, () => Promise<unknown>> = {
  "no Zarr array or group found": () => open(`${server.url}/nowhere`),
  "expected an array": () => open(`${server.url}/group`, { kind: "array" }),
  "zarr.json is not valid JSON": () => open(answering(200)),
  "… could not be read: Failed to fetch": () => open(answering(0)),
  "… answered 403": () => open(answering(403)),
  "this store does not support listing": async () =>
    (await open(`${server.url}/group`, { kind: "group" })).members(),
  "a chunk of …": async () =>
    get(
      await arrayWith({
        shape: [long],
        chunk_grid: { name: "regular", configuration: { chunk_shape: [long] } },
      }),
    ),
  "chunk …: codec …: the checksum": async () =>
    get(await arrayWith({ codecs: [little, { name: "crc32c" }] }, "12345678abcd")),
  "chunk …: codec …: the chunk has": async () => get(await arrayWith({}, "x")),
  "chunk …: codec …: the decoded size": async () =>
    get(await arrayWith({ codecs: [little, gzip] }, gzipSync(new Uint8Array(4)))),
  "… can only be read": () =>
    create(new Map(), { shape: [8, 8], dtype: "uint8", codecs: "imagecodecs_jpeg" as never }),
  'codec "…" is not supported': () => arrayWith({ codecs: [little, { name: "gdeflate" }] }),
  'codec "pickle"': () => open(new Map([["/.zarray", bytesOf(JSON.stringify(pickled))]])),
  "zarr.json has the field": () => arrayWith({ extension: { must_understand: true } }),
  "dimension …: index": async () => get(await arrayWith(), [9]),
  "a selection of": async () => get(await arrayWith(), [0, 0]),
  "dimension …: the step": async () => get(await arrayWith(), [slice(null, null, -1)]),
  '"…" is not the name of one dimension': async () => get(await arrayWith(), { t: 0 }),
  "values must be a": async () =>
    set(await create(new Map(), { shape: [2], dtype: "int8" }), null, new Float32Array(2) as never),
  "the store … is read-only": () => create(`${server.url}/new`, { shape: [2], dtype: "int8" }),
  "a Zarr v… node already exists": async () => {
    const store = new Map();
    for (let i = 0; i < 2; i++) await create(store, { shape: [2], dtype: "int8" });
  },
  "… holds files that belong to no Zarr node": async () => {
    const store = new Map([["/notes.txt", bytesOf("x")]]);
    await create(store, { shape: [2], dtype: "int8" });
    await create(store, { shape: [2], dtype: "int8", overwrite: true });
  },
  "SharedArrayBuffer is not available": async () => {
    const shared = globalThis.SharedArrayBuffer;
    Reflect.deleteProperty(globalThis, "SharedArrayBuffer");
    try {
      await get(await arrayWith({}, "12345678"), null, { useSharedArrayBuffer: true });
    } finally {
      globalThis.SharedArrayBuffer = shared;
    }
  },
  "….wasm could not be loaded": () => {
    configureWasm({ full: bytesOf("<!doctype html>") }); // the other module is already loaded by earlier tests
    return createCodecChain({
      dtype: "int16",
      shape: [2],
      codecs: [little, { name: "bz2", configuration: { level: 1 } }],
    });
  },
};

const sections = textOf("docs/troubleshooting.md").split(/^## /m).slice(1);
const messages = sections
  .map((section) => section.split("\n\n").slice(0, 2) as [string, string])
  .filter(([, text]) => text.startsWith("`"));

it("has a cause for every heading here, and no other", () => {
  const begun = Object.keys(causes).filter(
    (start) => !messages.some(([heading]) => heading.startsWith(start)),
  );
  expect(begun).toEqual([]);
  expect(messages).toHaveLength(Object.keys(causes).length);
});

it.each(messages)("%s", async (heading, text) => {
  const starts = Object.keys(causes).filter((start) => heading.startsWith(start));
  expect(starts).toHaveLength(1);
  const error = await causes[starts[0]!]!().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isZarrError(error)) throw new Error(`no ZarrError but ${error}`);
  const escaped = heading.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", "[^]+?");
  expect(error.message).toMatch(new RegExp(escaped));
  expect(text).toContain(`\`${error._tag}\``);
  const [, code] = /^`\w+`, `([\w-]+)`/.exec(text) ?? [];
  if (code) expect(error.code).toBe(code);
});
