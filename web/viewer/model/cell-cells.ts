/** Cells that share one dimension, under map projections: rows of a folded dimension. */
import type { CellAxis } from "../source/dataset.js";
import type { Rectangle } from "./camera.js";
import type { GridCells, Samples } from "./grid-cells.js";
import type { MapBounds } from "./map-projections.js";

/** Maximum number of rectangles of chunks that are requested; close ones are joined. */
const maxParts = 32;

export class CellAxisCells implements GridCells {
  readonly rows: number;
  readonly columns: number;
  readonly step: number;
  readonly bounds: MapBounds;

  constructor(private readonly axis: CellAxis) {
    const { grid, columns } = axis;
    const [west, south, east, north] = grid.bounds;
    this.columns = columns;
    this.rows = Math.ceil(grid.count / columns);
    this.step = grid.spacing;
    this.bounds = { west, south, east, north };
  }

  find(longitudes: Float64Array, latitudes: Float64Array, cells: Int32Array, from: number): void {
    const { grid } = this.axis;
    for (let i = 0; i < longitudes.length; i++) {
      const [longitude, latitude] = [longitudes[i]!, latitudes[i]!];
      cells[from + i] = Number.isNaN(longitude + latitude) ? -1 : grid.cellAt(longitude, latitude);
    }
  }

  outline(cell: number): ArrayLike<number> | undefined {
    const { grid } = this.axis;
    return cell < grid.count ? grid.outline(cell).flat() : undefined;
  }

  /** Runs of the chunks with samples, and of those with points around the samples at the edge. */
  parts(samples: Samples): readonly Rectangle[] {
    const { rowsPerChunk, columns } = this.axis;
    const chunkOf = (cell: number) => Math.floor(cell / columns / rowsPerChunk);
    const seen = new Set<number>();
    for (const cell of samples.cells) if (cell >= 0) seen.add(chunkOf(cell));
    for (const cell of this.#around(samples)) seen.add(chunkOf(cell));
    const runs: [first: number, end: number][] = [];
    for (const chunk of [...seen].sort((a, b) => a - b)) {
      const last = runs.at(-1);
      if (last && chunk === last[1]) last[1]++;
      else runs.push([chunk, chunk + 1]);
    }
    return joined(runs).map(([first, end]) => ({
      top: first * rowsPerChunk,
      bottom: Math.min(this.rows, end * rowsPerChunk),
      left: 0,
      right: columns,
    }));
  }

  /** Cells a sample's distance away from those at the edge, in eight directions: their corners may be in view. */
  *#around({ cells, width }: Samples): Generator<number> {
    const { grid } = this.axis;
    const height = cells.length / width;
    for (const [at, cell] of cells.entries()) {
      if (cell < 0) continue;
      const [row, column] = [Math.floor(at / width), at % width];
      const near = [at - 1, at + 1, at - width, at + width];
      const isEdge = row === 0 || column === 0 || row === height - 1 || column === width - 1;
      if (!isEdge && near.every((other) => cells[other]! >= 0)) continue;
      const inner = near.find((other) => cells[other] !== undefined && cells[other]! >= 0);
      if (inner === undefined) continue;
      const [[lon, lat], [otherLon, otherLat]] = [grid.centre(cell), grid.centre(cells[inner]!)];
      const across = Math.max(0.01, Math.cos((lat * Math.PI) / 180));
      const apart = Math.abs(((otherLon - lon + 540) % 360) - 180) * across;
      const by = Math.max(Math.hypot(apart, otherLat - lat), grid.spacing / 4);
      for (const [x, y] of directions) {
        const found = grid.cellAt(lon + (x * by) / across, Math.min(90, Math.max(-90, lat + y * by)));
        if (found >= 0) yield found;
      }
    }
  }
}

const directions = [-1, 0, 1].flatMap((x) => [-1, 0, 1].map((y) => [x, y] as const));

/** Joins the runs with the smallest gaps until there are few. */
function joined(runs: readonly [number, number][]): readonly [number, number][] {
  if (runs.length <= maxParts) return runs;
  const gaps = runs.slice(1).map(([first], i) => first - runs[i]![1]);
  const limit = [...gaps].sort((a, b) => b - a)[maxParts - 2]!;
  const out: [number, number][] = [[...runs[0]!]];
  for (const [i, [first, end]] of runs.slice(1).entries()) {
    if (gaps[i]! > limit) out.push([first, end]);
    else out.at(-1)![1] = end;
  }
  return out;
}
