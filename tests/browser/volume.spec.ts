// Volumes: projections against rays in float64, streaming, the camera.
import { isWhole } from "../node/support/amounts.js";
import { grayRows } from "../shared/pixels.js";
import { halved, omeVolume, volumeOf } from "../shared/volumes.js";
import { expect, test } from "./site.js";
import { loseContexts, recordContexts } from "./viewer-page.js";
import {
  average,
  bytes,
  change,
  compared,
  errors,
  image,
  most,
  noise,
  pictureHash,
  replaceInShaders,
  serve,
  show,
  volumeWindow,
} from "./volume-page.js";

test.use({ viewport: volumeWindow });
test.beforeEach(({ problems }) => {
  problems.expect(/404/); // chunks of the fill value
});

test("maximum intensity along the axes and between them; every chunk is requested once, the coarsest level first", async ({
  viewer,
  page,
}) => {
  const keys = await serve(page, image);
  await show(viewer, "orbit=0,0,1&mode=max");
  const chunks = keys.filter((key) => /\/c\//.test(key));
  expect(new Set(chunks).size).toBe(chunks.length);
  const first = chunks.findIndex((key) => key.startsWith("0/"));
  expect(chunks.slice(0, first)).toEqual(chunks.filter((key) => key.startsWith("1/")));
  for (const [yaw, pitch, zoom] of [
    [0, 0, 1],
    [180, 0, 1],
    [90, 0, 1],
    [-90, 0, 1],
    [0, 90, 1],
    [0, -90, 1],
    [30, 20, 1],
    [-141, -35.26, 1.7],
    [77, 61, 0.9],
  ] as const) {
    await change(viewer, `orbit=${yaw},${pitch},${zoom}&mode=max`);
    const pairs = await compared(viewer, bytes, [yaw, pitch, zoom], most);
    const { max, mean } = errors(pairs);
    expect(yaw % 90 === 0 ? max : mean / 2, `${yaw}, ${pitch}`).toBeLessThanOrEqual(1);
    expect(new Set(pairs.map(({ expected }) => expected)).size).toBeGreaterThan(isWhole ? 50 : 30);
  }
});

test("maximum intensity along 26 directions", async ({ viewer, page }) => {
  const small = volumeOf(new Uint8Array(70 * 40 * 30), [70, 40, 30], (x, y, z) =>
    Math.hypot(x - 36, y - 19, z - 16) < 19 ? noise(x, y, z) : 0,
  );
  await serve(page, omeVolume([small], [40, 64, 64]));
  const signs = [-1, 0, 1];
  const ways = signs.flatMap((x) => signs.flatMap((y) => signs.map((z) => [x, y, z] as const)));
  const directions = ways
    .filter((way) => way.some((sign) => sign !== 0))
    .map(([x, y, z]) => {
      const [yaw, pitch] = [Math.atan2(x, z), Math.atan2(y, Math.hypot(x, z))];
      const turned = [yaw, pitch].map((angle) => Number(((angle * 180) / Math.PI).toFixed(2)));
      return { turned: turned as [number, number], isAxis: Math.abs(x) + Math.abs(y) + Math.abs(z) === 1 };
    });
  expect(directions).toHaveLength(26);
  await show(viewer, "mode=max&orbit=0,0,0.5");
  // Every fourth is along an axis, an edge and a corner as well.
  for (const { turned, isAxis } of directions.filter((_, i) => isWhole || i % 4 === 0)) {
    await change(viewer, `mode=max&orbit=${turned},1`);
    const { max, mean } = errors(await compared(viewer, small, [...turned, 1], most));
    expect(isAxis ? max : mean / 2, String(turned)).toBeLessThanOrEqual(1);
  }
});

test("minimum, average and a chunk that is not stored, whose fill value is not zero", async ({
  viewer,
  page,
}) => {
  // One chunk, a whole brick, has the fill value only.
  const volume = volumeOf(new Uint8Array(128 * 64 * 64), [128, 64, 64], (x, y, z) =>
    x < 64 ? 100 + (noise(x, y, z) >> 2) : 90,
  );
  const keys = await serve(page, omeVolume([volume], [64, 64, 64], 90));
  await show(viewer, "mode=max");
  for (const [mode, expected] of [
    ["min", (samples: readonly number[]) => Math.min(...samples)],
    ["mean", average],
  ] as const) {
    await change(viewer, `orbit=0,0,1&mode=${mode}`);
    const pairs = await compared(viewer, volume, [0, 0, 1], expected);
    // Between the two bricks, the border of the empty one is not interpolated.
    const wrong = pairs.filter((pair) => Math.abs(pair.actual - pair.expected) > 1);
    expect(wrong.length / pairs.length).toBeLessThan(0.02);
    await change(viewer, `orbit=25,-15,1&mode=${mode}`);
    expect(errors(await compared(viewer, volume, [25, -15, 1], expected)).mean).toBeLessThanOrEqual(2);
  }
  expect(keys.filter((key) => key === "0/c/0/0/1").length).toBeGreaterThan(0);
});

test("16 bits under a narrow window, and floats with NaN above the range of half floats", async ({
  viewer,
  page,
}) => {
  const narrow = volumeOf(
    new Uint16Array(80 * 70 * 66),
    [80, 70, 66],
    (x, y, z) => 29_950 + (noise(x, y, z) % 100),
  );
  const wide = volumeOf(new Float32Array(80 * 70 * 66), [80, 70, 66], (x, y, z) =>
    x > 60 ? Number.NaN : 1e6 + 1000 * noise(x, y, z),
  );
  const max = (samples: readonly number[]) => Math.max(...samples.filter((value) => !Number.isNaN(value)));
  for (const [name, volume, low, high] of [
    ["narrow", narrow, 29_950, 30_050],
    ["wide", wide, 1e6, 1.256e6],
  ] as const) {
    await serve(page, omeVolume([volume], [64, 64, 64]), name);
    await show(viewer, `range=${low}:${high}`, name);
    for (const [yaw, pitch] of [
      [0, 0],
      [30, 20],
    ] as const) {
      await change(viewer, `range=${low}:${high}&orbit=${yaw},${pitch},1&mode=max`, name);
      const share = (value: number) => (Number.isFinite(value) ? (256 * (value - low)) / (high - low) : 0);
      const pairs = await compared(viewer, volume, [yaw, pitch, 1], (samples) => share(max(samples)));
      const { max: most, mean } = errors(pairs);
      expect(mean).toBeLessThanOrEqual(yaw === 0 ? 1 : 2);
      expect(most).toBeLessThanOrEqual(2);
    }
  }
});

test("infinite values are above or below every range, also between finite ones", async ({ viewer, page }) => {
  for (const [infinite, expected] of [
    [Number.POSITIVE_INFINITY, 255],
    [Number.NEGATIVE_INFINITY, 0],
  ] as const) {
    const volume = volumeOf(new Float32Array(40 * 36 * 32), [40, 36, 32], (x) =>
      x % 3 === 0 ? infinite : 128,
    );
    await serve(page, omeVolume([volume], [64, 64, 64]), `store${expected}`);
    await show(viewer, `orbit=90,0,1&mode=${expected === 0 ? "min" : "max"}`, `store${expected}`);
    const pairs = await compared(viewer, volume, [90, 0, 1], () => expected);
    expect(errors(pairs).max).toBeLessThanOrEqual(1);
  }
});

/** Tubes in zeros, a block of equal values, noise of low values. */
const tubes = (x: number, y: number, z: number) => {
  if (x < 24 && y > 60) return 77;
  if (z > 120) return 20 + (noise(x, y, z) >> 4);
  return Math.hypot(x - 70 - 30 * Math.sin(z / 20), y - 70) < 5 ? 255 - z : 0;
};

const modes = ["max", "min", "mean", "composite", "surface"];

test("skipped bricks and cells do not change the picture", async ({ viewer, page }) => {
  const shape = [140, 130, 140] as const;
  const bytesOnly = volumeOf(new Uint8Array(140 * 130 * 140), shape, tubes);
  const withGaps = volumeOf(new Float32Array(140 * 130 * 140), shape, (x, y, z) =>
    x > 100 && x + z < 150 ? Number.NaN : tubes(x, y, z),
  );
  await serve(page, omeVolume([bytesOnly], [64, 64, 64]), "bytes");
  await serve(page, omeVolume([withGaps], [64, 64, 64]), "gaps");
  // In samples, every mode has one of the volumes.
  const wanted = ["bytes", "gaps"].map((name, i) => ({
    name,
    own: modes.filter((_, at) => isWhole || at % 2 === i),
  }));
  const pictures = async (): Promise<[string, number[]][]> => {
    const all: [string, number[]][] = [];
    for (const { name, own } of wanted) {
      await show(viewer, "orbit=35,25,0.5", name);
      for (const mode of own) {
        await change(viewer, `orbit=35,25,0.5&mode=${mode}`, name);
        all.push([`${name}, ${mode}`, grayRows(await viewer.canvas()).flat()]);
      }
    }
    return all;
  };
  const fast = await pictures();
  await replaceInShaders(page, ["bool isSkipping = true", "bool isSkipping = false"]);
  const slow = await pictures();
  for (const [i, [name, picture]] of fast.entries()) {
    const different = picture.filter((gray, at) => Math.abs(gray - slow[i]![1][at]!) > 1).length;
    expect(different / picture.length, name).toBeLessThan(0.0005);
    expect(new Set(picture).size, name).toBeGreaterThan(10);
  }
});

test("shaders of pictures without slices or levels at odd places draw the same as complete ones", async ({
  viewer,
  page,
}) => {
  await serve(page, image);
  // Far from the camera, the coarser level is drawn. In samples, every mode has one of the distances.
  const views = modes.flatMap((mode, i) =>
    [1, 0.3].filter((_, at) => isWhole || at === i % 2).map((zoom) => `orbit=35,25,${zoom}&mode=${mode}`),
  );
  const pictures = async (): Promise<string[]> => {
    const all: string[] = [];
    await show(viewer, "orbit=0,0,1&mode=max");
    for (const view of views) {
      await change(viewer, view);
      all.push(await pictureHash(page));
    }
    return all;
  };
  const special = await pictures();
  await replaceInShaders(
    page,
    ["bool isAligned = true", "bool isAligned = false"],
    ["bool hasSlices = false", "bool hasSlices = true"],
  );
  const complete = await pictures();
  expect(complete).toEqual(special);
  // The minimum is black at both distances.
  expect(new Set(special).size).toBe(special.length - (isWhole ? 1 : 0));
});

test("the surface of a sphere has its radius and position", async ({ viewer, page }) => {
  const [cx, cy, cz, radius] = [52, 47, 40, 30];
  const sphere = volumeOf(new Uint8Array(100 * 100 * 100), [100, 100, 100], (x, y, z) =>
    Math.max(0, Math.min(255, 128 + 8 * (radius - Math.hypot(x + 0.5 - cx, y + 0.5 - cy, z + 0.5 - cz)))),
  );
  await serve(page, omeVolume([sphere], [64, 64, 64]));
  await show(viewer, "orbit=0,0,1&mode=surface&range=0:256");
  const picture = await viewer.canvas();
  const scale = Math.min(picture.width, picture.height) / Math.hypot(100, 100, 100);
  const isSurface = (column: number, row: number) => {
    const at = 4 * (row * picture.width + column);
    // The background is dark blue, not gray.
    return picture.data[at] === picture.data[at + 1];
  };
  const found: [number, number][] = [];
  for (let row = 0; row < picture.height; row++)
    for (let column = 0; column < picture.width; column++)
      if (isSurface(column, row)) found.push([column, row]);
  const mean = (i: 0 | 1) => found.reduce((sum, at) => sum + at[i] + 0.5, 0) / found.length;
  const voxel = (at: number, size: number) => (at - size / 2) / scale + 50;
  expect(Math.abs(voxel(mean(0), picture.width) - cx)).toBeLessThan(0.5);
  expect(Math.abs(voxel(mean(1), picture.height) - cy)).toBeLessThan(0.5);
  expect(Math.abs(Math.sqrt(found.length / Math.PI) / scale - radius)).toBeLessThan(0.5);
});

test("the pointer and keys turn the volume; the address keeps the camera and the projection", async ({
  viewer,
  page,
}) => {
  await page.setViewportSize({ width: 960, height: 640 });
  await serve(page, image);
  await viewer.show("source=/volume&map=gray&range=0:256&view=volume");
  const before = await pictureHash(page);
  const { x, y, width, height } = (await viewer.box.boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2 + 60, y + height / 2 - 25, { steps: 4 });
  await page.mouse.up();
  await viewer.reaches("ready");
  await expect.poll(() => pictureHash(page)).not.toBe(before);
  await expect(page).toHaveURL(/orbit=6,10,1\.15/);
  await viewer.box.focus();
  await page.keyboard.press("v");
  await expect(page).toHaveURL(/orbit=6,10,1\.15,perspective/);
  await page.getByLabel("Along each ray").selectOption("Average");
  await expect(page).toHaveURL(/mode=mean/);
  await viewer.reaches("ready");
  await page.keyboard.press("Tab");
  await viewer.box.focus();
  await page.keyboard.press("0");
  await expect(page).not.toHaveURL(/orbit=/);
  await page.getByRole("radiogroup", { name: "View" }).getByText("Plane").click();
  await expect(viewer.box).toHaveAttribute("data-view", /:/);
  await viewer.reaches("ready");
});

test("the same picture after a lost context", async ({ viewer, page }) => {
  await recordContexts(page);
  await serve(page, image);
  await show(viewer, "mode=max");
  const before = grayRows(await viewer.canvas());
  await page.locator(".zw-canvas").evaluate((canvas: HTMLCanvasElement) => {
    canvas.getContext("2d")!.clearRect(0, 0, canvas.width, canvas.height);
  });
  expect(await loseContexts(page)).toBe(0);
  // Bricks take other places in the atlas, which rounds a few samples differently.
  const difference = async () => {
    const after = grayRows(await viewer.canvas());
    return Math.max(
      ...after.map((row, y) => Math.max(...row.map((gray, x) => Math.abs(gray - before[y]![x]!)))),
    );
  };
  await expect.poll(difference).toBeLessThanOrEqual(1);
});

test("“Try again” reads chunks that could not be read", async ({ viewer, page, problems }) => {
  problems.expect(/500/);
  await serve(page, image);
  const broken = "**/volume/0/c/0/0/0";
  await page.route(broken, (route) => route.fulfill({ status: 500 }));
  await show(viewer, "orbit=0,0,1&mode=max");
  const note = page.getByRole("list", { name: "Notes" }).getByRole("listitem");
  await expect(note).toContainText("answered 500");
  await page.unroute(broken);
  await note.getByRole("button", { name: "Try again" }).click();
  await expect(note).toHaveCount(0);
  await viewer.reaches("ready");
  expect(errors(await compared(viewer, bytes, [0, 0, 1], most)).max).toBeLessThanOrEqual(1);
});

test("a clip box and a cut plane; the panel changes both", async ({ viewer, page }) => {
  await serve(page, image);
  const box = { from: [40, 20, 5], to: [101, 80, 60] } as const;
  await show(viewer, "orbit=0,0,1&mode=max&clip=40:101,20:80,5:60");
  expect(errors(await compared(viewer, bytes, [0, 0, 1], most, box)).max).toBeLessThanOrEqual(1);
  const panel = page.locator(".zw-clip");
  await panel.getByRole("slider", { name: "First index drawn along y" }).press("PageUp");
  await expect(page).toHaveURL(/clip=40:101,30:80,5:60/);
  // Along x, from the middle of the volume, for a camera that looks along z.
  await change(viewer, "orbit=0,0,1&mode=max&cut=90,0,0");
  const half = { normal: [1, 0, 0], offset: 65 } as const;
  const pairs = await compared(viewer, bytes, [0, 0, 1], most, half);
  expect(errors(pairs).max).toBeLessThanOrEqual(1);
  await change(viewer, "orbit=30,20,1&mode=max&cut=90,0,0");
  const oblique = await compared(viewer, bytes, [30, 20, 1], most, half);
  expect(errors(oblique).mean).toBeLessThanOrEqual(2);
  await viewer.box.focus();
  await page.keyboard.press("]");
  await expect(page).toHaveURL(/cut=90,0,0\.02/);
  await page.getByLabel("Cut parallel to the screen").uncheck();
  await expect(page).not.toHaveURL(/cut=/);
});

test("the voxel under the pointer, buttons above the volume, keys", async ({ viewer, page }) => {
  const block = volumeOf(new Uint8Array(64 ** 3), [64, 64, 64], (x, y, z) =>
    x >= 28 && x < 36 && y >= 30 && y < 34 && z >= 10 && z < 20 ? 200 + (z === 15 ? 20 : 0) : 3,
  );
  await serve(page, omeVolume([block], [64, 64, 64]));
  await show(viewer, "orbit=0,0,1&mode=max");
  const { width, height } = (await viewer.box.boundingBox())!;
  await viewer.box.hover({ position: { x: width / 2, y: height / 2 } });
  await expect(viewer.readout).toContainText(/\[15, 3[12], 3[12]\]/);
  await expect(viewer.readout).toContainText("220");
  await change(viewer, "orbit=0,0,1&mode=surface");
  await viewer.box.focus();
  await page.keyboard.press("Enter");
  await expect(viewer.readout).toContainText(/\[10, 3[12], 3[12]\].*200/);
  await expect(page.getByRole("slider", { name: "z", exact: true })).toBeHidden();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect(page).toHaveURL(/orbit=0,0,1\.5/);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as PNG" }).click();
  expect((await download).suggestedFilename()).toMatch(/\.png$/);
  await viewer.box.focus();
  await page.keyboard.press("y");
  await expect(page).toHaveURL(/orbit=[-\d.]+,90,1\.5/);
});

test("the budget bounds the textures", async ({ viewer, page }) => {
  const dense = volumeOf(new Uint8Array(256 ** 3), [256, 256, 256], (x, y, z) => 1 + (noise(x, y, z) >> 1));
  await serve(page, omeVolume([dense, halved(dense)], [64, 64, 64]));
  await show(viewer, "mode=max&orbit=30,20,3&volume-budget=16");
  expect(Number(await viewer.box.getAttribute("data-textures"))).toBeLessThanOrEqual(16 * 2 ** 20);
  await expect(page.getByText(/tiles in view exceed the memory budget/)).toBeVisible();
  await page.getByRole("button", { name: "Copy link" }).waitFor();
  await expect(page).toHaveURL(/volume-budget=16/);
});

test("labels cover the volume in their colours", async ({ viewer, page }) => {
  const cells = volumeOf(new Uint16Array(64 ** 3), [64, 64, 64], (x, y, z) =>
    Math.hypot(x - 32, y - 32, z - 32) < 16 ? 7 : 0,
  );
  const grey = volumeOf(new Uint8Array(64 ** 3), [64, 64, 64], () => 100);
  const store = omeVolume([grey], [64, 64, 64]);
  for (const [key, value] of omeVolume([cells], [64, 64, 64])) store.set(`labels/cells/${key}`, value);
  const read = (key: string) => JSON.parse(new TextDecoder().decode(store.get(key)));
  const write = (key: string, document: unknown) =>
    store.set(key, new TextEncoder().encode(JSON.stringify(document)));
  const ome = { version: "0.5", labels: ["cells"] };
  write("labels/zarr.json", { zarr_format: 3, node_type: "group", attributes: { ome } });
  const own = read("labels/cells/zarr.json");
  own.attributes.ome["image-label"] = { colors: [{ "label-value": 7, rgba: [255, 0, 0, 255] }] };
  write("labels/cells/zarr.json", own);
  await serve(page, store);
  await show(viewer, "orbit=0,0,1&mode=max&opacity=1");
  const colorAt = async (x: number, y: number) => {
    const { width, height, data } = await viewer.canvas();
    const at = 4 * (Math.round(y * height) * width + Math.round(x * width));
    return [...data.subarray(at, at + 3)];
  };
  const isRed = async () => {
    const [red, green, blue] = await colorAt(0.5, 0.5);
    return red! > 230 && green === 0 && blue === 0;
  };
  await expect.poll(isRed).toBe(true);
  const { width, height } = (await viewer.box.boundingBox())!;
  const scale = Math.min(width, height) / Math.hypot(64, 64, 64);
  expect(await colorAt(0.5 + (24 * scale) / width, 0.5)).toEqual([100, 100, 100]);
  await viewer.box.hover({ position: { x: width / 2, y: height / 2 } });
  await expect(viewer.readout).toContainText(/100 · label 7/);
});

test("other axes step and play; the former volume stays until the next has been read", async ({
  viewer,
  page,
}) => {
  const shape = [3, 32, 32, 32];
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1, ...shape.slice(1)] } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: 0,
    codecs: [{ name: "bytes" }],
    dimension_names: ["t", "z", "y", "x"],
  };
  const store = new Map([["zarr.json", new TextEncoder().encode(JSON.stringify(document))]]);
  for (const t of [0, 1, 2]) store.set(`c/${t}/0/0/0`, new Uint8Array(32 ** 3).fill(60 * (t + 1)));
  await serve(page, store);
  await show(viewer, "orbit=0,0,1&mode=max&select=0,0,:,:");
  const middle = async () => {
    const picture = await viewer.canvas();
    return grayRows(picture)[picture.height >> 1]![picture.width >> 1];
  };
  await expect.poll(middle).toBe(60);
  await expect(page.getByRole("slider", { name: "z", exact: true })).toBeHidden();
  await viewer.box.focus();
  const seen = new Set<number | undefined>();
  for (const expected of [120, 180]) {
    await page.keyboard.press(".");
    await expect
      .poll(
        async () => {
          const now = await middle();
          seen.add(now);
          return now;
        },
        { intervals: [5] },
      )
      .toBe(expected);
  }
  expect([...seen].every((value) => [60, 120, 180].includes(value!))).toBe(true);
  await page.getByRole("button", { name: "Play along t" }).click();
  await expect.poll(middle).toBe(60);
  await page.keyboard.press(" ");
});

test("too many voxels for a volume: a message, and the plane", async ({ viewer, page }) => {
  const metadata = {
    zarr_format: 3,
    node_type: "array",
    shape: [2 ** 40, 2 ** 40, 2 ** 40],
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [64, 64, 64] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes" }],
  };
  await serve(page, new Map([["zarr.json", Buffer.from(JSON.stringify(metadata))]]));
  await viewer.show("source=/volume&view=volume&at=100,100,8");
  await expect(page.getByText(/The volume cannot be shown: its level 0 has 1099511627776 ×/)).toBeVisible();
  await expect(page.locator(".zw-frame-volume")).toHaveCount(0);
});
