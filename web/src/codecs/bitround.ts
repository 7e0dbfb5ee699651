/** bitround: rounds away the low bits of numbers. Spec: zarr-extensions "bitround"; numcodecs. */
import type { CodecDefinition } from "./definition.js";

/** Number of mantissa bits, by the name of the data type. */
const mantissas: Readonly<Record<string, number>> = {
  bfloat16: 7,
  float16: 10,
  float32: 23,
  float64: 52,
  complex_bfloat16: 7,
  complex_float16: 10,
  complex64: 23,
  complex128: 52,
};

export const bitround: CodecDefinition = {
  core: "bitround",
  kind: "array-to-array",
  names: { 2: ["bitround"], 3: ["bitround", "numcodecs.bitround"] },
  elementwise: true,
  parse(config, { version, array }) {
    config.only("keepbits");
    const { core } = array.dtype;
    const mantissa = Object.hasOwn(mantissas, core) ? mantissas[core]! : undefined;
    const isInteger = /^(u?int(8|16|32|64)|datetime64|timedelta64)$/.test(core);
    if (mantissa === undefined && !isInteger)
      throw config.error(`it cannot round data type ${array.dtype}`, "codec-dtype");
    // numcodecs allows floats to keep only the hidden bit.
    const least = mantissa === undefined || (version === 3 && config.codec === "bitround") ? 1 : 0;
    return { params: [config.integer("keepbits", least, mantissa ?? 64)] };
  },
};
