/** Page object of the viewer, for any browser. */
import { canvasExpression, elementsExpression, grayRows, type Pixels, pixelsOf } from "../shared/pixels.js";
import { type Driver, elementAt, type Key } from "./drivers/driver.js";
import { waitFor } from "./engines.js";
import type { Site } from "./site.js";

export class ViewerPage {
  constructor(
    readonly driver: Driver,
    readonly site: Site,
  ) {}

  /** Opens the page and waits until the viewer reaches a state. */
  async show(query: string, state: "ready" | "error" = "ready"): Promise<void> {
    await this.driver.open(`${this.site.url}/watched-viewer/${query === "" ? "" : `?${query}`}`);
    await this.reaches(state);
  }

  async reaches(state: "ready" | "error"): Promise<void> {
    await waitFor(this.driver, `${elementAt(".zw-viewer")}?.dataset.state === "${state}"`).catch(
      async (error) => {
        throw new Error(`${error.message}; the page says: ${(await this.text("main")).slice(0, 400)}`);
      },
    );
  }

  /** Problems on the page: script errors and warnings, policy violations. */
  problems(): Promise<string[]> {
    return this.driver.evaluate("globalThis.problems");
  }

  text(selector: string): Promise<string> {
    return this.driver.evaluate(`${elementAt(selector)}?.innerText.trim() ?? ""`);
  }

  texts(selector: string): Promise<string[]> {
    return this.driver.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ innerText }) => innerText)`,
    );
  }

  /** The content of the canvas. */
  async canvas(): Promise<Pixels> {
    return pixelsOf(await this.driver.evaluate(canvasExpression));
  }

  /**
   * Gray values of the elements in view, or of a part, row by row: NaN for transparent, −1 for coloured ones.
   */
  async grays(rows?: readonly [number, number], columns?: readonly [number, number]): Promise<number[][]> {
    return grayRows(pixelsOf(await this.driver.evaluate(elementsExpression(rows, columns))));
  }

  /** The selector of a control, by its label. */
  async control(label: string): Promise<string> {
    return waitFor(
      this.driver,
      `(() => {
        const wanted = ${JSON.stringify(label)};
        const named = (element) => element.getAttribute("aria-label") === wanted ||
          [...(element.labels ?? [])].some(({ textContent }) => textContent.trim() === wanted);
        const found = [...document.querySelectorAll("input, select, button")].find(named);
        if (!found) return undefined;
        found.dataset.wanted = wanted;
        return found.tagName.toLowerCase() + '[data-wanted="' + wanted + '"]';
      })()`,
    );
  }

  async enter(label: string, text: string): Promise<void> {
    await this.driver.enter(await this.control(label), text);
  }

  async choose(label: string, option: string): Promise<void> {
    await this.driver.choose(await this.control(label), option);
  }

  async press(label: string, key: Key): Promise<void> {
    await this.driver.press(await this.control(label), key);
  }
}
