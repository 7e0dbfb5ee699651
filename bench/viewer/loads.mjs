// Loads a picture: measures the time until it is first visible, the time until it is complete, and the
// requests.

import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { image } from "./data.mjs";

/** Maximum wait for a picture; milliseconds without a change after which it is complete. */
export const patience = 60_000;
const calm = 1500;

/** Addresses of viewer pages for a path on the server: ours, and the one to compare with. */
export const pagesFor = {
  ours: (url, source) => `${url}/viewer/index.html?source=${url}/data/${source}`,
  theirs: (url, source, range) => `${url}/pages/viv.html?source=${url}/data/${source}&range=${range}`,
};

/** The page shows no picture to measure. */
export class NoPicture extends Error {}

/**
 * A response sent by the server does not arrive at the page. Chromium's throttled network stalls now and then
 * until its conditions are set again, even with plain fetch. The measurement is then not valid for the page.
 */
export class Standstill extends Error {}

/** Milliseconds without progress after which a sent response counts as lost. */
const lost = 8000;
const tries = 4;

/** Repeats a measurement whose network stalled. */
export async function again(measure) {
  for (let i = 1; ; i++) {
    try {
      return await measure();
    } catch (error) {
      const isStill = error instanceof Standstill || error.name === "TimeoutError";
      if (!isStill || i === tries) throw error;
      console.error(`measured again: ${error.message.split("\n")[0]}`);
    }
  }
}

/** Waits until no requests have been sent for a while, and none are in flight. */
export async function untilQuiet(server, time = 1000) {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const { log, open } = await server.log();
    const last = log.at(-1)?.at ?? Date.now();
    if (open === 0 && Date.now() - last > time) return;
    await pause(100);
  }
  throw new Error("the page does not stop asking for data");
}

/**
 * Loads a page with an empty cache.
 * @returns {Promise<{first: number, all: number, requests: number, log: object[], canvas: object}>}
 *   milliseconds since the request for the page; data requests until the first picture; all data requests
 */
export async function measureLoad(host, address) {
  const page = await host.openWatched();
  try {
    await host.server.reset();
    await page.open(address);
    const seen = await untilSeen(page, host.server, address);
    const { log } = await host.server.log();
    const requests = log.filter(({ at }) => at - seen.origin <= seen.first).length;
    return { first: seen.first, all: seen.last, requests, log, canvas: seen.canvas };
  } finally {
    await page.close();
  }
}

/** Waits until the picture is complete. @returns times of the first picture and of its last change, and its place */
export async function untilSeen(page, server, address) {
  const { waiting } = page;
  const end = Date.now() + patience;
  while (Date.now() < end) {
    await pause(200);
    const seen = await page.evaluate("seenPicture()");
    const { log, open } = await server.log();
    const silence = Date.now() - (log.at(-1)?.at ?? Date.now());
    const isStill = open === 0 && silence > lost;
    if (isStill && (waiting.size > 0 || seen.first === undefined))
      throw new Standstill(`nothing comes to ${address} any more, with ${waiting.size} requests under way`);
    if (seen.first === undefined || waiting.size > 0 || seen.now - seen.last < calm) continue;
    if (open === 0 && silence > calm) return seen;
  }
  throw new NoPicture(`no complete picture within ${patience / 1000} s at ${address}`);
}

/** Encoded bytes of all files in a folder except metadata. */
function bytesBelow(dir) {
  let bytes = 0;
  for (const name of readdirSync(dir, { recursive: true })) {
    const info = statSync(path.join(dir, name));
    if (info.isFile() && !name.endsWith(".json")) bytes += info.size;
  }
  return bytes;
}

/**
 * Bytes fetched by a load of the whole image, and encoded bytes in view: all chunks of the finest level read.
 * @throws Error if that level is too coarse for the screen
 */
export function bytesInView({ log, canvas }, dir) {
  const levels = log.map(({ path: name }) => /^\/data\/image\/(\d)\/c\//.exec(name)?.[1]).filter(Boolean);
  const finest = Math.min(...levels.map(Number));
  const pixels = Math.min(canvas.width, canvas.height);
  if (image.side / 2 ** finest < 0.5 * pixels)
    throw new Error(`level ${finest} is too coarse for the ${pixels} pixels that show it`);
  const folder = path.join(dir, "image", String(finest));
  if (!existsSync(folder)) throw new Error(`there is no level ${finest}`);
  const fetched = log.reduce((sum, { bytes }) => sum + bytes, 0);
  return { fetched, inView: bytesBelow(folder), level: finest };
}
