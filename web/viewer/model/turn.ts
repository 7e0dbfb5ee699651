/** Planes that are turned or sheared against the picture. */
import { applied, inverse, type Matrix } from "../base/matrix.js";
import { type Camera, type Size, visible } from "./camera.js";
import type { PlaneTurn } from "./layer.js";

interface View {
  readonly camera: Camera;
  readonly size: Size;
  readonly ratio: number;
  readonly aspect: number;
}

/** @param matrix from own elements to elements of the picture: x across, y down; has an inverse */
export function planeTurn(matrix: Matrix): PlaneTurn {
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
