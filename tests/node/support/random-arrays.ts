/** Random elements and selections for comparing readers. */
import { type DimensionSelection, slice } from "zarr-wasm";
import { randomBytes, randomizer } from "./support.js";

const itemBytes: Record<string, number> = {
  bool: 1,
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  float32: 4,
  int64: 8,
  uint64: 8,
  float64: 8,
};
export const dataTypes = Object.keys(itemBytes);

/** Random elements; floats are never NaN, whose payloads are not always preserved. */
export function elementsOf(dataType: string, count: number, seed: number): Uint8Array {
  const bytes = randomBytes(count * itemBytes[dataType]!, seed);
  if (dataType === "bool") return bytes.map((byte) => byte & 1);
  const random = randomizer(seed);
  const values = Array.from({ length: count }, () => (random() - 0.5) * 1e6);
  if (dataType === "float32") return new Uint8Array(Float32Array.from(values).buffer);
  return dataType === "float64" ? new Uint8Array(Float64Array.from(values).buffer) : bytes;
}

/** Entries of a selection that all libraries support. */
export type Entry = Exclude<DimensionSelection, readonly unknown[]> &
  (number | null | ReturnType<typeof slice>);

/** A random selection of a shape: indices from either end, slices with and without steps, whole dimensions. */
export function randomSelection(shape: readonly number[], random: () => number): Entry[] {
  const below = (n: number) => Math.floor(random() * n);
  return shape.map((length): Entry => {
    const kind = below(5);
    if (kind === 0) return below(length);
    if (kind === 1) return null;
    const start = kind === 2 ? null : below(length);
    const stop = (start ?? 0) + 1 + below(length - (start ?? 0)); // zarrita refuses empty slices
    return slice(start, stop, kind === 4 ? 1 + below(4) : null);
  });
}
