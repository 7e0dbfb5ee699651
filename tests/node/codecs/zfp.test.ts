// zfp and zfpy: configurations turned into zfp's four parameters, chains on typed arrays.
import { describe, expect, it } from "vitest";
import { createCodecChain } from "zarr-wasm/codecs";
import { ConfigReader } from "#src/codecs/definition.js";
import { zfp, zfpy } from "#src/codecs/zfp.js";
import { DType } from "#src/dtypes/dtype.js";
import { errorOf } from "../support/support.js";

type Simple = Parameters<typeof DType.simple>[0];
const parse = (definition: typeof zfp, values: object, dtype: Simple = "float64", shape = [8, 8]) =>
  definition.parse(new ConfigReader("zfp", values as never), {
    version: 3,
    array: { dtype: DType.simple(dtype), shape },
  }).params;

describe("zfp", () => {
  it.each([
    [{ mode: "reversible" }, [0, 1, 16658, 64, -1075]],
    [{ mode: "fixed_precision", precision: 19 }, [0, 1, 16658, 19, -1074]],
    [{ mode: "fixed_precision", precision: 0 }, [0, 1, 16658, 64, -1074]],
    [{ mode: "fixed_precision", precision: 99 }, [0, 1, 16658, 64, -1074]],
    [{ mode: "fixed_accuracy", tolerance: 0.05 }, [0, 1, 16658, 64, -5]],
    [{ mode: "fixed_accuracy", tolerance: 0.125 }, [0, 1, 16658, 64, -3]],
    [{ mode: "fixed_accuracy", tolerance: 0.12499999999999999 }, [0, 1, 16658, 64, -4]],
    [{ mode: "fixed_accuracy", tolerance: 1e300 }, [0, 1, 16658, 64, 996]],
    [{ mode: "fixed_accuracy", tolerance: 5e-324 }, [0, 1, 16658, 64, -1074]],
    [{ mode: "fixed_accuracy", tolerance: 0 }, [0, 1, 16658, 64, -1074]],
    [{ mode: "fixed_rate", rate: 10.5 }, [0, 168, 168, 64, -1074]],
    [{ mode: "fixed_rate", rate: 0.1 }, [0, 12, 12, 64, -1074]],
    [{ mode: "expert", minbits: 1, maxbits: 13, maxprec: 19, minexp: -2 }, [0, 1, 13, 19, -2]],
    [
      { mode: "expert", minbits: 0, maxbits: 4294967295, maxprec: 64, minexp: -5000 },
      [0, 1, 32768, 64, -1075],
    ],
  ])("reads %j", (values, expected) => {
    expect(parse(zfp, values)).toEqual(expected);
  });

  it.each([
    [{}, [1, 1, 16658, 64, -1075]],
    [{ mode: 4, tolerance: -1, rate: -1, precision: -1, compression_kwargs: {} }, [1, 1, 16658, 64, -1075]],
    [{ mode: 4, tolerance: 0.001 }, [1, 1, 16658, 64, -10]],
    [{ mode: 2, rate: 12 }, [1, 192, 192, 64, -1074]],
    [{ mode: 3, precision: 20 }, [1, 1, 16658, 20, -1074]],
    [{ mode: 5 }, [1, 1, 16658, 64, -1075]],
  ])("reads zfpy's %j", (values, expected) => {
    expect(parse(zfpy, values)).toEqual(expected);
  });

  it.each([
    [zfp, {}, /"mode" must be one of reversible/],
    [zfp, { mode: 4 }, /"mode"/],
    [zfp, { mode: "fixed_rate" }, /"rate" must be a number, not nothing/],
    [zfp, { mode: "fixed_rate", rate: -1 }, /"rate" must not be negative/],
    [zfp, { mode: "fixed_rate", rate: 1e9 }, /more than 32768 bits/],
    [zfp, { mode: "fixed_accuracy", tolerance: "1" }, /"tolerance"/],
    [zfp, { mode: "fixed_precision", precision: 1.5 }, /"precision"/],
    [zfp, { mode: "reversible", rate: 1 }, /"rate" is not one of its options/],
    [zfp, { mode: "expert", minbits: 9, maxbits: 8, maxprec: 1, minexp: 0 }, /"maxbits"/],
    [zfp, { mode: "expert", minbits: 1, maxbits: 8, maxprec: 65, minexp: 0 }, /"maxprec"/],
    [zfpy, { mode: 1 }, /"mode"/],
    [zfpy, { mode: 6 }, /"mode"/],
    [zfpy, { write_header: true }, /"write_header"/],
  ])("refuses %#: %j", async (definition, values, message) => {
    const error = await errorOf(() => parse(definition, values));
    expect(error._tag).toBe("InvalidMetadata");
    expect(error.message).toMatch(message);
  });

  it("refuses unsupported arrays", async () => {
    const reversible = { mode: "reversible" };
    expect((await errorOf(() => parse(zfp, reversible, "float16"))).message).toMatch(/float16, only int32/);
    expect((await errorOf(() => parse(zfpy, {}, "uint8"))).message).toMatch(/uint8, only int32/);
    expect((await errorOf(() => parse(zfp, reversible, "int32", [1, 2, 3, 4, 5]))).message).toMatch(
      /4 dimensions/,
    );
    expect((await errorOf(() => parse(zfpy, {}, "int32", []))).message).toMatch(/without dimensions/);
    expect(parse(zfp, reversible, "uint8", [])).toHaveLength(5);
  });

  it("keeps elements exact in the reversible mode, after a transpose and before a compressor", async () => {
    for (const [name, configuration] of [
      ["zfp", { mode: "reversible" }],
      ["numcodecs.zfpy", {}],
    ] as const) {
      const chain = await createCodecChain({
        dtype: "float32",
        shape: [5, 6, 7],
        codecs: [
          { name: "transpose", configuration: { order: [2, 0, 1] } },
          { name, configuration },
          { name: "gzip", configuration: { level: 1 } },
          "crc32c",
        ],
      });
      const values = Float32Array.from({ length: 210 }, (_, i) => Math.sin(i / 9) * 1e5);
      expect(chain.decode(chain.encode(values))).toEqual(values);
    }
  });

  it("stays within the tolerance, and meets the rate", async () => {
    const make = (configuration: object) =>
      createCodecChain({
        dtype: "float64",
        shape: [64, 64],
        codecs: [{ name: "zfp", configuration } as never],
      });
    const values = Float64Array.from({ length: 4096 }, (_, i) => Math.sin(i / 60) + Math.cos((i % 64) / 9));
    const accurate = await make({ mode: "fixed_accuracy", tolerance: 1e-3 });
    const encoded = accurate.encode(values);
    expect(encoded.length).toBeLessThan(values.byteLength / 5);
    const decoded = accurate.decode(encoded) as Float64Array;
    expect(Math.max(...decoded.map((value, i) => Math.abs(value - values[i]!)))).toBeLessThan(1e-3);
    expect((await make({ mode: "fixed_rate", rate: 8 })).encode(values)).toHaveLength(4096);
  });
});
