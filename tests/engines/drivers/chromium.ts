/** Chromium, driven by Playwright. */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "@playwright/test";
import { findChromium } from "../../../scripts/lib/system.mjs";
import { type Driver, type Key, viewport } from "./driver.js";

export async function startChromium(): Promise<Driver> {
  const executablePath = findChromium();
  // An on-disk profile: without one Chromium keeps service workers in memory, with too little space for
  // scripts of 7 MB, like the suite's with all its data.
  const profile = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    ...(executablePath ? { executablePath } : {}),
    // Containers provide neither user namespaces nor much shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    viewport,
  });
  const page = await context.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: <T>(expression: string) => page.evaluate<T>(expression),
    click: (selector) => page.click(selector),
    enter: async (selector, text) => {
      await page.fill(selector, text);
      await page.press(selector, "Enter");
    },
    press: (selector, key: Key) => page.press(selector, key),
    choose: async (selector, option) => void (await page.selectOption(selector, { label: option })),
    screenshot: () => page.screenshot(),
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
