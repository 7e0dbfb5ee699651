/** snappy: one raw Snappy stream. Not a codec of numcodecs; GDAL and imagecodecs write it into Zarr v2. */
import type { CodecDefinition } from "./definition.js";

export const snappy: CodecDefinition = {
  core: "snappy",
  kind: "bytes-to-bytes",
  names: { 2: ["snappy"] },
  parse: () => ({ params: [] }),
};
