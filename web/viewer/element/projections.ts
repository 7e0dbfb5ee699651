/** The projections of planes: made once for each pair of axes; their code is loaded with the first. */
import { LazyPart } from "../base/lazy-part.js";
import { keptFor } from "../base/memo.js";
import { planeAspect } from "../model/layers.js";
import { isCellPlane, mapPositions, type Projection, projectedConverter } from "../model/projection.js";
import type { ViewState } from "../model/state.js";
import { linearCoordinates } from "../source/coordinates.js";
import type { Dataset, DatasetAxis } from "../source/dataset.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { PlaneContent } from "./plane-geometry.js";

const code = new LazyPart(() => import("./make-projection.js"));

/** The code that draws planes with a projection: loaded with the first of them. */
export const warpCode = () => code.value!;

/** By places and axes. Undefined for equal cells. */
const known = keptFor((_dataset: Dataset) => new Map<string, Projection | undefined>());

/** Maximum number of projections kept: turning a globe makes many. */
const maxKept = 16;

type Shown = Pick<ViewState, "axes" | "places" | "interpolation" | "projection" | "meridian" | "parallel">;

/** Projection of a plane, and the aspect of its elements. */
export interface Placement {
  readonly projection: Projection | undefined;
  readonly aspect: number;
}

/** Without the code or the positions, elements are placed as equal cells. */
export function placement(dataset: Dataset, state: Shown): Placement {
  const projection = projectionOf(dataset, state);
  if (!projection || state.axes.length < 2) return { projection, aspect: planeAspect(dataset, state) };
  if (projection.aspect !== undefined) return { projection, aspect: projection.aspect };
  return { projection, aspect: planeAspect(withAxes(dataset, state.axes, projection.axes), state) };
}

/** A dataset whose shown axes are replaced. */
export const withAxes = (dataset: Dataset, shown: readonly number[], axes: Dataset["axes"]): Dataset => ({
  ...dataset,
  axes: dataset.axes.map((axis, i) => axes[shown.indexOf(i)] ?? axis),
});

const drawn = keptFor((_projection: Projection) => new Map<string, Dataset>());

/**
 * The dataset of a plane with its axes in world units. On a map that wraps around, they begin at the edge of
 * the view.
 */
export function drawnDataset(
  { dataset, state, projection }: PlaneContent,
  { shift = 0 }: Viewpoint,
): Dataset {
  if (!projection) return dataset;
  const made = drawn(projection);
  const key = `${state.axes.join()} ${shift}`;
  let result = made.get(key);
  if (!result) {
    made.clear(); // only the latest
    const axes = projection.axes.map((axis, i) => (i > 0 && shift !== 0 ? shifted(axis, shift) : axis));
    result = withAxes(dataset, state.axes, axes);
    made.set(key, result);
  }
  return result;
}

/** An axis that begins some elements later. */
function shifted(axis: DatasetAxis, shift: number): DatasetAxis {
  const { scale = 0, translation = 0 } = axis;
  const first = translation + shift * scale;
  return { ...axis, translation: first, coordinates: linearCoordinates(first, scale) };
}

function projectionOf(dataset: Dataset, state: Shown): Projection | undefined {
  if (!code.value || !mayHaveProjection(dataset, state)) return undefined;
  const made = known(dataset);
  const centre = state.projection === "data" ? "" : [state.meridian, state.parallel].join();
  const key = [state.places, state.projection, centre, state.axes.join()].join(" ");
  if (made.size > maxKept) made.clear();
  if (!made.has(key)) {
    const result = code.value.makeProjection(dataset, state);
    if (!result.isFinal) return undefined;
    made.set(key, result.projection);
  }
  return made.get(key);
}

/** Loads what the projection of a plane needs; undefined if it is at hand, or not needed. */
export function loadProjection(dataset: Dataset, state: Shown): Promise<void> | undefined {
  if (!mayHaveProjection(dataset, state) && state.interpolation === "nearest") return undefined;
  const positions = mapPositions(dataset, mapState(state));
  const converter =
    state.projection === "data" || positions ? undefined : projectedConverter(dataset, state.axes);
  const parts = [
    ...(code.value ? [] : [code.load()]),
    ...(positions && !positions.known ? [positions.read()] : []),
    ...(converter && !converter.value ? [converter.load()] : []),
  ];
  return parts.length === 0 ? undefined : Promise.all(parts).then(() => {});
}

/** A quick test: coordinates that are not known to be evenly spaced, or longitudes. */
function mayHaveProjection(dataset: Dataset, state: Shown): boolean {
  const { axes, places, projection } = state;
  if (projection !== "data" && axes.length === 2) return true;
  if (isCellPlane(dataset, state)) return true;
  if (places === "index" && !wraps(dataset, axes)) return false;
  const isUneven = axes.some((axis) => {
    const { scale, coordinates } = dataset.axes[axis]!;
    return scale === undefined && coordinates !== undefined && coordinates.kind !== "texts";
  });
  return isUneven || wraps(dataset, axes) || mapPositions(dataset, state) !== undefined;
}

/** In a map projection, elements are at their longitudes and latitudes. */
const mapState = (state: Shown): Shown => (state.projection === "data" ? state : { ...state, places: "map" });

/** Whether the horizontal axis may go around the globe. */
function wraps(dataset: Dataset, axes: readonly number[]): boolean {
  const { role, scale, length } = dataset.axes[axes.at(-1)!] ?? {
    role: undefined,
    scale: undefined,
    length: 0,
  };
  return axes.length === 2 && role === "longitude" && Math.abs(scale ?? 0) * length > 355;
}
