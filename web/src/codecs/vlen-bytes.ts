/** vlen-bytes: byte strings of any length. Spec: zarr-extensions, codec "vlen-bytes". */
import { checkType, type VlenCodecDefinition } from "./vlen-codec.js";
import { badValue, frameItems, itemBounds } from "./vlen-framing.js";

export const vlenBytes: VlenCodecDefinition = {
  kind: "array-to-bytes",
  names: { 2: ["vlen-bytes"], 3: ["vlen-bytes", "numcodecs.vlen-bytes"] },
  elements: "bytes",
  parse(config, context) {
    const { codec } = config;
    config.only();
    checkType(config, context, ["bytes", "object"]);
    return {
      decode: (bytes, count) => {
        const bounds = itemBounds(codec, bytes, count);
        return Array.from({ length: count }, (_, i) => bytes.slice(bounds[2 * i]!, bounds[2 * i + 1]!));
      },
      encode: (values) => {
        values.forEach((value, index) => {
          if (!(value instanceof Uint8Array)) throw badValue(codec, "Uint8Arrays", index);
        });
        return frameItems(codec, values as Uint8Array[]);
      },
    };
  },
};
