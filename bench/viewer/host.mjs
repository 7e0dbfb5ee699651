// Environment of the viewer's benchmark: data, pages, a server, Chromium with a network of 40 ms and 20
// Mbit/s.
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { distDir, viewerDist } from "../../scripts/lib/paths.mjs";
import { SetupError, step } from "../../scripts/lib/process.mjs";
import { findChromium } from "../../scripts/lib/system.mjs";
import { makeImage, makeMosaic, makeStack, makeVolume } from "./data.mjs";
import { DevTools, openWatched } from "./devtools.mjs";
import { bundlePeers, installPeers, picturePeers } from "./peers.mjs";
import { probe } from "./probe.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

async function bundlePages(out, peerDir) {
  mkdirSync(out, { recursive: true });
  const entries = {
    viv: here("pages/viv.mjs"),
    stream: here("pages/stream.mjs"),
    worker: path.join(distDir, "workers/worker.js"),
  };
  await bundlePeers(entries, out, peerDir);
  for (const name of ["viv.html", "stream.html"]) copyFileSync(here(`pages/${name}`), path.join(out, name));
}

/** A self-signed certificate: browsers support HTTP/2 only over TLS. */
function makeCertificate(dir) {
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => path.join(dir, name));
  const subject = ["-subj", "/CN=localhost", "-days", "2"];
  const form = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  try {
    execFileSync("openssl", ["req", ...form, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  } catch (cause) {
    throw new SetupError("the viewer's benchmark needs openssl", { cause });
  }
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

/** The server's process. */
class Server {
  constructor(child, { url, plainUrl }) {
    this.child = child;
    this.url = url;
    this.plainUrl = plainUrl;
  }

  static async start(served) {
    const child = fork(here("server.mjs"), [JSON.stringify(served)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    const [addresses] = await once(child, "message");
    return new Server(child, addresses);
  }

  /** Requests since the last `reset`. */
  async log(command = "log") {
    const answered = once(this.child, "message");
    this.child.send(command);
    return (await answered)[0];
  }

  reset() {
    return this.log("reset");
  }

  stop() {
    if (this.child.connected) this.child.disconnect();
  }
}

/** Applies to requests of workers too, and to all requests of a page together. */
const network = { offline: false, latency: 40, downloadThroughput: 20e6 / 8, uploadThroughput: 20e6 / 8 };

const size = { width: 1440, height: 900 };

// Without a GPU Chromium composites pages in main memory and emulates WebGL on the CPU. Both are kept, as on
// users' machines without a GPU. (With --use-angle=swiftshader the whole page was rendered by it, at 90 ms a
// frame.)
const chromiumOptions = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--ignore-certificate-errors",
  "--enable-unsafe-swiftshader",
  "--enable-precise-memory-info",
];

/**
 * Starts the whole environment.
 * @param {string} workDir for persistent files: npm packages and pages
 */
export async function startHost(workDir) {
  const dir = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-viewer-"));
  const [peerDir, pages] = [path.join(workDir, "viewer-peers"), path.join(dir, "pages")];
  let server;
  let browser;
  let devTools;
  const clean = () => rmSync(dir, { recursive: true, force: true });
  process.once("exit", clean); // also if the run is interrupted
  const close = async () => {
    await Promise.all([browser?.close(), devTools?.close()]);
    server?.stop();
    clean();
  };
  try {
    installPeers(peerDir, picturePeers);
    await bundlePages(pages, peerDir);
    step("Making the viewer's data");
    const data = path.join(dir, "data");
    await makeImage(path.join(data, "image"));
    await makeMosaic(path.join(data, "mosaic"));
    const repeated = { volume: path.join(dir, "volume"), stack: path.join(dir, "stack") };
    await makeVolume(repeated.volume);
    await makeStack(repeated.stack);
    const mounts = {
      "/data/": data,
      "/viewer/": viewerDist,
      "/wasm/": path.join(distDir, "wasm"),
      "/pages/": pages,
    };
    server = await Server.start({ ...makeCertificate(dir), mounts, repeated });
    // Imported on demand: row names are also needed without a browser.
    const { chromium } = await import("@playwright/test");
    const executablePath = findChromium() ?? chromium.executablePath();
    browser = await chromium.launch({ executablePath, args: chromiumOptions });
    devTools = new DevTools(executablePath, chromiumOptions, (url) =>
      new URL(url).pathname.startsWith("/data/"),
    );
    return {
      dir,
      data,
      server,
      browser,
      close,
      openPage: (options) => openPage(browser, options),
      /** @param conditions replace those of the network */
      openWatched: (conditions = {}) =>
        openWatched(devTools, { network: { ...network, ...conditions }, size, script: probe }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A page with an empty cache, driven by Playwright; optionally with the slow network. */
async function openPage(browser, { isSlow = true }) {
  const context = await browser.newContext({ viewport: size, ignoreHTTPSErrors: true });
  const page = await context.newPage();
  page.on("pageerror", (error) => console.error(`the page: ${error.message}`));
  const session = await context.newCDPSession(page);
  if (isSlow) {
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", network);
  }
  return { page, session, close: () => context.close() };
}
