// Parquet reference files in a page: read by the library, and shown by the viewer.
import type * as Library from "zarr-wasm";
import { repository } from "../node/support/icechunk-repository.js";
import { data, sampleFolder, sampleValues } from "../node/support/parquet-sample.js";
import { ObjectServer } from "../node/support/store-server.js";
import { grayTable } from "../shared/pixels.js";
import { expect, test } from "./site.js";

let server: ObjectServer;

test.beforeAll(async () => {
  server = await new ObjectServer({ "/far/data.bin": data }).start();
  for (const [key, bytes] of Object.entries(sampleFolder("../data.bin")))
    server.objects.set(`/far/refs.parquet${key}`, bytes);
});

test.afterAll(() => server.close());

test.beforeEach(async ({ page, site, problems }) => {
  problems.expect(/404/); // probed documents that are missing
  // The policy lets pages read only from their own origin.
  await page.route(`${site}/far/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: server.url + pathname }) });
  });
});

test("are read file by file, each file once", async ({ page, site }) => {
  await page.goto(`${site}/pages/blank.html`);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  const count = (end: string) => requests.filter((name) => name.endsWith(end)).length;
  const found = await page.evaluate(async () => {
    const entry = "/lib/index.js";
    const { getBytes, open } = (await import(entry)) as typeof Library;
    const group = await open("/far/refs.parquet", { kind: "group" });
    const names = ["t", "deep/grid", "slashed", "scalar"];
    const read = async (name: string) => {
      const { bytes } = await getBytes(await group.open(name, { kind: "array" }));
      return [name, [...bytes]] as const;
    };
    return Object.fromEntries(await Promise.all(names.map(read)));
  });
  const { empty: _, ...expected } = sampleValues;
  expect(found).toEqual(expected);
  expect([count("/parquet/footer.js"), count("/.zmetadata"), count("/t/refs.0.parq")]).toEqual([1, 1, 1]);
});

test("pipelines are opened by the address box and by src", async ({ page, viewer, site }) => {
  for (const [key, bytes] of repository()) server.objects.set(`/far/repo${key}`, bytes);
  await page.goto(`${site}/viewer/`);
  await page.getByLabel("Address of a Zarr array").fill("/far/repo|icechunk://branch.main/|zarr3:a");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await viewer.reaches("ready");
  expect(new URL(page.url()).searchParams.get("source")).toBe("/far/repo|icechunk://branch.main/");
  expect(new URL(page.url()).searchParams.get("path")).toBe("a");
  await page.goto(`${site}/pages/blank.html`);
  await page.addScriptTag({ url: "/viewer/viewer.min.js", type: "module" });
  await page.evaluate(() => {
    document.body.innerHTML = '<zarr-viewer src="/far/repo|icechunk://tag.v1/|zarr3:a"></zarr-viewer>';
  });
  await expect(page.locator("zarr-viewer .zw-viewer")).toHaveAttribute("data-state", "ready");
});

test("are opened by the viewer: the folder, and an array in it", async ({ viewer, page }) => {
  await viewer.goto("source=/far/refs.parquet");
  await expect(page.getByText("slashed").first()).toBeVisible();
  await viewer.show("source=/far/refs.parquet&path=slashed&map=gray&range=0:256");
  const expected = sampleValues["slashed"]!;
  await viewer.showsGray(grayTable(4, 4, [0, 256], (row, column) => expected[row * 4 + column]!));
});
