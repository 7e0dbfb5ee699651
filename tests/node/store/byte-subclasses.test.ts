// Stores may return subclasses of Uint8Array: Node's Buffer has a `slice` that shares memory, and any alignment.
import { describe, expect, it } from "vitest";
import { get, open } from "zarr-wasm";
import { v2Meta, v3Meta } from "../support/zarr-writer.js";

/** The parts one after another in a Buffer that lies in a larger one, at an odd offset. */
function buffered(...parts: (number | string | Uint8Array)[]): Buffer {
  const list = parts.map((part) => {
    if (typeof part === "number") return new Uint8Array(Uint32Array.of(part).buffer);
    return typeof part === "string" ? Buffer.from(part) : part;
  });
  return Buffer.concat([Buffer.alloc(1), ...list]).subarray(1);
}

const json = (value: object) => Buffer.from(JSON.stringify(value));

describe("chunks that are Buffers", () => {
  it("do not share memory with byte strings made of them", async () => {
    const chunk = buffered(2, 1, "a", 2, "bc");
    const meta = v3Meta({
      shape: [2],
      data_type: "bytes",
      chunk_grid: { name: "regular", configuration: { chunk_shape: [2] } },
      codecs: [{ name: "vlen-bytes" }],
      fill_value: [],
    });
    const store = new Map([
      ["/zarr.json", json(meta)],
      ["/c/0", chunk],
    ]);
    const { data } = await get<Uint8Array[]>(await open(store, { kind: "array" }));
    expect(data).toEqual([Uint8Array.of(97), Uint8Array.of(98, 99)]);
    expect(data[0]!.buffer).not.toBe(chunk.buffer);
  });

  it("hold arrays of any alignment", async () => {
    const values = new Uint8Array(Float64Array.of(1.5, -2).buffer);
    const meta = v2Meta({
      shape: [2],
      chunks: [2],
      dtype: "|O",
      fill_value: null,
      filters: [{ id: "vlen-array", dtype: "<f8" }],
    });
    const store = new Map([
      ["/.zarray", json(meta)],
      ["/0", buffered(2, 0, 16, values)],
    ]);
    const { data } = await get<Float64Array[]>(await open(store, { kind: "array" }));
    expect(data).toEqual([new Float64Array(0), Float64Array.of(1.5, -2)]);
  });
});
