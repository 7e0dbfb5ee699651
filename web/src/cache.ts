/**
 * Keeps responses over HTTP for later visits.
 * @packageDocumentation
 */

export { PersistentCache, type PersistentCacheOptions } from "./store/http/persistent-cache.js";
