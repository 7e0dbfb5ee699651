/** Chromium by Playwright. */
import { chromium } from "@playwright/test";
import { findChromium } from "../../../scripts/lib/system.mjs";
import { type Driver, type Key, viewport } from "./driver.js";

export async function startChromium(): Promise<Driver> {
  const executablePath = findChromium();
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    // Containers give Chromium neither user namespaces nor much shared memory.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  const page = await browser.newPage({ viewport });
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
    close: () => browser.close(),
  };
}
