/** A sample of an array's stored chunks. */
import type { ZarrArray } from "zarr-wasm";

/** Codec of single chunks. */
export type Leaf = ReturnType<ZarrArray["reader"]["layoutOf"]>["leaf"];

export interface SampledChunk {
  readonly codec: Leaf;
  readonly encoded: Uint8Array;
}

export interface Sample {
  readonly chunks: readonly SampledChunk[];
  /** Chunks that are not stored. */
  readonly missing: number;
  /** Bytes of the chunks read, and the seconds that reading took. */
  readonly bytes: number;
  readonly seconds: number;
  /** Number of chunks that could not be read, and the error of the first one. */
  readonly failed: number;
  readonly error: unknown;
}

export interface Bounds {
  readonly seconds: number;
  readonly bytes: number;
}

/** Requests in parallel. */
export const lanes = 8;
const maxChunks = 256;

/** Reads chunks spread over an array until there are enough of them or a limit is reached. */
export async function readSample(array: ZarrArray, bounds: Bounds): Promise<Sample> {
  const chunks: SampledChunk[] = [];
  const tally = { missing: 0, bytes: 0, failed: 0, error: undefined as unknown };
  const start = performance.now();
  const signal = AbortSignal.timeout(Math.ceil(bounds.seconds * 1000));
  const { reader } = array;
  const codecOf = (coordinates: readonly number[]) => {
    const { axes, objectAxes } = reader;
    return reader.layoutOf(coordinates.map((at, axis) => objectAxes[axis]!.find(axes[axis]!.start(at)))).leaf;
  };
  /** Includes reads in flight, so that parallel lanes do not exceed a limit by one chunk each. */
  const typical = () => (chunks.length > 0 ? tally.bytes / chunks.length : 0);
  let underWay = 0;
  const readOne = async (coordinates: number[]) => {
    if (signal.aborted || tally.bytes + underWay * typical() >= bounds.bytes) return;
    underWay++;
    try {
      const encoded = await array.fetchChunk(coordinates, { signal });
      if (!encoded) {
        tally.missing++;
        return;
      }
      chunks.push({ codec: codecOf(coordinates), encoded });
      tally.bytes += encoded.byteLength;
    } catch (error) {
      if (signal.aborted) return;
      tally.failed++;
      tally.error ??= error;
    } finally {
      underWay--;
    }
  };
  const all = spread(array.gridShape);
  const lane = async () => {
    for (const coordinates of all) await readOne(coordinates);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { chunks, ...tally, seconds: (performance.now() - start) / 1000 };
}

/** Distinct positions in a grid, far apart and in no order: steps of the golden ratio. */
export function* spread(grid: readonly number[]): Generator<number[]> {
  const total = grid.reduce((a, b) => a * b, 1);
  const seen = new Set<number>();
  const golden = (Math.sqrt(5) - 1) / 2;
  for (let turn = 0; seen.size < Math.min(total, maxChunks); turn++) {
    const at = total <= maxChunks ? turn : Math.floor(((turn * golden) % 1) * total);
    if (seen.has(at)) continue;
    seen.add(at);
    yield chunkCoordinates(at, grid);
  }
}

function chunkCoordinates(at: number, grid: readonly number[]): number[] {
  let rest = at;
  return grid
    .toReversed()
    .map((length) => {
      const coordinate = rest % length;
      rest = Math.floor(rest / length);
      return coordinate;
    })
    .toReversed();
}
