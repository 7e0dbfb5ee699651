// Documents of any size: few nodes, short strings, parsing in slices.
import type { Page } from "@playwright/test";
import { isWhole } from "../node/support/amounts.js";
import {
  attributesOnly,
  deepTree,
  duplicateKeys,
  longNames,
  manyChannels,
  manyDimensions,
  manyFields,
  manyFieldsOfElements,
  manyGroups,
  manyLevels,
  manyVariables,
  plate,
  type Stored,
  strings,
} from "../shared/viewer-large.js";
import { violations } from "./axe-rules.js";
import { expect, test } from "./site.js";
import type { ViewerPage } from "./viewer-page.js";

/** Maximum number of nodes of a page. */
const maxNodes = 2000;

/**
 * Maximum length of a node's value or an attribute. Zarr attributes are displayed up to 20,000 characters.
 */
const maxLength = 20_100;

/** Serves a store under /large/. */
async function serve(page: Page, stored: Stored): Promise<void> {
  await page.route("**/large/**", async (route) => {
    const [, key = ""] = /\/large\/(.*)$/.exec(decodeURI(new URL(route.request().url()).pathname)) ?? [];
    const body = stored.get(key);
    await route.fulfill(body === undefined ? { status: 404 } : { body: Buffer.from(body) });
  });
}

/** Number of nodes of the page, and length of its longest text node or attribute. */
const measured = (page: Page) =>
  page.evaluate(() => {
    let [nodes, longest] = [0, 0];
    const walker = document.createTreeWalker(document);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      nodes++;
      longest = Math.max(longest, node.nodeValue?.length ?? 0);
      if (node instanceof Element)
        for (const { value } of node.attributes) longest = Math.max(longest, value.length);
    }
    return { nodes, longest };
  });

async function expectSmall(page: Page): Promise<void> {
  const { nodes, longest } = await measured(page);
  expect(nodes).toBeLessThanOrEqual(maxNodes);
  expect(longest).toBeLessThanOrEqual(maxLength);
}

/** A window in which much is in view. Drawing at its size takes long without a GPU. */
const largest = isWhole ? { width: 3840, height: 2160 } : { width: 1920, height: 1440 };

/** Opens a store and checks the size of the page, at the default viewport and in the largest window. */
async function shows(
  viewer: ViewerPage,
  page: Page,
  stored: Stored,
  { query = "", isEnlarged = true } = {},
): Promise<void> {
  await serve(page, stored);
  await viewer.show(`source=/large${query}`);
  await expectSmall(page);
  if (!isEnlarged) return;
  const size = page.viewportSize()!;
  await page.setViewportSize(largest);
  await expect.poll(() => page.evaluate(() => innerWidth)).toBe(largest.width);
  await expectSmall(page);
  await page.setViewportSize(size);
}

test.beforeEach(({ problems }) => {
  problems.expect(/404/); // missing chunks and wells
});

const isDiagonal = (row: number, column: number) => row === column && row < 5;

for (const size of isWhole ? [300, 1000] : [1000])
  test(`a plate of ${size} × ${size} positions with five wells`, async ({ viewer, page }) => {
    await shows(viewer, page, plate(size, size, isDiagonal));
    await expect(page.getByRole("button", { name: /^Well / })).toHaveCount(5);
    const grid = page.getByRole("grid", { name: "Wells" });
    await expect(grid).toHaveAttribute("aria-rowcount", String(size + 1));
    await grid.evaluate((element) => element.scrollTo(element.scrollWidth, element.scrollHeight));
    await expect(page.getByRole("columnheader", { name: String(size), exact: true })).toBeVisible();
    await expectSmall(page);
    expect(await violations(page)).toEqual([]);
  });

test("a plate with 300 columns, by keyboard", async ({ viewer, page }) => {
  const [rows, last, before] = isWhole ? ([300, "KN", "KM"] as const) : ([60, "BH", "BG"] as const);
  await shows(
    viewer,
    page,
    plate(rows, 300, () => true),
  );
  const grid = page.getByRole("grid", { name: "Wells" });
  const well = (name: string) => page.getByRole("button", { name: `Well ${name}`, exact: true });
  await well("A1").focus();
  // The grid is one tab stop.
  expect(await grid.locator('[tabindex="0"]').count()).toBe(1);
  for (const [key, name] of [
    ["ArrowRight", "A2"],
    ["ArrowDown", "B2"],
    ["ArrowLeft", "B1"],
    ["ArrowLeft", "B1"],
    ["End", "B300"],
    ["Control+End", `${last}300`],
    ["ArrowUp", `${before}300`],
    ["Home", `${before}1`],
    ["Control+Home", "A1"],
  ] as const) {
    await page.keyboard.press(key);
    await expect(well(name)).toBeFocused();
    await expect(well(name)).toBeInViewport();
  }
  await page.keyboard.type("ba250");
  await expect(well("BA250")).toBeFocused();
  await expectSmall(page);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/path=BA\/250/);
});

test("wells without indices are placed by their paths", async ({ viewer, page }) => {
  await shows(
    viewer,
    page,
    plate(200, 200, (row, column) => (row + column) % 4 === 0, false),
  );
  await expect(page.getByText("A plate with 10,000 wells")).toBeVisible();
  await page.getByRole("button", { name: "Well A5", exact: true }).click();
  await expect(page).toHaveURL(/path=A\/5/);
});

test("30,000 members: found by name, navigated by keys, opened in place", async ({ viewer, page }) => {
  const stored = manyGroups(30_000);
  await shows(viewer, page, stored);
  const rows = page.getByRole("list", { name: "Members" }).getByRole("listitem");
  await expect(rows.first()).toHaveAttribute("aria-setsize", "30000");
  await expect(rows.first()).toContainText("group");
  const member = (name: string) => page.getByRole("button", { name, exact: true });
  await member("member_0").focus();
  await page.keyboard.press("End");
  await expect(member("member_9999")).toBeFocused();
  await expect(member("member_9999")).toBeInViewport();
  await page.keyboard.press("PageUp");
  await page.keyboard.press("Home");
  await expect(member("member_0")).toBeFocused();
  await page.keyboard.type("member_25");
  await expect(member("member_25")).toBeFocused();
  // Right opens the group in place, Left closes it.
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText("No members were found in this group.")).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByText("No members were found in this group.")).toHaveCount(0);
  await expect(member("member_25")).toBeFocused();
  await expectSmall(page);
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Find members by name").fill("_2999");
  await expect(rows).toHaveCount(11);
  await expect(page.getByText("11 members")).toBeVisible();
  await member("member_29991").click();
  await expect(page).toHaveURL(/path=member_29991/);
});

test("100,000 channels: any of them can be chosen", async ({ viewer, page }) => {
  await shows(viewer, page, manyChannels(100_000));
  const which = page.getByRole("combobox", { name: /^Which channel is channel 1/ });
  await expect(which).toHaveValue("marker 0");
  await which.focus();
  const suggested = async () =>
    which.evaluate((field: HTMLInputElement) => [...field.list!.options].map(({ value }) => value));
  await expect.poll(async () => (await suggested()).length).toBe(60);
  await expectSmall(page);
  expect(await violations(page)).toEqual([]);
  await which.blur();
  await expect(which).toHaveValue("marker 0");
  await which.fill("ker 99998");
  await expect.poll(suggested).toEqual(["marker 99998"]);
  await which.press("Enter");
  await expect(which).toHaveValue("marker 99998");
  await expect(page).toHaveURL(/channels=99998:/);
  await expect(page.locator(".zw-legend-channels")).toContainText("marker 99998");
  // A channel on display cannot be chosen a second time.
  await which.fill("marker 2");
  await expect.poll(async () => (await suggested())[0]).toBe("marker 20");
  await which.press("Enter");
  await expect(which).toHaveValue("marker 99998");
  await expect(page).toHaveURL(/channels=99998:/);
});

test("a channel axis of 10⁹ elements without omero metadata", async ({ viewer, page }) => {
  const stored = new Map(manyChannels(10, false));
  stored.set(
    "0/zarr.json",
    String(stored.get("0/zarr.json")).replace('"shape":[10,', '"shape":[1000000000,'),
  );
  await shows(viewer, page, stored);
  const which = page.getByRole("combobox", { name: /^Which channel is channel 1/ });
  await which.focus();
  await expect(which).toHaveValue("");
  await expect.poll(() => which.evaluate((field: HTMLInputElement) => field.list!.options.length)).toBe(60);
  await expectSmall(page);
});

test("names of two million characters are shortened", async ({ viewer, page }) => {
  await shows(viewer, page, longNames(2_000_000));
  expect(await viewer.root.evaluate((root) => root.textContent.length)).toBeLessThan(60_000);
  await expect(page.getByRole("combobox", { name: "Rows" })).toContainText("…");
});

test("documents of any size are shown with few nodes", async ({ viewer, page }) => {
  for (const [name, stored, nodes] of [
    ["11,000 variables", manyVariables(11_000), "of which the first 200 are listed"],
    ["20,000 levels", manyLevels(20_000), "of which the first 64 are used"],
    ["60,000 fields of view", manyFields(60_000), "Fields of view (60,000)"],
    ["20,000 fields of elements", manyFieldsOfElements(20_000), "(20000 in all)"],
    ["64 dimensions", manyDimensions(), "48 more axes"],
    ["300,000 equal keys", duplicateKeys(300_000), 'has the key "k" twice'],
    ["groups in a thousand groups", deepTree(1000), "A group"],
    [
      "200,000 attributes",
      attributesOnly(Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`k${i}`, i]))),
      "Attributes (200,000)",
    ],
    [
      "an attribute of two million characters",
      attributesOnly({ a: "x".repeat(2e6) }),
      "longer than shown here",
    ],
    [
      "half a million lists in an attribute",
      attributesOnly({ a: Array.from({ length: 500_000 }, () => []) }),
      "longer than shown here",
    ],
  ] as const)
    await test.step(name, async () => {
      await page.unroute("**/large/**");
      // In samples, only the longest list is shown in the largest window.
      await shows(viewer, page, stored, { isEnlarged: isWhole || name === "11,000 variables" });
      await expect(page.locator(".zw-viewer")).toContainText(nodes);
    });
});

test("the path of a node below a thousand groups is shortened and leads up", async ({ viewer, page }) => {
  const path = Array(1000).fill("g").join("/");
  await shows(viewer, page, deepTree(1000), { query: `&path=${path}`, isEnlarged: isWhole });
  const way = page.getByRole("navigation", { name: "Breadcrumb" });
  await expect(way.getByRole("listitem")).toHaveCount(14);
  await way.getByRole("button", { name: "989 more groups" }).click();
  await expect(page).toHaveURL(new RegExp(`path=${Array(989).fill("g").join("/")}$`));
  await viewer.reaches("ready");
});

test("only the visible part of a table of strings is rendered", async ({ viewer, page }) => {
  await shows(viewer, page, strings());
  const table = page.getByRole("table", { name: /^Down axis 0/ });
  await expect(table).toHaveAttribute("aria-rowcount", "201");
  await table.focus();
  await page.keyboard.press("End");
  await expect(page.getByRole("rowheader", { name: "199" })).toBeVisible();
  expect(await violations(page)).toEqual([]);
});

/** Speeds up the clock of the page, and counts the pauses between slices of work. */
async function countPauses(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const now = performance.now.bind(performance);
    performance.now = () => 50 * now();
    const { MessageChannel: Channel } = globalThis;
    const counted = Object.assign(globalThis, { pauses: 0 });
    globalThis.MessageChannel = class extends Channel {
      constructor() {
        super();
        counted.pauses++;
      }
    };
  });
  return () => page.evaluate(() => (globalThis as unknown as { pauses: number }).pauses);
}

test("large documents are parsed in slices, small ones in one", async ({ viewer, page }) => {
  const pauses = await countPauses(page);
  await serve(page, manyGroups(3));
  await viewer.show("source=/large");
  expect(await pauses()).toBe(0);
  const all = [manyVariables(11_000), manyGroups(30_000), plate(300, 300, () => true)];
  for (const stored of isWhole ? all : all.slice(0, 1)) {
    await page.unroute("**/large/**");
    await serve(page, stored);
    await viewer.show("source=/large");
    expect(await pauses()).toBeGreaterThan(20);
  }
});

test("an element in a right-to-left page", async ({ page, site }) => {
  await serve(
    page,
    plate(8, 300, () => true),
  );
  await page.goto(`${site}/examples/viewer/plain.html`);
  await page.locator("#left").evaluate((viewer) => {
    document.documentElement.dir = "rtl";
    viewer.setAttribute("controls", "full");
    viewer.setAttribute("src", "/large");
  });
  const left = page.locator("#left");
  await expect(left.locator(".zw-viewer")).toHaveAttribute("data-state", "ready");
  const well = (name: string) => left.getByRole("button", { name: `Well ${name}`, exact: true });
  await well("A1").focus();
  await page.keyboard.press("ArrowLeft");
  await expect(well("A2")).toBeFocused();
  await page.keyboard.press("End");
  await expect(well("A300")).toBeFocused();
  await expect(well("A300")).toBeInViewport();
  // The first column is at the right.
  const [end, before] = await Promise.all([well("A300").boundingBox(), well("A299").boundingBox()]);
  expect(end!.x).toBeLessThan(before!.x);
});

test("axe finds nothing on a narrow screen, light and dark", async ({ viewer, page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const all = [plate(16, 24, () => true), manyGroups(200), strings(), manyVariables(100)];
  for (const [i, stored] of all.entries()) {
    await page.unroute("**/large/**");
    await serve(page, stored);
    await viewer.show("source=/large");
    // In samples, each page has one of the schemes.
    for (const colorScheme of (["light", "dark"] as const).filter((_, at) => isWhole || at === i % 2)) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page), colorScheme).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  }
});
