// Layers and elements under attack: removed while they load, redirected, from servers that fail or lie.
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Locator, Page } from "@playwright/test";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { startServer, strictPolicy } from "../../scripts/lib/server.mjs";
import { isWhole } from "../node/support/amounts.js";
import { layersFolder, packageMounts, pagesFolder } from "../shared/places.js";
import { expect, test } from "./site.js";
import { canvasPixelAt, holdBack, openElements } from "./viewer-page.js";

const isReady = (viewer: Locator) =>
  expect(viewer.locator(".zw-viewer")).toHaveAttribute("data-state", "ready");

const fine = `src="/layers/fine.zarr" colormap="gray" range="0:256"`;
const coarse = `<zarr-layer src="/layers/coarse.zarr" color="#00ff00" range="0:200"></zarr-layer>`;
const cells = `<zarr-layer src="/layers/cells.geojson"></zarr-layer>`;

test("elements and layers that are removed while they load leave nothing behind", async ({ page, site }) => {
  await openElements(page, site, `<div id="there"></div>`);
  for (const pattern of [/\/fine\.zarr\//, /\/coarse\.zarr\//, /\/cells\.geojson$/]) {
    const requests = await holdBack(page, pattern);
    await page.evaluate((html) => {
      document.body.insertAdjacentHTML("beforeend", html);
    }, `<zarr-viewer id="one" ${fine}>${coarse}${cells}</zarr-viewer>`);
    await expect.poll(() => requests.held.length).toBeGreaterThan(0);
    await page.evaluate(() => document.getElementById("one")!.remove());
    requests.release();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
  }
  // A layer that is removed while it loads is not shown, and the viewer waits for it no longer.
  const requests = await holdBack(page, /\/coarse\.zarr\//);
  await page.evaluate((html) => {
    document.body.insertAdjacentHTML("beforeend", html);
  }, `<zarr-viewer id="one" ${fine}>${coarse}</zarr-viewer>`);
  const one = page.locator("#one");
  await isReady(one);
  await expect.poll(() => requests.held.length).toBeGreaterThan(0);
  await expect(one.locator("[aria-busy=true]").first()).toBeAttached();
  await one.evaluate((viewer) => viewer.querySelector("zarr-layer")!.remove());
  await expect(one.locator("[aria-busy=true]")).toHaveCount(0);
  requests.release();
  const pixel = () => canvasPixelAt(one.locator(".zw-canvas"), 3 / 8);
  await expect.poll(pixel).toEqual([128, 128, 128, 255]);
  // Moved while the same layer loads again: it arrives in the new place.
  const again = await holdBack(page, /\/coarse\.zarr\//);
  await one.evaluate((viewer, html) => {
    viewer.innerHTML = html;
  }, coarse);
  await expect.poll(() => again.held.length).toBeGreaterThan(0);
  await one.evaluate((viewer) => document.getElementById("there")!.append(viewer));
  again.release();
  await expect.poll(pixel).toEqual([0, 255, 0, 255]);
});

test("of ten sources in a row only the last is shown", async ({ page, site }) => {
  await openElements(
    page,
    site,
    `<zarr-viewer id="one" colormap="gray" range="0:256">${coarse}</zarr-viewer>`,
  );
  const one = page.locator("#one");
  const sources = Array.from({ length: 10 }, (_, i) => `/layers/${i % 2 ? "segments" : "beyond"}.zarr`);
  sources[9] = "/layers/fine.zarr";
  for (const pause of isWhole ? [0, 1, 10, 60] : [0, 10]) {
    const loaded = await one.evaluate(
      async (element, { list, wait }) => {
        const viewer = element as ZarrViewerElement;
        const titles: string[] = [];
        const onLoad = () => titles.push(viewer.view!.dataset.title);
        viewer.addEventListener("load", onLoad);
        for (const src of list) {
          viewer.setAttribute("src", src);
          await new Promise((resolve) => setTimeout(resolve, wait));
        }
        const isDone = () => viewer.state === "ready" && viewer.view?.dataset.title === "fine.zarr";
        while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 50));
        viewer.removeEventListener("load", onLoad);
        return titles;
      },
      { list: sources, wait: pause },
    );
    expect(loaded.at(-1)).toBe("fine.zarr");
    await expect.poll(() => canvasPixelAt(one.locator(".zw-canvas"), 3 / 8)).toEqual([0, 255, 0, 255]);
    await one.evaluate((viewer) => viewer.setAttribute("src", "/layers/segments.zarr"));
    await isReady(one);
  }
});

/** Counts textures, buffers and programs that are not deleted, and listeners of the page that are not removed. */
const countResources = (page: Page) =>
  page.addInitScript(() => {
    const listeners = { count: 0 };
    const contexts = new Map<WebGL2RenderingContext, Set<object>>();
    // Those of lost contexts are gone.
    const objects = () =>
      [...contexts].flatMap(([context, list]) => (context.isContextLost() ? [] : [...list])).length;
    Object.assign(globalThis, { live: () => ({ objects: objects(), listeners: listeners.count }) });
    const { prototype } = WebGL2RenderingContext;
    for (const name of ["Texture", "Buffer", "Program"] as const) {
      const [create, drop] = [prototype[`create${name}`], prototype[`delete${name}`]];
      Object.assign(prototype, {
        [`create${name}`](this: WebGL2RenderingContext) {
          const list = contexts.get(this) ?? new Set();
          contexts.set(this, list);
          const made = create.call(this);
          list.add(made);
          return made;
        },
        [`delete${name}`](this: WebGL2RenderingContext, one: object | null) {
          if (one) contexts.get(this)?.delete(one);
          (drop as (one: unknown) => void).call(this, one);
        },
      });
    }
    const known = new Map<EventTarget, Map<string, Set<unknown>>>();
    const listenersOf = (target: EventTarget, type: string) => {
      const types = known.get(target) ?? new Map<string, Set<unknown>>();
      known.set(target, types);
      types.set(type, types.get(type) ?? new Set());
      return types.get(type)!;
    };
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    const isCounted = (target: EventTarget | undefined): target is EventTarget =>
      target === undefined || target === window || target === document || target instanceof MediaQueryList;
    Object.assign(EventTarget.prototype, {
      addEventListener(this: EventTarget | undefined, type: string, listener: unknown, options?: unknown) {
        const isOnce = typeof options === "object" && (options as { once?: boolean } | null)?.once === true;
        const list = isCounted(this) && !isOnce ? listenersOf(this ?? window, type) : undefined;
        if (list && !list.has(listener)) listeners.count++;
        list?.add(listener);
        addEventListener.call(this ?? window, type, listener as EventListener, options as boolean);
      },
      removeEventListener(this: EventTarget | undefined, type: string, listener: unknown, options?: unknown) {
        if (isCounted(this) && listenersOf(this ?? window, type).delete(listener)) listeners.count--;
        removeEventListener.call(this ?? window, type, listener as EventListener, options as boolean);
      },
    });
  });

const liveResources = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { live(): { objects: number; listeners: number } }).live());

test.describe("with WebGL", () => {
  test.use({ webgl: true });

  test("viewers with layers that come and go leave no textures and listeners", async ({ page, site }) => {
    await countResources(page);
    await openElements(page, site, "");
    const cycle = async (rest: boolean) => {
      await page.evaluate((html) => {
        document.body.insertAdjacentHTML("beforeend", html);
      }, `<zarr-viewer id="one" ${fine}>${coarse}${cells}</zarr-viewer>`);
      const one = page.locator("#one");
      if (rest) {
        await isReady(one);
        await expect.poll(() => canvasPixelAt(one.locator(".zw-canvas"), 3 / 8)).toEqual([0, 255, 0, 255]);
        await one.hover();
      }
      await one.evaluate((viewer) => viewer.remove());
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 60)));
    };
    await cycle(true);
    // The last viewer releases the context when the GPU is idle.
    await expect.poll(async () => (await liveResources(page)).objects).toBe(0);
    const before = await liveResources(page);
    for (let i = 0; i < 6; i++) await cycle(i % 2 === 0);
    await expect.poll(() => liveResources(page)).toEqual(before);
  });
});

test("of two viewers of one store, the failure or removal of one does not concern the other", async ({
  page,
  site,
  problems,
}) => {
  problems.expect(/500|404/);
  const requests = await holdBack(page, /\/fine\.zarr\/0\//);
  const pair = `<zarr-viewer id="one" ${fine}></zarr-viewer><zarr-viewer id="two" ${fine}></zarr-viewer>`;
  await openElements(page, site, pair);
  await expect.poll(() => requests.held.length).toBeGreaterThan(0);
  // The first viewer goes while both wait for the same chunks.
  await page.evaluate(() => document.getElementById("one")!.remove());
  requests.release();
  const two = page.locator("#two");
  const pixel = (viewer: Locator) => () => canvasPixelAt(viewer.locator(".zw-canvas"), 3 / 8);
  await expect.poll(pixel(two)).toEqual([128, 128, 128, 255]);
  // One with a wrong path, or with a layer that fails, beside one that works.
  await page.evaluate((html) => {
    document.body.insertAdjacentHTML("beforeend", html);
  }, `<zarr-viewer id="one" ${fine} path="none"></zarr-viewer><zarr-viewer id="three" ${fine}><zarr-layer src="/layers/fine.zarr" path="none"></zarr-layer></zarr-viewer>`);
  await expect(page.locator("#one .zw-viewer")).toHaveAttribute("data-state", "error");
  await expect(page.getByText(/The layer none cannot be shown/)).toBeVisible();
  await expect.poll(pixel(page.locator("#three"))).toEqual([128, 128, 128, 255]);
  await expect.poll(pixel(two)).toEqual([128, 128, 128, 255]);
  // Both fail, and each reads again on its own.
  await page.evaluate(() => {
    for (const viewer of document.querySelectorAll("zarr-viewer")) viewer.remove();
  });
  await page.route("**/coarse.zarr/0/**", (route) => route.fulfill({ status: 500 }));
  const src = `src="/layers/coarse.zarr" colormap="gray" range="0:400"`;
  await page.evaluate((html) => {
    document.body.innerHTML = html;
  }, `<zarr-viewer id="one" ${src}></zarr-viewer><zarr-viewer id="two" ${src}></zarr-viewer>`);
  const button = (id: string) => page.locator(`#${id}`).getByRole("button", { name: "Try again" });
  await expect(button("one")).toBeVisible();
  await expect(button("two")).toBeVisible();
  await page.unroute("**/coarse.zarr/0/**");
  await button("one").click();
  await expect.poll(pixel(page.locator("#one"))).toEqual([128, 128, 128, 255]);
  await expect(button("one")).toHaveCount(0);
  await button("two").click();
  await expect.poll(pixel(page.locator("#two"))).toEqual([128, 128, 128, 255]);
  await expect(button("two")).toHaveCount(0);
});

/** Responses that are wrong, to a request for an object. */
const lies: Readonly<Record<string, (body: Buffer, response: ServerResponse, type: string) => void>> = {
  "a longer length than the body": (body, response, type) => {
    response.writeHead(200, { "content-type": type, "content-length": body.length + 100 });
    response.write(body);
    setTimeout(() => response.destroy(), 20);
  },
  "half a body": (body, response, type) => {
    response.writeHead(200, { "content-type": type });
    response.end(body.subarray(0, body.length >> 1));
  },
  "a connection that breaks": (body, response, type) => {
    response.writeHead(200, { "content-type": type, "content-length": body.length });
    response.write(body.subarray(0, body.length >> 1));
    setTimeout(() => response.destroy(), 20);
  },
  "status 500": (_, response) => {
    response.writeHead(500, { "content-type": "text/plain" });
    response.end("sorry");
  },
  "an HTML page": (_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><html><body>Please log in.</body></html>");
  },
  "an empty body": (_, response, type) => {
    response.writeHead(200, { "content-type": type, "content-length": 0 });
    response.end();
  },
};

const servedLayers = {
  "cells.geojson": { src: "/cells.geojson" },
  "points.parquet": { src: "/spatial.zarr/points/transcripts/points.parquet/part.0.parquet" },
  "coarse.zarr": { src: "/coarse.zarr", color: "#00ff00", range: "0:200" },
  transcripts: { src: "/spatial.zarr", path: "points/transcripts" },
};

test("lies of servers are named, and trying again helps", async ({ page, problems }) => {
  problems.expect(/Failed to load resource|ERR_/);
  let lie: ((body: Buffer, response: ServerResponse, type: string) => void) | undefined;
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "range");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    let body: Buffer;
    try {
      body = readFileSync(path.join(layersFolder, decodeURIComponent(request.url!)));
    } catch {
      return void response.writeHead(404).end();
    }
    const type = request.url!.endsWith("json") ? "application/json" : "application/octet-stream";
    if (lie) return lie(body, response, type);
    // Ranges are ignored.
    response.writeHead(200, { "content-type": type, "content-length": body.length });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site = await startServer({
    policy: `${strictPolicy}; connect-src 'self' ${url}`,
    mounts: { ...packageMounts, "/pages/": pagesFolder, "/layers/": layersFolder },
  });
  try {
    await openElements(page, site.url, `<zarr-viewer id="one" ${fine}></zarr-viewer>`);
    const one = page.locator("#one");
    await isReady(one);
    const shown = () =>
      one.evaluate((viewer) => {
        const roots = [...viewer.shadowRoot!.querySelectorAll<HTMLElement>(".zw-map-lines[data-layers]")];
        return roots.some(({ dataset }) => Number(dataset["layers"]) > 0);
      });
    for (const [i, [name, layer]] of Object.entries(servedLayers).entries()) {
      const attributes = Object.entries({ ...layer, src: url + layer.src }).map(
        ([key, value]) => `${key}="${value}"`,
      );
      const add = () =>
        one.evaluate(
          (viewer, html) => {
            viewer.innerHTML = html;
          },
          `<zarr-layer ${attributes.join(" ")}></zarr-layer>`,
        );
      const isShown = async () =>
        name === "coarse.zarr" ? (await canvasPixelAt(one.locator(".zw-canvas"), 3 / 8))[0] === 0 : shown();
      // In samples, each layer meets some of the lies.
      for (const [what, tell] of Object.entries(lies).filter((_, at) => isWhole || at % 4 === i))
        await test.step(`${name}: ${what}`, async () => {
          lie = tell;
          await add();
          const note = one.locator(".zw-notes li", { hasText: "cannot be shown" });
          await expect(note).toContainText(/^The layer \S+ cannot be shown: .{5,}\./);
          expect(await isShown()).toBe(false);
          await expect(one.locator("[aria-busy=true]")).toHaveCount(0);
          await isReady(one);
          lie = undefined;
          await note.getByRole("button", { name: "Try again" }).click();
          await expect.poll(isShown).toBe(true);
          await expect(note).toHaveCount(0);
          await one.evaluate((viewer) => viewer.replaceChildren());
          await expect.poll(isShown).toBe(false);
        });
      // A server that never responds: the picture can be used, and the layer can be removed.
      lie = () => {};
      await add();
      await expect(one.locator("[aria-busy=true]").first()).toBeAttached();
      await one.evaluate((viewer) => viewer.replaceChildren());
      await expect(one.locator("[aria-busy=true]")).toHaveCount(0);
      await isReady(one);
    }
  } finally {
    server.closeAllConnections();
    server.close();
    await site.close();
  }
});
