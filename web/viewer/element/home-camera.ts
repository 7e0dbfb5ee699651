/** The initial camera: the whole plane, or its middle if the whole costs too much. */
import { type Camera, fitted, type Size, visible } from "../model/camera.js";
import type { Projection } from "../model/projection.js";
import type { Interval, ViewState } from "../model/state.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import { TileGrid } from "../tiles/grid.js";
import { chooseLevel } from "../tiles/tile-selection.js";

/** Maximum cost of reading without a request by the user. */
const firstBudget = { chunks: 4096, bytes: 256 * 2 ** 20 };

interface Room {
  readonly size: Size;
  readonly ratio: number;
  readonly aspect: number;
  readonly projection?: Projection | undefined;
}

/**
 * Whether elements are samples of a picture, whose sides must not differ. Maps, and planes through time, fill the
 * frame.
 */
function hasEqualPixels({ axes, geography }: Dataset, shown: readonly number[]): boolean {
  const isMap = geography && shown.includes(geography.vertical) && shown.includes(geography.horizontal);
  const filling = ["latitude", "longitude", "time"];
  return !isMap && !shown.some((axis) => filling.includes(axes[axis]!.role ?? ""));
}

/** The camera for the state's window; without one, for the whole plane or its middle. */
export function homeCamera(dataset: Dataset, state: ViewState, room: Room, isAnyCost = false): Camera {
  const shape = datasetShape(dataset);
  const { axes, window } = state;
  const interval = (axis: number | undefined): Interval =>
    axis === undefined ? [0, 1] : (window[axis] ?? [0, shape[axis]!]);
  const across = interval(axes.at(-1));
  const down = interval(axes.length > 1 ? axes[0] : undefined);
  const { size, ratio, aspect, projection } = room;
  const elements = { top: down[0], bottom: down[1], left: across[0], right: across[1] };
  const rectangle = projection ? projection.boundsOf(elements) : elements;
  // A line fills the width, whatever its height.
  const camera =
    axes.length === 1
      ? {
          row: 0.5,
          column: (rectangle.left + rectangle.right) / 2,
          scale: size.width / (rectangle.right - rectangle.left),
        }
      : fitted(rectangle, size, ratio, aspect, !projection && hasEqualPixels(dataset, axes));
  const isWhole = axes.every((axis) => !window[axis]);
  const home = isWhole ? centredOn(state.meridian, camera, projection) : camera;
  // Of planes with a projection, all coordinates have been read.
  if (isAnyCost || !isWhole || dataset.embedding || (projection && !projection.isIdentity)) return home;
  return affordable(dataset, axes, home, room);
}

/** The camera centred on a longitude, on a map that wraps around. */
function centredOn(meridian: number | null, camera: Camera, projection: Projection | undefined): Camera {
  const column = meridian === null || !projection?.isPeriodic ? undefined : projection.columnOf(meridian);
  return column === undefined ? camera : { ...camera, column };
}

/** Zooms in towards the middle until the view is within the budget. */
function affordable(dataset: Dataset, axes: readonly number[], camera: Camera, room: Room): Camera {
  let near = camera;
  for (let i = 0; i < 64; i++) {
    const cost = costInView(dataset, axes, near, room);
    if (!cost || (cost.chunks <= firstBudget.chunks && cost.bytes <= firstBudget.bytes)) return near;
    near = { ...near, scale: near.scale * Math.SQRT2 };
  }
  return near;
}

export interface Cost {
  readonly chunks: number;
  readonly bytes: number;
}

/** Cost of the view at the level for the zoom; undefined if that level has not been opened. */
function costInView(dataset: Dataset, axes: readonly number[], camera: Camera, room: Room): Cost | undefined {
  const isLine = axes.length === 1;
  const [down, across] = [axes[0]!, axes.at(-1)!];
  const factors = dataset.levels.map(({ factor }) => [factor[down]!, factor[across]!] as const);
  // Lines are read at the finest level.
  const level = dataset.levels[isLine ? 0 : chooseLevel(factors, { camera, ...room })]!;
  const { array } = level;
  if (!array) return undefined;
  const grid = new TileGrid(array, axes);
  const seen = visible(camera, room.size, room.aspect);
  const count = (from: number, to: number, axis: number, side: number) => {
    const own = (at: number) => (at - level.origin[axis]!) / level.factor[axis]!;
    const first = Math.max(0, Math.floor(own(from) / side));
    return Math.max(0, Math.ceil(Math.min(array.shape[axis]!, own(to)) / side) - first);
  };
  const rows = isLine ? 1 : count(seen.top, seen.bottom, down, grid.rowsPerTile);
  const tiles = rows * count(seen.left, seen.right, across, grid.columnsPerTile);
  return { chunks: tiles * grid.chunksPerTile, bytes: tiles * grid.bytesPerTile };
}

/** Cost of the whole plane at level 0. */
export function wholeCost({ array }: Dataset, axes: readonly number[]): Cost {
  const { shape, chunkShape, dtype } = array;
  const chunks = axes.reduce((product, axis) => product * Math.ceil(shape[axis]! / chunkShape[axis]!), 1);
  return { chunks, bytes: chunks * chunkShape.reduce((a, b) => a * b, dtype.itemBytes) };
}
