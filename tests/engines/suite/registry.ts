/**
 * A small test runner: the suite runs inside pages, workers, shared workers and service workers, so it needs
 * only the language and `fetch`.
 */

export type Outcome =
  | { status: "passed"; milliseconds: number }
  | { status: "skipped"; reason: string }
  | { status: "failed"; message: string };

/** The suite's tests by name. */
export const cases = new Map<string, () => unknown>();

/** Adds a test. Its name must be unique. */
export function test(name: string, run: () => unknown): void {
  if (cases.has(name)) throw new Error(`there are two tests "${name}"`);
  cases.set(name, run);
}

class Skipped extends Error {}

/** Ends a test that this context cannot run. */
export function skip(reason: string): never {
  throw new Skipped(reason);
}

/** Runs one test to completion. */
export async function runCase(name: string): Promise<Outcome> {
  const start = performance.now();
  try {
    const run = cases.get(name);
    if (!run) throw new Error(`there is no test "${name}"`);
    await run();
    return { status: "passed", milliseconds: Math.round(performance.now() - start) };
  } catch (error) {
    if (error instanceof Skipped) return { status: "skipped", reason: error.message };
    return { status: "failed", message: textOf(error) };
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : `\ncaused by ${textOf(error.cause)}`;
  // V8's stacks begin with the message, other engines' do not contain it.
  const stack = error.stack ?? "";
  return (stack.includes(error.message) ? stack : `${error.name}: ${error.message}\n${stack}`) + cause;
}

/** Equality of plain values, lists, bytes and records. */
export function equal(actual: unknown, expected: unknown, what = "value"): void {
  const [found, wanted] = [show(actual), show(expected)];
  if (found !== wanted) throw new Error(`${what}: found ${brief(found)}, expected ${brief(wanted)}`);
}

export function ok(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`not so: ${what}`);
}

function show(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part === "number" && !Number.isFinite(part)) return `${part}`;
    if (part === undefined) return "undefined";
    if (ArrayBuffer.isView(part)) return { [part.constructor.name]: [...(part as Uint8Array)] };
    return part;
  });
}

const brief = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** The error that work throws. */
export async function errorOf(work: () => unknown): Promise<Error & Record<string, unknown>> {
  try {
    await work();
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("it did not fail");
}

/** Rejects after a timeout. */
export function within<T>(milliseconds: number, work: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
