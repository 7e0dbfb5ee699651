// Takes screenshots of the viewer for the README and the documentation, from samples of the gallery:
// docs/pictures/*.webp.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ensureSamples, samplesDir } from "../examples/samples/samples.mjs";
import { distDir, root, viewerDist } from "./lib/paths.mjs";
import { runMain, SetupError } from "./lib/process.mjs";
import { launchChromium, startServer, strictPolicy } from "./lib/server.mjs";

/** Queries of the page's URL, by the name of the picture. */
const pictures = {
  viewer: "source=/samples/cells.zarr&labels=cells&opacity=0.5",
  channels: "source=/samples/volume.zarr&select=:,30,:,:",
  map: "source=/samples/climate.zarr&path=t2m&projection=globe&meridian=10&parallel=30",
  panes: "source=/samples/skeleton.zarr&select=96,:,:&index=,96,96&planes=xy+xz+yz&map=magma",
  regions:
    "source=/samples/climate.zarr&path=t2m&regions=Sahara=rectangle@1,2:70,113,80,140;Greenland=ellipse@1,2:101,83,115,103",
  volume:
    "source=/samples/skeleton.zarr&view=volume&mode=composite&orbit=30,20,1.4&map=magma&clip=0:192,0:192,90:192",
};

/** Tabs that are open. */
const tabs = { regions: "Measure" };
const size = { width: 1200, height: 820 };
/** The page shows them at this width: larger ones would only make the package larger. */
const pictureWidth = 900;
const maxBytes = 100 * 1024;

/** Converts a PNG to WebP with the browser's encoder. */
function asWebP(page, png) {
  return page.evaluate(
    async ([base64, width]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), {
        width,
        height: Math.round((image.height * width) / image.width),
      });
      const context = canvas.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL("image/webp", 0.6).split(",")[1];
    },
    [png.toString("base64"), pictureWidth],
  );
}

async function take(browser, url, name, view) {
  const page = await browser.newPage({ viewport: size });
  await page.goto(`${url}/viewer/?${view}`);
  await page.locator('.zw-viewer[data-state="ready"]').waitFor({ timeout: 120_000 });
  if (tabs[name]) await page.getByRole("tab", { name: tabs[name] }).click();
  await page.waitForTimeout(1500); // finer levels load after the first picture
  const png = await page.screenshot();
  const blank = await browser.newPage();
  const webp = Buffer.from(await asWebP(blank, png), "base64");
  if (webp.length > maxBytes)
    throw new SetupError(`the picture has ${webp.length} bytes, more than ${maxBytes}`);
  mkdirSync(path.join(root, "docs/pictures"), { recursive: true });
  writeFileSync(path.join(root, `docs/pictures/${name}.webp`), webp);
  writeFileSync(path.join(root, `build/${name}.png`), png);
  console.log(`docs/pictures/${name}.webp: ${webp.length} bytes`);
}

async function main() {
  await ensureSamples();
  const server = await startServer({
    mounts: {
      "/viewer/": viewerDist,
      "/wasm/": path.join(distDir, "wasm"),
      "/samples/": { root: samplesDir, isData: true },
    },
    policy: strictPolicy,
  });
  const browser = await launchChromium();
  try {
    for (const [name, view] of Object.entries(pictures)) await take(browser, server.url, name, view);
  } finally {
    await browser.close();
    await server.close();
  }
}

runMain(main);
