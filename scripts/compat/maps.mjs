// npm run test:compat -- maps [PAGE…]: examples/maps, built with the packed package, in Chromium: OpenLayers, MapLibre
// GL and deck.gl show stores made by the test. The expected colour of each pixel is computed from the planet's own
// functions (examples/maps/world.mjs); the server counts requests. The libraries come from npm, into build/maps;
// screenshots of all views are in build/reports/maps. The last line is "N passed, N failed".
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { heightAt, temperatureAt } from "../../examples/maps/world.mjs";
import { buildAll } from "../build.mjs";
import { buildDir, root } from "../lib/paths.mjs";
import { runMain, SetupError, step } from "../lib/process.mjs";
import { makeProject, packBuilt, runIn, versionOf } from "../lib/projects.mjs";
import { summarise } from "../lib/reports.mjs";
import { launchChromium, startServer } from "../lib/server.mjs";

const source = path.join(root, "examples/maps");
const project = path.join(buildDir, "maps");
const pictures = path.join(buildDir, "reports/maps");

/** Packages named in the line of a page's results. */
const pages = { openlayers: "ol", maplibre: "maplibre-gl", deck: "@deck.gl/core" };

/** 5 by 4 tiles. */
const [width, height] = [1276, 1020];

// ---- Expected pixels

const background = [216, 221, 226];
const heightColours = [
  [-6000, [8, 24, 64]],
  [-3000, [24, 70, 130]],
  [-1, [120, 180, 210]],
  [0, [70, 120, 70]],
  [1500, [160, 150, 90]],
  [3000, [130, 100, 80]],
  [5000, [250, 250, 250]],
];
const temperatureColours = [
  [-2, [68, 1, 84]],
  [8, [59, 82, 139]],
  [16, [33, 145, 140]],
  [24, [94, 201, 98]],
  [32, [253, 231, 37]],
];

function coloured(colours, value) {
  const [first, last] = [colours[0], colours.at(-1)];
  if (value <= first[0]) return first[1];
  if (value >= last[0]) return last[1];
  const i = colours.findIndex(([stop]) => value < stop);
  const [[low, from], [high, to]] = [colours[i - 1], colours[i]];
  return from.map((part, c) => part + ((value - low) / (high - low)) * (to[c] - part));
}

/** Views: position, size of an element in pixels, and the expected colour of a place. */
const views = {
  terrain: {
    at: [-22.5, 0, 3], // 20 tiles exactly
    pixels: 1,
    colourAt: (longitude, latitude) => coloured(heightColours, Math.round(heightAt(longitude, latitude))),
  },
  land: {
    at: [-22.5, 0, 3],
    pixels: 1,
    colourAt(longitude, latitude) {
      const metres = Math.round(heightAt(longitude, latitude));
      return metres > 0 ? coloured(heightColours, metres) : background;
    },
  },
  // The antimeridian is in the view.
  temperature: {
    at: [180, 20, 3],
    pixels: 6,
    colourAt(longitude, latitude) {
      // The element that contains the place: its centre is at whole degrees.
      const [column, row] = [Math.round(longitude), Math.round(latitude)];
      if (heightAt(column, row) > 0) return background;
      return coloured(temperatureColours, temperatureAt(((column % 360) + 360) % 360, row, 6));
    },
  },
};

/** Longitude and latitude of a point of a view. */
function placeAt([longitude, latitude, zoom], x, y) {
  const world = 256 * 2 ** zoom;
  const northing =
    Math.asinh(Math.tan((latitude * Math.PI) / 180)) - ((y - height / 2) / world) * 2 * Math.PI;
  return [longitude + ((x - width / 2) / world) * 360, (Math.atan(Math.sinh(northing)) * 180) / Math.PI];
}

const points = [];
for (let y = 30; y < height - 50; y += 23) for (let x = 30; x < width - 60; x += 29) points.push([x, y]);

const difference = (a, b) => Math.max(...a.map((part, i) => Math.abs(part - b[i])));

/** Colour difference between a picture and the view shifted by this many pixels to the east and south. */
function meanDifference({ at, colourAt }, found, [right, down] = [0, 0]) {
  const sum = points.reduce(
    (total, [x, y], i) =>
      total + difference(colourAt(...placeAt(at, x + 0.5 - right, y + 0.5 - down)), found[i]),
    0,
  );
  return sum / points.length;
}

/** Describes wrong colours at the points. */
function wrongColours(view, found) {
  const near = (x, y, colour) =>
    [-1, 0, 1].some((down) =>
      [-1, 0, 1].some((right) => {
        const expected = view.colourAt(...placeAt(view.at, x + 0.5 + right, y + 0.5 + down));
        return difference(expected, colour) <= 12;
      }),
    );
  const wrong = points.filter(([x, y], i) => !near(x, y, found[i]));
  const faults = [];
  if (wrong.length > points.length / 50)
    faults.push(`${wrong.length} of ${points.length} points have another colour, such as ${wrong[0]}`);
  const here = meanDifference(view, found);
  for (const shift of [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
  ]) {
    const by = shift.map((part) => part * view.pixels);
    if (meanDifference(view, found, by) < here) faults.push(`the picture is shifted by about ${by} pixels`);
  }
  return faults;
}

// ---- Pages

function makeMaps() {
  const list = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  const { "zarr-wasm": _, ...dependencies } = { ...list.dependencies, ...list.devDependencies };
  const names = readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(m?js|html)$/.test(entry.name))
    .map(({ name }) => name);
  const files = Object.fromEntries(
    names.map((name) => [name, readFileSync(path.join(source, name), "utf8")]),
  );
  step("Packing, installing and building examples/maps");
  return makeProject(packBuilt(), project, { dependencies, files });
}

/** Counts requests below /data/ and those that the page aborted; delays responses on request. */
function countingServer(folder) {
  const state = { asked: [], givenUp: 0, delay: 0 };
  return {
    state,
    start: () =>
      startServer({
        mounts: { "/": path.join(folder, "dist"), "/data/": path.join(folder, "data") },
        route(request, response) {
          if (!request.url.startsWith("/data/")) return false;
          state.asked.push(request.url);
          response.on("close", () => {
            if (!response.writableFinished) state.givenUp++;
          });
          if (state.delay === 0 || request.url.endsWith("zarr.json")) return false;
          setTimeout(() => !response.destroyed && response.writeHead(503).end(), state.delay);
          return true;
        },
      }),
  };
}

async function openView(browser, url) {
  const page = await browser.newPage({ viewport: { width, height } });
  const faults = [];
  page.on("pageerror", ({ message }) => faults.push(`uncaught: ${message}`));
  page.on("console", (message) => message.type() === "error" && faults.push(`console: ${message.text()}`));
  await page.goto(url);
  return { page, faults };
}

/** Colours of a picture at the points; a browser decodes it. */
function coloursIn(page, picture, places) {
  return page.evaluate(
    async ([base64, wanted]) => {
      const answer = await fetch(`data:image/png;base64,${base64}`);
      const bitmap = await createImageBitmap(await answer.blob());
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
      context.drawImage(bitmap, 0, 0);
      const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      return wanted.map(([x, y]) => Array.from(data.slice(4 * (y * bitmap.width + x)).slice(0, 3)));
    },
    [picture.toString("base64"), places],
  );
}

/** Waits until a page reports twice in a row that it is idle, with no requests in between. */
async function settled(page, state) {
  await page.locator('body[data-state="idle"]').waitFor({ timeout: 60_000 });
  for (let last = -1; last !== state.asked.length; ) {
    last = state.asked.length;
    await page.waitForTimeout(1500);
  }
}

async function testView(browser, decoder, server, state, page, name) {
  const view = views[name];
  state.asked.length = 0;
  const opened = await openView(browser, `${server.url}/${page}.html?map=${name}&data=/data/&at=${view.at}`);
  const { faults } = opened;
  try {
    await settled(opened.page, state);
    // Chunks below 32 KiB, such as the chunks of the temperatures, are decoded without workers.
    if (name === "terrain" && opened.page.workers().length === 0) faults.push("there are no workers");
    const picture = await opened.page.screenshot({ path: path.join(pictures, `${page}-${name}.png`) });
    faults.push(...wrongColours(view, await coloursIn(decoder, picture, points)));
    if (state.asked.length > 40)
      faults.push(`${state.asked.length} requests, not 40 at most:\n${state.asked.join("\n")}`);
  } catch ({ message }) {
    faults.push(message.split("\n")[0]);
  } finally {
    await opened.page.close();
  }
  return { faults, note: `${state.asked.length} requests` };
}

/** A square that OpenLayers reprojects from UTM: 15° E, 50° N is 500 km east and 5,538.631 km north there. */
async function testRegion(browser, decoder, server, state, page) {
  state.asked.length = 0;
  const opened = await openView(browser, `${server.url}/${page}.html?map=region&data=/data/`);
  const { faults } = opened;
  try {
    await settled(opened.page, state);
    const picture = await opened.page.screenshot({ path: path.join(pictures, `${page}-region.png`) });
    // Squares of 32 km meet at the centre: 156543 / 2⁸ · cos 50° metres are a pixel.
    const km = 1000 / ((156_543.03 / 2 ** 8) * Math.cos((50 * Math.PI) / 180));
    const [x, y] = [width / 2, height / 2];
    const places = [
      [-1, -1],
      [1, -1],
      [-1, 1],
      [1, 1],
    ].map(([right, down]) => [Math.round(x + right * 2 * km), Math.round(y + (down * 2 + 0.631) * km)]);
    const found = await coloursIn(decoder, picture, [...places, [5, 5]]);
    const expected = [
      [3, 4],
      [4, 4],
      [3, 3],
      [4, 3],
    ].map(([column, row]) =>
      coloured(
        [
          [0, [0, 0, 80]],
          [14_000, [255, 240, 160]],
        ],
        1000 * (column + row),
      ),
    );
    for (const [i, colour] of [...expected, background].entries())
      if (difference(colour, found[i]) > 6) faults.push(`point ${i} is ${found[i]}, not ${colour}`);
  } catch ({ message }) {
    faults.push(message.split("\n")[0]);
  } finally {
    await opened.page.close();
  }
  return { faults, note: `${state.asked.length} requests` };
}

async function drag(page, from, to) {
  await page.mouse.move(from, height / 2);
  await page.mouse.down();
  await page.mouse.move(to, height / 2, { steps: 5 });
  await page.waitForTimeout(300); // held, so that the map does not glide on
  await page.mouse.up();
}

/** After a large move, a map aborts pending requests, and repeats them when it moves back. */
async function testAborts(browser, decoder, server, state, page) {
  state.asked.length = 0;
  state.givenUp = 0;
  state.delay = 4000;
  const opened = await openView(browser, `${server.url}/${page}.html?map=land&data=/data/&at=-90,40,3`);
  try {
    for (let i = 0; i < 100 && state.asked.length < 5; i++) await opened.page.waitForTimeout(100);
    await opened.page.waitForTimeout(500);
    await drag(opened.page, width - 40, 40);
    for (let i = 0; i < 80 && state.givenUp === 0; i++) await opened.page.waitForTimeout(100);
    const note = `${state.givenUp} of ${state.asked.length} requests given up`;
    const faults = state.givenUp === 0 ? [note] : [];
    state.delay = 0;
    await drag(opened.page, 40, width - 40);
    await opened.page.waitForTimeout(6000);
    const picture = await opened.page.screenshot({ path: path.join(pictures, `${page}-back.png`) });
    const back = { ...views.land, at: [-90, 40, 3] };
    faults.push(...wrongColours(back, await coloursIn(decoder, picture, points)));
    return { faults, note };
  } finally {
    state.delay = 0;
    await opened.page.close();
  }
}

/** Tests of a page, by name. */
function testsOf(page) {
  const all = {};
  for (const name of Object.keys(views)) all[name] = (...context) => testView(...context, page, name);
  if (page === "openlayers") all.region = (...context) => testRegion(...context, page);
  all.aborts = (...context) => testAborts(...context, page);
  return all;
}

await runMain(async () => {
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !Object.hasOwn(pages, name));
  if (unknown)
    throw new SetupError(`unknown page "${unknown}"; expected one of ${Object.keys(pages).join(", ")}`);
  if (!process.env.ZARR_WASM_BUILT) await buildAll();
  const folder = makeMaps();
  await runIn(folder, ["node", "data.mjs", "data"], { seconds: 600 });
  await runIn(folder, ["vite", "build"], { seconds: 600 });
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const { state, start } = countingServer(folder);
  const server = await start();
  const browser = await launchChromium(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]);
  const decoder = await browser.newPage();
  const counts = { passed: 0, failed: 0 };
  for (const page of wanted.length > 0 ? wanted : Object.keys(pages)) {
    step(`${pages[page]} ${versionOf(folder, pages[page])}`);
    for (const [name, test] of Object.entries(testsOf(page))) {
      const { faults, note } = await test(browser, decoder, server, state);
      counts[faults.length === 0 ? "passed" : "failed"]++;
      console.log(`  ${faults.length === 0 ? "✓" : "✗"} ${name} (${note})`);
      for (const fault of faults) console.error(`    ${fault}`);
    }
  }
  await Promise.all([browser.close(), server.close()]);
  return summarise([{ name: "maps", ...counts }]);
});
