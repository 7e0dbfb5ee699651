/** Code coverage of modules, as counted by V8. */
import { readFileSync } from "node:fs";
import { type Profiler, Session } from "node:inspector";
import { fileURLToPath } from "node:url";

export class Coverage {
  readonly #session = new Session();

  start(): void {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: true });
  }

  /** Percentage of the characters in functions of files below dist whose paths start with one of these. */
  percentOf(paths: readonly string[]): number {
    let [covered, all] = [0, 0];
    for (const script of this.#scripts()) {
      const file = /\/dist\/(.*)$/.exec(script.url)?.[1];
      if (!file || !paths.some((start) => file.startsWith(start))) continue;
      const ran = charactersRun(script, readFileSync(fileURLToPath(script.url), "utf8").length);
      covered += ran.filter((one) => one === hasRun).length;
      all += ran.filter((one) => one !== outside).length;
    }
    return all === 0 ? 0 : (100 * covered) / all;
  }

  #scripts(): readonly Profiler.ScriptCoverage[] {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    // The call is synchronous, since the session belongs to this thread.
    this.#session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      scripts = taken.result;
    });
    return scripts;
  }
}

const outside = 0;
const hasNotRun = 1;
const hasRun = 2;

/** Coverage per character. Inner ranges follow outer ones and override them. */
function charactersRun({ functions }: Profiler.ScriptCoverage, length: number): Uint8Array {
  const ran = new Uint8Array(length);
  for (const { ranges } of functions) {
    // Module-level code ran before counting started.
    if (ranges[0]!.startOffset === 0) continue;
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? hasRun : hasNotRun, startOffset, endOffset);
  }
  return ran;
}
