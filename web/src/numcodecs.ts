/**
 * A drop-in for npm `numcodecs`: its classes, on this library's codec core. docs/drop-ins.md says what differs.
 * @packageDocumentation
 */

export { isZarrError, ZarrError } from "./base/errors.js";
export { configureWasm, type WasmSource } from "./engine/module.js";
export { default as Blosc } from "./numcodecs/blosc.js";
export type { Codec, CodecConstructor } from "./numcodecs/codec.js";
export { default as GZip } from "./numcodecs/gzip.js";
export { default as LZ4 } from "./numcodecs/lz4.js";
export { default as Zlib } from "./numcodecs/zlib.js";
export { default as Zstd } from "./numcodecs/zstd.js";
