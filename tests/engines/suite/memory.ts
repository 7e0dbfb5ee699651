/** The module's memory grows while views of it are in use. */
import { get, MapStore, open } from "zarr-wasm";
import { createCodecChain } from "zarr-wasm/codecs";
import { at, hasHash, openArray, sampleNamed } from "./data.js";
import { equal, ok, test } from "./registry.js";

/** An array of one large chunk, with elements equal to their index. */
async function largeArray(rows: number) {
  const shape = [rows, 1024];
  const codecs = [
    { name: "bytes", configuration: { endian: "big" } },
    { name: "zstd", configuration: { level: 1, checksum: false } },
  ];
  const chain = await createCodecChain({ dtype: "uint32", shape, codecs });
  const chunk = chain.encode(Uint32Array.from({ length: rows * 1024 }, (_, i) => i));
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: "uint32",
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs,
  };
  const text = new TextEncoder().encode(JSON.stringify(document));
  return open(
    new MapStore(
      new Map([
        ["/zarr.json", text],
        ["/c/0/0", chunk],
      ]),
    ),
    { kind: "array" },
  );
}

test("memory: grows between reads and within them", async () => {
  const { path, sha256 } = await sampleNamed("transposed");
  const small = await openArray(at(path));
  for (const rows of [512, 4096]) {
    const large = await largeArray(rows);
    const [{ data }, other] = await Promise.all([get(large), get(small)]);
    ok(
      (data as Uint32Array).every((value, i) => value === i),
      `${rows * 4} KiB are as they were written`,
    );
    await hasHash(new Uint8Array(other.data.buffer), sha256, "read at the same time");
    equal(other.data.length, 220 * 300);
  }
});
