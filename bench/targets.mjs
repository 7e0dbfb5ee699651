// Targets of rows: printed next to them and shown in docs/benchmarks.md. A missed target never fails a run,
// since machines differ. A bound applies to the ratio of a row, or to its value if that is an absolute
// amount.

const ratio = (pattern, sign, bound) => ({ pattern, of: "ratio", sign, bound });
const value = (pattern, sign, bound, unit) => ({ pattern, of: "value", sign, bound, unit });

const copy = "wasm over memory\\.copy";
const permute = (type, shape, order, bound) =>
  ratio(new RegExp(`^in heap, permute ${type} \\[${shape}\\] \\[${order}\\]: ${copy}`), ">=", bound);
const decode = (codec, library, bound) =>
  ratio(new RegExp(`^in heap, decode ${codec}, .* 4 MiB: wasm over native ${library}`), ">=", bound);
const npm = (codec, way, bound, peer = "npm numcodecs") =>
  ratio(new RegExp(`^decode ${codec}, .* ${way} array: zarr-wasm over ${peer}`), ">=", bound);

export const targets = [
  ratio(new RegExp(`^in heap, byte swap [248] B, 4 MiB: ${copy}`), ">=", 0.95),
  // Sides that are not powers of two, 4 MiB.
  permute("u8", "2000,2098", "1,0", 0.38),
  permute("u16", "1400,1498", "1,0", 0.47),
  permute("u32", "1000,1049", "1,0", 0.47),
  permute("u64", "700,749", "1,0", 0.6),
  permute("complex128", "500,525", "1,0", 0.68),
  ratio(/^in heap, permute .* with byte swap: wasm over permute/, "<=", 1.08),
  permute("u16", "128,128,128", "2,1,0", 0.4),
  permute("u16", "128,128,128", "2,0,1", 0.45),
  permute("u16", "128,128,128", "0,2,1", 0.7),
  permute("u16", "32,48,40,34", "1,3,0,2", 0.7),
  // Powers of two, 64 MiB.
  permute("\\w+", "(?:8192,8192|4096,8192|4096,4096|2048,4096|2048,2048)", "1,0", 0.28),
  ratio(/^in heap, unshuffle (?:2|4|8|16) B, .*: wasm over native c-blosc/, ">=", 1),
  ratio(/^in heap, bit unshuffle [1248] B, .*: wasm over native c-blosc/, ">=", 1.1),
  ratio(new RegExp(`^in heap, crc32c, 4 MiB: ${copy}`), ">=", 1),
  ratio(new RegExp(`^in heap, crc32c, 16 KiB: ${copy}`), ">=", 0.5),
  ratio(/^in heap, chunk 64³ .* fused: wasm over/, "<=", 0.75),

  decode("blosc lz4 shuffle", "c-blosc", 0.95),
  decode("blosc lz4 bitshuffle", "c-blosc", 1.3),
  decode("blosc zstd shuffle", "c-blosc", 0.9),
  decode("blosc zstd bitshuffle", "c-blosc", 1),
  decode("blosc blosclz shuffle", "c-blosc", 1.15),
  ratio(/^in heap, decode zstd level 3, mean of corpora 4 MiB: wasm over native libzstd/, ">=", 0.75),
  decode("lz4", "liblz4", 0.85),
  decode("gzip level 5", "libdeflate", 0.82),
  ratio(/^in heap, encode (?:blosc lz4 shuffle|zstd level 3|gzip level 5), .*: wasm over native/, ">=", 0.65),

  npm("blosc lz4 (?:bit)?shuffle", "reused", 7),
  npm("blosc lz4 (?:bit)?shuffle", "fresh", 6),
  npm("blosc zstd (?:bit)?shuffle", "reused", 5),
  npm("blosc zstd (?:bit)?shuffle", "fresh", 4),
  npm("blosc blosclz shuffle", "reused", 7),
  npm("blosc blosclz shuffle", "fresh", 6),
  npm("zstd level 3", "fresh", 2.2),
  npm("lz4", "fresh", 6),
  npm("gzip level 5", "fresh", 1.4, "node:zlib"),
  npm("gzip level 5", "fresh", 2.3, "DecompressionStream"),
  ratio(/^decode pcodec, .*: over native pco/, ">=", 0.6),
  ratio(/^encode .*: zarr-wasm over npm numcodecs/, ">=", 3),

  ratio(/^copy, .*: zarr-wasm over zarr-python/, ">=", 2),

  ratio(/^getChunk, big-endian.*: zarr-wasm over zarrita/, ">=", 12),
  ratio(/^get, transposed.*: zarr-wasm over zarrita/, ">=", 80),
  ratio(/^get, chunk 64³ .* placed into 256³: zarr-wasm over zarrita/, ">=", 50),
  ratio(/^get, .* in shards .*: zarr-wasm over zarrita/, ">=", 5),
  ratio(/^get, .* lz4 .* over loopback HTTP: zarr-wasm over zarrita/, ">=", 6),
  ratio(/^get, .* zstd .* over loopback HTTP: zarr-wasm over zarrita/, ">=", 5),

  ratio(/^pool, get, .*: 2 workers.* over the two-thread ceiling/, ">=", 0.85),
  ratio(/^pool, get, .*: 2 workers.* over one thread/, ">=", 1),
  ratio(/^pool, get, .*: one thread over decoding and first touch/, "<=", 1.15),
  ratio(/^pool, set, .*: 2 workers.* over one thread/, ">=", 1.5),

  ratio(/^set, .*: zarr-wasm over zarrita/, ">=", 4),
  ratio(/^set, .* in shards of 256³: over chunks alone/, ">=", 0.9),

  value(/^download, gzip: decode\.wasm over/, "<=", 75, "KB"),
  value(/^download, gzip: all that open and get need over/, "<=", 105, "KB"),
  value(/^startup, .* Node: zarr-wasm/, "<=", 25, "ms"),
  value(/^per call, decodeInto of 4 KiB/, "<=", 2, "µs"),
  ratio(/^growth, /, "<=", 1.25),
  ratio(/^memory, get of \d+ MiB over get of/, "<=", 1.25),
  ratio(/: wasm in Chromium over wasm in Node$/, ">=", 0.85),
].map(withText);

/** Targets of the viewer rows, which take minutes to measure and are not in bench/results.json. */
export const viewerTargets = [
  value(/^viewer, .*first picture after a cold start: time/, "<=", 600, "ms"),
  ratio(/^viewer, .*first picture after a cold start: over/, "<=", 0.5),
  value(/^viewer, .*all in view after a cold start: time/, "<=", 3000, "ms"),
  value(/^viewer, 20,480².*requests for data until the first picture/, "<=", 7, "requests"),
  ratio(/^viewer, .*bytes fetched over bytes in view/, "<=", 1.5),
  value(/^viewer, .*frames under 20 ms/, ">=", 95, "%"),
  value(/^viewer, .*longest task of the main thread/, "<=", 50, "ms"),
  ratio(/^viewer, .*after 200 pans over after 40/, "<=", 1.1),
  value(/^viewer, .*main thread busy/, "<=", 25, "%"),
].map(withText);

function withText(target) {
  const unit = target.unit ? ` ${target.unit}` : "";
  return { ...target, text: `${target.sign === ">=" ? "≥" : "≤"} ${target.bound}${unit}` };
}

/** The target of a row, if any. */
export function targetOf(name) {
  return [...targets, ...viewerTargets].find(({ pattern }) => pattern.test(name));
}

/**
 * @param {{of: "ratio" | "value", sign: string, bound: number}} target
 * @param {{value: number, ratio: number}} row
 * @returns {"met" | "missed"}
 */
export function judge({ of, sign, bound }, row) {
  const isMet = sign === ">=" ? row[of] >= bound : row[of] <= bound;
  return isMet ? "met" : "missed";
}
