// Drags a slider through the slices of a stack, and counts the slices that are shown as a whole.
import { setTimeout as pause } from "node:timers/promises";
import { NoPicture, patience } from "./loads.mjs";
import { stack } from "./stack.mjs";

/** Duration of a drag from the first slice to the last, and interval of mouse events, in milliseconds. */
const duration = 4000;
const step = 16;

/**
 * Runs in the page before its scripts: notes which slice the largest canvas shows, at every frame. Reads the
 * number from the bands of the picture; slices that are shown in part do not count.
 */
function watchSlices({ bands, slices }) {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (type, options) {
    const isGl = /^webgl/.test(type);
    return getContext.call(this, type, isGl ? { ...options, preserveDrawingBuffer: true } : options);
  };

  function* canvases(node) {
    for (const element of node.querySelectorAll("*")) {
      if (element instanceof HTMLCanvasElement) yield element;
      if (element.shadowRoot) yield* canvases(element.shadowRoot);
    }
  }
  const area = ({ width, height }) => width * height;
  const largest = () => [...canvases(document)].sort((a, b) => area(b) - area(a))[0];

  const context = (width, height) =>
    new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  /** The part of a canvas that differs from its corner. */
  const pictureBox = (canvas) => {
    const { width, height } = canvas;
    const copy = context(width, height);
    copy.drawImage(canvas, 0, 0);
    const pixels = new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
    let [left, top, right, bottom] = [width, height, 0, 0];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        if (pixels[y * width + x] === pixels[0]) continue;
        left = Math.min(left, x);
        right = Math.max(right, x + 1);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y + 1);
      }
    return { left, top, width: right - left, height: bottom - top };
  };

  const sample = context(bands, bands);
  sample.imageSmoothingEnabled = false;
  const sliceIn = (canvas, { left, top, width, height }) => {
    sample.clearRect(0, 0, bands, bands);
    sample.drawImage(canvas, left, top, width, height, 0, 0, bands, bands);
    const { data } = sample.getImageData(0, 0, bands, bands);
    const light = (row, band) => data[4 * (row * bands + band) + 1];
    let slice;
    for (let row = 0; row < bands; row++) {
      const [dark, bright] = [light(row, bands - 2), light(row, bands - 1)];
      if (bright - dark < 60) return undefined;
      let word = 0;
      for (let band = 0; band < 12; band++) if (light(row, band) > (dark + bright) / 2) word |= 1 << band;
      const number = word & 255;
      if (word >> 8 !== (~number & 15) || (slice ?? number) !== number) return undefined;
      slice = number;
    }
    return slice < slices ? slice : undefined;
  };

  const shown = [];
  let [canvas, size, box] = [undefined, "", undefined];
  const look = () => {
    requestAnimationFrame(look);
    if (!canvas?.isConnected || shown.length === 0) canvas = largest();
    if (!canvas || area(canvas) < 20_000) return;
    const now = `${canvas.width} ${canvas.height}`;
    if (shown.length === 0 || size !== now) box = pictureBox(canvas);
    size = now;
    const slice = box.width > 0 ? sliceIn(canvas, box) : undefined;
    if (slice !== undefined && slice !== shown.at(-1)?.slice) shown.push({ slice, time: performance.now() });
  };
  requestAnimationFrame(look);
  globalThis.shownSlices = shown;
}

/** @returns {Promise<number>} slices shown per second */
export async function measureScrubbing(host, address) {
  const { page, session, close } = await host.openPage({ isSlow: false });
  try {
    await page.addInitScript(watchSlices, stack);
    await page.goto(address);
    const slider = page.locator("input[type=range]:visible").first();
    const { x, y, width, height } = await slider.boundingBox();
    await slider.fill("0");
    await isShown(page, 0, address);
    const at = (type, share, buttons) => {
      const place = { x: x + share * width, y: y + height / 2 };
      const button = buttons || type !== "mouseMoved" ? "left" : "none";
      return session.send("Input.dispatchMouseEvent", { type, ...place, button, buttons, clickCount: 1 });
    };
    const heard = [at("mouseMoved", 0, 0), at("mousePressed", 0, 1)];
    await Promise.all(heard);
    const began = performance.now();
    const from = await page.evaluate(() => performance.now());
    for (let i = step; i <= duration; i += step) {
      await pause(Math.max(0, began + i - performance.now()));
      heard.push(at("mouseMoved", i / duration, 1));
    }
    await Promise.all(heard);
    const [shown, to] = await page.evaluate(() => [globalThis.shownSlices, performance.now()]);
    await at("mouseReleased", 1, 0);
    const count = shown.filter(({ time }) => time > from && time <= to).length;
    if (count === 0) throw new NoPicture(`no slice is shown while a slider is dragged at ${address}`);
    return (1000 * count) / (to - from);
  } finally {
    await close();
  }
}

async function isShown(page, slice, address) {
  await page
    .waitForFunction((wanted) => globalThis.shownSlices.at(-1)?.slice === wanted, slice, {
      timeout: patience,
    })
    .catch((cause) => {
      throw new NoPicture(`slice ${slice} is not shown at ${address}`, { cause });
    });
}
