/** The viewer as a tester sees it. */
import { expect, type Locator, type Page } from "@playwright/test";
import { canvasExpression, grayRows, type Pixels, pixelsOf } from "../shared/pixels.js";

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
    return pixelsOf(await this.page.evaluate(canvasExpression));
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
