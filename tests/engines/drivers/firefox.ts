/** The installed Firefox, driven by WebDriver BiDi. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import puppeteer, { type Page } from "puppeteer-core";
import { findFirefox } from "../../../scripts/lib/system.mjs";
import { type Driver, elementAt, viewport } from "./driver.js";

/** @param temporary a folder for its profile and home, separate from the user's */
export async function startFirefox(temporary: string): Promise<Driver> {
  const home = path.join(temporary, "firefox-home");
  mkdirSync(home, { recursive: true });
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: findFirefox()!,
    headless: true,
    defaultViewport: viewport,
    env: { ...process.env, HOME: home, TMPDIR: temporary },
  });
  const page = await browser.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: <T>(expression: string) => page.evaluate(expression) as Promise<T>,
    click: (selector) => page.click(selector),
    enter: async (selector, text) => {
      await page.evaluate(`${elementAt(selector)}.select()`);
      await page.type(selector, text);
      await page.keyboard.press("Enter");
    },
    press: async (selector, key) => {
      await page.focus(selector);
      await page.keyboard.press(key);
    },
    choose: (selector, option) => chooseOption(page, selector, option),
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  };
}

async function chooseOption(page: Page, selector: string, option: string): Promise<void> {
  const value = await page.evaluate(
    `[...${elementAt(selector)}.options].find(({ text }) => text === ${JSON.stringify(option)}).value`,
  );
  await page.select(selector, String(value));
}
