// Runs in the pages before other scripts: samples the largest canvas, and records when it first shows a
// picture and when that last changed. Independent of the drawing code.
export function probe() {
  const interval = 30; // milliseconds
  const side = 48;
  /** Minimum number of colours of a picture: more than in a background, a frame or a placeholder pattern. */
  const pictureColours = 10;
  /** Minimum mean difference of samples, of 256 levels, that counts as a change. */
  const leastChange = 0.3;

  // WebGL clears its drawing buffer after the frame, unless preserved.
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
  const areaOf = (canvas) => {
    const { width, height } = canvas.getBoundingClientRect();
    return width * height;
  };
  /** Searched for only occasionally, since this takes time from the page. */
  const search = 300; // milliseconds
  let [found, searched] = [undefined, Number.NEGATIVE_INFINITY];
  const largest = (now) => {
    if (found?.isConnected && now - searched < search) return found;
    searched = now;
    found = findLargest();
    return found;
  };
  const findLargest = () => {
    let best;
    for (const canvas of canvases(document))
      if (areaOf(canvas) > (best ? areaOf(best) : 20_000)) best = canvas;
    return best;
  };

  const sampler = new OffscreenCanvas(side, side);
  const context = sampler.getContext("2d", { willReadFrequently: true });
  context.imageSmoothingEnabled = false;
  const sample = (canvas) => {
    context.clearRect(0, 0, side, side);
    context.drawImage(canvas, 0, 0, side, side);
    return context.getImageData(0, 0, side, side).data;
  };
  const coloursOf = (pixels) => {
    const colours = new Set();
    for (let i = 0; i < pixels.length; i += 4)
      if (pixels[i + 3] > 0)
        colours.add(((pixels[i] >> 3) << 10) | ((pixels[i + 1] >> 3) << 5) | (pixels[i + 2] >> 3));
    return colours.size;
  };
  const differs = (a, b) => {
    if (!b) return true;
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
    return sum > leastChange * a.length;
  };

  const seen = { first: undefined, last: undefined, canvas: undefined };
  let before;
  let due = 0;
  const look = (now) => {
    requestAnimationFrame(look);
    if (now < due) return;
    due = now + interval;
    const canvas = largest(now);
    if (!canvas || canvas.width === 0 || canvas.height === 0) return;
    const pixels = sample(canvas);
    if (coloursOf(pixels) < pictureColours || !differs(pixels, before)) return;
    before = pixels;
    const time = performance.now();
    seen.first ??= time;
    seen.last = time;
    const { x, y, width, height } = canvas.getBoundingClientRect();
    seen.canvas = { x, y, width, height };
  };
  requestAnimationFrame(look);
  globalThis.seenPicture = () => ({ ...seen, now: performance.now(), origin: performance.timeOrigin });
}
