/** The layers of an added image. */
import { applied, inverse, type Matrix } from "../base/matrix.js";
import type { PlacedDataset, Turn } from "../source/layer-place.js";
import { type LayerState, layerName } from "./added-layers.js";
import { type Camera, type Size, visible } from "./camera.js";
import type { PlaneTurn } from "./layer.js";
import { imageLayers, type Layer, lookOf, tinted } from "./layers.js";
import { arrayFacts, resolveState, type ViewState } from "./state.js";

/** Empty if the layer lacks a shown axis. */
export function placedLayers(
  { dataset, imageAxes, bounds, turn }: PlacedDataset,
  layer: LayerState,
  { axes, index }: ViewState,
  name: string,
): Layer[] {
  const own = axes.map((axis) => imageAxes.indexOf(axis));
  if (own.length !== 2 || own.includes(-1)) return [];
  const turned = turn && shownMatrix(turn, own as [number, number]);
  if (turn && !turned) return [];
  const { colormap, range, color, opacity, blend } = layer;
  const isByColumn = layer.by !== "" && dataset.isLabels === true;
  const state = resolveState(arrayFacts(dataset), {
    axes: own,
    outside: "clamp",
    // Colour map and range are those of the column that colours labels.
    ...(isByColumn ? { by: layer.by, byColormap: colormap, byRange: range } : {}),
    ...(colormap && !isByColumn ? { colormap, channels: null } : {}),
    ...(range.mode === "auto" || isByColumn ? {} : { range }),
  });
  const [[top, bottom], [left, right]] = [bounds[own[0]!]!, bounds[own[1]!]!];
  const extent = { top, bottom, left, right };
  return imageLayers(dataset, state).map((one): Layer => {
    const { style } = one;
    const isTinted = color !== "" && style.kind === "map";
    return {
      ...one,
      id: `${name} ${one.id}`,
      index: one.index.map((at, axis) => index[imageAxes[axis]!] ?? at),
      title: layerName(layer),
      extent,
      turn: turned && planeTurn(turned),
      style: {
        ...style,
        ...(isTinted ? ({ ...tinted, kind: "tint", color } as const) : {}),
        opacity,
        blend: style.blend === "over" && blend === "add" ? "add" : style.blend,
        ...(style.kind === "labels" ? { isOverlay: true, ...lookOf(dataset, layer) } : {}),
      },
    };
  });
}

/** The matrix of a plane; undefined if it has other axes. */
function shownMatrix({ matrix, down, across }: Turn, own: readonly [number, number]): Matrix | undefined {
  if (own[0] === down && own[1] === across) return matrix;
  const [a, b, c, d, e, f] = matrix;
  return own[0] === across && own[1] === down ? [d, c, b, a, f, e] : undefined;
}

interface View {
  readonly camera: Camera;
  readonly size: Size;
  readonly ratio: number;
  readonly aspect: number;
}

/** @param matrix from own elements to elements of the picture: x across, y down; has an inverse */
function planeTurn(matrix: Matrix): PlaneTurn {
  const back = inverse(matrix)!;
  return {
    matrix,
    view: (view) => ownView(matrix, back, view),
    place(row, column) {
      const [x, y] = applied(back, column, row);
      return { row: y, column: x };
    },
  };
}

/** The smallest view of own elements that has all of them in a view of the picture. */
function ownView([a, b, c, d]: Matrix, back: Matrix, { camera, size, ratio, aspect }: View): View {
  const { top, left, bottom, right } = visible(camera, size, aspect);
  const corners = [top, bottom].flatMap((y) => [left, right].map((x) => applied(back, x, y)));
  const bounds = (side: 0 | 1) => {
    const all = corners.map((corner) => corner[side]);
    return [Math.min(...all), Math.max(...all)] as const;
  };
  const [columns, rows] = [bounds(0), bounds(1)];
  // CSS pixels of the sides of an element.
  const across = camera.scale * Math.hypot(a, b * aspect);
  const down = camera.scale * Math.hypot(c, d * aspect);
  return {
    camera: { row: (rows[0] + rows[1]) / 2, column: (columns[0] + columns[1]) / 2, scale: across },
    size: { width: (columns[1] - columns[0]) * across, height: (rows[1] - rows[0]) * down },
    ratio,
    aspect: down / across,
  };
}
