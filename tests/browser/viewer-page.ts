/** Page object of the viewer. */
import { expect, type Locator, type Page, type Route } from "@playwright/test";
import { canvasExpression, elementsExpression, grayRows, type Pixels, pixelsOf } from "../shared/pixels.js";

/** Makes a page draw planes as with a GPU, by WebGL, or as without one, by a 2-D context. */
export const pretendGpu = (page: Page, hasGpu: boolean) =>
  page.addInitScript((isFast) => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (
      this: HTMLCanvasElement,
      kind: string,
      { failIfMajorPerformanceCaveat: isRefused = false, ...options } = {},
    ) {
      return isRefused && !isFast ? null : getContext.call(this, kind as "2d", options);
    } as typeof getContext;
    const { getExtension } = WebGL2RenderingContext.prototype;
    WebGL2RenderingContext.prototype.getExtension = function (this: WebGL2RenderingContext, name: string) {
      return name === "WEBGL_debug_renderer_info"
        ? null
        : getExtension.call(this, name as "WEBGL_multi_draw");
    } as typeof getExtension;
  }, hasGpu);

/** A viewer in a new page of the same context, with WebGL. */
export async function viewerWithWebGL(page: Page, site: string): Promise<ViewerPage> {
  const other = new ViewerPage(await page.context().newPage(), site);
  await pretendGpu(other.page, true);
  return other;
}

/** Keeps the WebGL contexts of a page, for `loseContexts`. */
export const recordContexts = (page: Page) =>
  page.addInitScript(() => {
    const contexts: WebGL2RenderingContext[] = [];
    Object.assign(globalThis, { contexts });
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (
      this: HTMLCanvasElement,
      kind: string,
      ...rest: unknown[]
    ) {
      const context = (getContext as (...all: unknown[]) => unknown).call(this, kind, ...rest);
      if (context instanceof WebGL2RenderingContext && !contexts.includes(context)) contexts.push(context);
      return context;
    } as typeof getContext;
  });

/** The number of recorded WebGL contexts that are not lost. */
export const liveContexts = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { contexts } = globalThis as unknown as { contexts: WebGL2RenderingContext[] };
    return contexts.filter((context) => !context.isContextLost()).length;
  });

/**
 * Loses the recorded contexts and clears all pictures.
 * @param isRestored whether the browser restores them once the page has heard of it
 * @returns the number of contexts that are still alive; the viewer may replace the others at once.
 */
export const loseContexts = (page: Page, isRestored = false): Promise<number> =>
  page.evaluate((restores) => {
    const { contexts } = globalThis as unknown as { contexts: WebGL2RenderingContext[] };
    Object.assign(globalThis, { areContextsLost: true });
    const roots = [document, ...[...document.querySelectorAll("*")].map((one) => one.shadowRoot)];
    for (const root of roots)
      for (const canvas of root?.querySelectorAll<HTMLCanvasElement>(".zw-canvas") ?? [])
        canvas.getContext("2d")?.clearRect(0, 0, canvas.width, canvas.height);
    for (const context of contexts.filter((one) => !one.isContextLost())) {
      const extension = context.getExtension("WEBGL_lose_context")!;
      const restore = () => setTimeout(() => extension.restoreContext());
      if (restores) context.canvas.addEventListener("webglcontextlost", restore, { once: true });
      extension.loseContext();
    }
    return contexts.filter((context) => !context.isContextLost()).length;
  }, isRestored);

/** Red, green, blue and opacity of a canvas at a position in its box. */
export const canvasPixel = (canvas: Locator, at: { readonly x: number; readonly y: number }) =>
  canvas.evaluate((element, { x, y }) => {
    const { width, height, clientWidth, clientHeight } = element as HTMLCanvasElement;
    // A copy, because browsers complain of a canvas of a page that is read often.
    const copy = Object.assign(document.createElement("canvas"), { width, height });
    const context = copy.getContext("2d", { willReadFrequently: true })!;
    context.drawImage(element as HTMLCanvasElement, 0, 0);
    const [column, row] = [Math.floor((x / clientWidth) * width), Math.floor((y / clientHeight) * height)];
    return [...context.getImageData(column, row, 1, 1).data];
  }, at);

/** The pixel of a canvas at a share of its width and height. */
export async function canvasPixelAt(canvas: Locator, share: number): Promise<number[]> {
  const { width, height } = (await canvas.boundingBox())!;
  return canvasPixel(canvas, { x: width * share, y: height * share });
}

/** Decodes a picture of a figure by the browser. */
export async function decodePicture(page: Page, bytes: Buffer): Promise<Pixels> {
  const seen = await page.evaluate(async (text) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
    context.drawImage(image, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, image.width, image.height);
    let binary = "";
    for (let i = 0; i < data.length; i += 4096) binary += String.fromCharCode(...data.subarray(i, i + 4096));
    return { width, height, base64: btoa(binary) };
  }, bytes.toString("base64"));
  return pixelsOf(seen);
}

/** Opens an empty page with elements and the script from the CDN folder. */
export async function openElements(page: Page, site: string, body: string): Promise<void> {
  await page.goto(`${site}/pages/blank.html`);
  await page.evaluate((html) => {
    document.body.innerHTML = html;
  }, body);
  await page.addScriptTag({ url: "/viewer/viewer.min.js", type: "module" });
}

/** Waits until an element, of several that of an id, shows its source. */
export const elementIsReady = (page: Page, id?: string) =>
  expect(page.locator(`${id ? `#${id} ` : ""}.zw-viewer`)).toHaveAttribute("data-state", "ready");

/** The colours of the pixels of a chunk of 32 rows and columns. */
export async function coloursOf(
  viewer: ViewerPage,
  row: number,
  column: number,
  side: number,
): Promise<Set<number>> {
  const { width, height, data } = await viewer.canvas();
  const box = (await viewer.box.boundingBox())!;
  const [from, to] = [
    await viewer.positionOf(row, column),
    await viewer.positionOf(row + side - 1, column + side - 1),
  ];
  const colours = new Set<number>();
  for (let y = Math.ceil(from.y); y < to.y; y++)
    for (let x = Math.ceil(from.x); x < to.x; x++)
      colours.add(
        data.readUInt32LE(
          4 * (Math.floor((y * height) / box.height) * width + Math.floor((x * width) / box.width)),
        ),
      );
  return colours;
}

/** Holds back matching requests; `release` lets them and all later ones continue. */
export async function holdBack(page: Page, pattern: RegExp) {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held: string[] = [];
  await page.route(pattern, async (route: Route) => {
    held.push(new URL(route.request().url()).pathname);
    await gate;
    // Aborted requests cannot be continued.
    await route.continue().catch(() => {});
  });
  return { held, release };
}

/** Serves a stack of slices of bytes under /sampled, one chunk each. @returns the requested slices */
export async function serveSlices(
  page: Page,
  shape: readonly [number, number, number],
  more: object = {},
  bytesOf = (z: number) => new Uint8Array(shape[1] * shape[2]).fill(z + 1),
): Promise<number[]> {
  const [, rows, columns] = shape;
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1, rows, columns] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes" }],
    ...more,
  };
  const read: number[] = [];
  await page.route("**/sampled/**", async (route) => {
    const [, slice] = /\/sampled\/c\/(\d+)\/0\/0$/.exec(route.request().url()) ?? [];
    if (slice !== undefined) {
      read.push(Number(slice));
      await route.fulfill({ body: Buffer.from(bytesOf(Number(slice))) });
    } else if (route.request().url().endsWith("/sampled/zarr.json")) await route.fulfill({ json: document });
    else await route.fulfill({ status: 404 });
  });
  return read;
}

/** Waits until everything has been drawn: panels that appear after the first picture may change its size. */
export async function settles(page: Page): Promise<void> {
  // Tabs in the background have few animation frames.
  await page.bringToFront();
  const isSettled = async (viewer: Element) => {
    for (let frame = 0; frame < 12; frame++) {
      await new Promise(requestAnimationFrame);
      const isReady = viewer.getAttribute("data-state") === "ready";
      if (!isReady || viewer.querySelector("[aria-busy=true]")) return false;
    }
    return true;
  };
  const viewer = page.locator(".zw-viewer");
  await expect.poll(() => viewer.evaluate(isSettled)).toBe(true);
}

/** Rows of colours of a function of row and column, as `colours` of a viewer. */
export const colourTable = (
  rows: number,
  columns: number,
  value: (row: number, column: number) => readonly number[],
) =>
  Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => value(row, column).join()),
  );

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
    // The picture's box, not one of the other panes.
    this.box = page.locator(".zw-view > .zw-frame:first-child > .zw-box");
    this.readout = page.locator(".zw-readout");
    this.error = page.getByRole("alert");
  }

  /** Opens the page with a query, without waiting for content. */
  async goto(query: string): Promise<void> {
    await this.page.goto(`${this.site}/viewer/?${query}`);
  }

  /** Opens the page with a query and waits for the picture. */
  async show(query: string): Promise<void> {
    await this.goto(query);
    await this.reaches("ready");
  }

  /** Opens another source, or another view of the same one, without loading the page again. */
  async open(query: string): Promise<void> {
    await this.page.evaluate((search) => {
      history.pushState(null, "", search);
      dispatchEvent(new PopStateEvent("popstate"));
    }, `?${query}`);
  }

  /** Opens a source or view as `open` does, and waits until it has been drawn. */
  async change(query: string): Promise<void> {
    await this.open(query);
    // Views of the same source begin with the next frame.
    await settles(this.page);
  }

  async reaches(state: "ready" | "reading" | "error"): Promise<void> {
    await expect(this.root).toHaveAttribute("data-state", state);
  }

  /** The content of the canvas in device pixels. */
  async canvas(): Promise<Pixels> {
    return pixelsOf(await this.page.evaluate(canvasExpression));
  }

  /** One pixel per element: of all elements in view, or of some rows and columns. */
  async pixels(rows?: readonly [number, number], columns?: readonly [number, number]): Promise<Pixels> {
    return pixelsOf(await this.page.evaluate(elementsExpression(rows, columns)));
  }

  /** Red, green, blue and alpha of elements, as one string each. */
  async colours(): Promise<string[][]> {
    const { width, height, data } = await this.pixels();
    return colourTable(height, width, (row, column) => {
      const at = 4 * (row * width + column);
      return [...data.subarray(at, at + 4)];
    });
  }

  /**
   * Waits until elements show the given gray values, NaN if transparent: all elements in view, or those from
   * a row and column on.
   */
  async showsGray(
    expected: readonly number[][],
    at?: { readonly row: number; readonly column: number },
  ): Promise<void> {
    const rows = at && ([at.row, at.row + expected.length] as const);
    const columns = at && ([at.column, at.column + expected[0]!.length] as const);
    await expect.poll(async () => grayRows(await this.pixels(rows, columns))).toEqual(expected);
  }

  /** Position of an element's centre in the picture's box. */
  async positionOf(row: number, column: number): Promise<{ x: number; y: number }> {
    // The canvas has the size of the box, rounded to whole device pixels.
    const { width, height } = (await this.box.locator(".zw-canvas").boundingBox())!;
    const view = await this.box.getAttribute("data-view");
    const [down, across] = view!.split(",").map((part) => part.split(":").map(Number) as [number, number]);
    const share = (at: number, [from, to]: [number, number]) => (at + 0.5 - from) / (to - from);
    return { x: share(column, across!) * width, y: share(row, down!) * height };
  }

  /** The visible rectangle in elements; may extend beyond the array's edges. */
  async seen(): Promise<{ top: number; left: number; rows: number; columns: number }> {
    const view = await this.box.getAttribute("data-view");
    const [down, across] = view!.split(",").map((part) => part.split(":").map(Number) as [number, number]);
    return { top: down![0], left: across![0], rows: down![1] - down![0], columns: across![1] - across![0] };
  }

  async pointAt(row: number, column: number): Promise<void> {
    await this.box.hover({ position: await this.positionOf(row, column) });
  }

  /** Sets a number field as a user does. */
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
