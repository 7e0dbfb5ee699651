// Drives Chromium by the DevTools protocol over a pipe, without a library. Only DevTools can slow the network
// down, and then it reports every request in five or six events. Playwright also subscribes to these events
// in a session of its own, and parses them all: for a thousand requests that is more work than the page's
// own, on the same CPUs. Here they are subscribed to once, and dropped unparsed except for the few that show
// which requests are in flight.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** Time for Chromium to exit, in milliseconds. */
const patience = 5000;

const options = [
  "--headless",
  "--remote-debugging-pipe",
  "--no-first-run",
  "--no-default-browser-check",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--hide-scrollbars",
  "--mute-audio",
];

/** Pause after opening a window, in milliseconds: Chromium loads internal pages for it, on the same CPUs. */
const settling = 1500;

/** Chromium writes an event's method first. Other network events are not even decoded to strings. */
const ofNetwork = Buffer.from('{"method":"Network.');
const began = Buffer.from('requestWillBeSent"');
const ended = [Buffer.from('loadingFinished"'), Buffer.from('loadingFailed"')];
const startsAt = (bytes, at, start) => bytes.subarray(at, at + start.length).equals(start);

export class DevTools {
  #child;
  #profile;
  #asked = new Map();
  #last = 0;
  #pieces = [];
  #isTold;
  /** Ids of pending requests for data, including those of workers. */
  waiting = new Set();

  /** @param isTold selects the URLs of requests to include in `waiting` */
  constructor(executable, args, isTold) {
    this.#isTold = isTold;
    this.#profile = mkdtempSync(path.join(os.tmpdir(), "zarr-wasm-chromium-"));
    const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"];
    this.#child = spawn(executable, [...options, ...args, `--user-data-dir=${this.#profile}`], { stdio });
    this.#child.stdio[4].on("data", (bytes) => this.#hear(bytes));
    this.#child.stdio[3].on("error", () => {}); // the browser has exited: all pending replies fail
    this.#child.once("exit", () => {
      for (const { reject } of this.#asked.values()) reject(new Error("the browser has ended"));
      this.#asked.clear();
      rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    });
    this.onEvent = () => {};
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  #hear(bytes) {
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      this.#pieces.push(bytes.subarray(start, end));
      this.#take(this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces));
      this.#pieces = [];
      start = end + 1;
    }
    if (start < bytes.length) this.#pieces.push(bytes.subarray(start));
  }

  #take(message) {
    if (startsAt(message, 0, ofNetwork)) return this.#noteRequest(message);
    const { id, method, params, sessionId, result, error } = JSON.parse(message.toString());
    if (method) return this.onEvent(method, params, sessionId);
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error) asked?.reject(new Error(error.message));
    else asked?.resolve(result);
  }

  #noteRequest(message) {
    const at = ofNetwork.length;
    const isStart = startsAt(message, at, began);
    if (!isStart && !ended.some((name) => startsAt(message, at, name))) return;
    const text = message.latin1Slice();
    const id = /"requestId":"([^"]*)"/.exec(text)?.[1];
    if (!isStart) this.waiting.delete(id);
    else if (this.#isTold(/"request":\{"url":"([^"]*)"/.exec(text)?.[1] ?? "")) this.waiting.add(id);
  }

  async close() {
    if (this.#child.exitCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), patience);
    await gone;
    clearTimeout(timer);
  }
}

/**
 * Opens a page with an empty cache and a slow network.
 * @param {{network: object, size: {width: number, height: number}, script: () => void}} conditions `script`
 *   runs before the page's own scripts
 */
export async function openWatched(devTools, { network, size, script }) {
  const { browserContextId } = await devTools.send("Target.createBrowserContext");
  const blank = { url: "about:blank", browserContextId };
  const { targetId } = await devTools.send("Target.createTarget", blank);
  const { sessionId } = await devTools.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method, params) => devTools.send(method, params, sessionId);
  // Response bodies are kept for DevTools unless the buffer has no room.
  const slowDown = (session) =>
    devTools.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }, session);
  // The page's network conditions apply to a worker once DevTools is attached to it; until then it is paused.
  devTools.onEvent = (method, params) => {
    if (method !== "Target.attachedToTarget") return;
    const ofWorker = params.sessionId;
    const steps = [slowDown(ofWorker), devTools.send("Runtime.runIfWaitingForDebugger", {}, ofWorker)];
    for (const done of steps) done.catch(() => {}); // a worker may exit immediately
  };
  devTools.waiting.clear();
  await slowDown(sessionId);
  await send("Network.emulateNetworkConditions", network);
  await send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });
  await send("Security.setIgnoreCertificateErrors", { ignore: true });
  await send("Emulation.setDeviceMetricsOverride", { ...size, deviceScaleFactor: 1, mobile: false });
  await send("Page.enable");
  await send("Page.addScriptToEvaluateOnNewDocument", { source: `(${script})()` });
  await new Promise((resolve) => setTimeout(resolve, settling));
  return {
    waiting: devTools.waiting,
    open: (url) => send("Page.navigate", { url }),
    /** The value of an expression in the page. */
    async evaluate(expression) {
      const { result, exceptionDetails } = await send("Runtime.evaluate", {
        expression,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
      return result.value;
    },
    close: () => devTools.send("Target.disposeBrowserContext", { browserContextId }),
  };
}
