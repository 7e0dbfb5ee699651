// Stores that other implementations wrote, read whole from memory.
import { describe, expect, it } from "vitest";
import { get, getBytes } from "zarr-wasm";
import { goldenGroups } from "../support/golden-chunks.js";
import { goldenCases, openArray, sha256, storeOf } from "../support/support.js";

/** A value of variable length as golden data have it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { b64: Buffer.from(value).toString("base64") };
  return ArrayBuffer.isView(value) ? Array.from(value as unknown as Iterable<unknown>) : value;
}

describe.each(goldenGroups)("golden %s", (group) => {
  it.each(goldenCases(group).map((golden) => [golden.name, golden] as const))("%s", async (_name, golden) => {
    const store = storeOf(golden);
    const { path } = golden;
    const warnings: string[] = [];
    const array = await openArray(store, { path, onWarning: (warning) => warnings.push(warning.code) });
    expect(array.shape).toEqual(golden.shape);
    if (golden.values) {
      const { data } = await get<readonly unknown[]>(array);
      expect(Array.from(data, plain)).toEqual(golden.values);
      return;
    }
    expect(sha256((await getBytes(array)).bytes)).toBe(golden.sha256);
    expect(warnings.includes("v1-order")).toBe(golden.writerOrderSha256 !== undefined);
    if (golden.writerOrderSha256) {
      const written = await openArray(store, { v1Order: "writer" });
      expect(sha256((await getBytes(written)).bytes)).toBe(golden.writerOrderSha256);
    }
  });
});
