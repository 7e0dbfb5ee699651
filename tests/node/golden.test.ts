// Arrays that other implementations wrote, read whole and compared with what their writers were given.
import { describe, expect, it } from "vitest";
import { getBytes } from "zarr-wasm";
import { goldenGroups } from "./golden-chunks.js";
import { goldenCases, openArray, sha256, storeOf } from "./support.js";

describe.each(goldenGroups)("%s", (group) => {
  it.each(goldenCases(group).map((golden) => [golden.name, golden] as const))("%s", async (_, golden) => {
    const array = await openArray(storeOf(golden), { path: golden.path, onWarning: () => {} });
    expect(array.shape).toEqual(golden.shape);
    if (array.dtype.isVariable) return; // compared value by value in objects.test.ts
    expect(sha256((await getBytes(array)).bytes)).toBe(golden.sha256);
  });
});
