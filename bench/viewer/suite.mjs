// The viewer in Chromium, compared with a page for the same purpose built from zarrita, numcodecs and Viv's
// layers for deck.gl. Everything is measured from outside: requests at the server, the content of the largest
// canvas, Chromium's process statistics. The suite does not depend on the implementation of either page.
import { effort } from "../measure.mjs";
import { startHost } from "./host.mjs";
import { again, bytesInView, measureLoad, NoPicture, pagesFor } from "./loads.mjs";
import { measureFrames, measureLongestTask, measureMemory } from "./motion.mjs";
import { measureScrubbing } from "./scrub.mjs";
import { stackRange } from "./stack.mjs";
import { measureStreaming } from "./streaming.mjs";
import { latency, measureVisits } from "./visits.mjs";

const sources = [
  { source: "image", range: "100,4000", what: "20,480² uint16 in levels and shards" },
  { source: "mosaic", range: "0,255", what: "1,024 chunks of 128²" },
];
const peer = "zarrita with Viv";

const row = (name, unit, value, baseline) => ({ name, unit, value, baseline });

/**
 * Measures both pages in turn for several rounds, after a warm-up round: a newly started browser is slow with
 * any page.
 */
async function both(host, { source, range }, measure, rounds) {
  const addresses = [pagesFor.ours(host.server.url, source), pagesFor.theirs(host.server.url, source, range)];
  const taken = [[], []];
  for (let round = 0; round <= rounds; round++) {
    for (const [i, address] of addresses.entries()) {
      const figure = await again(() => measure(host, address));
      if (round > 0) taken[i].push(figure);
    }
  }
  return taken;
}

function loading(hostOf, shown) {
  const start = `viewer, ${shown.what}`;
  const names = {
    first: `${start}, first picture after a cold start: time beside ${peer}`,
    sooner: `${start}, first picture after a cold start: over ${peer}`,
    all: `${start}, all in view after a cold start: time beside ${peer}`,
    requests: `${start}, requests for data until the first picture: beside ${peer}`,
    bytes: `${start}, bytes fetched over bytes in view`,
  };
  const { bytes, ...timed } = names;
  const measured = shown.source === "image" ? names : timed;
  return {
    rows: Object.values(measured),
    measure: async () => {
      const host = await hostOf();
      const [ours, theirs] = await both(host, shown, measureLoad, effort.calls);
      const figure = (name, unit, of) =>
        row(name, unit, Math.min(...ours.map(of)), Math.min(...theirs.map(of)));
      const rows = [
        figure(names.first, "ms", ({ first }) => first),
        figure(names.sooner, "ms", ({ first }) => first),
        figure(names.all, "ms", ({ all }) => all),
        figure(names.requests, "requests", ({ requests }) => requests),
      ];
      if (shown.source !== "image") return rows;
      const { fetched, inView } = bytesInView(ours.at(-1), host.data);
      return [...rows, row(bytes, "KB", fetched / 1000, inView / 1000)];
    },
  };
}

function panning(hostOf) {
  const [shown] = sources;
  const start = `viewer, ${shown.what}, panning`;
  const frames = `${start}, frames under 20 ms: beside ${peer}`;
  const task = `${start}, longest task of the main thread: beside ${peer}`;
  return {
    rows: [frames, task],
    measure: async (wants) => {
      const host = await hostOf();
      const rows = [];
      if (wants(frames)) {
        const [ours, theirs] = await both(host, shown, measureFrames, 1);
        rows.push(row(frames, "%", 100 * Math.max(...ours), 100 * Math.max(...theirs)));
      }
      if (wants(task)) {
        const [ours, theirs] = await both(host, shown, measureLongestTask, 1);
        rows.push(row(task, "ms", Math.min(...ours), Math.min(...theirs)));
      }
      return rows;
    },
  };
}

function memory(hostOf) {
  const [{ source, what }] = sources;
  const process = `viewer, ${what}, memory of the page's process after 200 pans over after 40`;
  const heap = `viewer, ${what}, JavaScript heap after 200 pans over after 40`;
  return {
    rows: [process, heap],
    measure: async () => {
      const host = await hostOf();
      const address = pagesFor.ours(host.server.url, source);
      const { warm, after } = await again(() => measureMemory(host, address));
      return [row(process, "MiB", after.process, warm.process), row(heap, "MiB", after.heap, warm.heap)];
    },
  };
}

function scrubbing(hostOf) {
  const name = `viewer, 256 slices of 2048² uint16 in blosc chunks, slices shown while a slider is dragged: beside ${peer}`;
  return {
    rows: [name],
    measure: async () => {
      const host = await hostOf();
      const { plainUrl } = host.server;
      const source = `source=${plainUrl}/stack`;
      const addresses = [
        `${plainUrl}/viewer/index.html?${source}&map=gray&range=${stackRange.replace(",", ":")}`,
        `${plainUrl}/pages/viv.html?${source}&range=${stackRange}`,
      ];
      const best = [0, 0];
      for (let round = 0; round <= effort.calls; round++)
        for (const [i, address] of addresses.entries())
          best[i] = Math.max(best[i], await measureScrubbing(host, address));
      return [row(name, "slices/s", ...best)];
    },
  };
}

function visiting(hostOf, { source, what }) {
  const start = `viewer, ${what}, second visit with ${latency} ms latency`;
  const first = `${start}, first picture: time beside the first visit`;
  const requests = `${start}, requests for data: beside the first visit`;
  const bytes = `${start}, bodies of data: beside the first visit`;
  return {
    rows: [first, requests, bytes],
    measure: async () => {
      const host = await hostOf();
      const taken = [];
      for (let round = 0; round < effort.calls; round++)
        taken.push(await again(() => measureVisits(host, pagesFor.ours(host.server.plainUrl, source))));
      const figure = (name, unit, of) => {
        const [before, after] = [0, 1].map((visit) => Math.min(...taken.map((visits) => of(visits[visit]))));
        return row(name, unit, after, before);
      };
      return [
        figure(first, "ms", (visit) => visit.first),
        figure(requests, "requests", (visit) => visit.requests),
        figure(bytes, "KB", (visit) => visit.bytes / 1000),
      ];
    },
  };
}

function streaming(hostOf) {
  const name =
    "viewer, 256 MiB in 64³ blosc chunks over HTTP, main thread busy: get with 2 workers over zarrita";
  return {
    rows: [name],
    measure: async () => {
      const shares = await measureStreaming(await hostOf(), ["zarr-wasm", "zarrita"], effort.calls);
      return [row(name, "%", 100 * shares["zarr-wasm"], 100 * shares.zarrita)];
    },
  };
}

/** A page without a picture has no rows; the report mentions it. */
const withoutPictures = ({ rows, measure }) => ({
  rows,
  measure: (wants) =>
    measure(wants).catch((error) => {
      if (!(error instanceof NoPicture)) throw error;
      console.error(`not measured: ${error.message}`);
      return [];
    }),
});

/**
 * @param {string} workDir for persistent files
 * @returns {{suite: import("../measure.mjs").Measurement[], close(): Promise<void>}}
 */
export function viewerSuite(workDir) {
  let host;
  const hostOf = () => {
    host ??= startHost(workDir);
    return host;
  };
  const close = async () => {
    const opened = await host?.catch(() => undefined); // the error has been reported by the measurement
    await opened?.close();
  };
  const loads = sources.map((shown) => loading(hostOf, shown));
  const visits = sources.map((shown) => visiting(hostOf, shown));
  const suite = [...loads, ...visits, panning(hostOf), memory(hostOf), scrubbing(hostOf), streaming(hostOf)];
  return { suite: suite.map(withoutPictures), close };
}
