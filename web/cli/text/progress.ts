/** Shows the progress of long operations on a terminal. */
import { context } from "./context.js";

/** Milliseconds before the line first appears, and between updates. */
const patience = 500;
const interval = 100;

/** A line with share, rate and time left on stderr; no-op if that is not a terminal. */
export class ProgressLine {
  readonly #start = performance.now();
  readonly #stderr = context().stderr;
  #shown = 0;
  #isVisible = false;
  #isClosed = this.#stderr.isTTY !== true;

  constructor(private readonly label: string) {}

  /** Shows bytes. @param skipped the part of `bytes` that existed already: it does not count for the rate. */
  show(bytes: number, total: number, skipped = 0): void {
    const now = performance.now();
    if (this.#isClosed) return;
    if (now - this.#start < patience || now - this.#shown < interval) return;
    this.#shown = now;
    this.#isVisible = true;
    const rate = ((bytes - skipped) / (now - this.#start)) * 1000;
    const text = progressText(this.label, { done: bytes, total, rate });
    this.#stderr.write(`\r${text.slice(0, (this.#stderr.columns ?? 80) - 1)}\x1b[K`);
  }

  /** Removes the line, so that other output can be printed. */
  clear(): void {
    if (this.#isVisible) this.#stderr.write("\r\x1b[K");
    this.#isVisible = false;
  }

  /** Removes the line for good. */
  close(): void {
    this.clear();
    this.#isClosed = true;
  }
}

/** The line's text. @param rate bytes per second. */
export function progressText(
  label: string,
  { done, total, rate }: { done: number; total: number; rate: number },
): string {
  const share = total > 0 ? `${Math.min(100, Math.floor((100 * done) / total))} %  ` : "";
  const left = rate > 0 ? `, ${timeText(Math.max(0, total - done) / rate)} left` : "";
  return `${label} ${share}${sizeText(done)} of ${sizeText(total)}, ${(rate / 2 ** 20).toFixed(0)} MiB/s${left}`;
}

const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB", "RiB", "QiB"];

export function sizeText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

export function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
