/** Which chunks an array gets where nobody says. */

/** Bytes that a chunk should have. */
const targetBytes = 2 ** 20;
/** What an element of variable length is taken for. */
const variableBytes = 16;

/**
 * Chunks of about 1 MiB: as many elements along each axis as along the others, but for axes that are shorter; powers of
 * two, or an axis' whole length. An axis of length 0 is there to grow: it gets what is left. Inside shards, chunks
 * divide them.
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

/** Doubles the shortest length among some axes, the last one first, as long as the chunk is not too large. */
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
