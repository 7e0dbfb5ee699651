/** Draws coastlines, meridians and parallels over planes with positions in degrees, in any projection. */
import { degreeStep, multiplesBetween } from "../base/degrees.js";
import { localNumber } from "../language/locale.js";
import { text as texts } from "../language/text.js";
import { type Rectangle, visible } from "../model/camera.js";
import { turned } from "../model/map-projections.js";
import type { GeoPlane } from "../model/projection.js";
import type { DatasetAxis, PointConverter } from "../source/dataset.js";
import { type Features, GeometryBuilder } from "../source/features.js";
import {
  addNear,
  clipTo,
  type DrawnLines,
  drawLines,
  type MapLook,
  type ScreenPlace,
  strokeTwice,
  toScreen,
} from "./map-lines.js";

/** A projected plane under a camera, in world units of the plane. */
export interface ProjectedLook extends MapLook {
  /** Columns after which the plane repeats; undefined if it does not. */
  readonly period: number | undefined;
}

type Position = readonly [longitude: number, latitude: number];

/** Halvings of a segment that crosses the edge of a map. */
const halvings = 12;
/** Points along a meridian or parallel in view. */
const pointsPerLine = 90;
/** Points per side of a view at which positions are looked up. */
const looked = 24;

/** Draws onto a canvas over the picture. @param extent the part of the world with the plane */
export function drawProjected(
  context: CanvasRenderingContext2D,
  plane: GeoPlane,
  look: ProjectedLook,
  extent: Rectangle,
  lines: DrawnLines,
): void {
  drawLines(context, look, lines, {
    clip: () => clip(context, plane, look, extent),
    graticule: () => drawGraticule(context, plane, look, extent),
    trace: (coasts) => {
      for (const line of coasts) trace(context, plane, look, line);
    },
  });
}

/** To the plane and the edge of the map, which is drawn. */
function clip(
  context: CanvasRenderingContext2D,
  { outline }: GeoPlane,
  look: ProjectedLook,
  extent: Rectangle,
): void {
  if (!outline) {
    clipTo(context, look, extent);
    return;
  }
  for (let i = 0; i < outline.length; i += 2) context.lineTo(...toScreen(look, outline[i]!, outline[i + 1]!));
  context.closePath();
  strokeTwice(context, 0.8, 0.5);
}

/** Adds a line of [longitude, latitude, …] to the path; it ends at the edge of the map. */
function trace(
  context: CanvasRenderingContext2D,
  plane: GeoPlane,
  look: ProjectedLook,
  line: ArrayLike<number>,
): void {
  const onto = ([longitude, latitude]: Position): ScreenPlace | undefined => {
    const at = plane.place(longitude, latitude);
    return at && toScreen(look, at.row, at.column);
  };
  const turns =
    look.period === undefined ? [0] : [-1, 0, 1].map((turn) => turn * look.period! * look.camera.scale);
  const pieces = piecesOf(line, onto, (longitude) => plane.side(longitude));
  for (const turn of turns)
    for (const piece of pieces)
      addNear(
        context,
        look.size,
        piece.map(([x, y]) => [x + turn, y]),
      );
}

/** Degrees between two points of lines of features, at most. */
const longestPart = 2;

/**
 * Points and shapes on a map, in columns and rows of the plane. Parts beyond its edge are omitted: areas across it are
 * lines.
 */
export function featuresOn(
  plane: GeoPlane,
  { points, paths }: Pick<Features, "points" | "paths">,
  toDegrees: (x: number, y: number) => Position | undefined,
): Pick<Features, "points" | "paths"> {
  const builder = new GeometryBuilder();
  const onto = ([longitude, latitude]: Position): ScreenPlace | undefined => {
    const at = plane.place(longitude, latitude);
    return at && [at.column, at.row];
  };
  for (const [i, feature] of points.features.entries()) {
    const at = toDegrees(points.xy[2 * i]!, points.xy[2 * i + 1]!);
    const place = at && onto(at);
    if (!place) continue;
    builder.feature = feature;
    builder.point(...place);
  }
  for (const [path, feature] of paths.features.entries()) {
    builder.feature = feature;
    const isRing = paths.isRing[path] === 1;
    const line = degreesOf(paths, path, isRing, toDegrees);
    const pieces = piecesOf(line, onto, (longitude) => plane.side(longitude));
    for (const piece of pieces) {
      builder.begin(isRing && 2 * piece.length === line.length);
      for (const place of piece) builder.vertex(...place);
      builder.end(isRing && areaOf(line) < 0);
    }
  }
  return builder.geometry;
}

/** A path as [longitude, latitude, …] with continuous longitudes and short parts; rings are closed. */
function degreesOf(
  { xy, starts }: Features["paths"],
  path: number,
  isRing: boolean,
  toDegrees: (x: number, y: number) => Position | undefined,
): number[] {
  const [first, end] = [starts[path]!, starts[path + 1]!];
  const line: number[] = [];
  for (let i = first; i < end + (isRing ? 1 : 0); i++) {
    const from = i < end ? i : first;
    const at = toDegrees(xy[2 * from]!, xy[2 * from + 1]!);
    if (!at) continue;
    const [x, y] = line.length > 0 ? line.slice(-2) : at;
    const [east, north] = [turned(at[0] - x!), at[1] - y!];
    const parts = Math.max(1, Math.ceil(Math.max(Math.abs(east), Math.abs(north)) / longestPart));
    for (let k = 1; k <= parts; k++) line.push(x! + (k / parts) * east, y! + (k / parts) * north);
  }
  return line;
}

function areaOf(line: readonly number[]): number {
  let area = 0;
  for (let i = 0; i + 3 < line.length; i += 2) area += line[i]! * line[i + 3]! - line[i + 2]! * line[i + 1]!;
  return area;
}

/** The connected parts of a line on the map. */
function piecesOf(
  line: ArrayLike<number>,
  onto: (at: Position) => ScreenPlace | undefined,
  side: (longitude: number) => number,
): ScreenPlace[][] {
  const pieces: ScreenPlace[][] = [];
  let piece: ScreenPlace[] = [];
  const end = () => {
    if (piece.length > 1) pieces.push(piece);
    piece = [];
  };
  let before: Position | undefined;
  for (let i = 0; i < line.length; i += 2) {
    const at: Position = [line[i]!, line[i + 1]!];
    const place = onto(at);
    const isCut = before !== undefined && side(before[0]) !== side(at[0]);
    if (before && (isCut || piece.length > 0 !== (place !== undefined))) {
      const isSame = (one: Position) => (at: Position) =>
        side(at[0]) === side(one[0]) ? onto(at) : undefined;
      if (piece.length > 0) piece.push(edgePlace(before, at, isSame(before))!);
      end();
      if (place) piece.push(edgePlace(at, before, isSame(at))!);
    }
    if (place) piece.push(place);
    before = at;
  }
  end();
  return pieces;
}

/** The last place on the map on the way from one position on it to another one beyond its edge. */
function edgePlace(
  from: Position,
  to: Position,
  onto: (at: Position) => ScreenPlace | undefined,
): ScreenPlace | undefined {
  let [inside, outside] = [0, 1];
  let last = onto(from);
  for (let i = 0; i < halvings; i++) {
    const middle = (inside + outside) / 2;
    const place = onto([from[0] + middle * (to[0] - from[0]), from[1] + middle * (to[1] - from[1])]);
    if (place) [inside, last] = [middle, place];
    else outside = middle;
  }
  return last;
}

/** Bounds in degrees of a view, and CSS pixels per degree. */
interface SeenDegrees {
  readonly longitudes: readonly [number, number];
  readonly latitudes: readonly [number, number];
  readonly perDegree: number;
  readonly middle: Position;
}

/** Longitudes are relative to that in the middle; around a pole they are all. */
function seenDegrees(plane: GeoPlane, look: ProjectedLook, extent: Rectangle): SeenDegrees | undefined {
  const view = visible(look.camera, look.size, look.aspect);
  const [left, right] = [Math.max(view.left, extent.left), Math.min(view.right, extent.right)];
  const [top, bottom] = [Math.max(view.top, extent.top), Math.min(view.bottom, extent.bottom)];
  const at = (y: number, x: number) =>
    plane.positionAt(top + (y / looked) * (bottom - top), left + (x / looked) * (right - left));
  const middle = at(looked / 2, looked / 2);
  if (!middle) return undefined;
  const latitudes: number[] = [];
  const longitudes: number[] = [];
  for (let y = 0; y <= looked; y++)
    for (let x = 0; x <= looked; x++) {
      const position = at(y, x);
      if (!position) continue;
      latitudes.push(position[1]);
      longitudes.push(position[0] - middle[0] - 360 * Math.round((position[0] - middle[0]) / 360));
    }
  for (const pole of [-90, 90]) {
    const place = plane.place(middle[0], pole);
    const isIn =
      place && place.row >= top && place.row <= bottom && place.column >= left && place.column <= right;
    if (!isIn) continue;
    latitudes.push(pole);
    longitudes.push(-180, 180);
  }
  const north = middle[1] > 0 ? middle[1] - 0.05 : middle[1] + 0.05;
  const [a, b] = [plane.place(...middle), plane.place(middle[0], north)];
  if (!a || !b) return undefined;
  const down = (a.row - b.row) * look.aspect;
  const slack = (most: number, least: number) => Math.max((most - least) / looked, 1e-6);
  const range = (values: number[]): [number, number] => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return [least - slack(most, least), most + slack(most, least)];
  };
  return {
    longitudes: range(longitudes).map((value, i) => (i ? Math.min(180, value) : Math.max(-180, value))) as [
      number,
      number,
    ],
    latitudes: range(latitudes).map((value, i) => (i ? Math.min(90, value) : Math.max(-90, value))) as [
      number,
      number,
    ],
    perDegree: 20 * look.camera.scale * Math.hypot(down, a.column - b.column),
    middle,
  };
}

function drawGraticule(
  context: CanvasRenderingContext2D,
  plane: GeoPlane,
  look: ProjectedLook,
  extent: Rectangle,
): (() => void) | undefined {
  const seen = seenDegrees(plane, look, extent);
  if (!seen) return undefined;
  const [south, north] = seen.latitudes;
  const [west, east] = seen.longitudes.map((at) => at + seen.middle[0]) as [number, number];
  const shrink = Math.max(0.15, Math.cos((seen.middle[1] * Math.PI) / 180));
  const [downStep, acrossStep] = [
    degreeStep(seen.perDegree, "across"),
    degreeStep(seen.perDegree * shrink, "across"),
  ];
  const meridians = multiplesBetween(acrossStep, west, east);
  const parallels = multiplesBetween(downStep, south, north).filter((at) => Math.abs(at) < 90);
  const line = (to: (share: number) => Position) =>
    Array.from({ length: pointsPerLine + 1 }, (_, i) => to(i / pointsPerLine)).flat();
  context.beginPath();
  for (const at of meridians)
    trace(
      context,
      plane,
      look,
      line((part) => [at, south + part * (north - south)]),
    );
  for (const at of parallels)
    trace(
      context,
      plane,
      look,
      line((part) => [west + part * (east - west), at]),
    );
  strokeTwice(context, 0.8, 0.4);
  return () => label(context, plane, look, seen, meridians, parallels);
}

const nearest = (values: readonly number[], to: number): number | undefined =>
  values.toSorted((a, b) => Math.abs(a - to) - Math.abs(b - to))[0];

/** Degrees beside the lines, along the parallel and the meridian nearest to the middle, within the view. */
function label(
  context: CanvasRenderingContext2D,
  plane: GeoPlane,
  look: ProjectedLook,
  { middle }: SeenDegrees,
  meridians: readonly number[],
  parallels: readonly number[],
): void {
  const words = texts.maps;
  const [parallel, meridian] = [nearest(parallels, middle[1]), nearest(meridians, middle[0])];
  context.font = "11px system-ui, sans-serif";
  context.lineJoin = "round";
  const write = (text: string, longitude: number, latitude: number) => {
    const at = plane.place(longitude, latitude);
    if (!at) return;
    const { width, height } = look.size;
    const [left, low] = toScreen(look, at.row, at.column);
    if (left < 0 || left > width || low < 0 || low > height) return;
    const x = Math.max(2, Math.min(left + 3, width - context.measureText(text).width - 2));
    const y = Math.max(11, low - 3);
    context.strokeStyle = "rgb(255 255 255 / 80%)";
    context.lineWidth = 3;
    context.strokeText(text, x, y);
    context.fillStyle = "rgb(20 28 36)";
    context.fillText(text, x, y);
  };
  if (parallel !== undefined)
    for (const at of meridians)
      write(degreesText(at - 360 * Math.round(at / 360), words.east, words.west), at, parallel);
  if (meridian !== undefined)
    for (const at of parallels)
      if (at !== parallel) write(degreesText(at, words.north, words.south), meridian, at);
}

const degreesText = (at: number, positive: string, negative: string): string =>
  `${localNumber(Number(Math.abs(at).toPrecision(7)))}°${at === 0 || Math.abs(at) === 180 ? "" : at > 0 ? positive : negative}`;

/** Maximum number of places of a plane that are kept. */
const maxKept = 20_000;
/** Greatest difference in degrees after a conversion and its inverse, of positions that a reference system includes. */
const maxError = 1e-3;

/** The plane of projected data, drawn in their own reference system. @param axes y and x in either order */
export function convertedPlane(axes: readonly DatasetAxis[], converter: PointConverter): GeoPlane {
  const isTurned = axes[0]!.role === "x";
  const [y, x] = (isTurned ? axes.toReversed() : axes).map(({ scale = 1, translation = 0 }) => ({
    elementAt: (at: number) => (at - translation) / scale + 0.5,
    at: (element: number) => translation + scale * (element - 0.5),
  })) as [Linear, Linear];
  const known = new Map<string, ReturnType<GeoPlane["place"]>>();
  const place = (longitude: number, latitude: number) => {
    const at = converter.forward(longitude, latitude);
    const back = at && converter.inverse(...at);
    const away = back ? Math.abs(back[0] - longitude) % 360 : 180;
    const isIn = back && (Math.min(away, 360 - away) < maxError || Math.abs(latitude) > 89.99);
    if (!isIn || Math.abs(back[1] - latitude) > maxError) return undefined;
    const [down, across] = [y.elementAt(at[1]), x.elementAt(at[0])];
    return isTurned ? { row: across, column: down } : { row: down, column: across };
  };
  return {
    place(longitude, latitude) {
      const key = `${longitude} ${latitude}`;
      if (known.size > maxKept) known.clear();
      if (!known.has(key)) known.set(key, place(longitude, latitude));
      return known.get(key);
    },
    positionAt: (row, column) =>
      isTurned ? converter.inverse(x.at(row), y.at(column)) : converter.inverse(x.at(column), y.at(row)),
    side: () => 0,
  };
}

interface Linear {
  elementAt(coordinate: number): number;
  at(element: number): number;
}
