// Figures of a view: size and resolution of PNG, vectors in SVG, the clipboard, videos of an axis.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { sliceValue } from "../shared/viewer-stores.js";
import { tableRows } from "../shared/viewer-tables.js";
import { expect, test } from "./site.js";
import { decodePicture, holdBack, openElements, settles } from "./viewer-page.js";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

const gray = "map=gray&range=0:256";

/** The dialog, opened from the panel. */
async function openDialog(page: Page) {
  await page.getByRole("button", { name: "Figure…" }).click();
  const dialog = page.getByRole("dialog", { name: "Figure" });
  await expect(dialog).toBeVisible();
  return dialog;
}

async function saved(page: Page): Promise<{ name: string; bytes: Buffer }> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const download = await downloading;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Size of a PNG, and its pixels per metre. */
function pngHead(bytes: Buffer): { width: number; height: number; perMetre: number } {
  const density = bytes.indexOf("pHYs");
  expect(bytes[density + 12]).toBe(1);
  return {
    width: bytes.readUInt32BE(16),
    height: bytes.readUInt32BE(20),
    perMetre: bytes.readUInt32BE(density + 4),
  };
}

/** Pixels of a picture: red, green and blue at a place. */
async function pixelsOf(page: Page, bytes: Buffer) {
  const { width, height, data } = await decodePicture(page, bytes);
  const at = (x: number, y: number) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)];
  return { width, height, at };
}

test("a PNG has the chosen size and resolution, and no empty margins around the data", async ({
  viewer,
  page,
}) => {
  await viewer.show(`source=/stores/slices&select=3,:,:&${gray}`);
  const before = page.url();
  const dialog = await openDialog(page);
  await dialog.getByLabel("Unit").selectOption("mm");
  await dialog.getByLabel("Width").fill("80");
  await dialog.getByLabel("Resolution").fill("300");
  await dialog.getByLabel("Resolution").press("Tab");
  await expect(dialog.getByRole("status")).toHaveText("945 pixels wide");
  const { name, bytes } = await saved(page);
  expect(name).toBe("slices.png");
  const head = pngHead(bytes);
  expect(head.width).toBe(945);
  expect(head.perMetre).toBe(11_811);
  // The slice is square: with rulers, title and legend it is higher than wide, but not much.
  expect(head.height).toBeGreaterThan(800);
  expect(head.height).toBeLessThan(1250);
  // Each element of the slice is in the picture, in squares.
  const { width, at } = await pixelsOf(page, bytes);
  const margin = Math.round((16 * 300) / 96);
  const x = width - margin - 14;
  const column = (from: number) => sliceValue([3, Math.floor(from), 63]);
  const grays = Array.from({ length: head.height }, (_, y) => at(x, y)).filter(
    ([r, g, b]) => r === g && g === b && r! < 230,
  );
  const rows = grays.map(([r]) => r!);
  const wanted = Array.from({ length: 64 }, (_, row) => column(row));
  expect(wanted.filter((value) => value < 230 && !rows.includes(value))).toEqual([]);
  const elementSide = rows.filter((value) => value === column(10)).length;
  expect(elementSide * 64).toBeGreaterThan(0.8 * (width - 2 * margin) - 64);
  await expect(page).toHaveURL(before);
  await expect(dialog.getByRole("status")).toHaveText("slices.png is saved");
  await expect(page.locator(".zw-viewer")).toHaveCount(1);
});

test("an SVG has text as text, an embedded picture for each pane, and the ends of the legend's bar", async ({
  viewer,
  page,
}) => {
  const svgOf = async (look: string) => {
    await viewer.change(`source=/stores/depths&select=4,:,:&${look}`);
    const dialog = await openDialog(page);
    await dialog.getByLabel("Format").selectOption("svg");
    const { name, bytes } = await saved(page);
    expect(name).toMatch(/\.svg$/);
    await page.keyboard.press("Escape");
    return bytes.toString();
  };
  await viewer.show("source=/stores/depths");
  const { texts, images, root, problem } = await page.evaluate(
    (source) => {
      const document = new DOMParser().parseFromString(source, "image/svg+xml");
      return {
        problem: document.querySelector("parsererror")?.textContent,
        root: document.documentElement.nodeName,
        texts: [...document.querySelectorAll("text")].map(({ textContent }) => textContent),
        images: [...document.querySelectorAll("image")].map((image) =>
          image.getAttribute("href")!.slice(0, 22),
        ),
      };
    },
    await svgOf("map=viridis&range=0:300"),
  );
  expect(problem).toBeUndefined();
  expect(root).toBe("svg");
  expect(images).toEqual(["data:image/png;base64,"]);
  for (const wanted of ["depths", "x, µm", "y, µm", "0", "300"]) expect(texts).toContain(wanted);

  const limited = await svgOf("map=gray&range=90:120");
  const ends = [...limited.matchAll(/<polygon points="([^"]+)" fill="([^"]+)"\/>/g)];
  // Each has a contour. They point away from the bar.
  expect([1, 3].map((i) => ends[i]![2])).toEqual(["rgb(0,0,0)", "rgb(255,255,255)"]);
  const places = ends.map(([, points]) => points!.split(" ").map((point) => Number.parseFloat(point)));
  expect(places.map(([base, tip]) => base! > tip!)).toEqual([true, true, false, false]);

  const panes = await svgOf("planes=xy,xz,yz&map=gray&range=0:300");
  expect(panes.match(/<image /g)).toHaveLength(3);
  expect(panes.match(/>z, µm</g)).toHaveLength(2);
  // Two lines in each of three panes.
  expect(panes.match(/fill="rgb\(255,255,255\)" fill-opacity="0.8"/g)!.length).toBeGreaterThanOrEqual(6);
});

test("narrow figures have all panes, all categories, and no room for buttons; their size can be chosen", async ({
  page,
  site,
  problems,
}) => {
  problems.expect(/404/);
  const open = async (query: string) => {
    await openElements(page, site, `<zarr-viewer ${query} controls="minimal"></zarr-viewer>`);
    await settles(page);
  };
  const narrow = (settings: object) =>
    page.evaluate(async (options) => {
      const element = document.querySelector("zarr-viewer") as ZarrViewerElement;
      return (await element.picture({ type: "svg", width: 340, ...options }))!.text();
    }, settings);
  const heightOf = (svg: string) => Number(/height="([\d.]+)"/.exec(svg)![1]);
  await open(`src="/stores/depths" select="4,:,:" planes="xy xz yz"`);
  const panes = await narrow({});
  expect(panes.match(/<image /g)).toHaveLength(3);
  expect(panes.match(/>z, µm</g)).toHaveLength(2);
  const text = await page.evaluate(async () => {
    const viewer = document.querySelector("zarr-viewer") as ZarrViewerElement;
    const blob = (await viewer.picture({ width: 400, dpi: 192 }))!;
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(String.fromCharCode(...bytes.subarray(0, 100)));
  });
  const head = pngHead(Buffer.from(text, "base64"));
  expect([head.width, head.perMetre]).toEqual([800, 7559]);
  await open(`src="/layers/tables.zarr" path="tables/table/obsm/X_umap" by="type"`);
  const titled = await narrow({});
  for (const { type = "no value" } of tableRows) expect(titled).toContain(`>${type}<`);
  expect(heightOf(titled) - heightOf(await narrow({ isTitled: false }))).toBeLessThan(40);
});

test("a figure is copied to the clipboard", async ({ viewer, page }) => {
  await viewer.show(`source=/stores/slices&select=3,:,:&${gray}`);
  const dialog = await openDialog(page);
  await dialog.getByLabel("Resolution").fill("96");
  await dialog.getByRole("button", { name: "Copy" }).click();
  await expect(dialog.getByRole("status")).toHaveText("slices.png is in the clipboard");
  const types = await page.evaluate(async () =>
    (await navigator.clipboard.read()).flatMap((item) => item.types),
  );
  expect(types).toContain("image/png");
});

/** Plays a video where no policy forbids it, and reads the first element of each picture. */
async function played(page: Page, bytes: Buffer) {
  const other = await page.context().newPage();
  const film = await other.evaluate(async (text) => {
    const video = document.createElement("video");
    video.muted = true;
    video.src = URL.createObjectURL(
      new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], { type: "video/webm" }),
    );
    await video.play();
    await new Promise((resolve) => video.addEventListener("ended", resolve));
    const seconds = video.currentTime;
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
    const levels = new Set<number>();
    for (let at = 0.01; at < seconds + 0.1; at += 0.1) {
      video.currentTime = Math.min(at, seconds);
      await new Promise((resolve) => video.addEventListener("seeked", resolve, { once: true }));
      // An element of the first row and column, below the rulers.
      context.drawImage(video, -82, -120);
      levels.add(Math.round(context.getImageData(0, 0, 1, 1).data[0]! / 25));
    }
    return { width: video.videoWidth, seconds, levels: [...levels].sort().join() };
  }, bytes.toString("base64"));
  await other.close();
  return film;
}

test("a video shows every slice along an axis in one range", async ({ viewer, page }) => {
  await viewer.show(`source=/stores/slices&select=3,:,:&${gray}`);
  const dialog = await openDialog(page);
  await dialog.getByLabel("Format").selectOption("webm");
  await expect(dialog.getByRole("status")).toHaveText("1920 × 1080 pixels");
  await dialog.getByLabel("Width").fill("730");
  await dialog.getByLabel("Height").fill("");
  await dialog.getByLabel("Resolution").fill("96");
  await dialog.getByLabel("Slices per second").fill("4");
  await dialog.getByLabel("Slices per second").press("Tab");
  const all = "0,1,2,3,4,5,6,7,8";
  let film: Awaited<ReturnType<typeof played>> | undefined;
  // The recorder of a browser drops frames while the machine is busy.
  for (let attempt = 0; attempt < 4 && film?.levels !== all; attempt++) {
    const { name, bytes } = await saved(page);
    expect(name).toBe("slices.webm");
    expect(bytes.readUInt32BE(0)).toBe(0x1a45dfa3); // EBML
    film = await played(page, bytes);
  }
  if (!film) throw new Error("no video");
  expect(film.width).toBeGreaterThan(400);
  expect(film.seconds).toBeGreaterThan(1.5);
  expect(film.seconds).toBeLessThan(5);
  expect(film.levels).toBe(all);
  await expect(viewer.root).toHaveAttribute("data-state", "ready");
  await expect(page).toHaveURL(/select=3,:,:/);
});

test("a cancelled video does not hide the error of a later picture", async ({ viewer, page }) => {
  await page.addInitScript(() => {
    const write = () => Promise.reject(new Error("no clipboard"));
    Object.defineProperty(navigator, "clipboard", { value: { write } });
  });
  await viewer.show(`source=/stores/slices&select=3,:,:&${gray}`);
  const dialog = await openDialog(page);
  await dialog.getByLabel("Format").selectOption("webm");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(dialog.getByRole("status")).toHaveText("Cancelled");
  await dialog.getByLabel("Format").selectOption("png");
  await dialog.getByRole("button", { name: "Copy" }).click();
  await expect(dialog.getByRole("status")).toHaveText("The figure could not be made: no clipboard.");
});

test("a message replaces videos that browsers cannot record, and sizes that cannot be drawn", async ({
  viewer,
  page,
}) => {
  await page.addInitScript(() => Object.assign(globalThis, { MediaRecorder: undefined }));
  await viewer.show(`source=/stores/slices&select=3,:,:&${gray}`);
  const dialog = await openDialog(page);
  await dialog.getByLabel("Format").selectOption("mp4");
  await expect(dialog.getByRole("status")).toHaveText("This browser cannot record MP4 videos.");
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
  await dialog.getByLabel("Format").selectOption("png");
  await dialog.getByLabel("Width").fill("2");
  await dialog.getByLabel("Width").press("Tab");
  await expect(dialog.getByRole("status")).toHaveText("Width and height must be 43 to 2117 mm.");
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
});

test("a figure taken right after opening has the labels that are still loading", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/404/); // chunks of the background
  const { release } = await holdBack(page, /\/labels\/cells\/zarr\.json$/);
  await viewer.goto("source=/groups/labelled.zarr&map=gray&range=0:256&opacity=1");
  const dialog = await openDialog(page);
  await dialog.getByLabel("Unit").selectOption("mm");
  await dialog.getByLabel("Resolution").fill("96");
  await dialog.getByLabel("Width").fill("80");
  await dialog.getByLabel("Width").press("Tab");
  const saving = saved(page);
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
  release();
  const { bytes } = await saving;
  const { width, height, at } = await pixelsOf(page, bytes);
  // Labels have colours, the image is gray.
  const isColoured = (x: number, y: number) => {
    const [red, green, blue] = at(x, y) as [number, number, number];
    return Math.max(red, green, blue) - Math.min(red, green, blue) > 60;
  };
  let count = 0;
  for (let y = 0; y < height; y += 4) for (let x = 0; x < width; x += 4) if (isColoured(x, y)) count++;
  expect(count).toBeGreaterThan((width * height) / 16 / 10);
  await expect(dialog.getByRole("status")).toHaveText(/is saved$/);
});
