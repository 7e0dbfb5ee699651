/** Numbers to pixels: a look-up table and two strides, nothing allocated per pixel. */

/** Typed arrays of JavaScript numbers (64-bit integers are converted before). */
export type Numbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** Numbers laid out as rows and columns; strides in elements. */
export interface Plane {
  readonly values: Numbers;
  readonly rows: number;
  readonly columns: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** A pixel that shows what lies behind the canvas: values that are not numbers. */
const transparent = 0;

/**
 * Colours a plane. The range [low, high] is cut into 256 equal parts, one per entry of `table`; what
 * lies outside gets the colour of the nearer end. NaN becomes a transparent pixel.
 * @param pixels row by row, one 32-bit pixel per element.
 */
export function paintPlane(
  plane: Plane,
  table: Uint32Array,
  low: number,
  high: number,
  pixels: Uint32Array,
): void {
  // Halves, because the distance of two finite numbers may not be finite.
  const scale = 128 / (high / 2 - low / 2);
  if (high > low && Number.isFinite(scale)) paintScaled(plane, table, low, scale, pixels);
  else paintFlat(plane, table, low, pixels);
}

function paintScaled(
  { values, rows, columns, rowStride, columnStride }: Plane,
  table: Uint32Array,
  low: number,
  scale: number,
  pixels: Uint32Array,
): void {
  const [first, last] = [table[0]!, table[255]!];
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride) {
      const part = (values[from]! - low) * scale;
      // The last case is NaN, for which no comparison holds.
      pixels[at++] = part >= 256 ? last : part > 0 ? table[part | 0]! : part <= 0 ? first : transparent;
    }
  }
}

/** A range without extent: the value itself is in the middle. */
function paintFlat(
  { values, rows, columns, rowStride, columnStride }: Plane,
  table: Uint32Array,
  middle: number,
  pixels: Uint32Array,
): void {
  let at = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = values[row * rowStride + column * columnStride]!;
      const entry = value > middle ? 255 : value < middle ? 0 : 128;
      pixels[at++] = Number.isNaN(value) ? transparent : table[entry]!;
    }
  }
}

/** Colours a plane of labels: 0 is the background, the other integers share the 255 other colours in turn. */
export function paintLabels(
  { values, rows, columns, rowStride, columnStride }: Plane,
  table: Uint32Array,
  pixels: Uint32Array,
): void {
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride) {
      pixels[at++] = table[labelEntry(values[from]!)]!;
    }
  }
}

/** Entry of the colour table for a label. */
export function labelEntry(label: number): number {
  if (label === 0) return 0;
  const turn = (label - 1) % 255;
  return 1 + (turn < 0 ? turn + 255 : turn);
}
