// Timing: candidates measured in turn, several rounds, the best of each. Machines drift; ratios of bests
// within one run are what holds. Runs in Node and in pages.
import { Bench } from "tinybench";

/**
 * What a suite is made of: something that is measured at once, and the names of the rows that come of it.
 * @typedef {object} Measurement
 * @property {string[]} rows all names that it can yield; any that are not asked for may be left out
 * @property {(wants: (name: string) => boolean) => Promise<Row[]>} measure
 */

/**
 * @typedef {object} Row
 * @property {string} name says what is measured over what
 * @property {string} unit of both figures. GB/s: more is better. Everything else: less is better
 * @property {number} value
 * @property {number} baseline measured in the same run
 */

/** How much is spent on a figure. */
export const effort = {
  /** Rounds in which the candidates take turns, and milliseconds of one candidate in one round. */
  rounds: 4,
  roundTime: 120,
  /** Calls of work that takes long, and processes that are started for one figure. */
  calls: 3,
  processes: 8,
  /** The same as rounds and roundTime for in-heap cases. */
  inHeapRounds: 6,
  inHeapTime: 30,
};

/** As little as yields figures at all: to see that everything runs. */
export function hurry() {
  Object.assign(effort, {
    rounds: 1,
    roundTime: 20,
    calls: 1,
    processes: 2,
    inHeapRounds: 2,
    inHeapTime: 10,
  });
}

/**
 * Best seconds per call of each candidate.
 * @param {Record<string, () => unknown>} candidates functions, possibly async
 * @returns {Promise<Record<string, number>>}
 */
export async function bestOf(candidates) {
  const best = Object.fromEntries(Object.keys(candidates).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < effort.rounds; round++) {
    const bench = new Bench({
      time: effort.roundTime,
      iterations: 3,
      warmup: round === 0,
      warmupTime: effort.roundTime / 2,
      warmupIterations: 2,
      throws: true,
    });
    for (const [name, work] of Object.entries(candidates)) bench.add(name, work);
    await bench.run();
    for (const task of bench.tasks)
      best[task.name] = Math.min(best[task.name], task.result.latency.min / 1000);
  }
  return best;
}

/** The same for work that takes long: one call of each candidate per round, and one before, not counted. */
export async function bestOfCalls(candidates) {
  const best = Object.fromEntries(Object.keys(candidates).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let call = 0; call <= effort.calls; call++) {
    for (const [name, work] of Object.entries(candidates)) {
      const start = performance.now();
      await work();
      if (call > 0) best[name] = Math.min(best[name], (performance.now() - start) / 1000);
    }
  }
  return best;
}

/** A row of speeds from the bytes that both produce and the seconds that each takes. */
export function speedRow(name, bytes, seconds, baselineSeconds) {
  return { name, unit: "GB/s", value: bytes / seconds / 1e9, baseline: bytes / baselineSeconds / 1e9 };
}

/** A row of times from seconds. */
export function timeRow(name, unit, seconds, baselineSeconds) {
  const scale = { ms: 1e3, µs: 1e6, ns: 1e9 }[unit];
  return { name, unit, value: seconds * scale, baseline: baselineSeconds * scale };
}
