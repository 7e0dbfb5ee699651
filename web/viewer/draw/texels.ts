/** Converts a tile's numbers to the data of a texture. */
import type { Numbers, Plane } from "../base/plane.js";

export type TexelType = "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f32";

export interface Texels {
  readonly type: TexelType;
  readonly data: Exclude<Numbers, Float64Array>;
  readonly rows: number;
  readonly columns: number;
  /** Elements from one row to the next. */
  readonly rowLength: number;
  /** Stored values are (value − middle) · factor. */
  readonly middle: number;
  readonly factor: number;
}

/** The texels of a part of a plane. Shares the plane's memory if nothing needs moving or converting. */
export function tileTexels(
  plane: Plane,
  rows: readonly [number, number],
  columns: readonly [number, number],
): Texels {
  const part = {
    ...plane,
    offset: plane.offset + rows[0] * plane.rowStride + columns[0] * plane.columnStride,
    rows: rows[1] - rows[0],
    columns: columns[1] - columns[0],
  };
  const type = texelType(plane.values);
  // A constant plane becomes one texel.
  if (plane.rowStride === 0 && plane.columnStride === 0) Object.assign(part, { rows: 1, columns: 1 });
  return type ? shared(part, type) : residuals(part);
}

function texelType(values: Numbers): TexelType | undefined {
  if (values instanceof Uint8Array) return "u8";
  if (values instanceof Int8Array) return "i8";
  if (values instanceof Uint16Array) return "u16";
  if (values instanceof Int16Array) return "i16";
  if (values instanceof Uint32Array) return "u32";
  if (values instanceof Int32Array) return "i32";
  return values instanceof Float32Array ? "f32" : undefined;
}

function shared(plane: Plane, type: TexelType): Texels {
  const { values, offset, rows, columns, rowStride, columnStride } = plane;
  const plain = { type, rows, columns, middle: 0, factor: 1 };
  if (columnStride === 1 && rowStride >= columns) {
    const data = values.subarray(offset, offset + (rows - 1) * rowStride + columns) as Texels["data"];
    return { ...plain, data, rowLength: rowStride };
  }
  if (columnStride === 1 && rows === 1)
    return {
      ...plain,
      data: values.subarray(offset, offset + columns) as Texels["data"],
      rowLength: columns,
    };
  const data = new (values.constructor as new (length: number) => Texels["data"])(rows * columns);
  copy(plane, data);
  return { ...plain, data, rowLength: columns };
}

function copy({ values, offset, rows, columns, rowStride, columnStride }: Plane, out: Texels["data"]): void {
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride) out[at++] = values[from]!;
  }
}

/**
 * Numbers of more than 32 bits, as differences from the middle of their range: accurate to 24 bits of the
 * tile's extent. NaN and infinities are kept.
 */
function residuals({ values, offset, rows, columns, rowStride, columnStride }: Plane): Texels {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride) {
      const value = values[from]!;
      if (value - value !== 0) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  const middle = min <= max ? min / 2 + max / 2 : 0;
  const reach = min <= max ? Math.max(max - middle, middle - min) : 0;
  // Very large or small values are also rescaled, because float32 has a smaller exponent.
  const factor = reach > 1e30 || (reach > 0 && reach < 1e-30) ? 1 / reach : 1;
  const data = new Float32Array(rows * columns);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    for (let column = 0; column < columns; column++, from += columnStride)
      data[at++] = (values[from]! - middle) * (Number.isFinite(factor) ? factor : 1);
  }
  return {
    type: "f32",
    data,
    rows,
    columns,
    rowLength: columns,
    middle,
    factor: Number.isFinite(factor) ? factor : 1,
  };
}
