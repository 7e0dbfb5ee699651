/**
 * Camera geometry, as pure functions. World coordinates are elements of level 0 along the two shown axes;
 * element i covers [i, i + 1).
 */

/** Position and scale of a view. Serialisable, and independent of the canvas size. */
export interface Camera {
  /** Centre of the canvas, in elements of level 0. */
  readonly row: number;
  readonly column: number;
  /** CSS pixels per element along a row. */
  readonly scale: number;
  /** Centre of the other panes along the third axis, if it has been moved. */
  readonly depth?: number | undefined;
}

/** Size of the canvas, in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in elements, which may be fractional. */
export interface Rectangle {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Height of an element divided by its width: 1 for square elements, negative if rows go up. */
export type Aspect = number;

/** Maximum scale of zooming, in CSS pixels per element; a rectangle that is fitted may take a larger one. */
export const closest = 96;

/** Share of the frame's side that elements of whole device pixels must fill, or their sides differ by a pixel. */
const leastFilled = 0.9;

/**
 * The camera that fits a rectangle.
 * @param isExact whether elements cover whole device pixels, if that leaves only a small part of the frame empty;
 *   otherwise their sides differ by up to a pixel
 */
export function fitted(
  rectangle: Rectangle,
  size: Size,
  ratio: number,
  aspect: Aspect = 1,
  isExact = true,
): Camera {
  const { top, left, bottom, right } = rectangle;
  const largest = Math.min(size.width / (right - left), size.height / ((bottom - top) * Math.abs(aspect)));
  const device = largest * ratio;
  const whole = Math.floor(device);
  const scale = isExact && whole >= leastFilled * device ? whole / ratio : largest;
  return { row: (top + bottom) / 2, column: (left + right) / 2, scale };
}

/**
 * The nearest camera with elements aligned to whole device pixels of the canvas corner, so that the picture
 * and its description agree to the pixel.
 */
export function aligned(camera: Camera, size: Size, ratio: number, aspect: Aspect = 1): Camera {
  const { row, column, scale } = camera;
  const centre = (at: number, length: number, perElement: number) => {
    const middle = (length * ratio) / 2;
    return (middle - Math.round(middle - at * perElement)) / perElement;
  };
  const across = scale * ratio;
  return {
    row: centre(row, size.height, across * aspect),
    column: centre(column, size.width, across),
    scale,
  };
}

/** The rectangle of the world visible in the canvas. */
export function visible(
  { row, column, scale }: Camera,
  { width, height }: Size,
  aspect: Aspect = 1,
): Rectangle {
  const [across, down] = [width / scale / 2, height / (scale * Math.abs(aspect)) / 2];
  return { top: row - down, left: column - across, bottom: row + down, right: column + across };
}

/** The camera after a drag by a distance in CSS pixels. */
export function panned(camera: Camera, dx: number, dy: number, aspect: Aspect = 1): Camera {
  const { row, column, scale } = camera;
  return { ...camera, row: row - dy / (scale * aspect), column: column - dx / scale };
}

/** Limits of a zoom, in CSS pixels per element; a camera beyond them may stay there. */
export interface ZoomLimits {
  readonly least: number;
  readonly most: number;
}

/** The camera zoomed by `factor` around a point (CSS pixels from the canvas centre). */
export function zoomed(
  camera: Camera,
  factor: number,
  at: { x: number; y: number },
  { least, most }: ZoomLimits,
  aspect: Aspect = 1,
): Camera {
  const scale = Math.min(
    Math.max(camera.scale * factor, Math.min(least, camera.scale)),
    Math.max(most, camera.scale),
  );
  const shift = 1 / camera.scale - 1 / scale;
  return {
    ...camera,
    row: camera.row + (at.y / aspect) * shift,
    column: camera.column + at.x * shift,
    scale,
  };
}

/** The camera with its centre clamped to the world, so that part of it is always in view. */
export function inside(camera: Camera, rows: number, columns: number): Camera {
  const clamp = (at: number, length: number) => Math.min(Math.max(at, 0), length);
  return { ...camera, row: clamp(camera.row, rows), column: clamp(camera.column, columns) };
}

/** World coordinates of a point of the canvas (CSS pixels from its upper left corner). */
export function worldAt(
  camera: Camera,
  size: Size,
  at: { x: number; y: number },
  aspect: Aspect = 1,
): {
  row: number;
  column: number;
} {
  const { row, column, scale } = camera;
  return {
    row: row + (at.y - size.height / 2) / (scale * aspect),
    column: column + (at.x - size.width / 2) / scale,
  };
}
