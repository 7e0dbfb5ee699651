/** Chooses the tiles for a view, and their order, as pure functions. */
import { type Camera, type Rectangle, type Size, visible } from "../model/camera.js";

/** The geometry of a level: [down, across] in both directions. */
export interface LevelView {
  /** Position in the dataset's list: 0 is the finest. */
  readonly level: number;
  /** Number of tiles. */
  readonly rows: number;
  readonly columns: number;
  /** Elements of this level per tile. */
  readonly rowsPerTile: number;
  readonly columnsPerTile: number;
  /** Elements of level 0 per element, and the origin of the first one. */
  readonly factor: readonly [down: number, across: number];
  readonly origin: readonly [down: number, across: number];
  readonly bytesPerTile: number;
  readonly chunksPerTile: number;
}

export interface TileRef {
  readonly level: number;
  readonly row: number;
  readonly column: number;
}

export interface Viewpoint {
  readonly camera: Camera;
  readonly size: Size;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  readonly aspect: number;
  /** Columns by which the view's coordinates begin east of the plane's first, on a map that wraps around. */
  readonly shift?: number;
}

export interface Budget {
  readonly bytes: number;
  readonly chunks: number;
}

/** Maximum number of chunks in view. */
export const maxChunksInView = 4096;

export interface TileSelection {
  /** Best first: coarsest level, then the one for the zoom, from the centre outwards. */
  readonly view: readonly TileRef[];
  /** Tiles around the view: not aborted if they are in flight. */
  readonly around: readonly TileRef[];
  /** Tiles of the level for the zoom that exceed the budget. */
  readonly leftOut: { readonly tiles: number; readonly of: number };
}

/** Maximum device pixels per element of a level, as long as there is a finer one. */
const coarsestPixel = 1.42;

/** The level for a zoom: the coarsest that looks sharp. Factors are [down, across], finest level first. */
export function chooseLevel(factors: readonly (readonly [number, number])[], view: Viewpoint): number {
  const { camera, ratio, aspect } = view;
  let level = 0;
  for (const [i, [down, across]] of factors.entries())
    if (camera.scale * ratio * Math.max(down * Math.abs(aspect), across) <= coarsestPixel) level = i;
  return level;
}

/** @param levels the open levels, finest first */
export function selectTiles(
  levels: readonly LevelView[],
  target: number,
  view: Viewpoint,
  budget: Budget,
): TileSelection {
  const seen = visible(view.camera, view.size, view.aspect);
  const coarsest = levels.at(-1);
  const fit = levels.find(({ level }) => level >= target) ?? coarsest;
  if (!fit || !coarsest) return { view: [], around: [], leftOut: { tiles: 0, of: 0 } };
  const first = coarsest === fit ? [] : affordable(coarsest, seen, view.camera, share(budget, 1 / 8)).tiles;
  const main = affordable(fit, seen, view.camera, budget);
  return {
    view: [...first, ...main.tiles],
    around: ring(fit, seen),
    leftOut: { tiles: main.total - main.tiles.length, of: main.total },
  };
}

const share = ({ bytes, chunks }: Budget, part: number): Budget => ({
  bytes: bytes * part,
  chunks: chunks * part,
});

interface Span {
  readonly first: number;
  readonly last: number;
}

/** The tiles that [from, to) overlaps along one direction. */
function tileSpan(
  from: number,
  to: number,
  origin: number,
  factor: number,
  side: number,
  count: number,
): Span {
  const tile = (at: number) => (at - origin) / factor / side;
  return { first: Math.max(0, Math.floor(tile(from))), last: Math.min(count - 1, Math.ceil(tile(to)) - 1) };
}

export function tileSpans(view: LevelView, seen: Rectangle): readonly [rows: Span, columns: Span] {
  const { factor, origin } = view;
  return [
    tileSpan(seen.top, seen.bottom, origin[0], factor[0], view.rowsPerTile, view.rows),
    tileSpan(seen.left, seen.right, origin[1], factor[1], view.columnsPerTile, view.columns),
  ];
}

const spanLength = ({ first, last }: Span) => Math.max(0, last - first + 1);

/** The tiles in view that fit into the budget, closest to the centre first; at least one. */
function affordable(
  view: LevelView,
  seen: Rectangle,
  camera: Camera,
  budget: Budget,
): { tiles: TileRef[]; total: number } {
  const [rows, columns] = tileSpans(view, seen);
  const total = spanLength(rows) * spanLength(columns);
  if (total === 0) return { tiles: [], total };
  const most = Math.max(
    1,
    Math.floor(Math.min(budget.bytes / view.bytesPerTile, budget.chunks / view.chunksPerTile)),
  );
  // Among very many tiles, only a square around the centre is considered, which holds all affordable ones.
  const at = {
    row: (camera.row - view.origin[0]) / view.factor[0] / view.rowsPerTile - 0.5,
    column: (camera.column - view.origin[1]) / view.factor[1] / view.columnsPerTile - 0.5,
  };
  const [near, wide] = total > 4 * most ? squareAround(rows, columns, at, most) : [rows, columns];
  const tiles: (TileRef & { distance: number })[] = [];
  const [down, across] = [view.factor[0] * view.rowsPerTile, view.factor[1] * view.columnsPerTile];
  for (let row = near.first; row <= near.last; row++)
    for (let column = wide.first; column <= wide.last; column++) {
      const distance = Math.hypot((row - at.row) * down, (column - at.column) * across);
      tiles.push({ level: view.level, row, column, distance });
    }
  tiles.sort((a, b) => a.distance - b.distance);
  return { tiles: tiles.slice(0, most).map(({ level, row, column }) => ({ level, row, column })), total };
}

/** Cuts the spans around a position to at least `most` tiles, if they have as many. */
function squareAround(
  rows: Span,
  columns: Span,
  at: { row: number; column: number },
  most: number,
): [Span, Span] {
  const half = Math.ceil(Math.sqrt(most));
  const cut = ({ first, last }: Span, centre: number, reach: number): Span => {
    const middle = Math.min(Math.max(Math.round(centre), first), last);
    return { first: Math.max(first, middle - reach), last: Math.min(last, middle + reach) };
  };
  const near = cut(rows, at.row, half);
  // Few rows allow more columns, and vice versa.
  const wide = cut(columns, at.column, Math.max(half, Math.ceil(most / spanLength(near))));
  return [cut(rows, at.row, Math.max(half, Math.ceil(most / spanLength(wide)))), wide];
}

/** The tiles just outside the view. */
function ring(view: LevelView, seen: Rectangle): TileRef[] {
  const [rows, columns] = tileSpans(view, seen);
  const { level } = view;
  const tiles: TileRef[] = [];
  if (spanLength(rows) * spanLength(columns) === 0 || spanLength(rows) + spanLength(columns) > 256)
    return tiles;
  const add = (row: number, column: number) => {
    const isIn = row >= rows.first && row <= rows.last && column >= columns.first && column <= columns.last;
    if (isIn || row < 0 || column < 0 || row >= view.rows || column >= view.columns) return;
    tiles.push({ level, row, column });
  };
  for (let row = rows.first - 1; row <= rows.last + 1; row++)
    for (let column = columns.first - 1; column <= columns.last + 1; column++) add(row, column);
  return tiles;
}

/**
 * The surrounding tiles that come into view next in a direction (in elements of level 0 per step).
 */
export function ahead(
  around: readonly TileRef[],
  view: LevelView,
  camera: Camera,
  way: { row: number; column: number },
): TileRef[] {
  if (way.row === 0 && way.column === 0) return [];
  const { factor, origin } = view;
  return around.filter(({ row, column }) => {
    const down = origin[0] + (row + 0.5) * view.rowsPerTile * factor[0] - camera.row;
    const across = origin[1] + (column + 0.5) * view.columnsPerTile * factor[1] - camera.column;
    return (
      down * way.row + across * way.column > 0.7 * Math.hypot(down, across) * Math.hypot(way.row, way.column)
    );
  });
}
