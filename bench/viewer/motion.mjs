// Moves a picture: measures the regularity of frames, the longest tasks of the main thread, and memory.

import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { NoPicture, patience, untilQuiet } from "./loads.mjs";

/** Wheel notches to zoom in before moving, so that the picture extends beyond the view. */
const notches = 6;
/** Interval of simulated mouse events, in milliseconds. */
const step = 16;

/** Opens a page and zooms in. */
async function openEnlarged(host, address) {
  const opened = await host.openPage({});
  try {
    await host.server.reset();
    await opened.page.goto(address);
    await pause(1000);
    await untilQuiet(host.server);
    const middle = await enlarge(opened.page, address);
    await untilQuiet(host.server);
    return { ...opened, middle };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/**
 * Turns the wheel over the middle of the largest canvas.
 * @returns the middle
 * @throws NoPicture
 */
async function enlarge(page, address) {
  const box = await largestCanvas(page, address);
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  for (let i = 0; i < notches; i++) {
    await page.mouse.wheel(0, -100);
    await pause(60);
  }
  return middle;
}

/** Position of the largest canvas, once it has the size of a picture. */
async function largestCanvas(page, address) {
  const area = (box) => (box ? box.width * box.height : 0);
  for (const end = Date.now() + patience; Date.now() < end; await pause(200)) {
    const boxes = await Promise.all(
      (await page.locator("canvas").all()).map((canvas) => canvas.boundingBox()),
    );
    const [box] = boxes.sort((a, b) => area(b) - area(a));
    if (area(box) >= 20_000) return box;
  }
  throw new NoPicture(`no picture at ${address}`);
}

/**
 * Drags the picture in one direction, with a mouse event every 16 ms, whether or not the page keeps up.
 * @param {import("@playwright/test").CDPSession} session of the page
 */
async function pan(session, middle, [dx, dy], steps, pixels) {
  const start = { x: middle.x - (dx * steps * pixels) / 2, y: middle.y - (dy * steps * pixels) / 2 };
  const heard = [];
  const say = (type, i, buttons) => {
    const place = { x: start.x + i * dx * pixels, y: start.y + i * dy * pixels };
    const event = { type, ...place, button: type === "mouseMoved" && !buttons ? "none" : "left", buttons };
    heard.push(session.send("Input.dispatchMouseEvent", { ...event, clickCount: 1 }));
  };
  say("mouseMoved", 0, 0);
  say("mousePressed", 0, 1);
  const began = performance.now();
  for (let i = 1; i <= steps; i++) {
    await pause(Math.max(0, began + i * step - performance.now()));
    say("mouseMoved", i, 1);
  }
  say("mouseReleased", steps, 0);
  await Promise.all(heard);
}

/** In all directions and back, so that every round ends where it began. */
const round = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [-1, 0],
  [0, -1],
  [0, -1],
  [1, 0],
  [0, 1],
];

/** Share of frames within 20 ms of the previous one, while the picture is dragged for some seconds. */
export async function measureFrames(host, address) {
  const { page, session, middle, close } = await openEnlarged(host, address);
  try {
    await page.evaluate(() => {
      const times = [];
      const note = (now) => {
        times.push(now);
        requestAnimationFrame(note);
      };
      requestAnimationFrame(note);
      globalThis.frameTimes = times;
    });
    const began = await page.evaluate(() => performance.now());
    for (const way of round) await pan(session, middle, way, 40, 8);
    const ended = await page.evaluate(() => performance.now());
    const times = (await page.evaluate(() => globalThis.frameTimes)).filter(
      (at) => at >= began && at <= ended,
    );
    const gaps = times.slice(1).map((at, i) => at - times[i]);
    return gaps.filter((gap) => gap < 20).length / gaps.length;
  } finally {
    await close();
  }
}

const traced = ["toplevel", "disabled-by-default-devtools.timeline", "devtools.timeline"];

/**
 * The longest task of the main thread in milliseconds, from loading to the end of some seconds of dragging.
 */
export async function measureLongestTask(host, address) {
  const { page, session, close } = await host.openPage({});
  try {
    await host.browser.startTracing(page, { categories: traced });
    await host.server.reset();
    await page.goto(address);
    await pause(1000);
    await untilQuiet(host.server);
    const middle = await enlarge(page, address);
    for (const way of round) await pan(session, middle, way, 20, 16);
    return longestTask(JSON.parse(await host.browser.stopTracing()).traceEvents, address);
  } finally {
    await close();
  }
}

/**
 * The longest task of the thread that ran a page, in thread time, which does not depend on other load of the
 * machine.
 */
function longestTask(events, address) {
  const frames = events.flatMap(
    ({ args }) => args?.data?.frames ?? (args?.data?.processId ? [args.data] : []),
  );
  const ours = new Set(frames.filter(({ url }) => url === address).map(({ processId }) => processId));
  const threads = new Set(
    events
      .filter(
        ({ name, args, pid }) => name === "thread_name" && args.name === "CrRendererMain" && ours.has(pid),
      )
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  if (threads.size === 0) throw new Error("the trace does not say which thread the page ran on");
  let longest = 0;
  for (const { name, pid, tid, dur = 0, tdur = dur } of events) {
    if (/RunTask$/.test(name) && threads.has(`${pid} ${tid}`)) longest = Math.max(longest, tdur);
  }
  return longest / 1000;
}

const warmPans = 40;
const allPans = 200;

/**
 * Memory of the page's process in MiB, and of its JavaScript heap after garbage collection, after 40 and
 * after 200 pans.
 */
export async function measureMemory(host, address) {
  const { page, session, middle, close } = await openEnlarged(host, address);
  try {
    const pid = await rendererOf(host.browser, page);
    const taken = [];
    for (let i = 0; i < allPans; i++) {
      await pan(session, middle, round[i % round.length], 6, 40);
      if (i + 1 === warmPans || i + 1 === allPans) {
        await untilQuiet(host.server);
        await session.send("HeapProfiler.collectGarbage");
        await pause(500);
        taken.push({ process: residentMiB(pid), heap: await heapMiB(session) });
      }
    }
    return { warm: taken[0], after: taken[1] };
  } finally {
    await close();
  }
}

/** The process that runs a page: the renderer that was busiest while the page was busy. */
async function rendererOf(browser, page) {
  const session = await browser.newBrowserCDPSession();
  const renderers = async () =>
    (await session.send("SystemInfo.getProcessInfo")).processInfo.filter(({ type }) => type === "renderer");
  const before = new Map((await renderers()).map(({ id, cpuTime }) => [id, cpuTime]));
  await page.evaluate(() => {
    const end = performance.now() + 300;
    while (performance.now() < end);
  });
  const spent = (await renderers()).map(({ id, cpuTime }) => ({ id, time: cpuTime - (before.get(id) ?? 0) }));
  await session.detach();
  return spent.sort((a, b) => b.time - a.time)[0].id;
}

/** Linux only. */
function residentMiB(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) / 1024;
}

async function heapMiB(session) {
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "JSHeapUsedSize").value / 2 ** 20;
}
