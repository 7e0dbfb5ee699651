/** Selects the tested engines: those in ZARR_WASM_ENGINES, by default Chromium. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Driver, type EngineName, engineNames, type Pages, startDriver } from "./drivers/driver.js";
import { engineFolder, root } from "./places.js";

const wanted = process.env["ZARR_WASM_ENGINES"]?.split(",") ?? ["chromium"];

export const engines: readonly EngineName[] = engineNames.filter((name) => wanted.includes(name));

function temporaryFolder(): string {
  const folder = path.join(engineFolder, "tmp");
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Starts a browser with a driver. */
export const start = (engine: EngineName): Promise<Driver> => startDriver(engine, temporaryFolder());

/** Starts a browser for pages that send reports on their own. */
export async function startPages(engine: EngineName): Promise<Pages> {
  if (engine !== "firefox") return start(engine);
  const { startFirefoxPages } = await import("./drivers/firefox-pages.js");
  return startFirefoxPages(temporaryFolder());
}

/** Waits until an expression in the page is truthy, and returns its value. */
export async function waitFor<T>(driver: Driver, expression: string, milliseconds = 60_000): Promise<T> {
  const end = Date.now() + milliseconds;
  for (;;) {
    const value = await driver.evaluate<T>(expression);
    if (value) return value;
    if (Date.now() > end) throw new Error(`not so after ${milliseconds} ms: ${expression}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Saves a screenshot, to inspect after a failure. */
export async function keepPicture(driver: Driver, name: string): Promise<void> {
  const folder = path.join(root, "build/reports/engines");
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name.replace(/[^\w-]+/g, "-")}.png`);
  await driver.screenshot().then(
    (picture) => writeFileSync(file, picture),
    () => {}, // a crashed browser has none
  );
}
