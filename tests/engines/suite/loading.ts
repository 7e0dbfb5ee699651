/** Loading of the WebAssembly modules. */
import { at, freshLibrary, requestCount } from "./data.js";
import { equal, errorOf, ok, test, within } from "./registry.js";

type Fresh = Awaited<ReturnType<typeof freshLibrary>>;

const readCorner = async ({ get, open, slice }: Fresh) => {
  const array = await open(at("/examples/field.zarr"), { kind: "array" });
  const { data } = await get(array, [slice(0, 4), slice(0, 4)]);
  const values = [...(data as Float32Array)];
  ok(
    values.length === 16 && values.every((value) => value > 100 && value < 400),
    `${values} are temperatures`,
  );
};

test("loading: a module with its media type is compiled as it streams", async () => {
  const library = await freshLibrary();
  await readCorner(library);
});

test("loading: a module sent as plain bytes", async () => readCorner(await freshLibrary("as-bytes")));

/** A failing read, twice: a failure is retried, and reported again. */
async function failsAgain(library: Fresh, check: (error: Error) => void): Promise<void> {
  for (let i = 0; i < 2; i++) {
    const error = await within(
      20_000,
      errorOf(() => readCorner(library)),
      "failing",
    );
    equal([error["_tag"], error["code"]], ["EngineFailed", "engine-failed"], String(error));
    check(error);
  }
}

for (const [fault, words] of [
  ["missing", "404"],
  ["as-page", "decode.wasm"],
] as const) {
  test(`loading: a module that is ${fault} is replaced by its copy`, async () => {
    await readCorner(await freshLibrary(fault));
  });

  test(`loading: a module that is ${fault}, without a copy, is a clear error, and loading can be retried`, async () => {
    const library = await freshLibrary(`${fault}-without-copies`);
    await failsAgain(library, ({ message }) => {
      ok(message.includes(words), `"${message}" contains ${words}`);
      ok(message.includes("decode.wasm could not be loaded"), `"${message}" names the failed file`);
    });
    library.configureWasm({ decode: at("/wasm/decode.wasm") });
    await readCorner(library);
  });
}

/** A Zarr v3 array of fill values only. */
const plainArray = {
  zarr_format: 3,
  node_type: "array",
  shape: [2],
  data_type: "uint16",
  chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
  chunk_key_encoding: { name: "default" },
  fill_value: 7,
  codecs: [{ name: "bytes", configuration: { endian: "little" } }],
};

test("loading: a part of the library that is missing is a clear error, and loading can be retried", async () => {
  const library = await freshLibrary("no-parts");
  await failsAgain(library, ({ message }) => {
    ok(message.startsWith("the part of the library for Zarr v1 and v2 "), `"${message}" names the part`);
  });
  const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(plainArray))]]);
  const { data } = await library.get(await library.open(store, { kind: "array" }));
  equal([...(data as Uint16Array)], [7, 7], "elements of an array that needs no part");
});

const ways: Record<string, (url: string) => unknown> = {
  "a URL": (url) => new URL(url),
  "an address": (url) => url,
  "an answer": (url) => fetch(url),
  bytes: async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer()),
  "a compiled module": async (url) => WebAssembly.compile(await (await fetch(url)).arrayBuffer()),
  "a function": (url) => () => url,
};

for (const [way, make] of Object.entries(ways)) {
  test(`loading: the module given as ${way}`, async () => {
    const library = await freshLibrary("missing-without-copies");
    library.configureWasm({ decode: (await make(at("/wasm/decode.wasm"))) as never });
    await readCorner(library);
  });
}

test("loading: many readers at once load one module", async () => {
  const library = await freshLibrary();
  await library.open(at("/examples/field.zarr"), { kind: "array" }); // loads the metadata parser
  const before = await requestCount("/fresh/");
  await Promise.all(Array.from({ length: 8 }, () => readCorner(library)));
  // The glue and the module, in a library that has loaded everything else.
  equal((await requestCount("/fresh/")) - before, 2, "requests");
});
