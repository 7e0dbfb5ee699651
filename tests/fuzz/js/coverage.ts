/** How much of some modules has run, as V8 counts it. */
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

  /** Per cent of the characters of those files below dist whose paths start with one of these. */
  percentOf(paths: readonly string[]): number {
    let [covered, all] = [0, 0];
    for (const script of this.#scripts()) {
      const file = /\/dist\/(.*)$/.exec(script.url)?.[1];
      if (!file || !paths.some((start) => file.startsWith(start))) continue;
      const ran = charactersRun(script, readFileSync(fileURLToPath(script.url), "utf8").length);
      covered += ran.reduce((sum, one) => sum + one, 0);
      all += ran.length;
    }
    return all === 0 ? 0 : (100 * covered) / all;
  }

  #scripts(): readonly Profiler.ScriptCoverage[] {
    let scripts: readonly Profiler.ScriptCoverage[] = [];
    // The call is synchronous in a session of the thread's own.
    this.#session.post("Profiler.takePreciseCoverage", (error, taken) => {
      if (error) throw error;
      scripts = taken.result;
    });
    return scripts;
  }
}

/** 1 for each character that has run. Ranges inside others come after them, and count instead. */
function charactersRun({ functions }: Profiler.ScriptCoverage, length: number): Uint8Array {
  const ran = new Uint8Array(length);
  functions.forEach(({ ranges }, i) => {
    for (const { startOffset, endOffset, count } of ranges) {
      // The first function is the module, which ran before anything was counted.
      ran.fill(i === 0 || count > 0 ? 1 : 0, startOffset, endOffset);
    }
  });
  return ran;
}
