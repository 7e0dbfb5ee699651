// The viewer as a component on another page.
import type { mountViewer as Mount } from "../../build/viewer/viewer.js";
import { expect, test } from "./site.js";

test("two viewers of stores in memory on one page; one is removed", async ({ page, site }) => {
  await page.goto(`${site}/pages/blank.html`);
  await page.addStyleTag({ url: "/viewer/style.css" });
  await page.addScriptTag({ url: "/embed/embed.js", type: "module" });
  await page.waitForFunction(() => "mountViewer" in globalThis);
  await page.evaluate(() => {
    const { mountViewer } = globalThis as unknown as { mountViewer: typeof Mount };
    const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    const store = (values: number[]) =>
      new Map<string, Uint8Array>([
        [
          "/meta",
          encode({
            zarr_format: 1,
            shape: [2, 3],
            chunks: [2, 3],
            dtype: "|u1",
            compression: "none",
            compression_opts: null,
            fill_value: 0,
            order: "C",
          }),
        ],
        ["/attrs", encode({})],
        ["/0.0", Uint8Array.from(values)],
      ]);
    const changes: string[] = [];
    const settings = { colormap: "gray", range: { mode: "manual", low: 0, high: 256 } };
    const first = mountViewer(document.getElementById("first")!, {
      source: store([0, 50, 100, 150, 200, 250]),
      settings,
      onChange: (_view, control) => changes.push(control),
    });
    mountViewer(document.getElementById("second")!, { source: store([6, 5, 4, 3, 2, 1]), settings });
    Object.assign(globalThis, { first, changes });
  });
  const [one, two] = [page.locator("#first"), page.locator("#second")];
  for (const element of [one, two]) {
    await expect(element.locator(".zw-viewer")).toHaveAttribute("data-state", "ready");
  }
  const reds = (selector: string) =>
    page.locator(`${selector} .zw-box`).evaluate((box) => {
      const canvas = box.querySelector("canvas")!;
      const [down, across] = (box as HTMLElement).dataset["view"]!.split(",").map(
        (part) => part.split(":").map(Number) as [number, number],
      );
      const copy = Object.assign(document.createElement("canvas"), {
        width: canvas.width,
        height: canvas.height,
      });
      const context = copy.getContext("2d", { willReadFrequently: true })!;
      context.drawImage(canvas, 0, 0);
      return Array.from({ length: 6 }, (_, i) => {
        const share = (at: number, [from, to]: [number, number], size: number) =>
          Math.floor(((at + 0.5 - from) / (to - from)) * size);
        const [x, y] = [share(i % 3, across!, copy.width), share(Math.floor(i / 3), down!, copy.height)];
        return context.getImageData(x, y, 1, 1).data[0];
      });
    });
  expect(await reds("#first")).toEqual([0, 50, 100, 150, 200, 250]);
  expect(await reds("#second")).toEqual([6, 5, 4, 3, 2, 1]);
  await one.getByLabel("Colour map").selectOption("magma");
  expect(await page.evaluate(() => (globalThis as unknown as { changes: string[] }).changes)).toEqual([
    "open",
    "colormap",
  ]);
  await page.evaluate(() => (globalThis as unknown as { first: ReturnType<typeof Mount> }).first.destroy());
  await expect(one).toBeEmpty();
  await expect(two.locator(".zw-viewer")).toHaveAttribute("data-state", "ready");
});

test("without the style sheet, a viewer has a bounded height, and warns", async ({
  page,
  site,
  problems,
}) => {
  problems.expect(/style sheet/);
  await page.goto(`${site}/pages/blank.html`);
  await page.addScriptTag({ url: "/embed/embed.js", type: "module" });
  await page.waitForFunction(() => "mountViewer" in globalThis);
  await page.evaluate(() => {
    const { mountViewer } = globalThis as unknown as { mountViewer: typeof Mount };
    mountViewer(document.getElementById("first")!, { source: "/stores/bytes" });
  });
  const box = page.locator("#first .zw-box");
  await expect(page.locator("#first .zw-viewer")).toHaveAttribute("data-state", "ready");
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200))); // several layouts
  expect((await box.boundingBox())!.height).toBe(400);
  expect(problems.all.filter((text) => text.includes("style sheet"))).toHaveLength(1);
  await page.addStyleTag({ url: "/viewer/style.css" });
  await expect.poll(async () => (await box.boundingBox())!.height).not.toBe(400);
});
