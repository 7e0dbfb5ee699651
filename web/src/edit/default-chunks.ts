/** Default chunk shapes. */

/** Target size of a chunk, in bytes. */
const targetBytes = 2 ** 20;
/** Assumed size of an element of variable length, in bytes. */
const variableBytes = 16;

/**
 * Returns a chunk shape of about 1 MiB: equally many elements along all axes except shorter ones, in powers
 * of two or an axis' whole length. An axis of length 0 is expected to grow, so it gets the remaining
 * elements. Inside shards, chunks divide the shard.
 */
export function defaultChunkShape(
  shape: readonly number[],
  itemBytes: number,
  shardShape: readonly number[] | undefined,
): number[] {
  const whole = shardShape ?? shape;
  const most = Math.max(1, Math.floor(targetBytes / (itemBytes || variableBytes)));
  const chunk = whole.map(() => 1);
  double(chunk, most, (axis) => chunk[axis]! < whole[axis]!);
  double(chunk, most, (axis) => whole[axis] === 0);
  return chunk.map((length, axis) => fitted(length, whole[axis]!, shardShape !== undefined));
}

/**
 * Repeatedly doubles the shortest eligible length, the last axis first, while the chunk stays within the
 * limit.
 */
function double(chunk: number[], most: number, mayGrow: (axis: number) => boolean): void {
  for (;;) {
    const axes = chunk.map((_, axis) => axis).filter(mayGrow);
    const count = chunk.reduce((a, b) => a * b, 1);
    if (axes.length === 0 || 2 * count > most) return;
    const shortest = axes.reduce((best, axis) => (chunk[axis]! <= chunk[best]! ? axis : best));
    chunk[shortest]! *= 2;
  }
}

function fitted(length: number, whole: number, mustDivide: boolean): number {
  if (whole === 0) return length;
  let fitting = Math.min(length, whole);
  while (mustDivide && whole % fitting !== 0) fitting--;
  return fitting;
}
