/** Measures distances: the line and its length stay over the picture until they are cleared. */

import { h } from "../base/dom.js";
import { type GeoPosition, greatCircleLength, greatCirclePath } from "../base/great-circle.js";
import { MeasureLabel } from "../base/measure-label.js";
import { clearedContext, strokeDark } from "../draw/map-lines.js";
import type { Point } from "../input/gestures.js";
import { type GeoPlane, projectedConverter } from "../model/projection.js";
import { distanceText, geoPlane, type PlanePosition } from "../panels/distance.js";
import { lengthText } from "../panels/scale-bar.js";
import type { DatasetAxis } from "../source/dataset.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import { isLine, type PlaneContent, type WorldPlace, worldPlace, worldPoint } from "./plane-geometry.js";
import { type ToolPlane, TwoPointTool } from "./two-point-tool.js";

/** Number of straight parts of a great circle. */
const steps = 64;

interface Measurement {
  readonly ends: readonly [WorldPlace, WorldPlace];
  /** Identifies the measured plane: the ends have no meaning in others. */
  readonly key: string;
  readonly dataset: PlaneContent["dataset"];
}

export class MeasureTool extends TwoPointTool {
  readonly #line = h("canvas", { class: "zw-map-lines zw-measure-line", hidden: true });
  readonly #label = new MeasureLabel(() => this.cancel());
  #made: Measurement | undefined;

  constructor(plane: ToolPlane) {
    super(plane);
    plane.frame.overlay.append(this.#line, this.#label.element);
  }

  protected show(from: Point, to: Point): void {
    const { content: shown, viewpoint } = this.plane;
    if (!shown || !viewpoint) return;
    const ends = [worldPlace(viewpoint, from), worldPlace(viewpoint, to)] as const;
    this.#made = { ends, key: keyOf(shown), dataset: shown.dataset };
    this.paint();
  }

  protected finish(from: Point, to: Point): void {
    this.show(from, to);
  }

  protected clear(): boolean {
    const wasMade = this.#made !== undefined;
    this.#made = undefined;
    this.paint();
    return wasMade;
  }

  /** Draws the measurement over the picture in its current view. */
  paint(): void {
    const { content: shown, viewpoint } = this.plane;
    if (this.#made && shown && (this.#made.dataset !== shown.dataset || this.#made.key !== keyOf(shown)))
      this.#made = undefined;
    const isShown = this.#made !== undefined && shown !== undefined && viewpoint !== undefined;
    this.#line.hidden = !isShown;
    if (!isShown) {
      this.#label.say(undefined);
      return;
    }
    const [from, to] = this.#made!.ends;
    const geo = geoOf(shown);
    const [a, b] = [positionOf(geo, from), positionOf(geo, to)];
    const hasPixels = shown.projection?.isIdentity ?? true;
    this.#label.say(
      a && b
        ? lengthText(greatCircleLength(a, b), "km", 4)
        : distanceText(worldAxes(shown), placeOf(from), placeOf(to), { hasPixels }),
    );
    const line = (a && b && greatCircle(geo!, a, b)) ?? [from, to];
    const path = pathOnScreen(shown, viewpoint, line);
    const turns = turnsOnScreen(shown, viewpoint);
    drawPath(this.#line, viewpoint, path, turns);
    const { x, y } = path.at(-1)!;
    const isInView = (turn: number) => x + turn >= 0 && x + turn <= viewpoint.size.width;
    this.#label.place(viewpoint.size, { x: x + (turns.find(isInView) ?? 0), y });
  }
}

const keyOf = ({ state }: PlaneContent): string =>
  [state.axes, state.places, state.projection, state.meridian, state.parallel].join(" ");

/** The shown axes, in the coordinates of the picture. */
const worldAxes = ({ dataset, state, projection }: PlaneContent): readonly DatasetAxis[] =>
  projection?.axes ?? state.axes.map((axis) => dataset.axes[axis]!);

/** The positions of a map; undefined for other planes. */
function geoOf(shown: PlaneContent): Geo | undefined {
  const { projection, dataset, state } = shown;
  return projection?.geo ?? geoPlane(worldAxes(shown), projectedConverter(dataset, state.axes)?.value);
}

type Geo = Pick<GeoPlane, "place" | "positionAt"> & Partial<Pick<GeoPlane, "side">>;

const placeOf = ({ row, column }: WorldPlace): PlanePosition => [row, column];

function positionOf(geo: Geo | undefined, { row, column }: WorldPlace): GeoPosition | undefined {
  const at = geo?.positionAt(row, column);
  return at && { longitude: at[0], latitude: at[1] };
}

/** The shortest line, which maps show bent; undefined where it leaves the map, or goes on at its other edge. */
function greatCircle(geo: Geo, from: GeoPosition, to: GeoPosition): (WorldPlace | undefined)[] | undefined {
  const path = greatCirclePath(from, to, steps);
  const side = ({ longitude }: GeoPosition) => geo.side?.(longitude);
  const places = path.flatMap((at, i) => [
    ...(side(at) === side(path[i - 1] ?? at) ? [] : [undefined]),
    geo.place(at.longitude, at.latitude),
  ]);
  return places[0] && places.at(-1) ? places : undefined;
}

/** Points of the box: on a map that wraps around, of the turn in view; for a line, at half the height. */
function pathOnScreen(
  shown: PlaneContent,
  view: Viewpoint,
  path: readonly (WorldPlace | undefined)[],
): readonly (Point | undefined)[] {
  const { camera, size, shift = 0 } = view;
  const { projection } = shown;
  const middle = (path[0]!.column + path.at(-1)!.column) / 2;
  const turn = projection?.isPeriodic
    ? projection.columns * Math.round((camera.column + shift - middle) / projection.columns)
    : 0;
  const points = path.map((at) => at && worldPoint(view, { row: at.row, column: at.column + turn }));
  return isLine(shown) ? points.map((at) => at && { x: at.x, y: size.height / 2 }) : points;
}

/** Shifts in CSS pixels of the turns of a map that wraps around: a line over its edge goes on at the other one. */
function turnsOnScreen({ projection }: PlaneContent, view: Viewpoint): readonly number[] {
  if (!projection?.isPeriodic) return [0];
  const turn = projection.columns * view.camera.scale;
  return [-turn, 0, turn];
}

/** Light on dark, visible on any colour. */
function drawPath(
  canvas: HTMLCanvasElement,
  view: Viewpoint,
  path: readonly (Point | undefined)[],
  shifts: readonly number[],
): void {
  const context = clearedContext(canvas, view);
  context.beginPath();
  for (const shift of shifts) {
    for (const [i, at] of path.entries()) {
      if (at && path[i - 1]) context.lineTo(at.x + shift, at.y);
      else if (at) context.moveTo(at.x + shift, at.y);
    }
    for (const { x, y } of [path[0]!, path.at(-1)!]) {
      context.moveTo(x + shift + 4, y);
      context.arc(x + shift, y, 4, 0, 2 * Math.PI);
    }
  }
  strokeDark(context, "#fff");
}
