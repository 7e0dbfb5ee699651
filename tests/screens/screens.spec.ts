// Takes a screenshot of every screen, light and dark, at three sizes. A screen fails if its page reports an error,
// is wider than its window, or violates a rule of axe-core.
import path from "node:path";
import { violations } from "../browser/axe-rules.js";
import { expect, test } from "../browser/site.js";
import { settles } from "../browser/viewer-page.js";
import { root } from "../shared/places.js";
import { screens } from "./screens.js";

const folder = path.join(root, "build/screens");

const sizes = [
  [1280, 800],
  [390, 844],
  [1920, 1080],
] as const;

for (const { name, query, state, act } of screens)
  for (const [width, height] of sizes)
    for (const colorScheme of ["light", "dark"] as const)
      test.describe(() => {
        test.use({ colorScheme, viewport: { width, height } });
        test(`${name}, ${width} × ${height}, ${colorScheme}`, async ({ viewer, page, problems }) => {
          problems.expect(/404/); // missing chunks and documents of other versions
          await viewer.goto(query);
          if (state) await expect(viewer.root).toHaveAttribute("data-state", state);
          else await settles(page);
          await act?.(page);
          if (!state) await settles(page);
          await page.screenshot({ path: path.join(folder, `${name}_${width}_${colorScheme}.png`) });
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
          expect(await violations(page)).toEqual([]);
        });
      });
