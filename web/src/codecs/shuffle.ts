/** shuffle: numcodecs' byte shuffle of a whole chunk, without framing. */
import type { CodecDefinition } from "./definition.js";

export const shuffle: CodecDefinition = {
  core: "shuffle",
  kind: "bytes-to-bytes",
  names: { 2: ["shuffle"], 3: ["numcodecs.shuffle"] },
  encodedBytes: (bytes) => bytes,
  checkedByCore: '"elementsize" must divide the number of bytes that it is given',
  parse(config) {
    config.only("elementsize");
    return { params: [config.integer("elementsize", 1, 2 ** 31 - 1, 4)] };
  },
};
