// Compares zarr-wasm/numcodecs with npm numcodecs: equal classes, and equal bytes wherever npm numcodecs is correct.
import * as theirs from "numcodecs";
import { describe, expect, it } from "vitest";
import { open } from "zarr-wasm";
import * as ours from "zarr-wasm/numcodecs";
import { goldenCases, randomBytes, storeOf } from "../support/support.js";

type Config = Record<string, unknown>;
interface CodecClass {
  codecId: string;
  fromConfig(config: Config & { id: string }): ours.Codec;
}
const classes = (source: object) => source as Record<string, CodecClass>;
const names = ["Blosc", "GZip", "LZ4", "Zlib", "Zstd"];

const make = (source: object, name: string, config: Config = {}) => {
  const Codec = classes(source)[name]!;
  return Codec.fromConfig({ id: Codec.codecId, ...config });
};

const inputs: [string, Uint8Array][] = [
  ["nothing", new Uint8Array(0)],
  ["three bytes", Uint8Array.of(1, 2, 3)],
  ["noise", randomBytes(70_001, 3)],
  ["rising int32", new Uint8Array(Int32Array.from({ length: 50_000 }, (_, i) => i * 3 + (i % 7)).buffer)],
  // Compresses to far less than an eighth: the first guess of its size is too small.
  ["5 MB of zeros", new Uint8Array(5_000_000)],
];

const cnames = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];
const configs: [string, Config][] = [
  ...cnames.flatMap((cname) =>
    [0, 1, 2].map((shuffle): [string, Config] => ["Blosc", { cname, clevel: 5, shuffle, blocksize: 0 }]),
  ),
  ["Blosc", {}],
  ["Blosc", { clevel: 9, blocksize: 4096 }],
  ["GZip", {}],
  ["GZip", { level: 0 }],
  ["GZip", { level: 9 }],
  ["Zlib", {}],
  ["Zlib", { level: 6 }],
  ["LZ4", {}],
  ["LZ4", { acceleration: 10 }],
  ["Zstd", {}],
  ["Zstd", { level: 0 }],
  ["Zstd", { level: 19 }],
];

describe("codecs of numcodecs", () => {
  it("have the same exports, ids and constants", async () => {
    for (const name of names) {
      const [own, other] = [classes(ours)[name]!, classes(theirs)[name]!];
      for (const key of Object.getOwnPropertyNames(other))
        if (!/^(length|name|prototype|fromConfig)$/.test(key))
          expect([key, own[key as "codecId"]]).toEqual([key, other[key as "codecId"]]);
      const subpath = `zarr-wasm/numcodecs/${own.codecId}`;
      expect(((await import(subpath)) as { default: unknown }).default).toBe(own);
    }
  });

  it("have the same fields", () => {
    for (const name of names) {
      const other = make(theirs, name) as unknown as Config;
      const own = make(ours, name) as unknown as Config;
      for (const key of Object.keys(other)) expect([name, key, own[key]]).toEqual([name, key, other[key]]);
    }
  });

  it.each(configs)("%s %o: what either encodes, the other decodes", async (name, config) => {
    const [own, other] = [make(ours, name, config), make(theirs, name, config)];
    for (const [what, bytes] of inputs) {
      const encoded = await own.encode(bytes);
      expect(Buffer.compare(await own.decode(encoded), bytes), what).toBe(0);
      expect(Buffer.compare(await other.decode(encoded), bytes), what).toBe(0);
      expect(Buffer.compare(await own.decode(await other.encode(bytes)), bytes), what).toBe(0);
    }
  });

  it.each(names)("%s decodes into `out`, which may be longer", async (name) => {
    const bytes = randomBytes(1000, 4);
    const codec = make(ours, name);
    const out = new Uint8Array(1004).fill(7);
    expect(await codec.decode(await codec.encode(bytes), out)).toBe(out);
    expect(out.subarray(0, 1000)).toEqual(bytes);
    expect([...out.subarray(1000)]).toEqual([7, 7, 7, 7]);
    const short = new Uint8Array(999);
    await expect(codec.decode(await codec.encode(bytes), short)).rejects.toMatchObject({
      _tag: "InvalidArgument",
    });
    expect(short.every((byte) => byte === 0)).toBe(true);
  });

  it.each(names)("%s rejects other kinds of `out`, and leaves them unchanged", async (name) => {
    const bytes = randomBytes(1000, 4);
    const codec = make(ours, name);
    const encoded = await codec.encode(bytes);
    for (const out of [new Int32Array(500), new Float64Array(1000), new ArrayBuffer(1000), null, "x", {}]) {
      await expect(codec.decode(encoded, out as never)).rejects.toMatchObject({ _tag: "InvalidArgument" });
      if (ArrayBuffer.isView(out))
        expect(Array.from(out as Int32Array).every((item) => item === 0)).toBe(true);
    }
    for (const data of [undefined, null, "x", [1, 2]])
      await expect(codec.decode(data as never)).rejects.toMatchObject({ _tag: "InvalidArgument" });
    for (const config of [null, 7]) {
      const { fromConfig } = (ours as never as Record<string, { fromConfig(config: unknown): unknown }>)[
        name
      ]!;
      expect(() => fromConfig(config)).toThrow(ours.ZarrError);
    }
  });

  it.each(names)("%s takes views into larger buffers, and buffers", async (name) => {
    const bytes = randomBytes(1000, 5);
    const codec = make(ours, name);
    const encoded = await codec.encode(bytes);
    const larger = new Uint8Array(encoded.length + 6).fill(9);
    larger.set(encoded, 3);
    expect(await codec.decode(larger.subarray(3, -3))).toEqual(bytes);
    expect(await codec.decode(encoded.slice().buffer as never)).toEqual(bytes);
    expect(await codec.encode(new Uint32Array(bytes.slice().buffer) as never)).toEqual(encoded);
  });

  it.each([
    ["Blosc", { clevel: 10 }],
    ["Blosc", { cname: "lzw" }],
    ["Blosc", { shuffle: 3 }],
    ["GZip", { level: 10 }],
    ["Zlib", { level: -2 }],
    ["LZ4", { acceleration: 1.5 }],
    ["Zstd", { level: 1.5 }],
  ])("%s refuses %o, as numcodecs does", (name, config) => {
    expect(() => make(theirs, name, config)).toThrow(Error);
    expect(() => make(ours, name, config)).toThrow(ours.ZarrError);
  });
});

describe("cases that numcodecs gets wrong or fails on", () => {
  const values = new Uint8Array(Int32Array.from({ length: 65_536 }, (_, i) => i * 3 + (i % 7)).buffer);
  const corrupt = { _tag: "CorruptChunk" };

  it.each(names)("%s: truncated frames are errors", async (name) => {
    const codec = make(ours, name);
    const frame = await codec.encode(values);
    for (const length of [0, 1, 4, 10, 17, frame.length >> 1, frame.length - 1])
      await expect(codec.decode(frame.slice(0, length)), String(length)).rejects.toMatchObject(corrupt);
  });

  it.each(["GZip", "Zlib"])("%s: checksums are verified", async (name) => {
    const frame = (await make(ours, name).encode(values)).slice();
    frame[frame.length - (name === "GZip" ? 6 : 2)]! ^= 1;
    await expect(make(ours, name).decode(frame)).rejects.toMatchObject(corrupt);
  });

  it("Blosc: garbage and damaged block starts are errors", async () => {
    const frame = (await make(ours, "Blosc").encode(values)).slice();
    new DataView(frame.buffer).setUint32(16, 0xffffff, true);
    await expect(make(ours, "Blosc").decode(frame)).rejects.toMatchObject(corrupt);
    await expect(make(ours, "Blosc").decode(new Uint8Array(8).fill(7))).rejects.toMatchObject(corrupt);
  });

  it("a header that lies about its size is an error", async () => {
    const frame = (await make(ours, "LZ4").encode(values)).slice();
    for (const size of [0, 1, values.length - 1, values.length + 1, 2 ** 29]) {
      new DataView(frame.buffer).setUint32(0, size, true);
      await expect(make(ours, "LZ4").decode(frame), String(size)).rejects.toMatchObject(corrupt);
    }
    new DataView(frame.buffer).setUint32(0, 2 ** 31 - 1, true);
    await expect(make(ours, "LZ4").decode(frame)).rejects.toMatchObject({ _tag: "LimitExceeded" });
  });

  it("Blosc takes what Zarr v3 metadata says, and shuffles", async () => {
    const configuration = { cname: "lz4", clevel: 5, shuffle: "shuffle", typesize: 4, blocksize: 0 };
    const v3 = make(ours, "Blosc", configuration);
    expect(await v3.encode(values)).toEqual(await make(ours, "Blosc", { shuffle: 1 }).encode(values));
    const bits = make(ours, "Blosc", { ...configuration, shuffle: -1, typesize: 1 });
    expect(await bits.decode(await bits.encode(values))).toEqual(values);
  });

  it("reads Blosc frames of 2016 with zstd before its final format", async () => {
    const golden = goldenCases("v1").find(({ name }) => name.includes("034-blosc-zstd-s2-lec8-C3"))!;
    const array = await open(storeOf(golden), { kind: "array" });
    const frame = (await array.fetchChunk([0, 0, 1]))!;
    const { data } = (await array.getChunk([0, 0, 1])) as { data: Float32Array };
    const own = await make(ours, "Blosc").decode(frame);
    expect(own).toEqual(new Uint8Array(data.buffer));
    expect(await make(theirs, "Blosc").decode(frame)).not.toEqual(own);
  });

  it("decodes all members of a gzip stream", async () => {
    const codec = make(ours, "GZip");
    const [a, b] = [await codec.encode(Uint8Array.of(1, 2)), await codec.encode(values)];
    const decoded = await codec.decode(Uint8Array.from([...a, ...b]));
    expect((await make(theirs, "GZip").decode(Uint8Array.from([...a, ...b]))).length).toBeLessThan(
      decoded.length,
    );
    expect(decoded).toEqual(Uint8Array.from([1, 2, ...values]));
  });
});
