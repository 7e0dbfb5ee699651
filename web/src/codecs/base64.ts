/** base64: RFC 4648 text of the bytes, as numcodecs stores it. */
import type { CodecDefinition } from "./definition.js";

export const base64: CodecDefinition = {
  core: "base64",
  kind: "bytes-to-bytes",
  names: { 2: ["base64"], 3: ["numcodecs.base64"] },
  parse(config) {
    config.only();
    return { params: [] };
  },
};
