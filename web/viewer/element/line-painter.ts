/**
 * Draws one axis as a line of values over indices; if there are more elements than pixels, as their minima
 * and maxima.
 */
import { dateTicks } from "../base/date-ticks.js";
import { h } from "../base/dom.js";
import { formatShape, millisecondsPer } from "../base/format.js";
import { keptFor } from "../base/memo.js";
import { hatchDistance, marks } from "../draw/renderer.js";
import { text } from "../language/text.js";
import { visible } from "../model/camera.js";
import type { Layer } from "../model/layers.js";
import type { Projection } from "../model/projection.js";
import { drawnLeaf, type ViewState } from "../model/state.js";
import { Envelope } from "../numbers/envelope.js";
import { quantityText } from "../panels/coordinates.js";
import { axisName, fillRuler, roundValues, rulerTitle } from "../panels/rulers.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Tile } from "../tiles/tile.js";
import type { Viewpoint } from "../tiles/tile-selection.js";
import type { Frame, Painter } from "./frame.js";
import type { PlaneContent } from "./plane-geometry.js";
import { drawnDataset } from "./projections.js";
import type { Ranges } from "./ranges.js";

const tileEnvelope = keptFor((tile: Tile) => new Envelope(tile.plane));

export class LinePainter implements Painter {
  readonly #scheme = window.matchMedia("(prefers-color-scheme: dark)");

  constructor(
    private readonly frame: Frame,
    private readonly redraw: () => void,
    private readonly ranges: Ranges,
    private readonly formatOf: (layer: Layer) => (value: number) => string,
  ) {
    frame.element.classList.add("zw-frame-line");
    // The line has a colour of the style sheet.
    this.#scheme.addEventListener("change", this.redraw);
  }

  paint(shown: PlaneContent, view: Viewpoint, tilesOf: (layer: Layer) => readonly Tile[]): boolean {
    const { frame } = this;
    const { size, ratio, camera } = view;
    const { state, layers, projection } = shown;
    const dataset = drawnDataset(shown, view);
    const { canvas } = frame;
    const [layer] = layers;
    if (!layer) return true;
    const limits = layers.map((one) => this.ranges.limits(one));
    const [low, high] = padded([
      Math.min(...limits.map(([least]) => least)),
      Math.max(...limits.map(([, most]) => most)),
    ]);
    frame.element.classList.toggle("zw-frame-channels", layer.style.kind === "tint");
    const format = this.formatOf(layer);
    frame.setRulerWidth(Math.max(60, 7 * Math.max(format(low).length, format(high).length) + 36));
    const name = axisName(dataset.axes, state.axes[0]!);
    const length = datasetShape(dataset)[state.axes[0]!]!;
    const seen = visible(camera, size);
    const axis = dataset.axes[state.axes[0]!]!;
    const span = { from: seen.left, to: seen.right, length };
    fillRuler(frame.across, "across", rulerTitle(name, axis), span, size.width, axis);
    const ticks = valueTicks(layer, state, [low, high], size.height / 44, format);
    fillValueRuler(frame.down, quantityText(layer.dataset, state), low, high, ticks);
    frame.box.setAttribute("aria-label", text.planes.line(formatShape([length]), name));
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d")!;
    context.clearRect(0, 0, width, height);
    const scale = { perElement: camera.scale * ratio, left: seen.left, low, high, ratio, projection };
    hatch(
      context,
      [toX(scale, 0), toX(scale, length)],
      getComputedStyle(canvas).getPropertyValue("--zw-line"),
      ratio,
    );
    for (const { world } of layers.flatMap((one) => tilesOf(one))) {
      const [from, to] = [toX(scale, world.left), toX(scale, world.right)];
      context.clearRect(from, 0, to - from, height);
    }
    for (const one of layers) {
      const tiles = [...tilesOf(one)].sort((a, b) => a.world.left - b.world.left);
      const isChannel = one.style.kind === "tint";
      drawLine(context, tiles, scale, isChannel ? `#${one.style.color}` : getComputedStyle(canvas).color);
      for (const tile of tiles) drawGaps(context, tile, scale);
    }
    return true;
  }

  forget(): void {}

  dispose(): void {
    this.#scheme.removeEventListener("change", this.redraw);
  }
}

interface Scale {
  /** Device pixels per element. */
  readonly perElement: number;
  /** Element at the left edge. */
  readonly left: number;
  readonly low: number;
  readonly high: number;
  readonly ratio: number;
  readonly projection: Projection | undefined;
}

/** Device pixels from the left edge to a position along the line. */
const toX = ({ projection, left, perElement }: Scale, element: number): number =>
  ((projection ? projection.toColumn(element) : element) - left) * perElement;

/** The position along the line that is some device pixels from the left edge. */
function elementAt({ projection, left, perElement }: Scale, x: number): number {
  const column = left + x / perElement;
  return projection ? projection.toElement(column) : column;
}

/** The limits with a margin below and above; a range of zero width is widened. */
function padded([low, high]: readonly [number, number]): [number, number] {
  const margin = high > low ? (high - low) * 0.06 : Math.abs(low) * 0.1 || 1;
  return [low - margin, high + margin];
}

/** Elements per pixel above which extents are drawn. */
const densest = 0.5;

function drawLine(
  context: CanvasRenderingContext2D,
  tiles: readonly Tile[],
  scale: Scale,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 1.5 * scale.ratio;
  context.lineJoin = "round";
  const isDense = tiles.some(
    ({ world, plane }) => ((world.right - world.left) / plane.columns) * scale.perElement < 1 / densest,
  );
  if (isDense) drawExtents(context, tiles, scale);
  else drawPoints(context, tiles, scale);
}

/** Draws each value at the middle of its share of the width, with gaps at values that are not numbers. */
function drawPoints(context: CanvasRenderingContext2D, tiles: readonly Tile[], scale: Scale): void {
  const { width, height } = context.canvas;
  const { low, high, ratio } = scale;
  const [from, to] = [elementAt(scale, 0), elementAt(scale, width)];
  context.beginPath();
  let isDrawing = false;
  for (const tile of tiles) {
    const envelope = tileEnvelope(tile);
    const { world, plane } = tile;
    const step = (world.right - world.left) / plane.columns;
    const first = Math.max(0, Math.floor((from - world.left) / step) - 1);
    const last = Math.min(plane.columns - 1, Math.ceil((to - world.left) / step) + 1);
    for (let i = first; i <= last; i++) {
      const x = toX(scale, world.left + (i + 0.5) * step);
      const y = height * (1 - (envelope.at(i) - low) / (high - low));
      if (!Number.isFinite(y) || isGap(tile, i)) isDrawing = false;
      else if (isDrawing) context.lineTo(x, y);
      else {
        // A dot, so that a single number between two gaps is visible.
        context.moveTo(x - ratio / 2, y);
        context.lineTo(x + ratio / 2, y);
        isDrawing = true;
      }
    }
  }
  context.stroke();
}

const isGap = ({ gaps }: Tile, column: number): boolean =>
  gaps.some(({ kind, columns }) => kind === "damaged" && column >= columns[0] && column < columns[1]);

/** Draws a bar per column of pixels, from the minimum to the maximum, extended to meet its neighbours. */
function drawExtents(context: CanvasRenderingContext2D, tiles: readonly Tile[], scale: Scale): void {
  const { width, height } = context.canvas;
  const { low, high, ratio } = scale;
  const toY = (value: number) => height * (1 - (value - low) / (high - low));
  let before: readonly [min: number, max: number] | undefined;
  for (let x = 0; x < width; x++) {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const [from, to] = [elementAt(scale, x), elementAt(scale, x + 1)];
    for (const tile of tiles) {
      const { world, plane } = tile;
      if (world.right <= from || world.left >= to) continue;
      const each = (world.right - world.left) / plane.columns;
      const start = Math.floor((from - world.left) / each);
      const [least, greatest] = tileEnvelope(tile).over(
        start,
        Math.max(start + 1, Math.ceil((to - world.left) / each)),
      );
      if (least < min) min = least;
      if (greatest > max) max = greatest;
    }
    if (min > max) {
      before = undefined;
      continue;
    }
    const top = toY(before ? Math.max(max, before[0]) : max);
    const bottom = toY(before ? Math.min(min, before[1]) : min);
    const thin = 1.5 * ratio;
    context.fillRect(x, top - thin / 2, 1, Math.max(bottom - top, 0) + thin);
    before = [min, max];
  }
}

/** Marks unreadable chunks. */
function drawGaps(context: CanvasRenderingContext2D, { gaps, world, plane }: Tile, scale: Scale): void {
  const each = (world.right - world.left) / plane.columns;
  for (const { kind, columns } of gaps) {
    if (kind !== "damaged") continue;
    const [from, to] = columns.map((column) => toX(scale, world.left + column * each));
    hatch(context, [from!, to!], `rgb(${marks.hatchDark.join(" ")})`, scale.ratio);
  }
}

/** Hatches a part of the width. */
function hatch(
  context: CanvasRenderingContext2D,
  [from, to]: readonly [number, number],
  colour: string,
  ratio: number,
): void {
  const { width, height } = context.canvas;
  const [left, right] = [Math.max(0, from), Math.min(width, to)];
  context.save();
  context.beginPath();
  context.rect(left, 0, right - left, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 2 * ratio;
  context.beginPath();
  const step = 2 * hatchDistance * ratio;
  for (let x = Math.floor((left - height) / step) * step; x < right; x += step) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.stroke();
  context.restore();
}

interface ValueTick {
  readonly value: number;
  readonly text: string;
}

/** Round values between the limits of a plot, or turns of the calendar. */
function valueTicks(
  { dataset }: Layer,
  state: ViewState,
  [low, high]: readonly [number, number],
  most: number,
  format: (value: number) => string,
): ValueTick[] {
  const unit = timeUnit(dataset, state);
  if (unit === undefined)
    return roundValues(low, high, most).map((value) => ({ value, text: format(value) }));
  return dateTicks(low * unit, high * unit, most).map(({ time, text }) => ({ value: time / unit, text }));
}

/** Milliseconds per unit of the drawn values; undefined unless they are times. */
function timeUnit(dataset: Dataset, { field, isRaw }: ViewState): number | undefined {
  if (dataset.decodedKind === "milliseconds" && !isRaw) return 1;
  const dtype = drawnLeaf(dataset, field)?.dtype;
  const unit = dtype?.core === "datetime64" ? millisecondsPer(dtype.unit ?? "") : undefined;
  return unit && unit * (dtype!.scaleFactor ?? 1);
}

/** Fills the left ruler of a line plot. */
function fillValueRuler(
  ruler: HTMLElement,
  title: string,
  low: number,
  high: number,
  values: readonly ValueTick[],
): void {
  const ticks = values.map(({ value, text }) => {
    const tick = h("span", { class: "zw-tick" }, text);
    tick.style.top = `${(1 - (value - low) / (high - low)) * 100}%`;
    return tick;
  });
  ruler.replaceChildren(
    h("span", { class: "zw-axis-title" }, title),
    h("div", { class: "zw-ticks" }, ...ticks),
  );
}
