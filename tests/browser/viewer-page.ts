/** The viewer as a tester sees it. */
import { expect, type Locator, type Page } from "@playwright/test";

export interface Pixels {
  width: number;
  height: number;
  /** RGBA, row by row. */
  data: Buffer;
}

export class ViewerPage {
  readonly root: Locator;
  readonly box: Locator;
  readonly readout: Locator;
  readonly error: Locator;

  constructor(
    readonly page: Page,
    readonly site: string,
  ) {
    this.root = page.locator(".zw-viewer");
    this.box = page.locator(".zw-box");
    this.readout = page.locator(".zw-readout");
    this.error = page.getByRole("alert");
  }

  /** Opens the page with a query, without waiting for what it shows. */
  async goto(query: string): Promise<void> {
    await this.page.goto(`${this.site}/viewer/?${query}`);
  }

  /** Opens the page with a query and waits for the picture. */
  async show(query: string): Promise<void> {
    await this.goto(query);
    await this.reaches("ready");
  }

  async reaches(state: "ready" | "reading" | "error"): Promise<void> {
    await expect(this.root).toHaveAttribute("data-state", state);
  }

  /** The canvas as it is: one pixel per element. */
  async pixels(): Promise<Pixels> {
    const { width, height, base64 } = await this.page.locator(".zw-canvas").evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      // A copy, because browsers complain of a canvas of a page that is read often.
      const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
      copy.drawImage(canvas as HTMLCanvasElement, 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      let binary = "";
      for (let i = 0; i < data.length; i += 4096)
        binary += String.fromCharCode(...data.subarray(i, i + 4096));
      return { width, height, base64: btoa(binary) };
    });
    return { width, height, data: Buffer.from(base64, "base64") };
  }

  /** Waits until the canvas shows the given gray values, NaN where it is transparent. */
  async showsGray(expected: readonly number[][]): Promise<void> {
    await expect.poll(async () => grayRows(await this.pixels())).toEqual(expected);
  }

  /** Position of a cell's centre in the picture's box. */
  async positionOf(
    row: number,
    column: number,
    rows: number,
    columns: number,
  ): Promise<{ x: number; y: number }> {
    const { width, height } = (await this.box.boundingBox())!;
    return { x: ((column + 0.5) / columns) * width, y: ((row + 0.5) / rows) * height };
  }

  async pointAt(row: number, column: number, [rows, columns]: readonly [number, number]): Promise<void> {
    await this.box.hover({ position: await this.positionOf(row, column, rows, columns) });
  }

  /** Sets a number field as a reader does. */
  async enter(label: string, value: number | string): Promise<void> {
    const field = this.page.getByLabel(label, { exact: true });
    await field.fill(String(value));
    await field.press("Enter");
  }

  /** Moves a slider. */
  async slide(label: string, value: number): Promise<void> {
    await this.page.getByRole("slider", { name: label }).fill(String(value));
  }

  async choose(label: string, option: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).selectOption({ label: option });
  }
}

/** Gray values of a picture, row by row; NaN for transparent pixels, −1 for coloured ones. */
function grayRows({ width, height, data }: Pixels): number[][] {
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => {
      const [r, g, b, alpha] = data.subarray(4 * (row * width + column));
      if (alpha === 0) return Number.NaN;
      return r === g && g === b && alpha === 255 ? r! : -1;
    }),
  );
}

/** The gray that a value has between `low` and `high`: 256 equal parts, ends included. */
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
