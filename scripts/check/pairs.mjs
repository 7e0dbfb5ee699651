// npm run check -- pairs: takes pictures of samples in the viewer and in pages with Viv's layers or niivue, at the same
// size, and prints the mean difference of their pixels. Magnified samples may differ: the viewer prefers whole factors.
// For review: no difference is an error.
//   npm run check -- pairs cells     only the samples whose names contain "cells"
// build/pairs/index.html shows all of them.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chromium } from "@playwright/test";
import { bundlePeers, installPeers, picturePeers, slicePeers } from "../../bench/viewer/peers.mjs";
import { buildDir, distDir, root, viewerDist } from "../lib/paths.mjs";
import { runMain } from "../lib/process.mjs";
import { ensureSamples, samplesDir } from "../lib/samples.mjs";
import { startServer } from "../lib/server.mjs";
import { findChromium } from "../lib/system.mjs";

const folder = path.join(buildDir, "pairs");

/** Queries of the viewer and of the pages to compare with, by sample. */
const pairs = {
  terrain: [
    "source=/samples/terrain.zarr&map=gray&range=0:3000",
    "source=/samples/terrain.zarr&range=0,3000",
  ],
  relief: ["source=/samples/relief.zarr", "source=/samples/relief.zarr"],
  tissue: ["source=/samples/volume.zarr&select=:,32,:,:", "source=/samples/volume.zarr&z=32"],
  cells: ["source=/samples/cells.zarr&labels=none", "source=/samples/cells.zarr"],
  skeleton: [
    "source=/samples/skeleton.zarr&map=gray&range=0:255&select=96,:,:",
    "source=/samples/skeleton.zarr&z=96&range=0,255",
    "source=/samples/skeleton.zarr&z=96&range=0,255",
  ],
};

/** The pages in the order of the queries after the viewer's. */
const others = ["viv", "niivue"];

/** Time that others need for a picture: Viv does not tell when all tiles are drawn. In milliseconds. */
const otherTime = 6000;

/** The viewer's picture, without the overlay of the scale bar. */
async function takeOurs(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  await page.locator('.zw-viewer[data-state="ready"]').waitFor({ timeout: 60_000 });
  await page.addStyleTag({ content: ".zw-overlay { display: none }" });
  const box = page.locator(".zw-box").first();
  const { width, height } = await box.boundingBox();
  const png = await box.screenshot();
  await page.close();
  return { png, size: { width: Math.round(width), height: Math.round(height) } };
}

async function takeOther(browser, url, size) {
  const page = await browser.newPage({ viewport: size });
  page.on("pageerror", (error) => console.error(`${url}: ${error.message}`));
  await page.goto(url);
  await page.waitForTimeout(otherTime);
  const png = await page.screenshot();
  await page.close();
  return png;
}

/** Mean difference per colour of pixels that neither picture leaves black or white, of 255. */
async function difference(page, pictures) {
  const [ours, theirs] = pictures.map((png) => `data:image/png;base64,${png.toString("base64")}`);
  return page.evaluate(
    async (sources) => {
      const pixels = async (source) => {
        const image = Object.assign(new Image(), { src: source });
        await image.decode();
        const { width, height } = image;
        const context = new OffscreenCanvas(width, height).getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, width, height).data;
      };
      const [a, b] = await Promise.all(sources.map(pixels));
      const isGround = (data, at) => [0, 255 * 3].includes(data[at] + data[at + 1] + data[at + 2]);
      let [sum, count] = [0, 0];
      for (let at = 0; at < Math.min(a.length, b.length); at += 4) {
        if (isGround(a, at) || isGround(b, at)) continue;
        for (let i = 0; i < 3; i++) sum += Math.abs(a[at + i] - b[at + i]);
        count += 3;
      }
      return sum / Math.max(1, count);
    },
    [ours, theirs],
  );
}

/** The pages that show a sample, after the viewer. */
const othersOf = (name) => others.slice(0, pairs[name].length - 1);

function contactSheet(names) {
  const row = (name) => {
    const all = ["viewer", ...othersOf(name)];
    const pictures = all.map((one) => `<img src="${name}-${one}.png" alt="">`).join("");
    return `<h2>${name}: ${all.join(", ")}</h2>\n<p>${pictures}</p>`;
  };
  const style = "body { font: 14px sans-serif; background: #888 } img { width: 32%; margin: 4px }";
  return `<!doctype html><meta charset="utf-8"><title>Pairs</title><style>${style}</style>\n${names.map(row).join("\n")}\n`;
}

async function startPages() {
  const [peers, pages] = [path.join(buildDir, "native/viewer-peers"), path.join(folder, "pages")];
  installPeers(peers, { ...picturePeers, ...slicePeers });
  mkdirSync(pages, { recursive: true });
  const sources = path.join(root, "bench/viewer/pages");
  const entries = others.map((name) => [name, path.join(sources, `${name}.mjs`)]);
  await bundlePeers(Object.fromEntries(entries), pages, peers);
  for (const name of others)
    copyFileSync(path.join(sources, `${name}.html`), path.join(pages, `${name}.html`));
  return startServer({
    mounts: {
      "/viewer/": viewerDist,
      "/wasm/": path.join(distDir, "wasm"),
      "/samples/": { root: samplesDir, isData: true },
      "/pages/": pages,
    },
  });
}

runMain(async () => {
  await ensureSamples();
  const server = await startPages();
  const executablePath = findChromium() ?? chromium.executablePath();
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--enable-unsafe-swiftshader"],
  });
  const wanted = process.argv.slice(2);
  const names = Object.keys(pairs).filter(
    (name) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
  );
  try {
    const blank = await browser.newPage();
    for (const name of names) {
      const [ours, ...queries] = pairs[name];
      const { png, size } = await takeOurs(browser, `${server.url}/viewer/?${ours}`);
      writeFileSync(path.join(folder, `${name}-viewer.png`), png);
      for (const [i, query] of queries.entries()) {
        const source = query.replace("source=", `source=${server.url}`);
        const other = await takeOther(browser, `${server.url}/pages/${others[i]}.html?${source}`, size);
        writeFileSync(path.join(folder, `${name}-${others[i]}.png`), other);
        const mean = (await difference(blank, [png, other])).toFixed(2);
        console.log(`${name}, ${others[i]}: mean difference ${mean} of 255`);
      }
    }
  } finally {
    await browser.close();
    await server.close();
  }
  writeFileSync(path.join(folder, "index.html"), contactSheet(names));
  console.log(`Pictures: ${path.join(folder, "index.html")}`);
  return 0;
});
