// What rows are held to: printed beside them, never a reason to fail, for machines differ.
const targets = [
  [/^in heap, byte swap [248] B, 4 MiB: wasm over memory.copy/, ">=", 0.85],
  [/^in heap, permute u16 \[1\d{3},\d+\] \[1,0\]: wasm over memory.copy/, ">=", 0.4],
  [/^in heap, permute .* with byte swap: wasm over/, "<=", 1.2],
  [/^in heap, crc32c, 4 MiB: wasm over memory.copy/, ">=", 1],
  [/^in heap, crc32c, 16 KiB: wasm over memory.copy/, ">=", 0.5],
  [/^decode blosc lz4 shuffle, .*: zarr-wasm over npm numcodecs/, ">=", 5],
  [/^getChunk, big-endian.*: zarr-wasm over zarrita/, ">=", 10],
  [/^get, transposed.*: zarr-wasm over zarrita/, ">=", 40],
];

/** "", or the target of a row and whether it is met. */
export function targetNote(name, ratio) {
  const target = targets.find(([pattern]) => pattern.test(name));
  if (!target) return "";
  const [, sign, bound] = target;
  const met = sign === ">=" ? ratio >= bound : ratio <= bound;
  return `  ${sign} ${bound} ${met ? "met" : "missed"}`;
}
