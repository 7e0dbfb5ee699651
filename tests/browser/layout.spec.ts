// Everything in one window: picture, legend and controls; buttons and keys; gestures left to the page.
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./site.js";
import { elementIsReady, openElements } from "./viewer-page.js";

test.use({ unfolded: false });

const map = "source=/stores/weather&path=t2m&select=2,:,:";

/** Records how much the layout shifts without a user's action. */
const recordShifts = (page: Page) =>
  page.addInitScript(() => {
    const shifts = { sum: 0 };
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[])
        if (!entry.hadRecentInput) shifts.sum += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });

const shifts = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { shifts: { sum: number } }).shifts.sum);

/** Whether an element is in the window, with nothing over its centre. */
const isFree = (part: Locator) =>
  part.first().evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const inWindow = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return inWindow && (element.contains(over) || over?.contains(element) === true);
  });

const share = async (page: Page, box: Locator) => {
  const { width, height } = (await box.boundingBox())!;
  const window = page.viewportSize()!;
  return (width * height) / (window.width * window.height);
};

test("picture, legend, slice and contrast are in a window of 1280 × 800; a map fills 1920 × 1080", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/);
  await page.setViewportSize({ width: 1280, height: 800 });
  await recordShifts(page);
  for (const query of [map, "source=/stores/slices&select=4,:,:"]) {
    await viewer.show(query);
    await expect(page.locator(".zw-legend")).toBeVisible();
    expect(await share(page, viewer.box), query).toBeGreaterThanOrEqual(0.6);
    const parts = [
      page.locator(".zw-legend"),
      page.getByRole("slider").first(),
      page.getByLabel("Value range"),
      page.getByLabel("Lowest value", { exact: true }).first(),
      page.locator(".zw-histogram-box"),
      page.getByLabel("Colour map"),
      page.getByRole("group", { name: "Picture" }),
    ];
    for (const part of parts) expect(await isFree(part), `${query}: ${part}`).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(800);
    expect(await shifts(page), query).toBeLessThan(0.05);
  }
  await page.setViewportSize({ width: 1920, height: 1080 });
  await viewer.show(map);
  const { rows, columns } = await viewer.seen();
  const extent = (await viewer.box.getAttribute("data-extent"))!.split(",").map(Number);
  expect(Math.max(extent[0]! / rows, extent[1]! / columns)).toBeGreaterThan(0.95);
});

test("on a phone the picture has the width, and the panels are a sheet below it", async ({
  viewer,
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await recordShifts(page);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await viewer.show("source=/stores/slices&select=4,:,:");
  const frame = (await page.locator(".zw-view .zw-frame").boundingBox())!;
  expect([frame.x, frame.width]).toEqual([0, 390]);
  expect(await share(page, viewer.box)).toBeGreaterThan(0.55);
  expect(await shifts(page)).toBeLessThan(0.05);
  // The panels are loaded when they are opened.
  expect(asked.filter((url) => url.includes("side-panels"))).toEqual([]);
  const handle = page.getByRole("button", { name: "Controls" });
  await expect(handle).toHaveAttribute("aria-expanded", "false");
  await handle.click();
  await expect(handle).toHaveAttribute("aria-expanded", "true");
  await expect(page.getByRole("slider").first()).toBeVisible();
  for (const part of [page.locator(".zw-legend"), page.getByRole("slider"), viewer.box])
    expect(await isFree(part), String(part)).toBe(true);
  await handle.click();
  await expect(page.getByRole("slider")).toHaveCount(0);
});

test("the dock closes, and the picture takes its room", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=4,:,:");
  const { width } = (await viewer.box.boundingBox())!;
  const handle = page.getByRole("button", { name: "Controls" });
  await handle.press("Enter");
  await expect.poll(async () => (await viewer.box.boundingBox())!.width).toBeGreaterThan(width + 200);
  await handle.press("Enter");
  await expect(page.getByLabel("Value range")).toBeVisible();
});

test("an element has the height that its page gives it", async ({ page, site }) => {
  await openElements(
    page,
    site,
    `<zarr-viewer id="one" src="/stores/slices"></zarr-viewer>
     <zarr-viewer id="two" src="/stores/slices" controls="none"></zarr-viewer>`,
  );
  await page.evaluate(() => {
    const [one, two] = document.querySelectorAll<HTMLElement>("zarr-viewer");
    one!.style.height = "420px";
    two!.style.setProperty("--zw-height", "90px");
  });
  for (const id of ["one", "two"]) await elementIsReady(page, id);
  const height = async (selector: string) => (await page.locator(selector).boundingBox())!.height;
  expect(await height("#one .zw-layout")).toBe(420);
  expect(await height("#one .zw-side")).toBeLessThanOrEqual(420);
  expect(await height("#one .zw-box")).toBeGreaterThan(250);
  expect(await height("#two .zw-box")).toBe(90);
  expect(await height("#two")).toBe(90);
  // The panels have their styles inside the element as well.
  await expect(page.locator("#one .zw-histogram-box")).toHaveCSS("height", "64px");
});

test("buttons fit, zoom and save the picture", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=4,:,:");
  const whole = await viewer.seen();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect.poll(async () => (await viewer.seen()).rows).toBeLessThan(whole.rows);
  await page.getByRole("button", { name: "Zoom out" }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.getByRole("button", { name: "Fit whole slice" }).click();
  await expect.poll(() => viewer.seen()).toEqual(whole);
  const downloading = page.waitForEvent("download");
  await viewer.box.press("s");
  expect((await downloading).suggestedFilename()).toBe("slices.png");
  const full = page.getByRole("button", { name: "Full screen" });
  await full.click();
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.className)).toBe("zw-viewer");
  await viewer.box.press("f");
  await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull();
});

test("digits step along the axes", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices");
  const indices = () =>
    page.getByRole("slider").evaluateAll((all) => all.map((slider) => (slider as HTMLInputElement).value));
  const visible = async () => (await indices()).map(Number);
  const before = await visible();
  await viewer.box.press("1");
  await expect.poll(visible).not.toEqual(before);
  await viewer.box.press("Shift+1");
  await expect.poll(visible).toEqual(before);
});

test("a cooperative element lets the page scroll, except with Ctrl", async ({ page, site }) => {
  await openElements(
    page,
    site,
    `<zarr-viewer id="one" src="/stores/slices" controls="minimal" cooperative></zarr-viewer><div></div>`,
  );
  await page.evaluate(() => {
    document.querySelector("zarr-viewer")!.style.setProperty("--zw-height", "300px");
    document.querySelector("div")!.style.height = "3000px";
  });
  await elementIsReady(page, "one");
  const box = page.locator("#one .zw-box");
  const view = await box.getAttribute("data-view");
  await box.hover();
  await page.mouse.wheel(0, 200);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
  await expect(page.locator("#one .zw-message")).toContainText("to zoom");
  expect(await box.getAttribute("data-view")).toBe(view);
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await expect.poll(() => box.getAttribute("data-view")).not.toBe(view);
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await expect(box).toHaveCSS("touch-action", "pan-x pan-y");
  // One finger shows the message; two move the picture.
  const touch = (type: string, ...fingers: readonly (readonly [number, number, number])[]) =>
    box.evaluate(
      (element, [name, list]) => {
        const { left, top } = element.getBoundingClientRect();
        for (const [pointerId, x, y] of list)
          element.dispatchEvent(
            new PointerEvent(name, {
              pointerId,
              pointerType: "touch",
              clientX: left + x,
              clientY: top + y,
              bubbles: true,
            }),
          );
      },
      [type, fingers] as const,
    );
  await box.evaluate((element) => {
    element.setPointerCapture = () => {};
  });
  const zoomed = await box.getAttribute("data-view");
  await touch("pointerdown", [11, 100, 100]);
  await touch("pointermove", [11, 150, 100]);
  await expect(page.locator("#one .zw-message")).toContainText("two fingers");
  expect(await box.getAttribute("data-view")).toBe(zoomed);
  await touch("pointerdown", [12, 200, 100]);
  await touch("pointermove", [11, 170, 130], [12, 220, 130]);
  await expect.poll(() => box.getAttribute("data-view")).not.toBe(zoomed);
});

test("sources opened before are offered again, also folders of the machine", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/); // its chunk
  const list = page.locator("#recent-list");
  await page.addInitScript(() => {
    Object.assign(globalThis, {
      showDirectoryPicker: async () =>
        (await navigator.storage.getDirectory()).getDirectoryHandle("kept.zarr", { create: true }),
    });
  });
  await viewer.show("source=/stores/bytes");
  await expect(async () => {
    await page.getByText("Recent", { exact: true }).click();
    await expect(list.getByRole("listitem")).toHaveCount(1, { timeout: 200 });
  }).toPass();
  await page.goto(`${viewer.site}/viewer/`);
  await page.evaluate(async () => {
    const top = await (await navigator.storage.getDirectory()).getDirectoryHandle("kept.zarr", {
      create: true,
    });
    for (const [name, value] of [
      [
        "meta",
        { zarr_format: 1, shape: [2, 3], chunks: [2, 3], dtype: "|u1", compression: "none", order: "C" },
      ],
      ["attrs", {}],
    ] as const) {
      const file = await (await top.getFileHandle(name, { create: true })).createWritable();
      const rest = name === "meta" ? { compression_opts: null, fill_value: 7 } : {};
      await file.write(JSON.stringify({ ...value, ...rest }));
      await file.close();
    }
  });
  await page.getByRole("button", { name: "Folder…" }).click();
  await viewer.reaches("ready");
  await page.reload();
  await expect(page.getByText("was opened from this machine")).toBeVisible();
  await page.getByText("Recent", { exact: true }).click();
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await list.getByRole("button", { name: "kept.zarr" }).click();
  await viewer.reaches("ready");
  await expect(page.getByRole("heading", { level: 2, name: "kept.zarr" })).toBeVisible();
  await page.getByText("Recent", { exact: true }).click();
  await list.getByRole("button", { name: "bytes" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "bytes" })).toBeVisible();
  await page.getByText("Recent", { exact: true }).click();
  await list.getByRole("button", { name: "Clear this list" }).click();
  await page.getByText("Recent", { exact: true }).click();
  await expect(list).toContainText("in this browser only");
});

for (const [width, height] of [
  [1280, 800],
  [390, 844],
] as const)
  test(`a scatter plot and its rows fit a window of ${width} × ${height}`, async ({
    viewer,
    page,
    problems,
  }) => {
    problems.expect(/404/);
    await page.setViewportSize({ width, height });
    await viewer.show("source=/layers/tables.zarr&path=tables/table/obsm/X_umap&by=type");
    await expect(page.getByRole("list", { name: "type" })).toBeVisible();
    const isWide = width > 1000;
    expect(await share(page, viewer.box)).toBeGreaterThanOrEqual(isWide ? 0.6 : 0.55);
    if (!isWide) await page.getByRole("button", { name: "Controls" }).click();
    await expect(page.getByRole("grid")).toBeVisible();
    // The table scrolls, not the panel.
    const overflow = await page
      .locator(".zw-dock-body")
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(overflow).toBe(0);
  });

/** The keys that the names in the help stand for; single characters are their own names. */
const keysOf: Readonly<Record<string, readonly string[]>> = {
  "Arrow keys": ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"],
  "Page Up": ["PageUp"],
  "Page Down": ["PageDown"],
  Home: ["Home"],
  End: ["End"],
  Enter: ["Enter"],
  Esc: ["Escape"],
  Space: [" "],
  "+": ["+", "="],
  "−": ["-"],
};

const scatter = "source=/layers/tables.zarr&path=tables/table/obsm/X_umap";

test("help lists every key of each kind of view, and no other", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  const help = page.getByRole("dialog", { name: "Keys and gestures" });
  for (const [query, headings, texts, others] of [
    ["source=/stores/slices", /Reading values/, ["Zoom into a rectangle", "Shift + 1"], "Rows of the table"],
    ["source=/stores/line", /More/, [], "Rows of the table"],
    ["source=/stores/depths&view=volume", /More/, ["Move the cut"], "Zoom into a rectangle"],
    [scatter, /^ToolsMovingPointsRows of the tableMore$/, [], "Reading values"],
  ] as const) {
    await viewer.show(query);
    await viewer.box.press("?");
    await expect(help).toBeVisible();
    const names = await help.locator("dt").allTextContents();
    expect((await help.getByRole("heading", { level: 3 }).allTextContents()).join("")).toMatch(headings);
    for (const text of texts) await expect(help).toContainText(text);
    await expect(help).not.toContainText(others);
    await page.keyboard.press("Escape");
    await expect(help).toHaveCount(0);
    if (query.endsWith("slices")) await expect(viewer.box).toBeFocused();
    const listed = names
      .flatMap((text) => text.split(/, | {2,}/))
      .flatMap((name) => keysOf[name] ?? (/^[^−+]$/.test(name) ? [name.toLowerCase()] : []));
    const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i).toLowerCase());
    const named = Object.values(keysOf).flat();
    const more = ["Delete", "Backspace", "Insert", "F1", "F2", "F6", "ContextMenu"];
    const answered = await viewer.box.evaluate(
      (box, keys) =>
        keys.filter((key) => {
          const code = /^\d$/.test(key) ? `Digit${key}` : "";
          return !box.dispatchEvent(
            new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }),
          );
        }),
      [...new Set([...characters, ...named, ...more])],
    );
    // Without slices, their keys do nothing; digits never, without an axis.
    const hasSlices = names.includes("Space");
    const isAxis = (key: string) => /^[1-9]$/.test(key) || (!hasSlices && [" ", ".", ","].includes(key));
    expect(answered.filter((key) => !isAxis(key)).sort(), query).toEqual(
      [...new Set(listed)].filter((key) => !isAxis(key)).sort(),
    );
  }
  // Beside planes, the keys of volumes are listed with theirs.
  await viewer.show("source=/stores/depths&select=4,:,:&planes=xy,volume");
  await viewer.box.press("?");
  await expect(help).toContainText("Zoom into a rectangle");
  await expect(help).toContainText("Parallel or perspective projection");
});
