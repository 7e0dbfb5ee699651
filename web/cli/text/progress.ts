/** Shows the progress of long operations on a terminal. */
import { context, type Output } from "./context.js";

export interface ProgressLine {
  /** Sets the total, in bytes. */
  total(bytes: number): void;
  /** Adds completed bytes. */
  add(bytes: number): void;
  /** Adds bytes that existed already: they count as done, but not for the rate. */
  skip(bytes: number): void;
  /** Removes the line, so that other output can be printed. */
  clear(): void;
  /** Removes the line for good. */
  close(): void;
}

const silent: ProgressLine = { total() {}, add() {}, skip() {}, clear() {}, close() {} };

/** Milliseconds before the line first appears, and between updates. */
const patience = 500;
const interval = 100;

/** A line with share, rate and time left on stderr; no-op if that is not a terminal. */
export function progressLine(label: string): ProgressLine {
  const { stderr } = context();
  return stderr.isTTY ? new Line(label, stderr) : silent;
}

class Line implements ProgressLine {
  readonly #start = performance.now();
  #shown = 0;
  #isVisible = false;
  #isClosed = false;
  #total = 0;
  #done = 0;
  #skipped = 0;

  constructor(
    private readonly label: string,
    private readonly stderr: Output,
  ) {}

  total(bytes: number): void {
    this.#total = bytes;
  }

  add(bytes: number): void {
    this.#done += bytes;
    this.#show();
  }

  skip(bytes: number): void {
    this.#skipped += bytes;
    this.#show();
  }

  clear(): void {
    if (this.#isVisible) this.stderr.write("\r\x1b[K");
    this.#isVisible = false;
  }

  close(): void {
    this.clear();
    this.#isClosed = true;
  }

  #show(): void {
    const now = performance.now();
    if (this.#isClosed) return;
    if (now - this.#start < patience || now - this.#shown < interval) return;
    this.#shown = now;
    this.#isVisible = true;
    const seconds = (now - this.#start) / 1000;
    const done = this.#done + this.#skipped;
    const text = progressText(this.label, { done, total: this.#total, rate: this.#done / seconds });
    this.stderr.write(`\r${text.slice(0, (this.stderr.columns ?? 80) - 1)}\x1b[K`);
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
