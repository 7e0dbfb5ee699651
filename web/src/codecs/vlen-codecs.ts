/** Every codec for elements of variable length, as names.ts lists them. */
import { categorize } from "./categorize.js";
import { json2 } from "./json2.js";
import { msgpack2 } from "./msgpack2.js";
import { vlenArray } from "./vlen-array.js";
import { vlenBytes } from "./vlen-bytes.js";
import type { VlenCodecDefinition } from "./vlen-codec.js";
import type { VlenName } from "./vlen-names.js";
import { vlenUtf8 } from "./vlen-utf8.js";

const definitions = {
  "vlen-utf8": vlenUtf8,
  "vlen-bytes": vlenBytes,
  "vlen-array": vlenArray,
  json2,
  msgpack2,
  categorize,
} satisfies Record<VlenName, VlenCodecDefinition>;

export const objectCodecs: readonly VlenCodecDefinition[] = Object.values(definitions);
