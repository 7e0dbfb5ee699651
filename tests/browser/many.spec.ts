// Many viewers on one page share one WebGL2 context.
import { amount } from "../node/support/amounts.js";
import { expect, test } from "./site.js";
import { liveContexts, loseContexts, openElements, recordContexts } from "./viewer-page.js";

test.use({ webgl: true });

/** More than browsers allow contexts. */
const viewers = amount(17, 48);

test(`${viewers} viewers with three planes each stay alive, also after their context is lost`, async ({
  page,
  site,
}) => {
  await recordContexts(page);
  const element = `<zarr-viewer src="/stores/cube" planes="xy xz yz" controls="none" colormap="gray"></zarr-viewer>`;
  await openElements(page, site, element.repeat(viewers));
  await expect(page.locator("[data-state=ready]")).toHaveCount(viewers);
  await expect(page.locator(".zw-canvas[data-renderer=webgl]")).toHaveCount(3 * viewers);
  const pictures = () =>
    page.evaluate(() => {
      const all = [...document.querySelectorAll("zarr-viewer")].map((viewer) =>
        [...viewer.shadowRoot!.querySelectorAll<HTMLCanvasElement>(".zw-canvas")].map((canvas) =>
          canvas.toDataURL(),
        ),
      );
      return all.map((planes) => planes.join());
    });
  // All viewers show the same three planes.
  const areEqual = async () => new Set(await pictures()).size === 1;
  await expect.poll(areEqual).toBe(true);
  const [before] = await pictures();
  expect(new Set(before!.split(",data:")).size).toBe(3);
  expect(await liveContexts(page)).toBe(1);
  expect(await loseContexts(page)).toBe(0);
  const isRestored = async () => (await areEqual()) && (await pictures())[0] === before;
  await expect.poll(isRestored).toBe(true);
  expect(await liveContexts(page)).toBe(1);
});
