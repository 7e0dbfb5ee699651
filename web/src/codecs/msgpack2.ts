/** msgpack2: values as MessagePack, one list per chunk. Spec: numcodecs msgpacks.py. */

import { readMsgpack } from "./msgpack-read.js";
import { writeMsgpack } from "./msgpack-write.js";
import { flatten, nest } from "./nested-lists.js";
import { checkType, type VlenCodecDefinition } from "./vlen-codec.js";
import { badValue, corrupt, mostValues } from "./vlen-framing.js";

/**
 * `raw`: strings are read as bytes. `use_single_float`: fractions are written as float32. `use_bin_type`
 * false: byte strings are written as str, the only type for both before MessagePack distinguished them.
 */
export const msgpack2: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["msgpack2"], 3: ["numcodecs.msgpack2"] },
  elements: "object",
  isOrderless: true,
  parse(config, context) {
    const { codec } = config;
    config.only("raw", "use_bin_type", "use_single_float");
    checkType(config, context, ["object", "string"]);
    const isText = context.array.dtype.name === "string";
    const raw = config.boolean("raw", false);
    const forms = {
      singleFloat: config.boolean("use_single_float", false),
      binType: config.boolean("use_bin_type", true),
    };
    return {
      decode: (bytes, count) => {
        const values = flatten<unknown>(
          codec,
          readMsgpack(codec, bytes, { raw, maxValues: mostValues(count) }),
          count,
          Array.isArray,
          (n) => n,
        );
        if (isText && !values.every((value) => typeof value === "string"))
          throw corrupt(codec, "corrupt", undefined, "an element is not a string");
        return values;
      },
      encode: (values, shape) => {
        values.forEach((value, index) => {
          if (isText && typeof value !== "string") throw badValue(codec, "strings", index);
        });
        return writeMsgpack(codec, nest(values, shape), forms);
      },
    };
  },
};
