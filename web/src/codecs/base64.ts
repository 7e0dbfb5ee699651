/** base64: the bytes as RFC 4648 text. Spec: numcodecs. */
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
