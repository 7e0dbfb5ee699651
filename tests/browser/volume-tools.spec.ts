// Tools of volumes: the clip box by handles and sliders, distances, picked voxels, labels alone; what the legend says.
import type { Locator, Page } from "@playwright/test";
import { colorTable, pixelBytes } from "../../build/viewer/base/color-tables.js";
import type { ZarrViewerElement } from "../../build/viewer/define.js";
import { halved, omeVolume, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { elementIsReady, loseContexts, openElements, recordContexts, settles } from "./viewer-page.js";
import { change, compared, errors, most, noise, serve, show, volumeWindow } from "./volume-page.js";

test.use({ viewport: volumeWindow });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

const solid = volumeOf(new Uint8Array(60 * 40 * 30), [60, 40, 30], (x, y, z) => 60 + (noise(x, y, z) >> 1));

/** A volume whose voxels have other lengths: along z, y and x. */
function scaled(store: Map<string, Uint8Array>, scale: readonly number[]): Map<string, Uint8Array> {
  const document = JSON.parse(new TextDecoder().decode(store.get("zarr.json")));
  for (const { coordinateTransformations } of document.attributes.ome.multiscales[0].datasets)
    coordinateTransformations.splice(0, 2, { type: "scale", scale });
  return store.set("zarr.json", new TextEncoder().encode(JSON.stringify(document)));
}

const handle = (page: Page, name: string) =>
  page.locator(".zw-frame-volume").getByRole("slider", { name, exact: true });

async function drag(page: Page, part: Locator, dx: number, dy: number, isReleased = true): Promise<void> {
  const { x, y, width, height } = (await part.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + dx, y + height / 2 + dy, { steps: 4 });
  if (isReleased) await page.mouse.up();
}

test("a handle of the clip box is dragged along its axis, and the picture follows", async ({
  viewer,
  page,
}) => {
  await serve(page, omeVolume([solid], [64, 64, 64]));
  await show(viewer, "orbit=0,0,1&mode=max");
  const { width, height } = (await viewer.box.boundingBox())!;
  const scale = Math.min(width, height) / Math.hypot(60, 40, 30);
  // Sixteen voxels to the right; across the axis, the pointer may go anywhere.
  await drag(page, handle(page, "First index drawn along x"), 16 * scale, 25);
  await expect(page).toHaveURL(/clip=16:60,0:40,0:30/);
  await drag(page, handle(page, "Last index drawn along y"), 0, -10 * scale);
  await expect(page).toHaveURL(/clip=16:60,0:30,0:30/);
  // It is not turned, nor is a voxel chosen.
  await expect(page).toHaveURL(/orbit=0,0,1(&|$)/);
  await expect(page).not.toHaveURL(/index=/);
  const part = { from: [16, 0, 0], to: [60, 30, 30] } as const;
  await viewer.reaches("ready");
  expect(errors(await compared(viewer, solid, [0, 0, 1], most, part)).max).toBeLessThanOrEqual(1);
  // Beyond the other end, the box keeps one voxel; the handles stay apart.
  await drag(page, handle(page, "First index drawn along x"), 500, 0);
  await expect(page).toHaveURL(/clip=59:60,0:30,0:30/);
  const [first, last] = await Promise.all(
    ["First", "Last"].map((end) => handle(page, `${end} index drawn along x`).boundingBox()),
  );
  expect(last!.x - first!.x).toBeGreaterThanOrEqual(28);
  // The z axis points at the eye.
  await expect(handle(page, "First index drawn along z")).toBeHidden();
  // A double click opens the box again.
  await handle(page, "First index drawn along x").dblclick();
  await expect(page).toHaveURL(/clip=0:60,0:30,0:30/);
});

test("keys move the handles and the double sliders of the panel, which show the same", async ({
  viewer,
  page,
}) => {
  await serve(page, omeVolume([solid], [64, 64, 64]));
  await show(viewer, "orbit=30,20,1&mode=max&clip=5:50,20:21,5:25");
  await handle(page, "Last index drawn along z").focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/clip=5:50,20:21,5:26/);
  await page.keyboard.press("PageDown");
  await expect(page).toHaveURL(/clip=5:50,20:21,5:16/);
  await page.keyboard.press("End");
  await expect(page).toHaveURL(/clip=5:50,20:21,5:30/);
  await page.keyboard.press("Home");
  await expect(page).toHaveURL(/clip=5:50,20:21,5:6/);
  const panel = page.getByRole("group", { name: "Part of the volume" }).last();
  const slider = (name: string) => panel.getByRole("slider", { name, exact: true });
  await expect(slider("Last index drawn along z")).toHaveAttribute("aria-valuenow", "5");
  await slider("First index drawn along y").focus();
  await page.keyboard.press("ArrowRight"); // one voxel thick
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(page).toHaveURL(/clip=5:50,18:21,5:6/);
  await expect(panel).toContainText("18 to 20");
  await page.keyboard.press("Home");
  await slider("Last index drawn along y").press("End");
  await slider("First index drawn along x").press("Home");
  await slider("Last index drawn along x").press("End");
  await slider("First index drawn along z").press("Home");
  await slider("Last index drawn along z").press("End");
  await expect(page).not.toHaveURL(/clip=/);
  const track = (await slider("Last index drawn along x").locator("..").boundingBox())!;
  await page.mouse.move(track.x + track.width, track.y + track.height / 2);
  await page.mouse.down();
  await page.mouse.move(track.x + track.width / 2, track.y + track.height / 2, { steps: 3 });
  await page.mouse.up();
  await expect(page).toHaveURL(/clip=0:3[01],0:40,0:30/);
});

test("a finger drags a handle, and does not turn the volume", async ({ viewer, page }) => {
  await serve(page, omeVolume([solid], [64, 64, 64]));
  await show(viewer, "orbit=0,0,1&mode=max");
  const one = handle(page, "Last index drawn along x");
  const { x, y, width } = (await one.boundingBox())!;
  expect(width).toBeGreaterThanOrEqual(24);
  const client = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", at?: number) =>
    client.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: at === undefined ? [] : [{ x: at, y: y + width / 2 }],
    });
  const from = x + width / 2;
  await touch("touchStart", from);
  for (const step of [20, 40, 60]) await touch("touchMove", from - step);
  await touch("touchEnd");
  await expect(page).toHaveURL(/clip=0:\d+,0:40,0:30/);
  await expect(page).toHaveURL(/orbit=0,0,1(&|$)/);
});

test("dragging goes on after a lost context, and ends with the viewer", async ({ page, site }) => {
  await recordContexts(page);
  await serve(page, omeVolume([solid], [64, 64, 64]));
  await openElements(
    page,
    site,
    `<zarr-viewer src="/volume" view="volume" orbit="0,0,1" range="0:256"></zarr-viewer>`,
  );
  await elementIsReady(page);
  const clip = () =>
    page.evaluate(() => {
      const { settings } = document.querySelector("zarr-viewer") as ZarrViewerElement;
      return (settings as { clip?: { from: number[] } | null }).clip?.from[0] ?? 0;
    });
  const one = handle(page, "First index drawn along x");
  await drag(page, one, 40, 0, false);
  await expect.poll(clip).toBeGreaterThan(0);
  const before = await clip();
  await loseContexts(page);
  const { x, y } = (await one.boundingBox())!;
  await page.mouse.move(x + 60, y, { steps: 3 });
  await expect.poll(clip).toBeGreaterThan(before);
  await elementIsReady(page);
  await page.evaluate(() => document.querySelector("zarr-viewer")!.remove());
  await page.mouse.move(x + 90, y, { steps: 3 });
  await page.mouse.up();
  await expect(page.locator("zarr-viewer")).toHaveCount(0);
});

/** A rod along x, with an end of another value on each side. */
const rod = volumeOf(new Uint8Array(48 * 32 * 24), [48, 32, 24], (x, y, z) =>
  Math.abs(y - 16) < 3 && Math.abs(z - 12) < 3 && x >= 8 && x < 40 ? (x < 12 || x >= 36 ? 250 : 200) : 0,
);

test("distances between voxels have the scale of the axes, and follow the camera", async ({
  viewer,
  page,
}) => {
  await serve(page, scaled(omeVolume([rod], [64, 64, 64]), [2, 0.5, 0.25]));
  await show(viewer, "orbit=0,0,4&mode=surface&tool=measure");
  await expect(page.getByRole("radio", { name: "Measure" })).toBeChecked();
  await expect(page.getByRole("radio", { name: "Zoom" })).toBeHidden();
  const label = page.locator(".zw-frame-volume .zw-measure");
  const { width, height } = (await viewer.box.boundingBox())!;
  const scale = (4 * Math.min(width, height)) / Math.hypot(48 * 0.25, 32 * 0.5, 24 * 2); // pixels per micrometre
  const at = (x: number, y: number) => ({
    x: width / 2 + (x + 0.5 - 24) * 0.25 * scale,
    y: height / 2 + (y + 0.5 - 16) * 0.5 * scale,
  });
  await viewer.box.click({ position: at(10, 15) });
  await viewer.box.hover({ position: at(20, 15) });
  await expect(label).toHaveText(/^2.5 µm · 10 voxels/);
  await viewer.box.click({ position: at(30, 18) });
  await expect(label).toHaveText(/^5.22 µm · 20.2 voxels/);
  // A drag turns the volume; the line is kept.
  const { x, y } = (await viewer.box.boundingBox())!;
  const place = (await label.boundingBox())!;
  await page.mouse.move(x + 20, y + 20);
  await page.mouse.down();
  await page.mouse.move(x + 120, y + 60, { steps: 3 });
  await page.mouse.up();
  await expect(page).not.toHaveURL(/orbit=0,0/);
  await expect(label).toHaveText(/^5.22 µm/);
  await expect.poll(async () => (await label.boundingBox())!.x).not.toBe(place.x);
  // Nothing was chosen.
  await expect(page).not.toHaveURL(/index=/);
  await viewer.box.focus();
  await page.keyboard.press("Escape");
  await expect(label).toBeHidden();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await expect(label).toHaveText(/^0 /);
  await label.getByRole("button", { name: "Clear the measurement" }).click();
  await expect(label).toBeHidden();
  // Beside the rod there is nothing to measure.
  await viewer.box.click({ position: { x: 5, y: 5 } });
  await expect(label).toBeHidden();
  await page.keyboard.press("h");
  await expect(page.getByRole("radio", { name: "Move" })).toBeChecked();
});

test("a picked voxel stays under the cursor, and is reported", async ({ page, site }) => {
  await serve(page, omeVolume([rod], [64, 64, 64]));
  await openElements(
    page,
    site,
    `<zarr-viewer src="/volume" view="volume" orbit="0,0,1" range="0:256" mode="surface" tool="pick"></zarr-viewer>`,
  );
  await page.evaluate(() => {
    const heard: unknown[] = [];
    Object.assign(globalThis, { heard });
    document
      .querySelector("zarr-viewer")!
      .addEventListener("pointer", (event) => heard.push((event as CustomEvent).detail));
  });
  await elementIsReady(page);
  await settles(page);
  const box = page.locator("zarr-viewer .zw-box");
  const { width, height } = (await box.boundingBox())!;
  await box.click({ position: { x: width / 2, y: height / 2 } });
  const last = () => page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard.at(-1));
  await expect.poll(last).toMatchObject({ values: [200], by: "pick" });
  const readout = page.locator("zarr-viewer .zw-readout");
  await expect(readout).toContainText(/\[10, 1[56], 2[34]\]/);
  await box.hover({ position: { x: 4, y: 4 } });
  await expect(readout).toContainText(/\[10, 1[56], 2[34]\]/);
  await box.press("Escape");
  await box.hover({ position: { x: 8, y: 4 } });
  await expect(readout).not.toContainText("[10");
});

const cells = volumeOf(new Uint32Array(48 * 48 * 48) as never, [48, 48, 48], (x, y, z) =>
  Math.hypot(x - 16, y - 24, z - 24) < 10 ? 3 : Math.hypot(x - 34, y - 24, z - 24) < 8 ? 70_000 : 0,
);

/** The cells, as an array without further metadata. */
function labelArray(): Map<string, Uint8Array> {
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: [48, 48, 48],
    data_type: "uint32",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [48, 48, 48] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  };
  return new Map([
    ["zarr.json", new TextEncoder().encode(JSON.stringify(document))],
    ["c/0/0/0", new Uint8Array((cells.data as unknown as Uint32Array).buffer)],
  ]);
}

test("labels alone: colours, selected and hidden ones, outlines", async ({ viewer, page }) => {
  await serve(page, labelArray());
  const address = "source=/volume&view=volume&map=labels&orbit=0,0,1";
  await viewer.show(address);
  const { width, height } = (await viewer.box.boundingBox())!;
  const scale = Math.min(width, height) / Math.hypot(48, 48, 48);
  const at = (x: number) => ({ x: width / 2 + (x - 24) * scale, y: height / 2 });
  const color = async (x: number): Promise<number[]> => {
    await settles(page);
    const { width: columns, data } = await viewer.canvas();
    const ratio = columns / width;
    const place = 4 * (Math.floor(at(x).y * ratio) * columns + Math.floor(at(x).x * ratio));
    return [...data.subarray(place, place + 3)];
  };
  const ground = [16, 20, 24];
  const three = [...pixelBytes(colorTable("labels")[3]!)];
  const far = (one: readonly number[]) => Math.max(...one.map((value, i) => Math.abs(value - three[i]!)));
  expect(far(await color(16))).toBeLessThanOrEqual(3);
  const other = await color(34);
  expect(other).not.toEqual(ground);
  await expect(page.getByLabel("Along each ray")).toBeHidden();
  await expect(page.locator(".zw-legend")).toContainText("Level 0 of 1");
  await viewer.box.hover({ position: at(34) });
  await expect(viewer.readout).toContainText("70000");
  await viewer.box.click({ position: at(16) });
  await expect(page).toHaveURL(/pick=3(&|$)/);
  expect(far(await color(16))).toBeLessThanOrEqual(3);
  // A sixth of its colour.
  const faint = await color(34);
  for (const [i, value] of faint.entries())
    expect(Math.abs(value - (ground[i]! + (other[i]! - ground[i]!) / 6))).toBeLessThanOrEqual(3);
  await viewer.box.click({ position: { x: 4, y: 4 } });
  await expect(page).not.toHaveURL(/pick=/);
  await viewer.change(`${address}&hide=70000`);
  expect(await color(34)).toEqual(ground);
  await viewer.box.hover({ position: at(34) });
  await expect(viewer.readout).not.toContainText("70000");
  await viewer.change(`${address}&hide=3`);
  expect([await color(16), await color(34)]).toEqual([ground, other]);
  await viewer.change(`${address}&outlines=yes`);
  // The middle of a ball faces the eye, its rim does not.
  expect([await color(16), await color(34)]).toEqual([ground, ground]);
  const { data } = await viewer.canvas();
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] !== 16 || data[i + 1] !== 20) count++;
  const filled = Math.PI * (10 ** 2 + 8 ** 2) * (scale * (await page.evaluate(() => devicePixelRatio))) ** 2;
  expect(count / filled).toBeGreaterThan(0.03);
  expect(count / filled).toBeLessThan(0.4);
});

test("labels without their image, which is not read", async ({ viewer, page }) => {
  const store = omeVolume([solid, halved(solid)], [64, 64, 64]);
  const own = volumeOf(new Uint16Array(60 * 40 * 30), [60, 40, 30], (x, y, z) =>
    Math.hypot(x - 30, y - 20, z - 15) < 9 ? 7 : 0,
  );
  for (const [key, value] of omeVolume([own], [64, 64, 64])) store.set(`labels/cells/${key}`, value);
  const write = (key: string, document: unknown) =>
    store.set(key, new TextEncoder().encode(JSON.stringify(document)));
  const ome = { version: "0.5", labels: ["cells"] };
  write("labels/zarr.json", { zarr_format: 3, node_type: "group", attributes: { ome } });
  const group = JSON.parse(new TextDecoder().decode(store.get("labels/cells/zarr.json")));
  group.attributes.ome["image-label"] = { colors: [{ "label-value": 7, rgba: [255, 0, 0, 255] }] };
  write("labels/cells/zarr.json", group);
  const keys = await serve(page, store);
  const middle = async () => {
    const { width, height, data } = await viewer.canvas();
    const pixel = (x: number) => [...data.subarray(4 * ((height >> 1) * width + x)).subarray(0, 3)];
    return [pixel(width >> 1), pixel((width >> 1) - Math.round(height / 5))];
  };
  // The group of the labels itself.
  await viewer.show("source=/volume&path=labels/cells&view=volume&orbit=0,0,1");
  await expect.poll(middle).toEqual([
    [expect.closeTo(255, -1), 0, 0],
    [16, 20, 24],
  ]);
  await viewer.show("source=/volume&labels=cells&opacity=1&image-opacity=0&view=volume&orbit=0,0,1&map=gray");
  await settles(page);
  const [red, beside] = await middle();
  expect([red![0]! > 230, red![1], red![2]]).toEqual([true, 0, 0]);
  keys.length = 0;
  await page.locator(".zw-box").press("+");
  await settles(page);
  expect(keys.filter((key) => /^[01]\/c\//.test(key))).toEqual([]);
  // A translucent image.
  await show(viewer, "labels=none&image-opacity=0.5&mode=max&orbit=0,0,1");
  const half = await middle();
  await change(viewer, "labels=none&mode=max&orbit=0,0,1");
  const whole = await middle();
  for (const i of [0, 1]) expect(Math.abs(half[i]![0]! * 2 - whole[i]![0]!)).toBeLessThanOrEqual(2);
  expect(beside).toBeDefined();
});

test("one line of the legend names the level and the range; the scale bar is beside the data", async ({
  viewer,
  page,
}) => {
  const big = volumeOf(new Uint8Array(96 ** 3), [96, 96, 96], noise);
  await serve(page, omeVolume([big, halved(big)], [64, 64, 64]));
  await show(viewer, "orbit=30,20,0.3&mode=max");
  await expect(page.locator(".zw-legend")).toContainText("Level 1 of 2, 0 to 256");
  const bar = page.locator(".zw-frame-volume > .zw-scale-bar");
  await expect(bar).toHaveText(/^\d+ µm$/);
  const [place, box] = [(await bar.boundingBox())!, (await viewer.box.boundingBox())!];
  expect(place.y).toBeGreaterThanOrEqual(box.y + box.height);
  // A parallel projection of as many pixels per micrometre at the centre.
  const width = async () => (await bar.locator("i").boundingBox())!.width;
  const length = async () => Number.parseFloat((await bar.textContent())!);
  const perUnit = (await width()) / (await length());
  const scale = (0.3 * Math.min(box.width, box.height)) / Math.hypot(96, 96, 96);
  expect(perUnit / scale).toBeCloseTo(1, 1);
  await change(viewer, "orbit=30,20,0.3,48,48,48,perspective&mode=max");
  await expect(bar).toHaveText(/^\d+ µm at the centre$/);
  expect((await width()) / (await length()) / perUnit).toBeCloseTo(1, 1);
});

test("nothing to see: only NaN, only zeros, and an axis of one index", async ({ viewer, page }) => {
  const nothing = volumeOf(new Float32Array(20 * 16 * 12), [20, 16, 12], () => Number.NaN);
  await serve(page, omeVolume([nothing], [64, 64, 64]), "nothing");
  for (const mode of ["max", "composite", "surface", "mean"]) {
    await viewer.show(`source=/nothing&view=volume&mode=${mode}&tool=measure&clip=19:20,0:16,11:12`);
    const { width, height } = (await viewer.box.boundingBox())!;
    await viewer.box.click({ position: { x: width / 2, y: height / 2 } });
    await expect(page.locator(".zw-frame-volume .zw-measure")).toBeHidden();
    await expect(viewer.readout).not.toContainText("[");
  }
  await drag(page, handle(page, "First index drawn along y"), 0, 200);
  await expect(page).toHaveURL(/clip=19:20,1[0-5]:16,11:12/);
});
