/** Thumbnails: reads the coarsest sufficient level, and paints it once on the CPU. */
import { get, slice } from "zarr-wasm";
import { loadColormap } from "../base/colormaps.js";
import { paintLabels, paintPlane } from "../draw/paint.js";
import { layerColors, outsideOf } from "../draw/table.js";
import { type Layer, planeAspect, planLayers } from "../model/layers.js";
import { arrayFacts, resolveState } from "../model/state.js";
import { Findings } from "../numbers/findings.js";
import { summarize } from "../numbers/summary.js";
import type { Level } from "../source/dataset.js";
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
  readonly signal: AbortSignal;
}

/**
 * Returns a thumbnail of a source.
 * @returns undefined for content other than pictures, and for pictures that are too large.
 * @throws errors of opening and reading.
 */
export async function drawThumbnail(
  target: ViewerTarget,
  { enough, hasLabels, signal }: ThumbnailOptions,
): Promise<HTMLCanvasElement | undefined> {
  const opened = await openTarget(resolveTarget(target).target, { signal, onWarning: () => {} });
  if (opened.kind !== "dataset") return undefined;
  const { dataset } = opened;
  const state = resolveState(arrayFacts(dataset), target.settings ?? {});
  if (state.axes.length !== 2) return undefined;
  await loadColormap(state.colormap);
  const [labels] = hasLabels ? ((await dataset.labels?.find()) ?? []) : [];
  await labels?.open();
  let picture: HTMLCanvasElement | undefined;
  for (const layer of planLayers(dataset, state)) {
    const painted = await paintLayer(layer, levelFor(layer, enough), signal);
    if (!painted) return undefined;
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

async function paintLayer(
  layer: Layer,
  level: Level,
  signal: AbortSignal,
): Promise<HTMLCanvasElement | undefined> {
  const { dataset, axes, part, style, range } = layer;
  const array = await level.open();
  const index = layer.index.map((at, axis) => {
    const own = Math.floor((at + 0.5 - level.origin[axis]!) / level.factor[axis]!);
    return Math.min(Math.max(own, 0), array.shape[axis]! - 1);
  });
  const [rows, columns] = axes.map((axis) => array.shape[axis]!) as [number, number];
  if (rows * columns > most) return undefined;
  const selection = index.map((at, axis) =>
    axes.includes(axis) ? slice(0, array.shape[axis]!) : slice(at, at + 1),
  );
  const region = await get(array, selection, { signal });
  const start = index.map((at, axis) => (axes.includes(axis) ? 0 : at));
  const leaf = dtypeLeaves(dataset.dtype).find(({ name }) => name === layer.field);
  if (!leaf) return undefined;
  const { plane } = cutTile(
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
  );
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [columns, rows];
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  if (style.kind === "labels") paintLabels(plane, layerColors(style), pixels);
  else {
    const findings = new Findings();
    findings.add("all", summarize(plane, []));
    const found = findings.automaticRange() ?? [0, 1];
    const [low, high] = range.mode === "manual" ? [range.low, range.high] : found;
    const limits = { low, high, scale: style.scale };
    paintPlane(plane, layerColors(style), limits, outsideOf(style), style.outside === "mark", pixels);
  }
  canvas.getContext("2d")!.putImageData(image, 0, 0);
  return canvas;
}

/** The coarsest level with enough rows and columns, judged without opening it. */
function levelFor({ dataset, axes }: Layer, enough: number): Level {
  const { levels, array } = dataset;
  const isEnough = ({ factor }: Level) =>
    axes.every((axis) => array.shape[axis]! / factor[axis]! >= Math.min(enough, array.shape[axis]!));
  return levels.filter(isEnough).at(-1) ?? levels[0];
}
