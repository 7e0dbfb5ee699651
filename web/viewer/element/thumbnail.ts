/** Thumbnails: reads the coarsest sufficient level, and paints it once on the CPU. */
import { get, slice } from "zarr-wasm";
import { loadColormap } from "../base/colormaps.js";
import type { Plane } from "../base/plane.js";
import { paintLabels, paintPlane } from "../draw/paint.js";
import { layerColors, outsideOf } from "../draw/table.js";
import { type Layer, planeAspect, planLayers } from "../model/layers.js";
import { arrayFacts, resolveState, type ViewState } from "../model/state.js";
import { Findings } from "../numbers/findings.js";
import { summarize } from "../numbers/summary.js";
import type { Dataset, Level } from "../source/dataset.js";
import { dtypeLeaves } from "../source/leaf.js";
import { openTarget, resolveTarget } from "../source/open.js";
import { cutTile } from "../tiles/cut.js";
import type { ViewerTarget } from "./options.js";

/** Maximum number of elements read for a plane of a thumbnail. */
const most = 2 ** 21;

export interface ThumbnailOptions {
  /** Sufficient rows and columns: the coarsest level with as many is read. */
  readonly enough: number;
  /** Whether to look for labels and draw them over the image. */
  readonly hasLabels: boolean;
  /** Maximum number of bytes that are decoded for a plane. Default: those of any plane of few enough elements. */
  readonly maxBytes?: number | undefined;
  readonly signal: AbortSignal;
}

/** A layer with its numbers. */
export interface ThumbnailLayer {
  readonly layer: Layer;
  readonly plane: Plane;
}

/** The content of a thumbnail. */
export interface Thumbnail {
  readonly dataset: Dataset;
  readonly state: ViewState;
  readonly layers: readonly ThumbnailLayer[];
}

/**
 * Returns a thumbnail of a source.
 * @returns undefined for content other than pictures, and for pictures that are too large.
 * @throws errors of opening and reading.
 */
export async function drawThumbnail(
  target: ViewerTarget,
  options: ThumbnailOptions,
): Promise<HTMLCanvasElement | undefined> {
  const thumbnail = await readThumbnail(target, options);
  return thumbnail && paintThumbnail(thumbnail);
}

/** Reads the layers of a thumbnail; as {@link drawThumbnail}. */
async function readThumbnail(
  target: ViewerTarget,
  { enough, hasLabels, maxBytes, signal }: ThumbnailOptions,
): Promise<Thumbnail | undefined> {
  const opened = await openTarget(resolveTarget(target).target, { signal, onWarning: () => {} });
  if (opened.kind !== "dataset") return undefined;
  const { dataset } = opened;
  const state = resolveState(arrayFacts(dataset), target.settings ?? {});
  if (state.axes.length !== 2) return undefined;
  const [labels] = hasLabels ? ((await dataset.labels?.find()) ?? []) : [];
  await labels?.open();
  return readLayers(dataset, state, enough, signal, maxBytes);
}

/**
 * Reads the layers of a state, of which the numbers can be painted in other colours later.
 * @param enough sufficient rows and columns: the coarsest level with as many is read
 * @returns undefined for planes that are too large
 */
export async function readLayers(
  dataset: Dataset,
  state: ViewState,
  enough: number,
  signal: AbortSignal,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Thumbnail | undefined> {
  await loadColormap(state.colormap);
  const read = async (layer: Layer) => {
    const plane = await readPlane(layer, levelFor(layer, enough), maxBytes, signal);
    return plane && { layer, plane };
  };
  const layers = await Promise.all(planLayers(dataset, state).map(read));
  const found = layers.filter((layer) => layer !== undefined);
  return found.length < layers.length ? undefined : { dataset, state, layers: found };
}

/** @param limitsOf the range of a layer. Default: its own, or else that of its values */
export function paintThumbnail(
  { dataset, state, layers }: Thumbnail,
  limitsOf: (layer: Layer) => readonly [number, number] | undefined = () => undefined,
): HTMLCanvasElement | undefined {
  let picture: HTMLCanvasElement | undefined;
  for (const { layer, plane } of layers) {
    const painted = paintLayer(layer, plane, limitsOf(layer));
    picture = picture ? blended(picture, painted, layer) : painted;
  }
  if (picture && planeAspect(dataset, state) < 0) picture.style.transform = "scaleY(-1)";
  return picture;
}

/** Draws a layer onto the layers below it. */
function blended(below: HTMLCanvasElement, above: HTMLCanvasElement, { style }: Layer): HTMLCanvasElement {
  const context = below.getContext("2d")!;
  context.globalCompositeOperation = style.blend === "add" ? "lighter" : "source-over";
  context.globalAlpha = style.opacity;
  context.imageSmoothingEnabled = style.kind !== "labels";
  context.drawImage(above, 0, 0, below.width, below.height);
  return below;
}

/** @returns undefined if the plane is too large */
async function readPlane(
  layer: Layer,
  level: Level,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Plane | undefined> {
  const { dataset, axes, part } = layer;
  const array = await level.open();
  const index = layer.index.map((at, axis) => {
    const own = Math.floor((at + 0.5 - level.origin[axis]!) / level.factor[axis]!);
    return Math.min(Math.max(own, 0), array.shape[axis]! - 1);
  });
  const [rows, columns] = axes.map((axis) => array.shape[axis]!) as [number, number];
  const { chunkShape, dtype } = array;
  const decoded = chunkShape.map((chunk, axis) =>
    axes.includes(axis) ? Math.ceil(array.shape[axis]! / chunk) * chunk : chunk,
  );
  const bytes = decoded.reduce((product, length) => product * length, dtype.itemBytes);
  if (rows * columns > most || bytes > maxBytes) return undefined;
  const selection = index.map((at, axis) =>
    axes.includes(axis) ? slice(0, array.shape[axis]!) : slice(at, at + 1),
  );
  const region = await get(array, selection, { signal });
  const start = index.map((at, axis) => (axes.includes(axis) ? 0 : at));
  const leaf = dtypeLeaves(dataset.dtype).find(({ name }) => name === layer.field);
  if (!leaf) return undefined;
  return cutTile(
    "thumbnail",
    { key: "thumbnail", start, region, gaps: [], bytes: 0 },
    {
      level: 0,
      place: level,
      axes,
      index,
      shape: array.shape,
      leaf,
      part,
      decode: layer.isRaw ? undefined : dataset.decode,
    },
  ).plane;
}

function paintLayer(
  { style, range }: Layer,
  plane: Plane,
  limits: readonly [number, number] | undefined,
): HTMLCanvasElement {
  const { rows, columns } = plane;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [columns, rows];
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  if (style.kind === "labels") paintLabels(plane, layerColors(style), pixels);
  else {
    const own = () => (range.mode === "manual" ? ([range.low, range.high] as const) : foundLimits(plane));
    const [low, high] = limits ?? own();
    const spread = { low, high, scale: style.scale };
    paintPlane(plane, layerColors(style), spread, outsideOf(style), pixels);
  }
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}

function foundLimits(plane: Plane): readonly [number, number] {
  const findings = new Findings();
  findings.add("all", summarize(plane, []));
  return findings.automaticRange() ?? [0, 1];
}

/** The coarsest level with enough rows and columns, judged without opening it. */
function levelFor({ dataset, axes }: Layer, enough: number): Level {
  const { levels, array } = dataset;
  const isEnough = ({ factor }: Level) =>
    axes.every((axis) => array.shape[axis]! / factor[axis]! >= Math.min(enough, array.shape[axis]!));
  return levels.filter(isEnough).at(-1) ?? levels[0];
}
