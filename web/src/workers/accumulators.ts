/** Accumulators of a reduction in the core: a state of cells, and histograms of all values. */

import {
  accumulate,
  addHistogram,
  type BoxReduction,
  clearState,
  type Histogram,
  isExact,
  mergeState,
  planesOf,
  type StateForm,
  stateBytes,
} from "../engine/box-reduction.js";
import type { CodecSession, PlacedStep, Slab } from "../engine/session.js";
import { placeAll } from "./decode-work.js";
import { addBins, type BinPlace, grownPlace } from "./growing-bins.js";

/** Bins of a histogram: fixed ones, or growing ones (growing-bins.ts). */
export interface HistogramForm {
  readonly bins: number;
  readonly by: Histogram["by"] | "growing";
}

/** Everything that is accumulated. Growing histograms need a single cell with the fields `min` and `max`. */
export interface AccumulatorForm {
  readonly state: StateForm;
  readonly histograms: readonly HistogramForm[];
}

/** A box of elements: how its chunks are decoded, and how it is reduced. */
export interface SlabReduction {
  /** Size of the box, and number of its elements. */
  readonly bytes: number;
  readonly elements: number;
  readonly steps: readonly PlacedStep[];
  /** Several if elements belong to more than one cell. */
  readonly reductions: readonly BoxReduction[];
}

/** A histogram; of fixed bins, the place has no meaning. */
export interface HistogramCounts extends BinPlace {
  readonly counts: Float64Array;
}

/** Header of each histogram, in doubles: its place. */
const header = 3;
const noPlace: BinPlace = { width: 0, first: 0, last: -1 };

export const accumulatorBytes = ({ state, histograms }: AccumulatorForm): number =>
  histograms.reduce((sum, { bins }) => sum + 8 * (header + bins), stateBytes(state));

export class Accumulators {
  readonly #state: Slab;
  readonly #counts: readonly Slab[];
  readonly #places: BinPlace[];

  /** @throws LimitExceeded without memory. */
  constructor(
    readonly session: CodecSession,
    private readonly form: AccumulatorForm,
  ) {
    this.#state = session.makeSlab(stateBytes(form.state));
    const counts: Slab[] = [];
    this.#counts = counts;
    this.#places = form.histograms.map(() => noPlace);
    try {
      clearState(session, this.#state, form.state);
      for (const { bins } of form.histograms) {
        const slab = session.makeSlab(8 * bins);
        counts.push(slab);
        session.withSlab(slab, (bytes) => bytes.fill(0));
      }
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** Decodes a box and adds it. @throws StepFailure, before anything is added. */
  add({ bytes, elements, steps, reductions }: SlabReduction): void {
    const { session } = this;
    const box = session.makeSlab(bytes);
    try {
      placeAll(session, box, steps);
      for (const reduction of reductions) accumulate(session, box, this.#state, reduction);
      for (const i of this.#counts.keys()) this.#count(i, box, reductions[0]!, elements);
    } finally {
      session.freeSlab(box);
    }
  }

  #count(i: number, box: Slab, reduction: BoxReduction, elements: number): void {
    const { bins, by } = this.form.histograms[i]!;
    const rule = { ...this.form.state, elements, bins };
    const own = by === "growing" ? this.#binsFor(i, box, reduction) : by;
    if (own) addHistogram(this.session, box, this.#counts[i]!, { ...rule, by: own });
  }

  /** Makes growing bins hold the values of a box; undefined without finite values. */
  #binsFor(i: number, box: Slab, reduction: BoxReduction): Histogram["by"] | undefined {
    const [low, high] = this.#range(box, reduction);
    if (!(low <= high)) return undefined;
    const { first, width } = this.#grow(i, low, high, isExact(reduction) ? 1 : 0);
    return { first: first * width, width, includesEnd: false };
  }

  /** Adds a copy of other accumulators of the same form. */
  merge(from: Uint8Array): void {
    const { session } = this;
    const { histograms, state } = this.form;
    let at = stateBytes(state);
    mergeState(session, this.#state, from.subarray(0, at), state);
    for (const [i, { bins, by }] of histograms.entries()) {
      const other = floats(from.subarray(at, at + 8 * (header + bins)));
      at += other.byteLength;
      const [width, first, last] = other as unknown as readonly [number, number, number];
      if (by === "growing" && width === 0) continue;
      const counts = other.subarray(header);
      const place = by === "growing" ? this.#grow(i, first * width, last * width, width) : unitPlace;
      const own = by === "growing" ? { width, first, last } : unitPlace;
      this.#withCounts(i, (into) => addBins(counts, own, into, place));
    }
  }

  /** Passes the state and the histograms to a function, which only borrows them. */
  take(use: (state: Uint8Array, histograms: readonly HistogramCounts[]) => void): void {
    const { session } = this;
    const histograms = this.#counts.map((slab, i) => ({
      ...this.#places[i]!,
      counts: floats(session.copySlab(slab)),
    }));
    session.withSlab(this.#state, (state) => use(state, histograms));
  }

  /** Returns a copy for {@link merge}. */
  copy(): Uint8Array<ArrayBuffer> {
    if (this.#counts.length === 0) return this.session.copySlab(this.#state);
    const all = new Uint8Array(accumulatorBytes(this.form));
    this.take((state, histograms) => {
      all.set(state);
      let at = state.byteLength;
      for (const { counts, first, last, width } of histograms) {
        const out = new Float64Array(all.buffer, at, header + counts.length);
        out.set([width, first, last]);
        out.set(counts, header);
        at += out.byteLength;
      }
    });
    return all;
  }

  free(): void {
    for (const slab of [this.#state, ...this.#counts]) this.session.freeSlab(slab);
  }

  /** Makes growing bins hold values between two. */
  #grow(i: number, low: number, high: number, least: number): BinPlace {
    const before = this.#places[i]!;
    const place = grownPlace(before, low, high, this.form.histograms[i]!.bins, least);
    const isSame = before.width === place.width && before.first === place.first;
    if (before.width > 0 && !isSame)
      this.#withCounts(i, (counts) => {
        const old = counts.slice();
        counts.fill(0);
        addBins(old, before, counts, place);
      });
    this.#places[i] = place;
    return place;
  }

  /** The smallest and the largest finite value of a box, or also of boxes before. */
  #range(box: Slab, reduction: BoxReduction): readonly [number, number] {
    const { session } = this;
    const range = extremes(session, this.#state, this.form.state);
    if (range.every(Number.isFinite) || !reduction.number.includes("float")) return range;
    const missing = [...reduction.missing, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const finite: BoxReduction = { ...reduction, fields: ["min", "max"], missing, skipsNaN: true };
    const state = session.makeSlab(stateBytes(finite));
    try {
      clearState(session, state, finite);
      accumulate(session, box, state, finite);
      return extremes(session, state, finite);
    } finally {
      session.freeSlab(state);
    }
  }

  #withCounts(i: number, use: (counts: Float64Array) => void): void {
    this.session.withSlab(this.#counts[i]!, (bytes) => use(floats(bytes)));
  }
}

const unitPlace: BinPlace = { width: 1, first: 0, last: 0 };

/** A view of the core's memory, in which slabs are aligned. */
const floats = ({ buffer, byteOffset, byteLength }: Uint8Array): Float64Array =>
  new Float64Array(buffer, byteOffset, byteLength / 8);

/** Reads the fields `min` and `max` of one cell. */
function extremes(session: CodecSession, state: Slab, form: StateForm): readonly [number, number] {
  const words = session.copySlab(state).buffer;
  const isWide = isExact(form) && form.number.endsWith("64");
  const Kind = isWide ? (form.number === "uint64" ? BigUint64Array : BigInt64Array) : Float64Array;
  const all = new Kind(words);
  const { first } = planesOf(form.fields);
  return [Number(all[first.min!]), Number(all[first.max!])];
}
