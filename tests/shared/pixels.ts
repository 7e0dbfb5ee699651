/** Reads the viewer's pixels and computes the expected ones; shared by the tests in all browsers. */

export interface Pixels {
  width: number;
  height: number;
  /** RGBA, row by row. */
  data: Buffer;
}

/** An expression for the content of a page's canvas in device pixels; an input of `pixelsOf`. */
export const canvasExpression = `(() => {
  const canvas = document.querySelector(".zw-canvas");
  const { width, height } = canvas;
  // A copy, because browsers complain of a canvas of a page that is read often.
  const copy = Object.assign(document.createElement("canvas"), { width, height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  let binary = "";
  for (let i = 0; i < data.length; i += 4096) binary += String.fromCharCode(...data.subarray(i, i + 4096));
  return { width, height, base64: btoa(binary) };
})()`;

/**
 * An expression for one pixel per element, at the centre of the drawn element; an input of `pixelsOf`.
 * Without rows and columns it covers all elements whose centre is in view.
 */
export const elementsExpression = (
  rows?: readonly [number, number],
  columns?: readonly [number, number],
) => `(() => {
  const canvas = document.querySelector(".zw-canvas");
  const { view, extent } = document.querySelector(".zw-box").dataset;
  const [down, across] = view.split(",").map((part) => part.split(":").map(Number));
  const [height, width] = extent.split(",").map(Number);
  const seen = ([from, to], length) => [Math.max(0, Math.ceil(from - 0.5)), Math.min(length, Math.floor(to - 0.5) + 1)];
  const [top, bottom] = ${JSON.stringify(rows) ?? "seen(down, height)"};
  const [left, right] = ${JSON.stringify(columns) ?? "seen(across, width)"};
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const all = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
  const place = (at, [from, to], size) => Math.floor(((at + 0.5 - from) / (to - from)) * size);
  const pixels = new Uint32Array((bottom - top) * (right - left));
  let i = 0;
  for (let row = top; row < bottom; row++) {
    const y = place(row, down, copy.height);
    for (let column = left; column < right; column++)
      pixels[i++] = all[y * copy.width + place(column, across, copy.width)];
  }
  const data = new Uint8Array(pixels.buffer);
  let binary = "";
  for (let at = 0; at < data.length; at += 4096) binary += String.fromCharCode(...data.subarray(at, at + 4096));
  return { width: right - left, height: bottom - top, base64: btoa(binary) };
})()`;

export const pixelsOf = ({
  width,
  height,
  base64,
}: {
  width: number;
  height: number;
  base64: string;
}): Pixels => ({
  width,
  height,
  data: Buffer.from(base64, "base64"),
});

/** Gray values of a picture, row by row; NaN for transparent pixels, −1 for coloured ones. */
export function grayRows({ width, height, data }: Pixels): number[][] {
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => {
      const at = 4 * (row * width + column);
      if (data[at + 3] === 0) return Number.NaN;
      const isGray = data[at] === data[at + 1] && data[at + 1] === data[at + 2] && data[at + 3] === 255;
      return isGray ? data[at]! : -1;
    }),
  );
}

/** The gray of a value between `low` and `high`: 256 equal parts, ends included. */
export function gray(value: number, low: number, high: number): number {
  if (Number.isNaN(value)) return Number.NaN;
  return Math.min(255, Math.max(0, Math.floor(((value - low) / (high - low)) * 256)));
}

/** Rows of gray values of a function of row and column. */
export function grayTable(
  rows: number,
  columns: number,
  [low, high]: readonly [number, number],
  value: (row: number, column: number) => number,
): number[][] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => gray(value(row, column), low, high)),
  );
}

/**
 * Finds deviations of a picture from a line plot: each value is centred on its share of the width, minimum
 * and maximum lie slightly inside the box, and non-numbers leave gaps. Empty if the plot is correct.
 */
export function lineFaults({ width, height, data }: Pixels, values: readonly number[]): string[] {
  const finite = values.filter(Number.isFinite);
  const [least, greatest] = [Math.min(...finite), Math.max(...finite)];
  const margin = 0.06 * (greatest - least);
  const rowOf = (value: number) => height * ((greatest + margin - value) / (greatest - least + 2 * margin));
  return values.flatMap((value, i) => {
    const column = Math.floor(((i + 0.5) / values.length) * width);
    const drawn = Array.from({ length: height }, (_, row) => row).filter(
      (row) => data[4 * (row * width + column) + 3]! > 0,
    );
    if (!Number.isFinite(value)) return drawn.length === 0 ? [] : [`${i}: a line where there is no number`];
    const near = [values[i - 1], value, values[i + 1]]
      .filter((one) => Number.isFinite(one))
      .map((one) => rowOf(one!));
    const [top, bottom] = [Math.min(...near) - 3, Math.max(...near) + 3];
    if (!drawn.some((row) => Math.abs(row + 0.5 - rowOf(value)) < 3))
      return [`${i}: no line at row ${rowOf(value)}`];
    return drawn.every((row) => row > top - 1 && row < bottom)
      ? []
      : [`${i}: a line elsewhere, too: ${drawn}`];
  });
}
