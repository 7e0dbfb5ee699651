// Visits a page twice with one browser profile: measures the time until the picture is first visible, and the
// requests for data. On the second visit, the browser has the page's scripts, and the viewer the data.
import { setTimeout as pause } from "node:timers/promises";
import { untilSeen } from "./loads.mjs";

/** Latency of the network in milliseconds. */
export const latency = 50;

/** Time in which the viewer stores its data, in milliseconds. */
const storing = 3000;

/** @returns {Promise<{first: number, requests: number, bytes: number}[]>} both visits; bytes of bodies of data */
export async function measureVisits(host, address) {
  const page = await host.openWatched({ latency });
  try {
    const visits = [];
    for (let visit = 0; visit < 2; visit++) {
      await host.server.reset();
      await page.open(address);
      const { first } = await untilSeen(page, host.server, address);
      const { log } = await host.server.log();
      visits.push({ first, requests: log.length, bytes: log.reduce((sum, { bytes }) => sum + bytes, 0) });
      await pause(storing);
      await page.open("about:blank");
    }
    return visits;
  } finally {
    await page.close();
  }
}
