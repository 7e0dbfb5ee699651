// Writers of the zarrita drop-in through handles, stores and codecs of every kind.
import { afterEach, describe, expect, it } from "vitest";
import * as dropIn from "zarr-wasm/zarrita";
import { small, stored } from "../support/both-libraries.js";
import { type Files, files, jsonIn } from "../support/writing-tools.js";

describe("writing through wrappers", () => {
  const known = [...dropIn.registry];
  afterEach(() => {
    dropIn.registry.clear();
    for (const [name, load] of known) dropIn.registry.set(name, load);
  });

  it("arrays that are made from metadata", async () => {
    const store = files();
    await small(store);
    const array = new dropIn.Array<"int32", Files>(store, "/", jsonIn(store, "/zarr.json"));
    await dropIn.set(array, [4, null], 3);
    expect((await stored(store)).slice(28)).toEqual(new Array(7).fill(3));
  });

  it("all of them at once lose nothing", async () => {
    const store = files();
    const array = await small(store, { chunkShape: [5, 7] });
    const fromMetadata = () => new dropIn.Array<"int32", Files>(store, "/", jsonIn(store, "/zarr.json"));
    const extended = dropIn.withByteCaching(store as never) as never;
    const opened = async () => (await dropIn.open(extended, { kind: "array" })) as never as typeof array;
    const handles = await Promise.all(
      Array.from({ length: 35 }, (_, i) => [array, fromMetadata(), opened()][i % 3]),
    );
    await Promise.all(handles.map((handle, i) => dropIn.set(handle!, [Math.floor(i / 7), i % 7], i + 1)));
    expect(await stored(store)).toEqual(Array.from({ length: 35 }, (_, i) => i + 1));
  });

  it("caches of extensions, which discard replaced objects", async () => {
    const store = files();
    await small(store);
    const cached = dropIn.withByteCaching(store as never);
    const array = (await dropIn.open(cached as never, { kind: "array" })) as never as dropIn.Array<
      "int32",
      Files
    >;
    expect(await dropIn.get(array, [0, 0])).toBe(0);
    await dropIn.set(array, [0, 0], 1);
    await dropIn.set(array, [0, 1], 2);
    expect([await dropIn.get(array, [0, 0]), await dropIn.get(array, [0, 1])]).toEqual([1, 2]);
    await small(cached as never, { shape: [2, 2] });
    expect((await dropIn.open(cached as never, { kind: "array" })).shape).toEqual([2, 2]);
  });
});
