/** Tiles of compressed FITS images. */

import { countOf } from "../util/shapes.js";
import { type CodecDefinition, ConfigReader } from "./definition.js";

/** Maximum number of values of a block. */
const maxBlock = 2 ** 16;

export const fitsRice: CodecDefinition = {
  core: "fits_rice",
  kind: "bytes-to-bytes",
  names: { 3: ["fits_rice"] },
  checkedByCore: "chunks must have a known size, a whole number of values",
  parse(config, { array: { dtype, shape } }) {
    config.only("block_size", "bytepix");
    const bytes = config.integer("bytepix", 1, 4, 4);
    if (bytes === 3) throw config.error('"bytepix" must be 1, 2 or 4, not 3');
    if (dtype.isVariable || (countOf(shape) * dtype.itemBytes) % bytes !== 0)
      throw config.error(
        `does not support chunks of data type ${dtype} that are not integers of ${bytes} bytes`,
      );
    return { params: [config.integer("block_size", 1, maxBlock, 32), bytes] };
  },
};

const dithers = ["none", "subtractive_1", "subtractive_2"];
const orders = ["little", "big"];

/** Makes the definition; `conditional` parses the nested codecs. */
export function makeFitsQuantize(conditional: CodecDefinition): CodecDefinition {
  return {
    core: "fits_quantize",
    kind: "array-to-bytes",
    names: { 3: ["fits_quantize"] },
    checkedByCore: "its codecs must take the bytes that they are given",
    parse(config, context) {
      config.only("dither", "endian", "codecs");
      const { dtype } = context.array;
      if (dtype.core !== "float32" && dtype.core !== "float64")
        throw config.error(`does not support data type ${dtype}, only float32 and float64`);
      const own = [config.choice("dither", dithers, "none"), config.choice("endian", orders)];
      const nested = new ConfigReader(config.codec, { codecs: config.get("codecs") }, config.version);
      return { params: [...own, ...conditional.parse(nested, context).params] };
    },
  };
}
