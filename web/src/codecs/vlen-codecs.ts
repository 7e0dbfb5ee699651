/** All codecs for elements of variable length. */
import { categorize } from "./categorize.js";
import { json2 } from "./json2.js";
import { msgpack2 } from "./msgpack2.js";
import { vlenArray } from "./vlen-array.js";
import { vlenBytes } from "./vlen-bytes.js";
import type { VlenCodecDefinition } from "./vlen-codec.js";
import { vlenUtf8 } from "./vlen-utf8.js";

export const objectCodecs: readonly VlenCodecDefinition[] = [
  vlenUtf8,
  vlenBytes,
  vlenArray,
  json2,
  msgpack2,
  categorize,
];
