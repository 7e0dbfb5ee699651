// The example page in Chromium: it shows every tile of a level under its own strict policy.
import { chromium } from "@playwright/test";
import { expect, it } from "vitest";
import { findChromium } from "../../scripts/lib/system.mjs";
import { ObjectServer } from "../node/support/store-server.js";
import { skipFor } from "../shared/skips.js";
import { makeStores } from "./stores.js";
import { startMiniflare } from "./tools.mjs";

const executablePath = findChromium();

const skipping = skipFor(executablePath ? undefined : "Chromium is not installed");

it("shows a level, and error messages", skipping, async () => {
  const server = await new ObjectServer(Object.fromEntries(await makeStores())).start();
  const worker = await startMiniflare({ STORE_URL: server.url });
  const browser = await chromium.launch({ executablePath: executablePath!, args: ["--no-sandbox"] });
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (said) => said.type() === "error" && faults.push(said.text()));
  await page.goto(`${worker.url}/?dataset=plates/ome5&z=2&query=map%3Dmagma%26c%3D1`);
  await page.locator('[role="status"]', { hasText: "uint16" }).waitFor();
  await expect
    .poll(
      () =>
        page
          .locator("img")
          .evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth)),
      { timeout: 20_000 },
    )
    .toEqual([256, 256, 256, 256, 256, 256]);
  expect(faults).toEqual([]);
  await page.getByLabel("Dataset").fill("none");
  await page.getByRole("button").click();
  await page.locator('[role="status"]', { hasText: "no such dataset" }).waitFor();
  await Promise.all([browser.close(), worker.close(), server.close()]);
});
