/** Codec chains on their own: the chain of every golden v3 array decodes, encodes and decodes again. */
import { type CodecChainOptions, createCodecChain, isZarrError } from "zarr-wasm/codecs";
import { forEach, inMemory, manifest } from "./data.js";
import { equal, errorOf, ok, test } from "./registry.js";

interface Document {
  node_type?: string;
  shape: number[];
  data_type: unknown;
  fill_value: unknown;
  chunk_grid: { name: string; configuration: { chunk_shape: number[] } };
  codecs?: { name: string }[];
}

/** The chain of a v3 array with a regular grid; undefined for others. */
function chainOf(text: string): CodecChainOptions | undefined {
  if (/\bNaN|Infinity\b/.test(text)) return undefined; // written by some implementations, invalid JSON
  const { data_type, shape, fill_value, chunk_grid, codecs } = JSON.parse(text) as Document;
  if (chunk_grid.name !== "regular" || !codecs || shape.includes(0)) return undefined;
  // JSON.parse has rounded such integers.
  const fillValue = typeof fill_value === "number" && Math.abs(fill_value) > 2 ** 53 ? undefined : fill_value;
  return { dtype: data_type, shape: chunk_grid.configuration.chunk_shape, fillValue, codecs } as never;
}

test("chains: every golden chain round-trips", async () => {
  const names = new Set<string>();
  const refused: string[] = [];
  let tried = 0;
  await forEach((await manifest()).golden["v3"]!, async ({ name, path, keys, arrays }) => {
    if (arrays[0]!.path !== "") return;
    const store = await inMemory(path, keys);
    const documentKey = "/zarr.json";
    const text = new TextDecoder().decode(await store.get(documentKey));
    const options = chainOf(text);
    const chunkKey = keys.find((key) => key !== documentKey && !key.endsWith("zarr.json"));
    if (!options || !chunkKey) return;
    tried++;
    try {
      const chain = await createCodecChain(options);
      const decoded = chain.decode((await store.get(chunkKey))!);
      const again = chain.decode(chain.encode(decoded));
      equal(again, decoded, name);
      for (const codec of options.codecs) names.add(typeof codec === "string" ? codec : codec.name);
    } catch (error) {
      // Some codecs can only decode, and drafts of v3 are only understood by open().
      if (!isZarrError(error, "Unsupported", "InvalidMetadata")) throw new Error(`${name}: ${error}`);
      refused.push(`${name}: ${error}`);
    }
  });
  ok(names.size >= 8, `${[...names]} are many codecs`);
  ok(refused.length * 10 <= tried, `only few of ${tried} are refused, not ${refused.join("; ")}`);
});

test("chains: decodeInto, and targets of the wrong size", async () => {
  const codecs = [
    { name: "transpose", configuration: { order: [1, 0] } },
    { name: "bytes", configuration: { endian: "big" } },
    { name: "blosc", configuration: { cname: "zstd", clevel: 5, shuffle: "bitshuffle", typesize: 2 } },
    "crc32c",
  ];
  const chain = await createCodecChain({ dtype: "int16", shape: [64, 48], codecs });
  const values = Int16Array.from({ length: 64 * 48 }, (_, i) => 37 * i);
  const encoded = chain.encode(values);
  const out = new Int16Array(values.length);
  ok(chain.decodeInto(encoded, out) === out, "the caller's array comes back");
  equal(out, values);
  encoded[encoded.length >> 1]! ^= 1;
  const error = await errorOf(() => chain.decode(encoded));
  equal([error["_tag"], error["codec"]], ["CorruptChunk", "crc32c"], String(error));
  equal((await errorOf(() => chain.encode(new Int16Array(3))))["_tag"], "InvalidArgument");
  const wrong = await errorOf(() => createCodecChain({ dtype: "int16", shape: [2], codecs: ["sprintz"] }));
  equal(wrong["_tag"], "UnknownCodec");
});
