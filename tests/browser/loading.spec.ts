// Loading: progress is shown, and the last request wins. Responses are held back until the test releases
// them.
import { grayTable } from "../shared/pixels.js";
import { largeValue, sliceValue } from "../shared/viewer-stores.js";
import { expect, test } from "./site.js";
import { coloursOf, elementIsReady, holdBack, openElements, viewerWithWebGL } from "./viewer-page.js";

const grayOf = (slice: number) => grayTable(64, 64, [0, 256], (y, x) => sliceValue([slice, y, x]));

test("the progress bar counts chunks", async ({ viewer, page }) => {
  const { held, release } = await holdBack(page, /\/stores\/slices\/2\.1\.1$/);
  await viewer.goto("source=/stores/slices&select=2,:,:");
  const bar = page.getByRole("progressbar", { name: "Chunks read" });
  await expect(bar).toHaveJSProperty("value", 3);
  await expect(bar).toHaveJSProperty("max", 4);
  await expect(page.getByRole("status").first()).toHaveText("Reading 4 chunks…");
  await expect(page.locator(".zw-stage")).toHaveAttribute("aria-busy", "true");
  expect(held).toEqual(["/stores/slices/2.1.1"]);
  release();
  await viewer.reaches("ready");
  await expect(page.locator(".zw-stage")).toHaveAttribute("aria-busy", "false");
  await expect(page.locator(".zw-status")).toContainText("4 chunks, 4 KiB");
});

test("a server that does not respond is reported until data arrives", async ({ viewer, page }) => {
  await page.clock.install();
  const metadata = await holdBack(page, /\/stores\/slices\/meta$/);
  const chunk = await holdBack(page, /\/stores\/slices\/2\.1\.1$/);
  await viewer.goto("source=/stores/slices&select=2,:,:");
  const status = page.locator(".zw-status");
  await expect(status).toHaveText("Opening…");
  await page.clock.fastForward(10_000);
  await expect(status).toHaveText("Opening… Still waiting after 10 s: the source is slow or not responding.");
  metadata.release();
  await expect(status).toHaveText("Reading 4 chunks…");
  await page.clock.fastForward(10_000);
  await expect(status).toContainText("Reading 4 chunks… Still waiting after 10 s");
  chunk.release();
  await viewer.reaches("ready");
  await expect(status).toContainText("4 chunks, 4 KiB");
  await page.clock.fastForward(60_000);
  await expect(status).toContainText("4 chunks, 4 KiB");
});

test("the code of panes may arrive after their source has been closed", async ({ viewer, page }) => {
  const code = await holdBack(page, /\/cross-sections-\w+\.js$/);
  const metadata = await holdBack(page, /\/stores\/pyramid\/zarr\.json$/);
  await viewer.goto("source=/stores/slices&planes=xy,xz");
  await expect.poll(() => code.held.length).toBe(1);
  await page.getByLabel("Address of a Zarr array").fill("/stores/pyramid");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expect.poll(() => metadata.held.length).toBe(1);
  const loaded = page.waitForResponse(/\/cross-sections-\w+\.js$/);
  code.release();
  await (await loaded).finished();
  metadata.release();
  await viewer.reaches("ready");
  await expect(page.locator("[data-panes]")).toHaveCount(0);
});

test("the page opens the source in its address while other scripts are loading", async ({ viewer, page }) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  const scripts = await holdBack(page, /\/start-\w+\.js$/);
  const loading = viewer.goto("source=/stores/&path=pyramid");
  await expect.poll(() => requests).toContain("/stores/pyramid/zarr.json");
  expect(scripts.held).toHaveLength(1);
  scripts.release();
  await loading;
  await viewer.reaches("ready");
  for (const name of ["zarr.json", ".zarray", ".zgroup"])
    expect(requests.filter((path) => path === `/stores/pyramid/${name}`)).toHaveLength(1);
});

test("a source whose early opening fails is requested again only by “Try again”", async ({
  viewer,
  page,
  problems,
}) => {
  problems.expect(/403|404/); // the URL itself may be a file
  let requests = 0;
  const scripts = await holdBack(page, /\/start-\w+\.js$/);
  await page.route(/\/pyramid\/zarr\.json$/, (route) =>
    ++requests === 1 ? route.fulfill({ status: 403, body: "" }) : route.continue(),
  );
  const loading = viewer.goto("source=/stores/pyramid");
  await expect.poll(() => requests).toBe(1);
  scripts.release();
  await loading;
  await viewer.reaches("error");
  expect(requests).toBe(1);
  await page.getByRole("button", { name: "Try again" }).click();
  await viewer.reaches("ready");
});

for (const [version, source] of [
  [3, "stores/pyramid"],
  [2, "groups/plate.zarr/A/1/0/0"],
] as const)
  test(`Zarr v${version} is opened without the code for other formats`, async ({ viewer, page }) => {
    const scripts: string[] = [];
    const data: string[] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.endsWith(".js")) scripts.push(response.url());
      if (pathname.startsWith(`/${source}`)) data.push(pathname);
    });
    // The documents of version 3 arrive last.
    const newest = await holdBack(page, /\/zarr\.json$/);
    await viewer.goto(`source=/${source}`);
    await expect.poll(() => data.filter((name) => /\.z(array|group)$/.test(name)).length).toBe(2);
    newest.release();
    await viewer.reaches("ready");
    const texts = await Promise.all(scripts.map(async (url) => (await fetch(url)).text()));
    expect(texts.filter((text) => text.includes("bad-icechunk"))).toEqual([]);
    expect(data.filter((name) => /\/(repo|ref\.json|meta|\.zmetadata)$/.test(name))).toEqual([]);
  });

test("changing the selection aborts pending reads: the last choice is drawn", async ({ viewer, page }) => {
  await viewer.show("source=/stores/slices&select=0,:,:&map=gray&range=0:256");
  await viewer.showsGray(grayOf(0));
  const aborted: string[] = [];
  page.on("requestfailed", (request) => aborted.push(new URL(request.url()).pathname));
  const { held, release } = await holdBack(page, /\/stores\/slices\/\d+\.\d+\.\d+$/);
  for (const slice of [3, 6, 8, 5]) {
    await viewer.slide("axis 0", slice);
    await expect.poll(() => held.filter((url) => url.includes(`/${slice}.`)).length).toBe(4);
  }
  await expect.poll(() => aborted.length).toBe(12);
  await viewer.reaches("reading");
  release();
  await viewer.reaches("ready");
  await viewer.showsGray(grayOf(5));
  expect(aborted.some((url) => url.includes("/5."))).toBe(false);
  await expect(page).toHaveURL(/select=5,:,:/);
});

test("changing the colours while chunks are in flight does not fetch them again", async ({
  viewer,
  page,
}) => {
  await viewer.show("source=/stores/slices&select=0,:,:&scope=slice");
  const { held, release } = await holdBack(page, /\/stores\/slices\/7\.\d+\.\d+$/);
  await viewer.slide("axis 0", 7);
  await expect.poll(() => held.length).toBe(4);
  await viewer.choose("Colour map", "gray");
  await viewer.choose("Value range", "Manual");
  await viewer.enter("Lowest value", 0);
  await viewer.enter("Highest value", 256);
  release();
  await viewer.showsGray(grayOf(7));
  expect(held).toHaveLength(4);
});

test("another source while one is being opened", async ({ viewer, page }) => {
  const { held, release } = await holdBack(page, /\/stores\/cube\/meta$/);
  await viewer.goto("source=/stores/cube");
  await expect.poll(() => held.length).toBe(1);
  await page.getByLabel("Address of a Zarr array").fill("/stores/mask");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await viewer.reaches("ready");
  release();
  await expect(page.getByRole("heading", { level: 2 }).filter({ hasText: "mask" })).toBeVisible();
  expect((await viewer.pixels()).width).toBe(8);
});

test("only the chunks in view are fetched, the nearest to the centre first", async ({ viewer, page }) => {
  const chunks: string[] = [];
  page.on("request", (request) => {
    const match = /\/stores\/large\/(\d+\.\d+)$/.exec(request.url());
    if (match) chunks.push(match[1]!);
  });
  // Rows 1000 to 1500 at 1:1, columns near the right end of the second chunk.
  await viewer.show("source=/stores/large&at=1150,1300,1");
  const { top, left, rows, columns } = await viewer.seen();
  const span = (from: number, count: number, last: number) => {
    const first = Math.max(0, Math.floor(from / 700));
    return Array.from(
      { length: Math.min(last, Math.floor((from + count) / 700)) - first + 1 },
      (_, i) => first + i,
    );
  };
  const expected = span(top, rows, 5).flatMap((row) =>
    span(left, columns, 2).map((column) => `${row}.${column}`),
  );
  expect([...chunks].sort()).toEqual(expected);
  expect(chunks[0]).toBe("1.1");
});

test("reads out of view are aborted, chunks in view drawn", async ({ viewer, page }) => {
  const aborted: string[] = [];
  page.on("requestfailed", (request) => {
    const { pathname } = new URL(request.url());
    if (/\d+\.\d+$/.test(pathname)) aborted.push(pathname);
  });
  const { held, release } = await holdBack(page, /\/stores\/large\/\d+\.\d+$/);
  await viewer.goto("source=/stores/large&map=gray&range=0:256&at=300,300,4");
  await expect.poll(() => held).toEqual(["/stores/large/0.0"]);
  await page.evaluate(() => {
    history.pushState(null, "", location.search.replace("at=300,300,4", "at=3000,1500,4"));
    dispatchEvent(new PopStateEvent("popstate"));
  });
  await expect.poll(() => held).toContain("/stores/large/4.2");
  await expect.poll(() => aborted).toEqual(["/stores/large/0.0"]);
  release();
  await viewer.reaches("ready");
  await viewer.showsGray([[largeValue([3000, 1500])]], { row: 3000, column: 1500 });
});

test("tiles are drawn as they arrive", async ({ viewer, page }) => {
  const { held, release } = await holdBack(page, /\/stores\/slices\/2\.1\.1$/);
  await viewer.goto("source=/stores/slices&select=2,:,:&map=gray&range=0:256");
  await expect.poll(() => held.length).toBe(1);
  await viewer.reaches("reading");
  const part = grayTable(32, 64, [0, 256], (y, x) => sliceValue([2, y, x]));
  await viewer.showsGray(part, { row: 0, column: 0 });
  await viewer.reaches("reading");
  release();
  await viewer.showsGray(grayOf(2));
});

test("unread parts are softly hatched, with and without WebGL, and read ones are not", async ({
  viewer,
  page,
  site,
}) => {
  const soft = new Set([0xffffffff, 0xffe7e1db]); // --zw-surface and --zw-line
  for (const one of [viewer, await viewerWithWebGL(page, site)]) {
    const { held, release } = await holdBack(one.page, /\/stores\/slices\/2\.1\.1$/);
    await one.goto("source=/stores/slices&select=2,:,:&map=gray&range=0:256");
    await expect.poll(() => held.length).toBe(1);
    const part = grayTable(32, 64, [0, 256], (y, x) => sliceValue([2, y, x]));
    await one.showsGray(part, { row: 0, column: 0 });
    await expect.poll(() => coloursOf(one, 32, 32, 32)).toEqual(soft);
    release();
    await one.reaches("ready");
    await one.showsGray(grayOf(2));
  }
});

test("unread parts of a composite do not look like zeros; parts that one channel has are not hatched", async ({
  viewer,
  page,
  site,
}) => {
  const lines = 0xff332c26;
  for (const one of [viewer, await viewerWithWebGL(page, site)]) {
    const { held, release } = await holdBack(one.page, /\/stores\/omero\/0\/(c\/)?0[./]/);
    const others = await holdBack(one.page, /\/stores\/omero\/0\/(c\/)?[1-9][./]/);
    await one.goto("source=/stores/omero");
    await expect.poll(() => held.length).toBeGreaterThan(0);
    await expect.poll(async () => (await coloursOf(one, 2, 2, 16)).has(lines)).toBe(true);
    others.release();
    await expect.poll(async () => (await coloursOf(one, 2, 2, 16)).has(lines)).toBe(false);
    release();
    await one.reaches("ready");
  }
});

test("a frame has the size of the picture while its source is being opened", async ({ page, site }) => {
  for (const height of ["", "500px"]) {
    const { held, release } = await holdBack(page, /\/stores\/slices\/meta$/);
    await openElements(page, site, `<zarr-viewer src="/stores/slices"></zarr-viewer><p>below</p>`);
    await page.locator("zarr-viewer").evaluate((viewer, given) => {
      (viewer as HTMLElement).style.height = given;
    }, height);
    await expect.poll(() => held.length).toBe(1);
    const heights = () =>
      page.evaluate(() => {
        const part = (name: string) =>
          document.querySelector("zarr-viewer")!.shadowRoot!.querySelector(name)!.getBoundingClientRect();
        return { view: part(".zw-view").height, element: part(".zw-layout").height };
      });
    const before = await heights();
    release();
    await elementIsReady(page);
    const after = await heights();
    expect(before.element).toBeCloseTo(after.element, -1);
    expect(before.view).toBeCloseTo(after.view, -1);
    await page.unrouteAll();
  }
});

test("opening arrays, groups and images sends few requests that fail", async ({ viewer, page }) => {
  const failed: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 404) failed.push(new URL(response.url()).pathname);
  });
  for (const [source, most] of [
    ["/examples/field.zarr", 3], // Zarr v1, which is looked for last
    ["/stores/spike", 2],
    ["/stores/omero", 3], // also the group of labels
    ["/samples/climate.zarr", 2],
  ] as const) {
    failed.length = 0;
    await page.goto("about:blank");
    await viewer.show(`source=${source}`);
    const below = failed.filter((path) => path.startsWith(source));
    expect(below.length, below.join()).toBeLessThanOrEqual(most);
  }
});
