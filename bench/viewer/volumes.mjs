// Measures volumes in Chromium: node bench/viewer/volumes.mjs [NAME…]. Prints one line of JSON per measurement. The
// main fixture has 512³ uint8, 1 % of the voxels in tubes, chunks of 64³ (Blosc zstd), four levels. Names that begin with
// "vole" or "fidnii" measure these viewers with the same data, server and latency.
import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "@playwright/test";
import { writeMultiscale } from "zarr-wasm/conventions";
import { buildDir, distDir, viewerDist } from "../../scripts/lib/paths.mjs";
import { findChromium } from "../../scripts/lib/system.mjs";
import { makePeerPages, measurePeer, peerPage } from "./volume-peers.mjs";

const latency = 50;
const size = { width: 800, height: 600 };
const workDir = path.join(buildDir, "bench");
const fixtures = path.join(workDir, "volumes");
const peerPages = path.join(workDir, "volume-pages");

/** Bright tubes on a black ground. */
function tubes(side) {
  const data = new Uint8Array(side ** 3);
  const radius = side / 128;
  const reach = Math.ceil(radius);
  for (let tube = 0; tube < 24; tube++) {
    const at = (k) => ((tube * k * 0.618) % 1) * 0.5 + 0.25;
    const value = 90 + ((tube * 37) % 160);
    for (let step = 0; step < 6 * side; step++) {
      const t = step / (6 * side);
      const centre = [
        side * (0.2 + 0.6 * t),
        side * (at(2) + 0.22 * Math.sin(9 * t + tube)),
        side * (at(3) + 0.2 * Math.cos((5 + (tube % 7)) * t + 2 * tube)),
      ];
      for (let z = -reach; z <= reach; z++)
        for (let y = -reach; y <= reach; y++)
          for (let x = -reach; x <= reach; x++) {
            if (x * x + y * y + z * z > radius * radius) continue;
            const [k, j, i] = [z, y, x].map((shift, axis) => Math.round(centre[axis]) + shift);
            if ([k, j, i].some((index) => index < 0 || index >= side)) continue;
            data[(k * side + j) * side + i] = value;
          }
    }
  }
  return data;
}

/** Noise in two channels. */
function noise(side) {
  const data = new Uint16Array(2 * side ** 3);
  for (let i = 0; i < data.length; i++) data[i] = (Math.imul(i, 0x9e3779b1) >>> 16) & 0x0fff;
  return data;
}

async function makeFixture(name, image, axes) {
  const folder = path.join(fixtures, name);
  if (existsSync(folder)) return;
  const begun = `${folder}.begun`;
  rmSync(begun, { recursive: true, force: true });
  await writeMultiscale(pathToFileURL(begun + path.sep), image(), {
    axes: axes.map((axis) => ({ name: axis, type: axis === "c" ? "channel" : "space" })),
    factor: axes.map((axis) => (axis === "c" ? 1 : 2)),
    chunkShape: axes.map((axis) => (axis === "c" ? 1 : 64)),
    levels: 4,
  });
  renameSync(begun, folder);
}

const pageText = `<!doctype html><meta charset="utf-8"><style>body { margin: 0 } zarr-viewer { display: block;
  width: ${size.width}px; --zw-height: ${size.height}px }</style>
  <script type="module" src="/viewer/viewer.min.js"></script>`;
const types = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** Pages of other viewers, and their workers. */
const isOfPeer = (pathname) => /^\/(?:peers|workers)\//.test(pathname);

function fileOf(pathname) {
  if (pathname.startsWith("/data/")) return path.join(fixtures, pathname.slice(6));
  if (pathname.startsWith("/viewer/")) return path.join(viewerDist, pathname.slice(8));
  if (!isOfPeer(pathname)) return path.join(distDir, pathname);
  // vole-core names its worker without an ending.
  const name = path.basename(pathname);
  return path.join(peerPages, name.includes(".") ? name : `${name}.js`);
}

/** Serves the page at once, data after the latency. */
function serve(log) {
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (pathname === "/") return response.writeHead(200, { "content-type": "text/html" }).end(pageText);
    if (isOfPeer(pathname) && pathname.endsWith(".html")) {
      const page = peerPage(path.basename(pathname, ".html"), size);
      return response.writeHead(200, { "content-type": "text/html" }).end(page);
    }
    const isData = pathname.startsWith("/data/");
    const file = fileOf(pathname);
    if (isData) log.push(pathname);
    const send = () => {
      if (!statSync(file, { throwIfNoEntry: false })?.isFile())
        return response.writeHead(404, { "content-length": 0 }).end();
      const body = readFileSync(file);
      if (isData) log.bytes += body.length;
      const type = types[path.extname(file)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, "content-length": body.length }).end(body);
    };
    setTimeout(send, isData ? latency : 0);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

/** Runs in the page: times the calls of WebGL and of animation frames; optionally counts texture samples. */
function probe(counted) {
  const times = { gl: 0, frames: [], draws: [], first: undefined };
  const contexts = new Set();
  Object.assign(globalThis, { times, contexts });
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (...given) {
    const context = getContext.apply(this, given);
    if (given[0] === "webgl2" && context) contexts.add(context);
    return context;
  };
  const { prototype } = WebGL2RenderingContext;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const { value } = Object.getOwnPropertyDescriptor(prototype, name);
    if (typeof value !== "function") continue;
    prototype[name] = function (...given) {
      const since = performance.now();
      if (counted && name === "shaderSource") given[1] = countedSource(given[1]);
      const result = value.apply(this, given);
      times.gl += performance.now() - since;
      return result;
    };
  }
  function countedSource(text) {
    if (!text.includes("sampler3D atlas")) return text;
    const skipping =
      counted === "all" ? text.replace("bool isSkipping = true", "bool isSkipping = false") : text;
    return skipping
      .replace("void main() {", "float taken = 0.0;\nvoid main() {")
      .replaceAll("float v = texture(atlas, place).r;", "float v = texture(atlas, place).r; taken += 1.0;")
      .replaceAll(/if \(best >= range.z\) break;/g, counted === "all" ? "" : "$&")
      .replace(
        /colour = abs\(best\)[^;]*;/,
        "colour = vec4(floor(taken / 256.0), mod(taken, 256.0), 0.0, 255.0) / 255.0;",
      );
  }
  const { drawImage } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.drawImage = function (...given) {
    times.gl -= performance.now();
    drawImage.apply(this, given);
    times.gl += performance.now();
    if (this.canvas.classList.contains("zw-canvas"))
      times.draws.push({
        at: performance.now(),
        width: given[3],
        isFinal: given.length === 9 && given[3] === given[7],
      });
  };
  const { requestAnimationFrame } = globalThis;
  globalThis.requestAnimationFrame = (call) =>
    requestAnimationFrame((now) => {
      const [since, gl] = [performance.now(), times.gl];
      call(now);
      times.frames.push(performance.now() - since - (times.gl - gl));
      const box = document
        .querySelector("zarr-viewer")
        ?.shadowRoot?.querySelector(".zw-frame-volume .zw-box");
      if (times.first === undefined && Number(box?.dataset.textures) > 3e5) times.first = performance.now();
    });
}

const log = Object.assign([], { bytes: 0 });

async function open(browser, server, attributes, counted) {
  const page = await browser.newPage({ viewport: { width: size.width, height: size.height + 200 } });
  page.on("pageerror", (error) => console.error(error.message));
  page.on(
    "console",
    (message) => message.type() === "error" && /shader/.test(message.text()) && console.error(message.text()),
  );
  await page.addInitScript(`(${probe})(${JSON.stringify(counted)})`);
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.evaluate(() => customElements.whenDefined("zarr-viewer"));
  log.length = 0;
  log.bytes = 0;
  await page.evaluate((given) => {
    globalThis.startedAt = performance.now();
    const viewer = Object.assign(document.createElement("zarr-viewer"), {});
    for (const [name, value] of Object.entries({ view: "volume", controls: "none", ...given }))
      viewer.setAttribute(name, value);
    document.body.append(viewer);
  }, attributes);
  return page;
}

const ready = (page) =>
  page.evaluate(async () => {
    const viewer = document.querySelector("zarr-viewer");
    while (viewer.state !== "ready") await new Promise((done) => setTimeout(done, 5));
    return performance.now();
  });

const textures = (page) =>
  page.evaluate(() =>
    Number(
      document.querySelector("zarr-viewer").shadowRoot.querySelector(".zw-frame-volume .zw-box").dataset
        .textures,
    ),
  );

async function load(browser, server, name, attributes) {
  const page = await open(browser, server, { src: `/data/${name}`, ...attributes });
  const end = await ready(page);
  const { first, startedAt } = await page.evaluate(() => ({
    first: globalThis.times.first,
    startedAt: globalThis.startedAt,
  }));
  const chunks = log.filter((key) => key.includes("/c/"));
  const result = {
    firstImage: Math.round(first - startedAt),
    complete: Math.round(end - startedAt),
    requests: log.length,
    twice: chunks.length - new Set(chunks).size,
    kilobytes: Math.round(log.bytes / 1000),
    textureMiB: Number(((await textures(page)) / 2 ** 20).toFixed(1)),
  };
  return { page, result };
}

/** Drags for some seconds. */
const drag = (page, duration) =>
  page.evaluate(async (length) => {
    const box = document.querySelector("zarr-viewer").shadowRoot.querySelector(".zw-frame-volume .zw-box");
    const { times } = globalThis;
    box.setPointerCapture = () => {};
    const send = (type, x) =>
      box.dispatchEvent(
        new PointerEvent(type, { pointerId: 1, clientX: x, clientY: 300, buttons: 1, bubbles: true }),
      );
    send("pointerdown", 300);
    times.draws.length = 0;
    times.frames.length = 0;
    const since = performance.now();
    let x = 300;
    while (performance.now() - since < length) {
      const [start, gl] = [performance.now(), times.gl];
      x += 3;
      send("pointermove", x);
      const spent = performance.now() - start - (times.gl - gl);
      await new Promise((done) => requestAnimationFrame(done));
      times.frames[times.frames.length - 1] += spent;
    }
    const previews = times.draws.filter(({ at }) => at - since < length);
    send("pointerup", x);
    const sorted = times.frames.slice().sort((a, b) => a - b);
    const late = previews.slice(Math.floor(previews.length / 3));
    return {
      msPerFrame: Math.round((late.at(-1).at - late[0].at) / (late.length - 1)),
      width: late.at(-1).width,
      mainThread: {
        median: Number(sorted[sorted.length >> 1].toFixed(1)),
        p95: Number(sorted[Math.floor(sorted.length * 0.95)].toFixed(1)),
      },
    };
  }, duration);

/** Milliseconds for the final picture after a change of the look. */
const atRest = (page, colormap) =>
  page.evaluate(async (name) => {
    const viewer = document.querySelector("zarr-viewer");
    const { times } = globalThis;
    viewer.colormap = name;
    await new Promise((done) => setTimeout(done, 0));
    times.draws.length = 0;
    const since = performance.now();
    while (viewer.state === "ready" && performance.now() - since < 1000)
      await new Promise((done) => setTimeout(done, 1));
    while (viewer.state !== "ready") await new Promise((done) => setTimeout(done, 1));
    const finals = times.draws.filter(({ isFinal }) => isFinal);
    const gaps = finals.slice(1).map(({ at }, i) => at - finals[i].at);
    return {
      msFinal: Math.round(times.draws.at(-1).at - finals[0].at + (gaps[0] ?? 0)),
      longestCall: Math.round(Math.max(0, ...gaps)),
      calls: finals.length,
    };
  }, colormap);

const detail256 = { orbit: "30,20,0.9", mode: "max" };
const detail512 = { orbit: "30,20,1.8", mode: "max" };

const measurements = {
  async 256(browser, server) {
    const { page, result } = await load(browser, server, "tubes", detail256);
    return { ...result, drag: await drag(page, 4000), rest: await atRest(page, "magma") };
  },
  async 512(browser, server) {
    const { page, result } = await load(browser, server, "tubes", detail512);
    return {
      ...result,
      drag: await drag(page, 4000),
      rest: (await ready(page)) && (await atRest(page, "magma")),
    };
  },
  async composite(browser, server) {
    const { page, result } = await load(browser, server, "tubes", { ...detail512, mode: "composite" });
    return {
      ...result,
      drag: await drag(page, 3000),
      rest: (await ready(page)) && (await atRest(page, "magma")),
    };
  },
  async channels(browser, server) {
    return (await load(browser, server, "noise", {})).result;
  },
  async samples(browser, server) {
    const mean = {};
    for (const counted of ["skipping", "all"]) {
      const page = await open(browser, server, { src: "/data/tubes", ...detail512 }, counted);
      await ready(page);
      mean[counted] = await page.evaluate(() => {
        const canvas = document.querySelector("zarr-viewer").shadowRoot.querySelector(".zw-canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let [sum, rays] = [0, 0];
        for (let i = 0; i < data.length; i += 4) {
          sum += data[i] * 256 + data[i + 1];
          rays++;
        }
        return sum / rays;
      });
      await page.close();
    }
    return mean;
  },
  async lost(browser, server) {
    const { page } = await load(browser, server, "tubes", detail256);
    return page.evaluate(async () => {
      const canvas = document.querySelector("zarr-viewer").shadowRoot.querySelector(".zw-canvas");
      const pixels = () => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const before = pixels();
      // Bricks take other places of the atlas, which rounds a few samples differently.
      const isSame = (now) => now.every((value, i) => Math.abs(value - before[i]) <= 1);
      canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
      const since = performance.now();
      for (const gl of globalThis.contexts) gl.getExtension("WEBGL_lose_context").loseContext();
      while (!isSame(pixels()) && performance.now() - since < 10000)
        await new Promise((done) => setTimeout(done, 20));
      return { equalAfter: Math.round(performance.now() - since) };
    });
  },
};

/** 256³ voxels of the main fixture, and all of the two channels. */
const peerQueries = {
  vole256: ["vole", "source=/data/tubes&level=1"],
  fidnii256: ["fidnii", `source=/data/tubes&voxels=${256 ** 3}`],
  voleChannels: ["vole", "source=/data/noise&level=0"],
  fidniiChannels: ["fidnii", `source=/data/noise&voxels=${256 ** 3}`],
};
for (const [name, [peer, query]] of Object.entries(peerQueries))
  measurements[name] = (browser, server) => {
    const address = `http://127.0.0.1:${server.address().port}/peers/${peer}.html?${query}`;
    return measurePeer(browser, size, address, log);
  };

const server = await serve(log);
await makeFixture("tubes", () => ({ data: tubes(512), shape: [512, 512, 512] }), ["z", "y", "x"]);
await makeFixture("noise", () => ({ data: noise(256), shape: [2, 256, 256, 256] }), ["c", "z", "y", "x"]);
const browser = await chromium.launch({
  executablePath: findChromium() ?? chromium.executablePath(),
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader"],
});
const wanted = process.argv.slice(2);
const chosen = Object.entries(measurements).filter(([name]) => wanted.length === 0 || wanted.includes(name));
if (chosen.some(([name]) => name in peerQueries)) await makePeerPages(workDir, peerPages);
for (const [name, measure] of chosen) {
  console.log(JSON.stringify({ name, ...(await measure(browser, server)) }));
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
server.close();
