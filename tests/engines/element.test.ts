/** <zarr-viewer> in every engine: attributes, events, links, narrow boxes. */
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFailed } from "vitest";
import { elementsExpression, grayRows, grayTable, type Pixels, pixelsOf } from "../shared/pixels.js";
import { byteValue, cubeValue } from "../shared/viewer-stores.js";
import type { Driver } from "./drivers/driver.js";
import { engines, keepPicture, start, waitFor } from "./engines.js";
import { type Site, startSite } from "./site.js";

const patient = { timeout: 60_000 };
const range = [-64, 448] as const;
const plane = (z: number) => grayTable(5, 6, range, (y, x) => cubeValue([z, y, x]));

interface Heard {
  readonly id: string;
  readonly name: string;
  readonly detail: { readonly control?: string; readonly index?: number[]; readonly message?: string } | null;
}

describe.each(engines)("%s", (engine) => {
  let driver: Driver;
  let site: Site;
  beforeAll(async () => {
    driver = await start(engine);
    site = await startSite(false);
  });
  afterAll(async () => {
    await driver?.close();
    await site?.close();
  });
  afterEach(async () => {
    expect(await driver.evaluate("globalThis.problems")).toEqual([]);
    expect(site.violations).toEqual([]);
  });

  const test = (name: string, work: () => Promise<void>) =>
    it(name, async () => {
      onTestFailed(() => keepPicture(driver, `${engine} element ${name}`));
      await work();
    });

  const one = (id: string) => `document.querySelector("#${id}")`;
  const inside = (id: string, selector: string) => `${one(id)}.shadowRoot.querySelector("${selector}")`;

  /**
   * A page with elements whose events are recorded, in a box of a given width, which the policy allows only
   * scripts to set.
   */
  async function open(html: string, width = ""): Promise<void> {
    await driver.open(`${site.url}/pages/element.html`);
    await driver.evaluate(`(() => {
      globalThis.heard = [];
      document.body.innerHTML = ${JSON.stringify(html)};
      document.body.style.width = "${width}";
      for (const viewer of document.querySelectorAll("zarr-viewer"))
        for (const name of ["load", "change", "pointer", "error"])
          viewer.addEventListener(name, ({ detail }) => {
            const { control, index, message } = detail ?? {};
            heard.push({ id: viewer.id, name, detail: detail ? { control, index, message } : null });
          });
      return true;
    })()`);
  }

  const heard = async (name: string) =>
    (await driver.evaluate<Heard[]>("globalThis.heard")).filter((event) => event.name === name);

  const reaches = (id: string, state: "ready" | "error") =>
    waitFor(driver, `${one(id)}.state === "${state}"`);

  const set = (id: string, name: string, value: string) =>
    driver.evaluate(`${one(id)}.setAttribute("${name}", "${value}")`);

  async function grays(id: string): Promise<number[][]> {
    const expression = elementsExpression().replaceAll(
      "document.querySelector(",
      `${one(id)}.shadowRoot.querySelector(`,
    );
    return grayRows(pixelsOf(await driver.evaluate<Pixels & { base64: string }>(expression)));
  }

  test("attributes select the source and view, also when they change", async () => {
    await open(
      `<zarr-viewer id="one" src="/stores/cube" select="1,:,:" colormap="gray" range="-64:448" controls="none"></zarr-viewer>`,
    );
    await reaches("one", "ready");
    await expect.poll(() => grays("one"), patient).toEqual(plane(1));
    await set("one", "select", "3,:,:");
    await expect.poll(() => grays("one"), patient).toEqual(plane(3));
    await driver.evaluate(`${one("one")}.range = [0, 256]`);
    const [select, src] = [`setAttribute("select", ":,:")`, `setAttribute("src", "/stores/bytes")`];
    await driver.evaluate(`(${one("one")}.${select}, ${one("one")}.${src})`);
    const bytes = grayTable(5, 7, [0, 256], (y, x) => byteValue([y, x]));
    await expect.poll(() => grays("one"), patient).toEqual(bytes);
    // Styles of the page and of the element do not affect each other.
    expect(await driver.evaluate("getComputedStyle(document.body).fontFamily")).not.toContain("system-ui");
  });

  test("events: load, change, pointer, error", async () => {
    await open(`<zarr-viewer id="one" src="/stores/cube" select="2,:,:" controls="minimal"></zarr-viewer>`);
    await reaches("one", "ready");
    await expect.poll(() => heard("load"), patient).toHaveLength(1);
    await driver.evaluate(`${one("one")}.settings = { colormap: "magma" }`);
    await expect.poll(async () => (await heard("change")).at(-1)?.detail?.control, patient).toBe("program");
    const key = `new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true })`;
    await driver.evaluate(`${inside("one", ".zw-box")}.focus()`);
    await driver.evaluate(`${inside("one", ".zw-box")}.dispatchEvent(${key})`);
    await expect.poll(async () => (await heard("pointer")).at(-1)?.detail?.index, patient).toEqual([2, 2, 2]);
    await waitFor(driver, `/172 K/.test(${inside("one", ".zw-readout")}.innerText)`);
    await set("one", "src", "/stores/nowhere");
    await reaches("one", "error");
    const [error] = await heard("error");
    expect(error?.detail?.message).toMatch(/nowhere/);
    expect(await driver.evaluate<string>(`${inside("one", "[role=alert]")}.innerText`)).toContain(
      "There is no Zarr array here",
    );
    // No events came from other elements, and load was not repeated.
    expect((await heard("load")).map(({ id }) => id)).toEqual(["one"]);
  });

  test("linked viewers show the same part", async () => {
    const viewer = (id: string, link: string) =>
      `<zarr-viewer id="${id}" src="/stores/cube" select="0,:,:" colormap="gray" range="-64:448" controls="none" link="${link}"></zarr-viewer>`;
    await open(`${viewer("one", "a")}${viewer("two", "a")}${viewer("three", "b")}`);
    for (const id of ["one", "two", "three"]) await reaches(id, "ready");
    await driver.evaluate(`${one("one")}.settings = { index: [3, 0, 0] }`);
    await expect.poll(() => grays("two"), patient).toEqual(plane(3));
    await expect.poll(() => grays("one"), patient).toEqual(plane(3));
    expect(await grays("three")).toEqual(plane(0));
  });

  test("nothing overflows a narrow box", async () => {
    const viewer = (id: string, controls: string) =>
      `<zarr-viewer id="${id}" src="/stores/cube" controls="${controls}"></zarr-viewer>`;
    await open(["full", "minimal", "none"].map((controls) => viewer(controls, controls)).join(""), "280px");
    for (const id of ["full", "minimal", "none"]) {
      await reaches(id, "ready");
      if (id === "full") {
        await driver.evaluate(`${inside(id, ".zw-dock-handle")}.click()`);
        await waitFor(driver, `${inside(id, ".zw-dock-body > *")} !== null`);
      }
      const outside = await driver.evaluate<string[]>(`(() => {
        const box = ${one(id)}.getBoundingClientRect();
        const seen = [...${one(id)}.shadowRoot.querySelectorAll(".zw-viewer *")].filter(
          (element) => !element.closest(".zw-overlay, .zw-ruler, svg, option") && element.checkVisibility?.() !== false,
        );
        return seen
          .filter((element) => {
            const { left, right, width } = element.getBoundingClientRect();
            return width > 0 && (left < box.left - 1 || right > box.right + 1);
          })
          .map((element) => element.className || element.tagName);
      })()`);
      expect(outside, id).toEqual([]);
      const [width, height] = await driver.evaluate<number[]>(
        `(({ width, height }) => [width, height])(${inside(id, ".zw-canvas")}.getBoundingClientRect())`,
      );
      expect(Math.min(width!, height!), id).toBeGreaterThan(150);
    }
  });
});
