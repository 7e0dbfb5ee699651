/**
 * Drop-in replacement for npm `numcodecs`: its classes, on this library's codec core. docs/drop-ins.md lists
 * the differences.
 * @packageDocumentation
 */

export { default as Blosc } from "./compat/numcodecs/blosc.js";
export type { Codec, CodecConstructor } from "./compat/numcodecs/codec.js";
export { default as GZip } from "./compat/numcodecs/gzip.js";
export { default as LZ4 } from "./compat/numcodecs/lz4.js";
export { default as Zlib } from "./compat/numcodecs/zlib.js";
export { default as Zstd } from "./compat/numcodecs/zstd.js";
export { configureWasm, type WasmSource } from "./engine/engine.js";
export { isZarrError, ZarrError } from "./util/errors.js";
