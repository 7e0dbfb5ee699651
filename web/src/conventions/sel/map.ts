/** Coordinates of rows and columns that only a transformation states, as in GeoTIFF files. */

import { dimensionsIn, shapeIn, transformIn } from "../geo/attributes.js";
import { type Coordinates, linearCoordinates } from "./coordinates.js";
import { noCoordinates } from "./labels.js";

/**
 * Returns the centres of the rows or columns of a map; undefined if attributes state no transformation, or if the
 * name is not one of their dimensions.
 * @param length number of rows or columns. Default: as stated.
 * @throws InvalidSelection for rotated maps, whose rows and columns have no coordinate of their own.
 */
export function mapCoordinates(
  name: string,
  attributes: unknown,
  length?: number,
  level: unknown = attributes,
): Coordinates | undefined {
  const axis = dimensionsIn(attributes)?.indexOf(name) ?? -1;
  const transform = axis < 0 ? undefined : transformIn(level);
  const count = length ?? shapeIn(level)?.[axis];
  if (!transform || count === undefined) return undefined;
  const [a, b, c, d, e, f] = transform;
  if (b !== 0 || d !== 0) throw noCoordinates(name, "the map is rotated");
  const [scale, start] = axis === 0 ? [e, f] : [a, c];
  return linearCoordinates(name, count, { scale, translation: start + scale / 2 });
}
