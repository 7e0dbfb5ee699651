// Other viewers of volumes, measured on the pages of this folder: vole-core, and fidnii with niivue.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { bundlePeers, installPeers, volumePeers } from "./peers.mjs";

/** Milliseconds after which a peer is given up. */
const patience = 60_000;

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

export const peerPage = (name, { width, height }) => `<!doctype html><meta charset="utf-8">
<style>body { margin: 0; background: black } main { width: ${width}px; height: ${height}px }</style>
<main>${name === "fidnii" ? `<canvas width="${width}" height="${height}"></canvas>` : ""}</main>
<script type="module" src="${name}.js"></script>`;

/** Installs the packages, once, and bundles the pages. */
export async function makePeerPages(workDir, out) {
  const peerDir = path.join(workDir, "volume-peers");
  installPeers(peerDir, volumePeers);
  const entries = {
    vole: here("pages/vole.mjs"),
    fidnii: here("pages/fidnii.mjs"),
    // Workers, which their libraries expect beside themselves.
    VolumeLoadWorker: path.join(peerDir, "node_modules/@aics/vole-core/es/workers/VolumeLoadWorker.js"),
    compute_omero_worker: path.join(
      peerDir,
      "node_modules/@fideus-labs/ngff-zarr/esm/workers/compute_omero_worker.js",
    ),
    "codec-worker": path.join(
      peerDir,
      "node_modules/@fideus-labs/ngff-zarr/node_modules/@fideus-labs/fizarrita/dist/codec-worker.js",
    ),
  };
  await bundlePeers(entries, out, peerDir);
}

/** Runs in the page: counts the bytes of live textures. */
function countTextures() {
  const bytesOf = new Map();
  const bound = new Map();
  const { prototype } = WebGL2RenderingContext;
  const wrap = (name, before) => {
    const { [name]: own } = prototype;
    prototype[name] = function (...given) {
      before.call(this, ...given);
      return own.apply(this, given);
    };
  };
  const size = (gl, format) => {
    const sizes = {
      1: [gl.R8, gl.R8UI, gl.R8I, gl.LUMINANCE, gl.ALPHA, gl.RED],
      2: [gl.R16F, gl.R16UI, gl.R16I, gl.RG8],
      3: [gl.RGB8, gl.RGB],
      8: [gl.RGBA16F, gl.RGBA16I, gl.RGBA16UI],
      16: [gl.RGBA32F, gl.RGBA32I, gl.RGBA32UI],
    };
    const [found] = Object.entries(sizes).find(([, formats]) => formats.includes(format)) ?? [4];
    return Number(found);
  };
  const add = (target, level, bytes) => {
    const texture = bound.get(target);
    if (!texture) return;
    if (level === 0) bytesOf.set(texture, bytes);
    else bytesOf.set(texture, (bytesOf.get(texture) ?? 0) + bytes);
  };
  wrap("bindTexture", (target, texture) => bound.set(target, texture));
  wrap("deleteTexture", (texture) => bytesOf.delete(texture));
  wrap("texStorage2D", function (target, _levels, format, width, height) {
    add(target, 0, width * height * size(this, format));
  });
  wrap("texStorage3D", function (target, _levels, format, width, height, depth) {
    add(target, 0, width * height * depth * size(this, format));
  });
  wrap("texImage3D", function (target, level, format, width, height, depth) {
    add(target, level, width * height * depth * size(this, format));
  });
  wrap("texImage2D", function (target, level, format, width, height, ...rest) {
    // Pictures have no size among the arguments.
    if (rest.length > 3) add(target, level, width * height * size(this, format));
  });
  globalThis.textureBytes = () => [...bytesOf.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * Opens a peer's page and waits for its picture.
 * @param log keys of the requests for data
 */
export async function measurePeer(browser, size, address, log) {
  const page = await browser.newPage({ viewport: size });
  page.setDefaultTimeout(patience);
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  await page.addInitScript(countTextures);
  log.length = 0;
  log.bytes = 0;
  await page.goto(address);
  const isDone = () => page.waitForFunction(() => globalThis.peer?.times.complete !== undefined);
  const failure = await isDone().then(
    () => undefined,
    () => "not complete in time",
  );
  const { times, texture } = await page.evaluate(() => ({
    times: globalThis.peer?.times ?? {},
    texture: globalThis.textureBytes(),
  }));
  const result = {
    firstImage: times.first,
    complete: times.complete,
    requests: log.length,
    twice: log.length - new Set(log).size,
    kilobytes: Math.round(log.bytes / 1000),
    textureMiB: Number((texture / 2 ** 20).toFixed(1)),
  };
  if (failure) return { ...result, failure, errors: errors.slice(0, 3) };
  return { ...result, drag: { msPerFrame: await page.evaluate(() => globalThis.peer.turnFor(4000)) } };
}
