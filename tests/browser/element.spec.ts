// <zarr-viewer> on other pages: attributes, events, links, styles, notebooks.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Locator, Page } from "@playwright/test";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { startServer } from "../../scripts/lib/server.mjs";
import { distFolder, examplesFolder, pagesFolder, root, viewerFolder } from "../shared/places.js";
import { expect, test } from "./site.js";
import { canvasPixelAt, elementIsReady, holdBack } from "./viewer-page.js";

/** An empty page with the script from the CDN folder. */
async function open(page: Page, site: string, body: string): Promise<void> {
  await page.goto(`${site}/pages/blank.html`);
  await page.evaluate((html) => {
    document.body.innerHTML = html;
    const heard: [string, unknown][] = [];
    for (const viewer of document.querySelectorAll("zarr-viewer"))
      for (const name of ["load", "change", "pointer", "progress", "error"])
        viewer.addEventListener(name, (event) => heard.push([name, (event as CustomEvent).detail]));
    Object.assign(globalThis, { heard });
  }, body);
  await page.addScriptTag({ url: "/viewer/viewer.min.js", type: "module" });
}

/** Opens elements, and waits until the one with the id "one" shows its source. @returns that one */
async function show(page: Page, site: string, body: string) {
  await open(page, site, body);
  await elementIsReady(page, "one");
  return element(page, "one");
}

/** Recorded details of the events with a name. */
function heard(page: Page, name: string): Promise<unknown[]> {
  return page.evaluate((wanted) => {
    const all = (globalThis as unknown as { heard: [string, Record<string, unknown> | undefined][] }).heard;
    return all
      .filter(([one]) => one === wanted)
      .map(([, detail]) =>
        detail && ("control" in detail || "message" in detail || "index" in detail || "chunks" in detail)
          ? { ...detail, view: undefined, error: undefined }
          : typeof detail,
      );
  }, name);
}

/** An element, whose programs get it with its own type. */
const element = (page: Page, id: string) =>
  page.locator(`#${id}`) as Omit<Locator, "evaluate"> & {
    evaluate<T>(program: (viewer: ZarrViewerElement) => T): Promise<Awaited<T>>;
  };

test("attributes and properties select the view, events report changes", async ({ page, site, problems }) => {
  problems.expect(/^zarr-wasm: axes="2,0" cannot be used/); // by the last source, which has two dimensions
  const one = await show(
    page,
    site,
    `<zarr-viewer id="one" src="/stores/cube" select="2,:,:" colormap="magma" range="0:300" controls="minimal"></zarr-viewer>`,
  );
  const settings = () => one.evaluate((viewer) => viewer.view!.settings);
  expect(await settings()).toMatchObject({
    index: [2, expect.anything(), expect.anything()],
    colormap: "magma",
    range: { mode: "manual", low: 0, high: 300 },
  });
  expect(await heard(page, "load")).toEqual(["object"]);
  expect((await heard(page, "progress")).at(-1)).toMatchObject({ chunks: expect.any(Number) });
  await expect(page.locator("#one .zw-side")).toBeHidden();
  // Attributes changed together cause one change; other settings stay.
  await one.evaluate((viewer) => {
    viewer.setAttribute("select", "3,:,:");
    viewer.range = [10, 20];
  });
  await expect.poll(settings).toMatchObject({
    index: [3, expect.anything(), expect.anything()],
    colormap: "magma",
    range: { mode: "manual", low: 10, high: 20 },
  });
  expect(await heard(page, "change")).toHaveLength(1);
  await page.locator("#one .zw-box").press("ArrowRight");
  expect((await heard(page, "pointer")).at(-1)).toMatchObject({
    index: [3, 2, 2],
    values: [272],
    by: "keyboard",
  });
  // Axes by number; another source.
  await one.evaluate((viewer) => {
    viewer.removeAttribute("select");
    viewer.setAttribute("axes", "2,0");
  });
  await expect.poll(async () => (await settings()).axes).toEqual([2, 0]);
  await one.evaluate((viewer) => void Object.assign(viewer, { src: "/stores/bytes" }));
  await expect.poll(() => heard(page, "load")).toHaveLength(2);
  await elementIsReady(page, "one");
});

test("removing an attribute resets its setting", async ({ page, site }) => {
  const body = `<zarr-viewer id="one" src="/stores/cube" colormap="magma" range="0:300" gamma="2"></zarr-viewer>`;
  const one = await show(page, site, body);
  const settings = () => one.evaluate((viewer) => viewer.view?.settings);
  await one.evaluate((viewer) => {
    Object.assign(viewer, { colormap: null, range: null });
  });
  await expect.poll(settings).toMatchObject({ colormap: "viridis", range: { mode: "auto" }, gamma: 2 });
  await one.evaluate((viewer) => void Object.assign(viewer, { src: null }));
  await expect.poll(settings).toBeUndefined();
  await expect(page.locator("#one .zw-box")).toHaveCount(0);
  await one.evaluate((viewer) => viewer.setAttribute("src", "/stores/bytes"));
  await elementIsReady(page, "one");
  expect(await settings()).toMatchObject({ gamma: 2 });
});

test("changes while a source is opened apply to it, and opening it again twice keeps them", async ({
  page,
  site,
}) => {
  const { held, release } = await holdBack(page, /\/stores\/cube\//);
  await open(page, site, `<zarr-viewer id="one" src="/stores/cube" range="0:300"></zarr-viewer>`);
  await expect.poll(() => held.length).toBeGreaterThan(0);
  const one = element(page, "one");
  await one.evaluate((viewer) => viewer.setAttribute("colormap", "magma"));
  await one.evaluate((viewer) => void Object.assign(viewer, { settings: { gamma: 2 } }));
  release();
  await elementIsReady(page, "one");
  const settings = () => one.evaluate((viewer) => viewer.view?.settings);
  const range = { mode: "manual", low: 0, high: 300 };
  expect(await settings()).toMatchObject({ colormap: "magma", gamma: 2, range });
  await one.evaluate(async (viewer) => {
    viewer.settings = { gamma: 3 };
    void viewer.reload();
    await viewer.reload();
  });
  await elementIsReady(page, "one");
  expect(await settings()).toMatchObject({ colormap: "magma", gamma: 3, range });
});

test("errors are reported by events, and shown in the element", async ({ page, site, problems }) => {
  problems.expect(/404/);
  await open(page, site, `<zarr-viewer id="one" src="/stores/nowhere" controls="none"></zarr-viewer>`);
  await expect(page.locator("#one").getByRole("alert")).toContainText("There is no Zarr array here");
  expect(await heard(page, "error")).toEqual([{ message: expect.stringContaining("") }]);
});

test("stores in memory, elements removed and inserted again", async ({ page, site }) => {
  await open(page, site, `<div id="there"></div><zarr-viewer id="one" controls="none"></zarr-viewer>`);
  const one = element(page, "one");
  await one.evaluate(async (viewer) => {
    const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    const meta = {
      zarr_format: 1,
      shape: [2, 3],
      chunks: [2, 3],
      dtype: "|u1",
      compression: "none",
      compression_opts: null,
      fill_value: 0,
      order: "C",
    };
    await customElements.whenDefined("zarr-viewer");
    viewer.src = new Map([
      ["/meta", encode(meta)],
      ["/attrs", encode({})],
      ["/0.0", Uint8Array.from([1, 2, 3, 4, 5, 6])],
    ]);
  });
  await elementIsReady(page, "one");
  await one.evaluate((viewer) => {
    viewer.settings = { colormap: "magma" };
    document.getElementById("there")!.append(viewer); // moved without another read
  });
  await elementIsReady(page, "one");
  expect(await heard(page, "load")).toHaveLength(1);
  await one.evaluate((viewer) => {
    viewer.remove();
    return new Promise((resolve) => setTimeout(resolve, 0)).then(() => document.body.append(viewer));
  });
  await elementIsReady(page, "one");
  expect(await one.evaluate((viewer) => viewer.view!.settings.colormap)).toBe("magma");
});

test("places, interpolation, meridian and by are properties, and stores are sources of layers", async ({
  page,
  site,
}) => {
  const one = await show(
    page,
    site,
    `<zarr-viewer id="one" src="/stores/bytes" colormap="gray"></zarr-viewer>`,
  );
  const changed = await one.evaluate(async (element) => {
    const viewer = element as ZarrViewerElement;
    Object.assign(viewer, { places: "index", interpolation: "linear", meridian: -150, by: "kind" });
    await new Promise((resolve) => setTimeout(resolve, 0));
    const { places, interpolation, meridian, by } = viewer.settings!;
    const names = ["places", "interpolation", "meridian", "by"];
    return [places, interpolation, meridian, by, ...names.map((name) => viewer.getAttribute(name))];
  });
  expect(changed).toEqual(["index", "linear", -150, "kind", "index", "linear", "-150", "kind"]);
  await one.evaluate((element) => {
    const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
    const meta = {
      zarr_format: 3,
      node_type: "array",
      shape: [2, 2],
      data_type: "uint8",
      chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 2] } },
      chunk_key_encoding: { name: "default" },
      fill_value: 0,
      codecs: [{ name: "bytes" }],
    };
    const source = new Map([
      ["/zarr.json", encode(meta)],
      ["/c/0/0", Uint8Array.from([9, 9, 9, 9])],
    ]);
    const viewer = element as ZarrViewerElement;
    viewer.interpolation = null;
    viewer.settings = { layers: [{ source, color: "ff0000", range: { mode: "manual", low: 0, high: 9 } }] };
  });
  await one.getByRole("tab", { name: "Layers" }).click();
  await expect(one.getByRole("group", { name: "Layer store" })).toBeAttached();
  const pixel = () => canvasPixelAt(one.locator(".zw-canvas"), 1 / 2);
  await expect.poll(pixel).toEqual([255, 0, 0, 255]);
});

test("linked views show the same part, each with its own colours", async ({ page, site }) => {
  await open(
    page,
    site,
    `<zarr-viewer id="one" src="/stores/cube" link="a" colormap="gray"></zarr-viewer>
     <zarr-viewer id="two" src="/stores/cube" link="a" colormap="magma"></zarr-viewer>
     <zarr-viewer id="three" src="/stores/cube" colormap="magma"></zarr-viewer>`,
  );
  for (const id of ["one", "two", "three"]) await elementIsReady(page, id);
  const settings = (id: string) => element(page, id).evaluate((viewer) => viewer.view!.settings);
  await page.locator("#one").getByLabel("Index along axis 0").fill("3");
  await page.locator("#one").getByLabel("Index along axis 0").press("Enter");
  await page.locator("#one .zw-box").press("+");
  await expect.poll(async () => (await settings("two")).index[0]).toBe(3);
  await expect.poll(async () => (await settings("two")).camera).toEqual((await settings("one")).camera);
  expect((await settings("two")).camera).not.toBeNull();
  expect((await settings("two")).colormap).toBe("magma");
  expect(await settings("three")).toMatchObject({ camera: null });
});

test("of linked views each keeps the slice of its attributes, and gives it to those without", async ({
  page,
  site,
}) => {
  await open(
    page,
    site,
    `<zarr-viewer id="one" src="/stores/cube" link="a" controls="none"></zarr-viewer>
     <zarr-viewer id="two" src="/stores/cube" link="a" controls="none" select="3,:,:"></zarr-viewer>
     <zarr-viewer id="three" src="/stores/cube" link="a" controls="none" select="0,1:4,:"></zarr-viewer>`,
  );
  for (const id of ["one", "two", "three"]) await elementIsReady(page, id);
  const slice = (id: string) => element(page, id).evaluate((viewer) => viewer.view!.settings.index[0]);
  await expect.poll(() => slice("one")).not.toBe(1); // the default
  expect([await slice("two"), await slice("three")]).toEqual([3, 0]);
  // All follow the user.
  await page.locator("#one .zw-box").press(".");
  const moved = await slice("one");
  await expect.poll(() => Promise.all(["two", "three"].map(slice))).toEqual([moved, moved]);
});

test("attributes that cannot be used are reported", async ({ page, site, problems }) => {
  problems.expect(/cannot be used/);
  await show(
    page,
    site,
    `<zarr-viewer id="one" src="/stores/cube" colormap="virdis" select="9,:" gamma="0.5" scope="none"></zarr-viewer>`,
  );
  await expect.poll(() => heard(page, "error")).toHaveLength(3);
  const messages = (await heard(page, "error")) as { message: string }[];
  expect(messages.map(({ message }) => message.split(" ")[0])).toEqual([
    'select="9,:"',
    'colormap="virdis"',
    'scope="none"',
  ]);
  const notes = page.getByRole("list", { name: "Notes" });
  await expect(notes).toContainText("virdis");
  await element(page, "one").evaluate((viewer) => viewer.setAttribute("colormap", "magma"));
  await expect(notes).not.toContainText("virdis"); // corrected
  await element(page, "one").evaluate((viewer) => viewer.setAttribute("fps", "3"));
  await expect.poll(() => heard(page, "error")).toHaveLength(4);
  expect(problems.all.filter((text) => text.startsWith("zarr-wasm: "))).toHaveLength(4);
  // Settings of programs are checked in the same way.
  await element(page, "one").evaluate((viewer) => void Object.assign(viewer, { settings: { tool: "foo" } }));
  await expect.poll(() => heard(page, "error")).toHaveLength(5);
  const message =
    'tool="foo" cannot be used; expected pan, zoom, pick, measure, point, line, rectangle, ellipse, polygon';
  expect(problems.all).toContain(`zarr-wasm: ${message}`);
  await expect(notes).toContainText(message);
});

test("settings before opening, and those of the page's address, are checked", async ({
  page,
  site,
  problems,
}) => {
  problems.expect(/cannot be used|does not fit/);
  await open(page, site, "");
  await page.evaluate(() => {
    const viewer = Object.assign(document.createElement("zarr-viewer"), { settings: { outside: "foo" } });
    document.body.append(Object.assign(viewer, { src: "/stores/cube" }));
  });
  const notes = page.getByRole("list", { name: "Notes" });
  await expect(notes).toHaveText('outside="foo" cannot be used; expected mark or clamp.');
  await page.goto(`${site}/viewer/?source=/stores/bytes&tool=foo&map=virdis&select=999,:&order=foo&gamma=2`);
  await expect(notes.locator("li, p")).toHaveCount(4);
  await expect(notes).toContainText('map="virdis" cannot be used');
  await expect(notes).toContainText(
    'tool="foo" cannot be used; expected pan, zoom, pick, measure, point, line, rectangle, ellipse, polygon',
  );
});

test("unknown settings and picture options are reported, and volumes of flat arrays", async ({
  page,
  site,
  problems,
}) => {
  problems.expect(/volume|colourmap/);
  await show(page, site, `<zarr-viewer id="one" src="/stores/bytes" view="volume"></zarr-viewer>`);
  const message = 'view="volume" cannot be used: the array has two dimensions, and volumes need three';
  await expect.poll(() => heard(page, "error")).toEqual([{ message }]);
  const refused = await element(page, "one").evaluate(async (element) => {
    const viewer = element as ZarrViewerElement;
    viewer.settings = { colourmap: "gray" } as object;
    const picture = (options: object) => viewer.picture(options).catch(String);
    return Promise.all([picture({ format: "svg" }), picture({ type: "gif" })]);
  });
  expect(refused).toEqual([
    'TypeError: pictures have no option "format"; expected type, width, height, dpi, isTitled, hasScaleBar',
    'RangeError: type must be "png" or "svg", got "gif"',
  ]);
  await expect.poll(() => problems.all.join()).toContain('the viewer has no setting "colourmap"');
});

test("an element without a source has a hint, and pictures may be low", async ({ page, site }) => {
  await show(
    page,
    site,
    `<zarr-viewer id="none"></zarr-viewer>
     <zarr-viewer id="one" src="/stores/bytes" controls="none"></zarr-viewer>`,
  );
  await element(page, "one").evaluate((viewer) => viewer.style.setProperty("--zw-height", "90px"));
  const hint = (id: string) => page.locator(`#${id}`).getByText("set the attribute src");
  await expect(hint("none")).toBeVisible();
  expect((await page.locator("#one").boundingBox())!.height).toBeLessThan(110);
  await element(page, "one").evaluate((viewer) => void Object.assign(viewer, { src: null }));
  await expect(hint("one")).toBeVisible();
});

test("styles leak neither in nor out", async ({ page, site }) => {
  await open(
    page,
    site,
    `<p id="text">Text</p><button id="button">Button</button>
     <zarr-viewer id="one" src="/stores/bytes"></zarr-viewer>`,
  );
  const plain = await page.locator("#button").evaluate((button) => ({ ...getComputedStyle(button) }));
  await elementIsReady(page, "one");
  expect(await page.locator("#button").evaluate((button) => ({ ...getComputedStyle(button) }))).toEqual(
    plain,
  );
  const inside = () =>
    page
      .locator("#one .zw-title")
      .evaluate((title) => [
        getComputedStyle(title).fontSize,
        getComputedStyle(title).color,
        getComputedStyle(title).textTransform,
        getComputedStyle(title).letterSpacing,
      ]);
  const before = await inside();
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "* { letter-spacing: 9px } body { font: 40px serif; color: red; text-transform: uppercase; line-height: 3 } h2, button, canvas { display: none !important; font-size: 3px }",
    );
    document.adoptedStyleSheets = [sheet];
  });
  expect(await inside()).toEqual(before);
  await expect(page.locator("#one .zw-title")).toBeVisible();
});

test("viewers on a light page are light", async ({ page, site }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await show(page, site, `<zarr-viewer id="one" src="/stores/bytes" colormap="magma"></zarr-viewer>`);
  const ground = () =>
    page.locator("#one .zw-stage").evaluate((stage) => getComputedStyle(stage).backgroundColor);
  expect(await ground()).toBe("rgb(22, 30, 37)");
  await page.locator("#one").evaluate((viewer) => viewer.setAttribute("theme", "light"));
  await expect.poll(ground).toBe("rgb(255, 255, 255)");
  await elementIsReady(page, "one");
  await expect(page.locator("#one").getByLabel("Colour map")).toHaveValue("magma");
});

test("a box of 360 pixels has no horizontal scroll bar, whatever the window", async ({ page, site }) => {
  await open(page, site, `<div id="narrow"><zarr-viewer id="one" src="/stores/cube"></zarr-viewer></div>`);
  await page.locator("#narrow").evaluate((box) => {
    box.style.width = "360px"; // by script, which the policy allows
  });
  await elementIsReady(page, "one");
  const widths = await page
    .locator("#one .zw-viewer")
    .evaluate((root) => [
      root.clientWidth,
      Math.max(
        ...[...root.querySelectorAll("*")].map((part) =>
          Math.round(part.getBoundingClientRect().right - root.getBoundingClientRect().left),
        ),
      ),
    ]);
  expect(widths[0]).toBeLessThanOrEqual(360);
  expect(widths[1]).toBeLessThanOrEqual(widths[0]!);
});

test("a widget of a notebook follows its model, and updates it", async ({ page, site }) => {
  await page.goto(`${site}/pages/blank.html`);
  await page.evaluate(async () => {
    const address = "/viewer/anywidget.min.js";
    const { default: widget } = await import(address);
    const values = new Map<string, unknown>([
      ["src", "/stores/bytes"],
      ["colormap", "magma"],
      ["range", [0, 255]],
      ["axes", []],
      ["height", "240px"],
    ]);
    const listeners = new Map<string, () => void>();
    const model = {
      get: (name: string) => values.get(name),
      set: (name: string, value: unknown) => values.set(name, value),
      save_changes: () => values.set("saved", Number(values.get("saved") ?? 0) + 1),
      on: (event: string, listener: () => void) => listeners.set(event, listener),
      off: (event: string) => listeners.delete(event),
    };
    const el = document.getElementById("first")!;
    const end = widget.render({ model, el });
    Object.assign(globalThis, { values, listeners, end });
  });
  const viewer = page.locator("#first zarr-viewer");
  await expect(viewer.locator(".zw-viewer")).toHaveAttribute("data-state", "ready");
  expect((await viewer.locator(".zw-box").boundingBox())!.height).toBe(240);
  type Values = { values: Map<string, unknown>; listeners: Map<string, () => void>; end(): void };
  const value = (name: string) =>
    page.evaluate((key) => (globalThis as unknown as Values).values.get(key), name);
  await expect
    .poll(() => value("view"))
    .toMatchObject({
      colormap: "magma",
      range: { mode: "manual", low: 0, high: 255 },
    });
  await page.evaluate(() => {
    const { values, listeners } = globalThis as unknown as Values;
    values.set("colormap", "gray");
    listeners.get("change:colormap")!();
  });
  await expect.poll(() => value("view")).toMatchObject({ colormap: "gray" });
  await viewer.locator(".zw-box").press("ArrowRight");
  await expect.poll(() => value("pointed")).toMatchObject({ index: [2, 3] });
  await page.evaluate(() => (globalThis as unknown as Values).end());
  await expect(viewer).toHaveCount(0);
  expect(await page.evaluate(() => (globalThis as unknown as Values).listeners.size)).toBe(0);
});

test("the example of a plain page", async ({ page, site, problems }) => {
  problems.expect(/404/); // the icon of the page
  await page.goto(`${site}/examples/viewer/plain.html`);
  for (const id of ["left", "right"]) await elementIsReady(page, id);
  await page.locator("#left .zw-box").hover();
  await expect(page.locator("#value")).toContainText(" at ");
});

test("a script on a CDN finds its modules and starts its workers", async ({ page, problems }) => {
  problems.expect(/404/);
  const headers = { "access-control-allow-origin": "*" };
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    version: string;
  };
  const mounts = {
    "/npm/zarr-wasm-viewer/dist/": viewerFolder,
    [`/npm/zarr-wasm@${version}/dist/`]: distFolder,
    "/examples/": examplesFolder,
  };
  const cdn = await startServer({ mounts, headers });
  const own = await startServer({ mounts: { "/pages/": pagesFolder } });
  const workers: string[] = [];
  page.on("worker", (worker) => workers.push(worker.url()));
  try {
    await page.goto(`${own.url}/pages/blank.html`);
    await page.evaluate((url) => {
      document.body.innerHTML = `<zarr-viewer id="one" src="${url}/examples/field.zarr"></zarr-viewer>`;
    }, cdn.url);
    await page.addScriptTag({ url: `${cdn.url}/npm/zarr-wasm-viewer/dist/viewer.min.js`, type: "module" });
    await elementIsReady(page, "one");
    expect(workers.length).toBeGreaterThan(0);
    expect(workers.every((url) => url.startsWith(`blob:${own.url}`))).toBe(true);
    await expect.poll(() => page.workers().length).toBeGreaterThan(0); // they have loaded their script
  } finally {
    await Promise.all([cdn.close(), own.close()]);
  }
});

test("the last of several settings in one tick wins", async ({ page, site }) => {
  await show(page, site, `<zarr-viewer id="one" src="/stores/cube" colormap="magma"></zarr-viewer>`);
  const run = (program: (viewer: ZarrViewerElement) => void) =>
    element(page, "one").evaluate(program as (viewer: Element) => void);
  const cases: [(viewer: ZarrViewerElement) => void, string][] = [
    [
      (viewer) => {
        viewer.colormap = "turbo";
        viewer.colormap = "cividis";
      },
      "cividis",
    ],
    [
      (viewer) => {
        viewer.colormap = "turbo";
        viewer.settings = { colormap: "gray" };
      },
      "gray",
    ],
    [
      (viewer) => {
        viewer.settings = { colormap: "gray" };
        viewer.colormap = "viridis";
      },
      "viridis",
    ],
    [
      (viewer) => {
        viewer.src = "/stores/bytes";
        viewer.settings = { colormap: "gray" };
        viewer.colormap = "magma";
      },
      "magma",
    ],
    [
      (viewer) => {
        viewer.src = "/stores/cube";
        viewer.colormap = "turbo";
        viewer.settings = { colormap: "gray" };
      },
      "gray",
    ],
  ];
  for (const [program, expected] of cases) {
    await run(program);
    await elementIsReady(page, "one");
    const settings = await element(page, "one").evaluate((viewer) => viewer.settings);
    expect(settings?.colormap, String(program)).toBe(expected);
  }
});

test("on pages from right to left, rulers, legend and numbers stay from left to right", async ({
  page,
  site,
}) => {
  await show(page, site, `<zarr-viewer id="one" src="/stores/bytes" range="50:100"></zarr-viewer>`);
  const places = () =>
    page.locator("#one").evaluate((viewer) => {
      const root = viewer.shadowRoot!;
      const left = (name: string) => root.querySelector(name)!.getBoundingClientRect().left;
      const ticks = [...root.querySelectorAll(".zw-ruler-across .zw-tick")].map((tick) => tick.textContent);
      const bar = [".zw-legend-scale > :first-child", ".zw-legend-bar", ".zw-legend-scale > :last-child"].map(
        left,
      );
      return {
        ticks,
        isOrdered: bar[0]! < bar[1]! && bar[1]! < bar[2]!,
        isBeside: left(".zw-ruler-down") < left(".zw-box"),
      };
    });
  const before = await places();
  expect(before).toMatchObject({ isOrdered: true, isBeside: true });
  await page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  expect(await places()).toEqual(before);
});

test("sentences on pages from right to left keep the order of their words", async ({ page, site }) => {
  await open(page, site, `<zarr-viewer id="one" src="/stores/slices" at="10,20,40"></zarr-viewer>`);
  await page.evaluate(() => {
    document.documentElement.dir = "rtl";
  });
  const note = page.locator("#one").getByText("values read, not all of the slice");
  await expect(note).toBeVisible();
  // "2,048 values …": the number is on the left of the first word.
  const [number, word] = await note.evaluate((element) => {
    const text = element.firstChild as Text;
    const left = (at: number) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().left;
    };
    return [/\d/, "values"].map((part) => left(text.data.search(part)));
  });
  expect(number).toBeLessThan(word!);
});
