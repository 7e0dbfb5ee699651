// The strict policy: no eval, no inline code. Every test checks for violations; this one verifies the check itself.
import { strictPolicy } from "../../scripts/lib/server.mjs";
import { expect, test } from "./site.js";

test("a violation would be noticed", async ({ viewer, page, problems }) => {
  problems.expect(/policy|Content Security Policy/);
  const response = await page.goto(`${viewer.site}/viewer/?source=/stores/bytes`);
  expect(response!.headers()["content-security-policy"]).toBe(strictPolicy);
  await viewer.reaches("ready");
  expect(problems.all).toEqual([]);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.wasRun = true";
    document.body.append(script);
  });
  await expect.poll(() => problems.all.join()).toContain("policy: script-src-elem inline");
  expect(await page.evaluate(() => "wasRun" in globalThis)).toBe(false);
});
