/** Views that are photographed: the samples, and fixtures of the browser tests. */
import type { Page } from "@playwright/test";
import { gallerySamples, sampleQuery } from "../shared/gallery.js";

export interface Screen {
  readonly name: string;
  readonly query: string;
  /** The state that the viewer reaches. Default: "ready" */
  readonly state?: "empty" | "error";
  /** Prepares the page for the screenshot. */
  readonly act?: (page: Page) => Promise<void>;
}

const sampleScreens = gallerySamples.map(
  (sample): Screen => ({ name: `sample-${sample.name}`, query: sampleQuery(sample).toString() }),
);

const layers = (...list: readonly object[]) => `layers=${encodeURIComponent(JSON.stringify(list))}`;
const table = "source=/layers/tables.zarr&path=tables/table";
const cells = { src: "/layers/cells.geojson", kind: "shapes" };
const coarse = { src: "/layers/coarse.zarr", color: "#ff00ff", blend: "add" };

const focusPicture = (page: Page) => page.locator(".zw-box").first().focus();

async function openControls(page: Page): Promise<void> {
  const handle = page.getByRole("button", { name: "Controls" });
  if ((await handle.count()) > 0 && (await handle.getAttribute("aria-expanded")) === "false")
    await handle.click();
}

async function openRows(page: Page): Promise<void> {
  await openControls(page);
  await page.getByRole("group", { name: "Table" }).locator("summary").click();
  await page.getByRole("grid").waitFor();
}

async function openHelp(page: Page): Promise<void> {
  await focusPicture(page);
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
}

async function hoverMiddle(page: Page): Promise<void> {
  const { x, y, width, height } = (await page.locator(".zw-box").first().boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
}

export const screens: readonly Screen[] = [
  ...sampleScreens,
  { name: "start", query: "", state: "empty", act: (page) => page.waitForLoadState("networkidle") },
  { name: "error", query: "source=/stores/nowhere", state: "error" },
  { name: "error-codec", query: "source=/stores/unknown-codec", state: "error" },
  { name: "controls", query: "source=/stores/weather&path=t2m&select=2,:,:", act: openControls },
  { name: "help", query: "source=/stores/slices", act: openHelp },
  { name: "help-volume", query: "source=/stores/depths&view=volume", act: openHelp },
  { name: "help-scatter", query: `${table}/obsm/X_umap`, act: openHelp },
  { name: "slices", query: "source=/stores/slices&select=4,:,:", act: hoverMiddle },
  { name: "cube", query: "source=/stores/cube&select=2,:,:" },
  { name: "outside", query: "source=/stores/slices&select=4,:,:&range=100:150" },
  { name: "missing", query: "source=/stores/holes&missing=mark" },
  { name: "channels", query: "source=/stores/omero", act: openControls },
  { name: "line", query: "source=/stores/line" },
  { name: "waves", query: "source=/stores/waves" },
  { name: "dates", query: "source=/stores/days" },
  { name: "map", query: "source=/stores/weather&path=t2m&select=2,:,:", act: hoverMiddle },
  { name: "map-wrapped", query: "source=/stores/ocean&path=sst&meridian=0" },
  { name: "map-curvilinear", query: "source=/stores/turned&path=speed" },
  { name: "section", query: "source=/stores/section&path=salt" },
  { name: "time-lon", query: "source=/stores/weather&path=t2m&axes=0,2" },
  { name: "planes", query: "source=/stores/depths&select=4,:,:&planes=xy,xz,yz" },
  { name: "planes-volume", query: "source=/stores/depths&select=4,:,:&planes=xy,xz,yz,volume" },
  { name: "volume", query: "source=/stores/depths&view=volume", act: openControls },
  { name: "volume-maximum", query: "source=/samples/skeleton.zarr&view=volume&mode=max" },
  { name: "plate", query: "source=/groups/plate.zarr" },
  { name: "labels", query: "source=/groups/labelled.zarr", act: openControls },
  { name: "labels-outlines", query: "source=/samples/cells.zarr&labels=cells&outlines=yes" },
  { name: "layers-shapes", query: `source=/layers/fine.zarr&${layers(coarse, cells)}`, act: openControls },
  {
    name: "layers-spatial",
    query: `source=/layers/spatial.zarr&path=images/picture&${layers({ src: "/layers/spatial.zarr", path: "shapes/cells" }, { src: "/layers/spatial.zarr", path: "points/transcripts" })}`,
  },
  { name: "contents", query: "source=/layers/spatial.zarr" },
  { name: "contents-anndata", query: "source=/groups/anndata.zarr" },
  { name: "table", query: "source=/layers/spatial.zarr&path=tables/table/obs" },
  { name: "values", query: "source=/stores/names" },
  { name: "records", query: "source=/stores/records" },
  { name: "single", query: "source=/stores/single" },
  { name: "embeddings", query: table },
  { name: "scatter", query: `${table}/obsm/X_umap&by=type`, act: hoverMiddle },
  { name: "scatter-rows", query: `${table}/obsm/X_umap&by=area&pick=9`, act: openRows },
  { name: "label-table", query: "source=/layers/tables.zarr&path=labels/cells&by=type", act: openRows },
];
