/** `ByteCache` as the package exports it; archive.ts says why. */
import { ByteCache as Cache } from "./cache.js";

export const ByteCache = Cache;
export type ByteCache = Cache;
export type { ByteCacheLike } from "./cache.js";
