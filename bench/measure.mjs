// Timing: candidates measured in turn, several rounds, the best of each. Machines drift; ratios of bests
// within one run are what holds.
import { Bench } from "tinybench";
import { targetNote } from "./targets.mjs";

/** Time of one candidate in one round, in milliseconds. */
const roundTime = 150;
const rounds = 4;

/**
 * Best seconds per call of each candidate.
 * @param {Record<string, () => unknown>} candidates functions, possibly async
 * @returns {Promise<Record<string, number>>}
 */
export async function bestOf(candidates) {
  const best = Object.fromEntries(Object.keys(candidates).map((name) => [name, Number.POSITIVE_INFINITY]));
  for (let round = 0; round < rounds; round++) {
    const bench = new Bench({
      time: roundTime,
      iterations: 3,
      warmup: round === 0,
      warmupTime: roundTime / 2,
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

/** Collects rows of the form that `--json` writes: value and baseline of the same run, and their ratio. */
export class Report {
  rows = [];

  constructor(wanted) {
    this.wanted = wanted;
  }

  /** True where a row of this name was asked for. */
  wants(name) {
    return this.wanted.length === 0 || this.wanted.some((text) => name.includes(text));
  }

  add(name, unit, value, baseline) {
    if (!this.wants(name)) return;
    const row = { name, unit, value, baseline, ratio: value / baseline };
    this.rows.push(row);
    const figures = `${value.toPrecision(4).padStart(9)} ${baseline.toPrecision(4).padStart(9)} ${unit.padEnd(5)}`;
    console.log(
      `${name.padEnd(96)} ${figures} ${row.ratio.toFixed(2).padStart(7)}${targetNote(name, row.ratio)}`,
    );
  }

  /** The same from bytes per second. */
  addSpeed(name, value, baseline) {
    this.add(name, "GB/s", value / 1e9, baseline / 1e9);
  }
}
