// Arrays whose codecs do not fit their chunks: chunks that are not stored read as fill value, stored ones fail.
import { describe, expect, it } from "vitest";
import { create, get, set, WorkerPool } from "zarr-wasm";
import { errorOf, openArray } from "../support/support.js";
import { bytesLittle, regular, v3Store } from "../support/zarr-writer.js";

const lzma = { name: "numcodecs.lzma", configuration: { format: 3, filters: [{ id: 33, lc: 4, lp: 4 }] } };
const shuffle = { name: "numcodecs.shuffle", configuration: { elementsize: 7 } };

describe.each([
  ["shuffle by a width that does not divide the chunk", shuffle],
  ["lzma with filters that do not fit together", lzma],
])("%s", (_, codec) => {
  const fields = { shape: [10], data_type: "int32", chunk_grid: regular(4), fill_value: 7 };
  const store = () => v3Store({ ...fields, codecs: [bytesLittle, codec] });

  it("reads missing chunks", async () => {
    const array = await openArray(store());
    expect((await get(array)).data).toEqual(new Int32Array(10).fill(7));
    const { data } = await array.getChunk([1]);
    expect(data).toEqual(new Int32Array(4).fill(7));
    const pool = new WorkerPool({ size: 1 });
    try {
      expect((await get(array, null, { pool })).data).toEqual(new Int32Array(10).fill(7));
    } finally {
      pool.destroy();
    }
  });

  it("fails for stored chunks, when writing, and when it is created", async () => {
    const stored = store();
    await stored.set("/c/0", new Uint8Array(16));
    const array = await openArray(stored);
    expect((await errorOf(() => get(array)))._tag).toBe("InvalidMetadata");
    expect((await errorOf(() => set(array, null, new Int32Array(10))))._tag).toBe("InvalidMetadata");
    const options = { shape: [10], chunkShape: [4], dtype: "int32", codecs: [codec] } as never;
    expect((await errorOf(() => create(new Map(), options)))._tag).toBe("InvalidArgument");
  });
});
