// The strict policy: no eval, no inline code. Every test checks for violations; this one verifies the check
// itself, with all kinds of pictures.
import { strictPolicy } from "../../scripts/lib/server.mjs";
import { expect, test } from "./site.js";

test("all kinds of views work under the strict policy, with an empty console", async ({
  viewer,
  page,
  problems,
}) => {
  const response = await page.goto(`${viewer.site}/viewer/`);
  expect(response!.headers()["content-security-policy"]).toBe(strictPolicy);
  for (const source of [
    "/examples/field.zarr",
    "/stores/line",
    "/stores/names",
    "/stores/single",
    "/stores/waves",
  ]) {
    await viewer.show(`source=${source}`);
  }
  await viewer.choose("Part", "Phase");
  await viewer.pointAt(3, 4);
  await viewer.box.press("ArrowRight");
  expect(problems.all).toEqual([]);
});

test("a violation would be noticed", async ({ viewer, page, problems }) => {
  problems.expect(/policy|Content Security Policy/);
  await viewer.show("source=/stores/bytes");
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.wasRun = true";
    document.body.append(script);
  });
  await expect.poll(() => problems.all.join()).toContain("policy: script-src-elem inline");
  expect(await page.evaluate(() => "wasRun" in globalThis)).toBe(false);
});
