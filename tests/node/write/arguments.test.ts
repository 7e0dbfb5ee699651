// Common mistakes: either the call works, or the message names the remedy.
import { describe, expect, it } from "vitest";
import {
  append,
  consolidate,
  create,
  createGroup,
  deleteNode,
  get,
  resize,
  set,
  updateAttributes,
  ZipWriter,
} from "zarr-wasm";
import { writeMultiscale } from "zarr-wasm/conventions";
import { errorOf } from "../support/support.js";

const base = { shape: [4, 4], chunkShape: [2, 2], dtype: "uint8" } as const;
const made = (options: object = {}) => create(new Map(), { ...base, ...options } as never);
const refused = async (call: () => unknown) => {
  const { _tag, message } = await errorOf(async () => call());
  return `${_tag}: ${message}`;
};

describe("options of create", () => {
  it.each([
    ["chunks", "chunkShape"],
    ["chunk_shape", "chunkShape"],
    ["fill_value", "fillValue"],
    ["compressor", "codecs"],
    ["data_type", "dtype"],
    ["attrs", "attributes"],
    ["zarr_format", "zarrFormat"],
  ])("%s is none: %s is meant", async (name, meant) => {
    const said = `InvalidArgument: unknown option "${name}"; did you mean ${meant}?`;
    expect(await refused(() => made({ [name]: [2, 2] }))).toBe(said);
  });

  it("with unknown names are refused, and undefined ones ignored", async () => {
    expect(await refused(() => made({ colour: 1 }))).toContain("expected one of path, attributes,");
    expect((await made({ chunks: undefined, order: undefined })).shape).toEqual([4, 4]);
  });

  it.each([
    ["attrs", "attributes"],
    ["zarr_format", "zarrFormat"],
    ["name", "path"],
  ])("%s is none of createGroup: %s is meant", async (name, meant) => {
    const store = new Map();
    const said = `InvalidArgument: unknown option "${name}"; did you mean ${meant}?`;
    expect(await refused(() => createGroup(store, { [name]: {} } as never))).toBe(said);
    expect(await refused(() => createGroup(store, { shape: [2] } as never))).toContain(
      'unknown option "shape"; expected one of path,',
    );
    expect(store.size).toBe(0);
  });

  it.each([
    ["chunks", "chunkShape"],
    ["factors", "factor"],
    ["dimensionNames", "axes"],
    ["zarr_format", "zarrFormat"],
  ])("%s is none of writeMultiscale: %s is meant", async (name, meant) => {
    const store = new Map();
    const image = { data: new Uint8Array(4), shape: [2, 2] };
    const said = `InvalidArgument: unknown option "${name}"; did you mean ${meant}?`;
    expect(await refused(() => writeMultiscale(store, image, { [name]: [2, 2] } as never))).toBe(said);
    expect(await refused(() => writeMultiscale(store, image, { colour: 1 } as never))).toContain(
      'unknown option "colour"; expected one of path,',
    );
    expect(store.size).toBe(0);
  });

  it("are shown as they were given", async () => {
    expect(await refused(() => made({ shape: 8 }))).toContain("not 8");
    expect(await refused(() => made({ shape: [2 ** 60, -1] }))).toContain(
      "below 2^53, not [1152921504606847000, -1]",
    );
    expect(await refused(() => made({ zarrFormat: "2" }))).toContain('the number 1, 2 or 3, not "2"');
    expect(await refused(() => made({ chunkKeyEncoding: "/" }))).toContain("{ name, separator }, not /");
    const asInV3 = { name: "default", configuration: { separator: "." } };
    expect(await refused(() => made({ chunkKeyEncoding: asInV3 }))).toContain("unknown option configuration");
  });

  it("that v1 cannot hold are named, and no codec that the caller did not choose", async () => {
    expect(await refused(() => made({ dtype: "string", zarrFormat: 1 }))).toBe(
      "Unsupported: Zarr v1 does not support elements of variable length (data type string)",
    );
  });
});

describe("attributes", () => {
  it("may be of an interface", async () => {
    interface Meta {
      unit: string;
      scale?: number;
    }
    const meta: Meta = { unit: "counts" };
    const group = await createGroup(new Map(), { attributes: meta });
    await updateAttributes(group, { ...meta, scale: 2 } as Meta);
    expect(group.attributes).toEqual({ unit: "counts", scale: 2 });
  });
});

describe("targets", () => {
  it("are not paths, arrays, or groups without a path", async () => {
    expect(await refused(() => create("x.zarr", base))).toContain("FileSystemStore of zarr-wasm/node");
    const array = await made();
    for (const call of [() => create(array as never, base), () => deleteNode(array as never)])
      expect(await refused(call)).toContain("the target is an array");
    const group = await createGroup(new Map());
    expect(await refused(() => create(group, base))).toMatch(/^AlreadyExists: without a path, /);
  });
});

describe("values", () => {
  it("may be of a subclass of the typed array, such as a Buffer", async () => {
    const array = await made();
    await set(array, [0], Buffer.from([1, 2, 3, 4]));
    await append(array, Buffer.from([5, 6, 7, 8])); // which the types allow, too: tsc checks this file
    const { data } = await get(array);
    expect(data).toEqual(Uint8Array.of(1, 2, 3, 4, ...new Uint8Array(12), 5, 6, 7, 8));
    expect(Object.getPrototypeOf(data)).toBe(Uint8Array.prototype);
    class Numbers extends Float32Array {}
    const floats = await made({ dtype: "float32" });
    await set(floats, [0], Numbers.of(1, 2, 3, 4));
    expect((await get(floats, [0])).data).toEqual(Float32Array.of(1, 2, 3, 4));
    expect(await refused(() => set(floats, [0], Buffer.alloc(4)))).toContain("must be a Float32Array");
  });

  it("of other kinds are named, with the required one", async () => {
    const array = await made({ dtype: "int64" });
    expect(await refused(() => set(array, [0], [1, 2, 3, 4] as never))).toContain(
      "must be a BigInt64Array for data type int64, not a list",
    );
    expect(await refused(() => set(array, [0], undefined as never))).toContain(
      "values is required: set(array, selection, values)",
    );
    expect(await refused(() => set(array, new BigInt64Array(16) as never, undefined as never))).toContain(
      "set(array, selection, values)",
    );
    expect(await refused(() => set(array, [0], new ArrayBuffer(8) as never))).toContain("got ArrayBuffer");
    expect(await refused(() => set(array, [0], new Date() as never))).toContain("got Date");
    const names = await made({ dtype: "<U3" });
    expect(await refused(() => set(names, [0], "four"))).toContain("does not fit 3 characters");
  });

  it("that are appended get a separate message for each mistake", async () => {
    const array = await made();
    const said = await refused(() => append(array, new Uint8Array(5)));
    expect(said).toContain("requires a multiple of 4 elements, or a region with its shape; got 5 elements");
    expect(await refused(() => append(array, new Uint8Array(4), { axis: 0 } as never))).toContain(
      "append(array, values, axis, options)",
    );
    expect(await refused(() => append(array, 7 as never))).toContain("got 7");
  });
});

describe("an archive that has chunks", () => {
  it("says at once that documents cannot be replaced", async () => {
    const zip = new ZipWriter(() => {});
    const group = await createGroup(zip);
    const array = await create(group, { ...base, path: "a" });
    await set(array, [0, 0], 1);
    const start = performance.now();
    for (const call of [
      () => append(array, new Uint8Array(4)),
      () => resize(array, [9, 4]),
      () => consolidate(group),
    ])
      expect(await refused(call)).toMatch(
        /^AlreadyExists: .*is already in the archive and cannot be replaced/,
      );
    expect(performance.now() - start).toBeLessThan(500); // ten attempts take about two seconds
    await zip.close();
  });
});
