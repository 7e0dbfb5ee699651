// The rows of a run: printed as they are measured, and collected in the form written by `--json`.
import { judge, targetOf } from "./targets.mjs";

const nameWidth = 110;

export class Report {
  /** @type {{name: string, unit: string, value: number, baseline: number, ratio: number}[]} */
  rows = [];

  /** @param {string[]} wanted parts of names; if empty, all rows */
  constructor(wanted) {
    this.wanted = wanted;
  }

  /** Whether a row with this name was requested. */
  wants = (name) => this.wanted.length === 0 || this.wanted.some((text) => name.includes(text));

  /**
   * Runs the requested measurements of a suite.
   * @param {import("./measure.mjs").Measurement[]} measurements
   */
  async run(measurements) {
    for (const { rows, measure } of measurements) {
      if (!rows.some(this.wants)) continue;
      for (const row of await measure(this.wants)) if (this.wants(row.name)) this.#add(row);
    }
  }

  /** Prints the number of targets met, and the rows that missed theirs. */
  printSummary() {
    const held = this.rows.flatMap((row) => {
      const target = targetOf(row.name);
      return target ? [{ row, target, verdict: judge(target, row) }] : [];
    });
    const missed = held.filter(({ verdict }) => verdict === "missed");
    console.log(`\n${held.length - missed.length} of ${held.length} rows that have a target met it`);
    for (const { row, target } of missed)
      console.log(`missed: ${row.name}: ${short(row[target.of])}, ${target.text}`);
  }

  #add({ name, unit, value, baseline }) {
    const row = {
      name,
      unit,
      value: rounded(value),
      baseline: rounded(baseline),
      ratio: rounded(value / baseline),
    };
    this.rows.push(row);
    const figures = `${short(value).padStart(8)} ${short(baseline).padStart(8)} ${unit.padEnd(6)}`;
    const target = targetOf(name);
    const note = target ? `  ${target.text} ${judge(target, row)}` : "";
    console.log(`${name.padEnd(nameWidth)} ${figures} ${row.ratio.toFixed(2).padStart(7)}${note}`);
  }
}

/** Rounds to four significant digits, more than a measurement's precision. */
function rounded(value) {
  return Number(value.toPrecision(4));
}

/** Formats four significant digits without an exponent. */
export function short(value) {
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return value.toFixed(Math.min(digits, 4));
}
