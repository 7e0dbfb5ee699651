// Bytes-to-bytes codecs on their own: chains whose decoded size no metadata gives.
import { describe, expect, it } from "vitest";
import { type CodecContext, ConfigReader } from "#src/codecs/definition.js";
import { codecDefinitions } from "#src/codecs/registry.js";
import { DType } from "#src/dtypes/dtype.js";
import { decodeBytes, encodeBytesIn } from "#src/engine/bytes.js";
import { codecRow } from "#src/engine/codec-table.js";
import { getSession } from "#src/engine/engine.js";
import type { ChainStep } from "#src/engine/plan.js";
import { errorOf, randomBytes } from "../support/support.js";

const encodeBytes = async (steps: Parameters<typeof encodeBytesIn>[1], bytes: Uint8Array<ArrayBuffer>) =>
  encodeBytesIn(await getSession("full"), steps, bytes);

const zlib: ChainStep = { core: "zlib", params: [1], name: "zlib" };
const lz4: ChainStep = { core: "lz4", params: [1], name: "lz4" };
const zstd: ChainStep = { core: "zstd", params: [1, 0], name: "zstd" };
const megabyte = 2 ** 20;

const snappy: ChainStep = { core: "snappy", params: [], name: "snappy" };

describe("chains of unknown decoded size", () => {
  it.each([[[zlib]], [[zstd]], [[lz4, zstd]], [[zlib, lz4, zlib]], [[snappy]]])(
    "survive chain %#",
    async (steps) => {
      for (const length of [0, 1, 15, 16, 17, 4095, 70_000, 3 * megabyte]) {
        for (const bytes of [new Uint8Array(length), randomBytes(length, length)]) {
          const encoded = await encodeBytes(steps, bytes);
          // Zeros need several attempts: they expand beyond the first bound.
          expect(Buffer.compare(await decodeBytes(steps, encoded, 4 * megabyte), bytes)).toBe(0);
          expect(Buffer.compare(await decodeBytes(steps, encoded, Math.max(1, length)), bytes)).toBe(0);
        }
      }
    },
  );

  it("without codecs are passed on unchanged", async () => {
    const bytes = randomBytes(100, 1);
    expect(await encodeBytes([], bytes)).toBe(bytes);
    expect(await decodeBytes([], bytes, 100)).toBe(bytes);
    expect((await errorOf(() => decodeBytes([], bytes, 99)))._tag).toBe("LimitExceeded");
  });

  it("never pass the limit", async () => {
    for (const length of [1000, megabyte]) {
      const encoded = await encodeBytes([zlib], new Uint8Array(length));
      for (const limit of [1, length - 1]) {
        expect((await errorOf(() => decodeBytes([zlib], encoded, limit)))._tag).toBe("LimitExceeded");
      }
    }
  });

  it("report errors in damaged data", async () => {
    const steps = [lz4, zlib];
    const encoded = await encodeBytes(steps, randomBytes(500, 2));
    const error = await errorOf(() => decodeBytes(steps, encoded.subarray(0, 300), 1000));
    expect([error._tag, error.codec]).toEqual(["CorruptChunk", "zlib"]);
  });
});

describe("configurations", () => {
  const crc32cId = codecRow("crc32c").id;
  const context: CodecContext = { version: 3, array: { dtype: DType.simple("uint16"), shape: [10] } };
  const parse = (core: string, values: object) =>
    codecDefinitions.find((d) => d.core === core)!.parse(new ConfigReader(core, values as never), context);

  it.each([
    ["crc32c", {}, [1]],
    ["crc32c", { location: "start" }, [0]],
    ["crc32", {}, [0]],
    ["crc32", { location: "end" }, [1]],
    ["adler32", { location: null }, [0]],
    ["fletcher32", {}, [1]],
    ["jenkins_lookup3", {}, [0, 0]],
    ["jenkins_lookup3", { initval: 4294967295, prefix: null }, [4294967295, 0]],
    ["jenkins_lookup3", { prefix: [1, 2, 3, 4, 255] }, [0, 5, 0x04030201, 255]],
    ["jenkins_lookup3", { prefix: "AQID" }, [0, 3, 0x00030201]],
    ["shuffle", {}, [4]],
    ["shuffle", { elementsize: 8 }, [8]],
    ["base64", {}, []],
    ["snappy", {}, []],
    ["conditional", { codecs: [] }, [1, 0]],
    [
      "conditional",
      { codecs: ["crc32c", "crc32c"], header_bits: 32 },
      [4, 2, crc32cId, 1, 1, crc32cId, 1, 1],
    ],
    ["conditional", { codecs: Array(9).fill("numcodecs.base64") }, [2, 9]],
  ])("of %s: %j", (core, values, expected) => {
    expect(parse(core, values).params.slice(0, expected.length)).toEqual(expected);
  });

  it.each([
    ["crc32c", { location: "middle" }, /start, end/],
    ["crc32c", { place: "end" }, /"place" is not one of its options/],
    ["crc32", { location: 1 }, /start, end/],
    ["fletcher32", { location: "end" }, /it has none/],
    ["jenkins_lookup3", { initval: -1 }, /"initval"/],
    ["jenkins_lookup3", { initval: 2 ** 32 }, /"initval"/],
    ["jenkins_lookup3", { prefix: [256] }, /"prefix"/],
    ["jenkins_lookup3", { prefix: [1.5] }, /"prefix"/],
    ["jenkins_lookup3", { prefix: "é" }, /"prefix"/],
    ["jenkins_lookup3", { prefix: Array(4097).fill(0) }, /"prefix"/],
    ["shuffle", { elementsize: 0.5 }, /"elementsize"/],
    ["shuffle", { elementsize: "4" }, /"elementsize"/],
    ["base64", { url: true }, /"url"/],
    ["conditional", {}, /"codecs" must be a list/],
    ["conditional", { codecs: Array(65).fill("crc32c") }, /at most 64/],
    ["conditional", { codecs: ["bytes"] }, /must hold bytes-to-bytes codecs, not "bytes"/],
    ["conditional", { codecs: ["nonsense"] }, /"nonsense"/],
    ["conditional", { codecs: [7] }, /must hold codecs/],
    ["conditional", { codecs: [{ name: "crc32c", configuration: [] }] }, /must hold codecs/],
    ["conditional", { codecs: [{ name: "gzip", configuration: { level: 10 } }] }, /gzip: "level"/],
    ["conditional", { codecs: [], header_bits: 12 }, /multiple of 8/],
    ["conditional", { codecs: Array(9).fill("crc32c"), header_bits: 8 }, /"header_bits"/],
  ])("of %s refused: %j", async (core, values, message) => {
    const error = await errorOf(() => parse(core, values));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-configuration"]);
    expect(error.message).toMatch(message);
  });

  it("have the names of each Zarr version", () => {
    const names = (core: string) => codecDefinitions.find((d) => d.core === core)!.names;
    expect(names("crc32c")).toEqual({ 2: ["crc32c"], 3: ["crc32c", "numcodecs.crc32c"] });
    for (const core of ["crc32", "adler32", "fletcher32", "jenkins_lookup3", "shuffle", "base64"]) {
      expect(names(core)).toEqual({ 2: [core], 3: [`numcodecs.${core}`] });
    }
    expect(names("snappy")).toEqual({ 2: ["snappy"] });
    expect(names("conditional")).toEqual({ 3: ["conditional"] });
  });
});
