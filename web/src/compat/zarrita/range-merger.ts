/** Ranges of one object that are asked for at the same time, as one request. */
import { checkRange } from "../../store/read.js";
import { isSame } from "./options.js";
import type { AbsolutePath, AsyncReadable, FlushReport, GetBytesOptions } from "./types.js";

interface Range {
  readonly offset: number;
  readonly length: number;
}

interface Asked extends Range {
  readonly options: GetBytesOptions | undefined;
  readonly resolve: (bytes: Uint8Array | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

interface MergerOptions {
  readonly coalesceSize: number;
  readonly onFlush: ((report: FlushReport) => void) | undefined;
}

type RangeStore = Required<Pick<AsyncReadable, "getRange">>;

const endOf = ({ offset, length }: Range): number => offset + length;

/** Collects what is asked for until the current task's promises have run, and asks the store for it. */
export class RangeMerger {
  readonly #waiting = new Map<AbsolutePath, Asked[]>();

  constructor(
    private readonly store: RangeStore,
    private readonly options: MergerOptions,
  ) {}

  /** @throws InvalidArgument for an invalid range: it would spoil those of others. */
  async read(path: AbsolutePath, range: Range, options?: GetBytesOptions): Promise<Uint8Array | undefined> {
    checkRange(range);
    if (this.#waiting.size === 0) queueMicrotask(() => this.#flush());
    return new Promise((resolve, reject) => {
      const asked = { offset: range.offset, length: range.length, options, resolve, reject };
      const others = this.#waiting.get(path);
      if (others) others.push(asked);
      else this.#waiting.set(path, [asked]);
    });
  }

  #flush(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [path, all] of waiting) {
      const groups = grouped(all, this.options.coalesceSize);
      this.#report({
        path,
        groupCount: groups.length,
        requestCount: all.length,
        bytesFetched: groups.reduce((sum, group) => sum + spanOf(group).length, 0),
      });
      for (const group of groups) void this.#fetch(path, group);
    }
  }

  #report(report: FlushReport): void {
    try {
      this.options.onFlush?.(report);
    } catch (error) {
      console.warn("withRangeCoalescing: onFlush has thrown:", error);
    }
  }

  async #fetch(path: AbsolutePath, group: readonly Asked[]): Promise<void> {
    const [first] = group;
    if (group.length === 1) return this.#fetchAlone(path, first!);
    const shared = new SharedSignal(group);
    try {
      const span = spanOf(group);
      const options = shared.signal && { ...first!.options, signal: shared.signal };
      const bytes = await this.store.getRange(path, span, options ?? first!.options);
      for (const asked of group) {
        if (bytes && endOf(asked) > span.offset + bytes.byteLength) {
          // The object ends before, or the answer does: the store is to say what there is of this range.
          void this.#fetchAlone(path, asked);
        } else {
          const start = asked.offset - span.offset;
          asked.resolve(bytes?.slice(start, start + asked.length));
        }
      }
    } catch (error) {
      for (const asked of group) asked.reject(error);
    } finally {
      shared.release();
    }
  }

  async #fetchAlone(path: AbsolutePath, { offset, length, options, resolve, reject }: Asked): Promise<void> {
    try {
      resolve(await this.store.getRange(path, { offset, length }, options));
    } catch (error) {
      reject(error);
    }
  }
}

/** Ranges whose options but for their signals are the same, in groups that lie close to one another. */
function grouped(all: readonly Asked[], coalesceSize: number): Asked[][] {
  const groups: Asked[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const asked of [...all].sort((a, b) => a.offset - b.offset)) {
    const last = groups.at(-1);
    const joins = last && asked.offset <= end + coalesceSize && haveSameOptions(last[0]!, asked);
    if (joins) last.push(asked);
    else groups.push([asked]);
    end = joins ? Math.max(end, endOf(asked)) : endOf(asked);
  }
  return groups;
}

function haveSameOptions({ options: a }: Asked, { options: b }: Asked): boolean {
  return isSame({ ...a, signal: undefined }, { ...b, signal: undefined });
}

function spanOf(group: readonly Range[]): Range {
  const offset = group[0]!.offset;
  return { offset, length: Math.max(...group.map(endOf)) - offset };
}

/** Aborts what several wait for when none of them does any more; each that leaves is told so at once. */
class SharedSignal {
  readonly signal: AbortSignal | undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(group: readonly Asked[]) {
    const signals = group.map(({ options }) => options?.signal);
    if (signals.every((signal) => signal === undefined)) return;
    const controller = new AbortController();
    this.signal = controller.signal;
    let left = group.length;
    group.forEach(({ reject }, i) => {
      const signal = signals[i];
      if (!signal) return;
      const leave = () => {
        reject(signal.reason);
        if (--left === 0) controller.abort(signal.reason);
      };
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
      this.#listeners.push(() => signal.removeEventListener("abort", leave));
    });
  }

  release(): void {
    for (const stop of this.#listeners) stop();
  }
}
