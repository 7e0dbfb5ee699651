/** Draws coastlines, meridians and parallels over a map. */
import { degreeStep, multiplesBetween } from "../base/degrees.js";
import { type Camera, type Rectangle, type Size, visible } from "../model/camera.js";
import type { Dataset, DatasetAxis } from "../source/dataset.js";

export interface MapLook {
  readonly camera: Camera;
  readonly size: Size;
  readonly ratio: number;
  readonly aspect: number;
}

/** A place in CSS pixels. */
export type ScreenPlace = readonly [x: number, y: number];

/** Largest longitude of a map in degrees: lines are repeated every 360. */
const maxLongitude = 3600;

/** Converts degrees to elements along an axis. */
export type Placer = (degrees: number) => number;

/** @returns undefined for an axis whose coordinates are unknown or not monotonic. */
export function screenProjection(axis: DatasetAxis): Placer | undefined {
  const { scale, translation, length } = axis;
  if (scale) return (degrees) => (degrees - (translation ?? 0)) / scale + 0.5;
  const values = Array.from({ length }, (_, i) => axis.coordinates?.at(i));
  if (length < 2 || !values.every((value) => typeof value === "number")) return undefined;
  const numbers = values as number[];
  const sign = Math.sign(numbers[1]! - numbers[0]!);
  if (numbers.some((value, i) => i > 0 && (value - numbers[i - 1]!) * sign <= 0)) return undefined;
  return (degrees) => {
    let [first, last] = [0, length - 2];
    while (first < last) {
      const middle = (first + last + 1) >> 1;
      if ((degrees - numbers[middle]!) * sign >= 0) first = middle;
      else last = middle - 1;
    }
    const step = numbers[first + 1]! - numbers[first]!;
    return first + 0.5 + (degrees - numbers[first]!) / step;
  };
}

/** Position of a map under the camera: maps degrees to pixels. */
export class MapLines {
  readonly #east: Placer;
  readonly #north: Placer;
  readonly #isTurned: boolean;
  /** Longitudes of the centres of the outermost elements, in degrees. */
  readonly #west: readonly [number, number];

  private constructor(east: Placer, north: Placer, isTurned: boolean, west: readonly [number, number]) {
    this.#east = east;
    this.#north = north;
    this.#isTurned = isTurned;
    this.#west = west;
  }

  /** For a dataset whose shown axes are latitude and longitude. */
  static of({ axes }: Dataset, [down, across]: readonly number[]): MapLines | undefined {
    const roles = [axes[down!]?.role, axes[across!]?.role].join();
    if (roles !== "latitude,longitude" && roles !== "longitude,latitude") return undefined;
    const isTurned = roles === "longitude,latitude";
    const [vertical, horizontal] = [axes[isTurned ? across! : down!]!, axes[isTurned ? down! : across!]!];
    const [east, north] = [screenProjection(horizontal), screenProjection(vertical)];
    const ends = [horizontal.coordinates?.at(0), horizontal.coordinates?.at(horizontal.length - 1)].map(
      Number,
    );
    const isMap = ends.every((end) => Math.abs(end) <= maxLongitude);
    if (!east || !north || !isMap) return undefined;
    return new MapLines(east, north, isTurned, [Math.min(...ends), Math.max(...ends)]);
  }

  /** Multiples of 360° by which a line must be shifted to lie on the map. */
  #turns(): number[] {
    const [west, east] = this.#west;
    const turns: number[] = [];
    for (let turn = Math.floor((west - 180) / 360); turn <= Math.ceil((east + 180) / 360); turn++)
      turns.push(360 * turn);
    return turns;
  }

  #onto(look: MapLook, longitude: number, latitude: number): ScreenPlace {
    const [along, up] = [this.#east(longitude), this.#north(latitude)];
    return this.#isTurned ? toScreen(look, along, up) : toScreen(look, up, along);
  }

  /** Adds lines of [longitude, latitude, …] to a path, in CSS pixels. */
  #trace(context: CanvasRenderingContext2D, look: MapLook, lines: readonly Float32Array[]): void {
    for (const turn of this.#turns())
      for (const line of lines) {
        const places: ScreenPlace[] = [];
        for (let i = 0; i < line.length; i += 2) places.push(this.#onto(look, line[i]! + turn, line[i + 1]!));
        addNear(context, look.size, places);
      }
  }

  /** Meridians and parallels, at the ticks of the rulers. */
  graticule(look: MapLook, seen: Rectangle): { longitudes: number[]; latitudes: number[] } {
    const { scale } = look.camera;
    const step = (place: Placer, isDown: boolean) =>
      degreeStep(
        Math.abs(place(1) - place(0)) * scale * (isDown ? Math.abs(look.aspect) : 1),
        isDown ? "down" : "across",
      );
    const [eastStep, northStep] = [step(this.#east, this.#isTurned), step(this.#north, !this.#isTurned)];
    const [west, east] = this.#west;
    const longitudes = multiplesBetween(eastStep, west - eastStep, east + eastStep).filter((at) =>
      isBetween(this.#east(at), this.#isTurned ? [seen.top, seen.bottom] : [seen.left, seen.right]),
    );
    const latitudes = multiplesBetween(northStep, -90, 90).filter((at) =>
      isBetween(this.#north(at), this.#isTurned ? [seen.left, seen.right] : [seen.top, seen.bottom]),
    );
    return { longitudes, latitudes };
  }

  /** Draws onto a canvas over the picture. */
  draw(context: CanvasRenderingContext2D, look: MapLook, extent: Rectangle, lines: DrawnLines): void {
    drawLines(context, look, lines, {
      clip: () => clipTo(context, look, extent),
      graticule: () => this.#drawGraticule(context, look, extent),
      trace: (coasts) => this.#trace(context, look, coasts),
    });
  }

  #drawGraticule(context: CanvasRenderingContext2D, look: MapLook, extent: Rectangle): undefined {
    const seen = clipped(visible(look.camera, look.size, look.aspect), extent);
    const { longitudes, latitudes } = this.graticule(look, seen);
    context.beginPath();
    const line = (from: ScreenPlace, to: ScreenPlace) => {
      context.moveTo(...from);
      context.lineTo(...to);
    };
    const [west, east] = [this.#west[0] - 180, this.#west[1] + 180];
    for (const at of longitudes) line(this.#onto(look, at, -90), this.#onto(look, at, 90));
    for (const at of latitudes) line(this.#onto(look, west, at), this.#onto(look, east, at));
    strokeTwice(context, 0.8, 0.4);
  }
}

/** Lines to draw over a map; with coastlines once they have been loaded. */
export interface DrawnLines {
  readonly isGraticuleOn: boolean;
  readonly coasts: readonly Float32Array[] | undefined;
}

const isBetween = (at: number, [from, to]: readonly [number, number]): boolean => at >= from && at <= to;

function clipped(a: Rectangle, b: Rectangle): Rectangle {
  return {
    top: Math.max(a.top, b.top),
    left: Math.max(a.left, b.left),
    bottom: Math.min(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
  };
}

/** The place of a position in the coordinates of the view. */
export const toScreen = ({ camera, size, aspect }: MapLook, row: number, column: number): ScreenPlace => [
  size.width / 2 + (column - camera.column) * camera.scale,
  size.height / 2 + (row - camera.row) * camera.scale * aspect,
];

/** Draws onto a canvas over the picture. @param parts draw into the context, within the path of `clip` */
export function drawLines(
  context: CanvasRenderingContext2D,
  { size, ratio }: MapLook,
  { isGraticuleOn, coasts }: DrawnLines,
  parts: {
    clip(): void;
    /** Returns a function that draws labels, which the path does not clip. */
    graticule(): (() => void) | undefined;
    trace(coasts: readonly Float32Array[]): void;
  },
): void {
  const { canvas } = context;
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  context.save();
  context.beginPath();
  parts.clip();
  context.clip();
  const label = isGraticuleOn ? parts.graticule() : undefined;
  if (coasts) {
    context.beginPath();
    parts.trace(coasts);
    strokeTwice(context, 1.1);
  }
  context.restore();
  label?.();
}

/** To the data, which may cover only a part of the world. */
export function clipTo(context: CanvasRenderingContext2D, look: MapLook, extent: Rectangle): void {
  const [a, b] = [toScreen(look, extent.top, extent.left), toScreen(look, extent.bottom, extent.right)];
  context.rect(a[0], a[1], b[0] - a[0], b[1] - a[1]);
}

/** Adds a line to the path. Of distant lines, only the segments that lead to near ones are drawn. */
export function addNear(
  context: CanvasRenderingContext2D,
  { width, height }: Size,
  places: readonly ScreenPlace[],
): void {
  let [isOut, isBegun] = [true, false];
  for (const [x, y] of places) {
    const isFar = x < -width || x > 2 * width || y < -height || y > 2 * height;
    if (isFar && isOut) {
      isBegun = false;
      continue;
    }
    if (isBegun) context.lineTo(x, y);
    else context.moveTo(x, y);
    [isBegun, isOut] = [true, isFar];
  }
}

/** A dark line inside a light one, visible on any colour. */
export function strokeTwice(context: CanvasRenderingContext2D, width: number, alpha = 1): void {
  context.globalAlpha = alpha;
  context.lineJoin = "round";
  strokeAs(context, "rgb(255 255 255 / 75%)", width + 1.4);
  strokeAs(context, "rgb(20 28 36 / 90%)", width);
  context.globalAlpha = 1;
}

/** A light or coloured line inside a dark one, as tools draw it. */
export function strokeDark(context: CanvasRenderingContext2D, color: string): void {
  strokeAs(context, "rgb(0 0 0 / 75%)", 4.5);
  strokeAs(context, color, 2);
}

function strokeAs(context: CanvasRenderingContext2D, color: string, width: number): void {
  context.strokeStyle = color;
  context.lineWidth = width;
  context.stroke();
}

/** The cleared context of a canvas over the picture, in CSS pixels. */
export function clearedContext(
  canvas: HTMLCanvasElement,
  { size, ratio }: Pick<MapLook, "size" | "ratio">,
): CanvasRenderingContext2D {
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  return context;
}
