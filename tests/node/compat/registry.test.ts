// The zarrita drop-in's registry of codecs.
import { describe, expect, it } from "vitest";
import { MapStore } from "zarr-wasm";
import * as dropIn from "zarr-wasm/zarrita";
import * as zarrita from "zarrita";
import { elementsOf } from "../support/random-arrays.js";
import { randomBytes } from "../support/support.js";
import { bytesLittle, CountingStore, documents, sharded, v3Meta, writeV3 } from "../support/zarr-writer.js";

describe("the registry's standard codecs", () => {
  const shape = [3, 4];
  const plain = (dataType: string, data: unknown) => ({
    chunk: { data, shape, stride: [4, 1] },
    meta: { dataType, shape, codecs: [], fillValue: 0 },
  });
  const numbers = Array.from({ length: 12 }, (_, i) => (i * 37) % 101);
  const int32 = () => plain("int32", Int32Array.from(numbers));
  const float64 = () =>
    plain(
      "float64",
      Float64Array.from(numbers, (n) => n / 8),
    );
  const text = () =>
    plain(
      "string",
      numbers.map((n) => `é${n}`),
    );

  it("match zarrita's", () => {
    expect([...dropIn.registry.keys()].sort()).toEqual([...zarrita.registry.keys()].sort());
  });

  it.each([
    ...["blosc", "lz4", "zstd", "gzip", "zlib"].flatMap((id) => [id, `numcodecs.${id}`]),
    "crc32c",
    "numcodecs.shuffle",
  ])("%s, on bytes", async (name) => {
    const meta = int32().meta as never;
    const configuration = name.endsWith("shuffle") ? { elementsize: 4 } : {};
    const bytes = randomBytes(400, 3).map((byte) => byte & 15);
    const Own = await dropIn.registry.get(name)!();
    const own = Own.fromConfig(configuration as never, meta) as never as Codec;
    const Theirs = await zarrita.registry.get(name)!();
    const theirs = Theirs.fromConfig(configuration, meta) as never as Codec;
    const encoded = await own.encode(bytes);
    expect(new Uint8Array((await theirs.decode(encoded)) as ArrayBuffer)).toEqual(bytes);
    expect(await own.decode(encoded)).toEqual(bytes);
  });

  interface Codec {
    readonly kind: string;
    encode(data: unknown): Promise<Uint8Array>;
    decode(data: unknown): Promise<unknown>;
    getEncodedMeta?(meta: object): object;
  }
  type Made = ReturnType<typeof plain>;

  it.each<[string, object, () => Made]>([
    ["bytes", { endian: "big" }, int32],
    ["vlen-utf8", {}, text],
    ["numcodecs.vlen-utf8", {}, text],
    ["json2", {}, text],
    ["numcodecs.json2", {}, text],
  ])("%s, from arrays to bytes", async (name, configuration, make) => {
    const { chunk, meta } = make();
    // zarrita writes the lists of json2 flat, where numcodecs nests them.
    if (name.endsWith("json2")) for (const made of [chunk, meta]) Object.assign(made, { shape: [12] });
    if (name.endsWith("json2")) chunk.stride = [1];
    const Own = await dropIn.registry.get(name)!();
    const own = Own.fromConfig(configuration as never, meta) as never as Codec;
    expect(own.kind).toBe("array_to_bytes");
    const encoded = await own.encode(chunk);
    const Theirs = await zarrita.registry.get(name)!();
    const theirs = Theirs.fromConfig(configuration, meta as never) as never as Codec;
    expect(await theirs.decode(encoded)).toEqual(chunk);
    expect(await own.decode(encoded)).toEqual(chunk);
  });

  it.each<[string, object, () => Made]>([
    ["bitround", { keepbits: 30 }, float64],
    ["numcodecs.bitround", { keepbits: 30 }, float64],
    ["numcodecs.delta", { dtype: "<i4" }, int32],
    ["scale_offset", { scale: 2, offset: 1 }, float64],
    ["cast_value", { data_type: "float64" }, int32],
    ["transpose", { order: [1, 0] }, int32],
    ["transpose", { order: "F" }, int32],
  ])("%s, from arrays to arrays", async (name, configuration, make) => {
    const { chunk, meta } = make();
    const Own = await dropIn.registry.get(name)!();
    const own = Own.fromConfig(configuration as never, meta) as never as Codec;
    expect(own.kind).toBe("array_to_array");
    expect(own.getEncodedMeta?.(meta)).toMatchObject({
      dataType: name === "cast_value" ? "float64" : meta.dataType,
    });
    expect(await own.decode(await own.encode(chunk))).toEqual(chunk);
  });

  it("take chunks in other orders, and zarrita 0.6's name of the data type", async () => {
    const { meta } = int32();
    const { dataType: data_type, ...rest } = meta;
    const Own = await dropIn.registry.get("bytes")!();
    const own = Own.fromConfig(
      { endian: "little" } as never,
      { ...rest, data_type } as never,
    ) as never as Codec;
    const columns = Int32Array.from(numbers, (_, i) => numbers[(i % 3) * 4 + Math.floor(i / 3)]!);
    const encoded = await own.encode({ data: columns, shape, stride: [1, 3] });
    expect(new Int32Array(encoded.buffer)).toEqual(Int32Array.from(numbers));
  });

  it("are all that arrays can use: entries that a program adds are not looked up", async () => {
    const store = documents({ "/zarr.json": v3Meta({ codecs: [bytesLittle, { name: "own" }] }) });
    dropIn.registry.set("own", () => ({ fromConfig: () => ({ decode: (bytes: Uint8Array) => bytes }) }));
    const opened = dropIn.open(store as never, { kind: "array" });
    await expect(opened).rejects.toMatchObject({ _tag: "UnknownCodecError", codec: "own" });
    dropIn.registry.delete("own");
  });

  it("do not stand between an array and the core", async () => {
    const written = new MapStore();
    await writeV3(written, v3Meta({ codecs: [sharded([1, 3])] }), elementsOf("int32", 24, 1));
    const store = new CountingStore(written);
    await dropIn.get(await dropIn.open(store as never, { kind: "array" }), [0, 0]);
    // Ranges of inner chunks are read.
    expect(store.requests.some((request) => request.range !== undefined)).toBe(true);
  });
});
