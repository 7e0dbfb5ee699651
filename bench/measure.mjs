// Timing: candidates are measured in turn, for several rounds, and the best time of each counts. Machines
// drift; the ratio of best times within one run is reliable. Runs in Node and in pages.
import { Bench } from "tinybench";

/**
 * Element of a suite: a measurement with the names of its rows.
 * @typedef {object} Measurement
 * @property {string[]} rows all names that it can produce; unrequested ones may be omitted
 * @property {(wants: (name: string) => boolean) => Promise<Row[]>} measure
 */

/**
 * @typedef {object} Row
 * @property {string} name the measured operation and its baseline
 * @property {string} unit of both values. GB/s: more is better. Everything else: less is better
 * @property {number} value
 * @property {number} baseline measured in the same run
 */

/** Effort per value. */
export const effort = {
  /** Number of rounds, and milliseconds per candidate and round. */
  rounds: 4,
  roundTime: 120,
  /** Number of calls of slow operations, and of processes started for one value. */
  calls: 3,
  /** Number of calls of slow operations that adapt to earlier calls. */
  steadyCalls: 8,
  processes: 8,
  /** The same as rounds and roundTime for in-heap cases. */
  inHeapRounds: 6,
  inHeapTime: 30,
};

/** Reduces the effort to a minimum, as a smoke test. */
export function hurry() {
  Object.assign(effort, {
    rounds: 1,
    roundTime: 20,
    calls: 1,
    steadyCalls: 1,
    processes: 2,
    inHeapRounds: 2,
    inHeapTime: 10,
  });
}

/**
 * Minimum seconds per call of each candidate.
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

/** The same for slow operations: one call per candidate and round, after a warm-up call. */
export async function bestOfCalls(candidates, calls = effort.calls) {
  const best = Object.fromEntries(Object.keys(candidates).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let call = 0; call <= calls; call++) {
    for (const [name, work] of Object.entries(candidates)) {
      const start = performance.now();
      await work();
      if (call > 0) best[name] = Math.min(best[name], (performance.now() - start) / 1000);
    }
  }
  return best;
}

/** A row of speeds, from the number of bytes that both produce and the seconds of each. */
export function speedRow(name, bytes, seconds, baselineSeconds) {
  return { name, unit: "GB/s", value: bytes / seconds / 1e9, baseline: bytes / baselineSeconds / 1e9 };
}

/** A row of times from seconds. */
export function timeRow(name, unit, seconds, baselineSeconds) {
  const scale = { ms: 1e3, µs: 1e6, ns: 1e9 }[unit];
  return { name, unit, value: seconds * scale, baseline: baselineSeconds * scale };
}
