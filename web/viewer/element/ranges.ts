/** Colour limits of layers: derived from the values read, then kept stable. */
import { keptFor } from "../base/memo.js";
import { type Layer, sampledAxes } from "../model/layers.js";
import { Findings } from "../numbers/findings.js";
import { type CellRange, summarize } from "../numbers/summary.js";
import type { LayerNumbers } from "../panels/panel.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Tile } from "../tiles/tile.js";

export type Limits = readonly [low: number, high: number];

/** Growth in the number of tiles after which a range is computed again. */
const maxTileGrowth = 1.5;

/** How the ranges of planes depend on others. */
interface Ties {
  /** Every slice has its own range. */
  readonly isPerSlice: boolean;
  /** All channels share one range. */
  readonly isCommon: boolean;
  /** Ranges follow from the coarsest level, which every view reads as a whole. Default: false. */
  readonly isOfCoarsest?: boolean;
}

/** Values sampled from all slices of a dataset. */
interface SliceSample {
  readonly findings: Findings;
  /** Whether the limits follow from the sample; until then, those of the first slice apply. */
  isDone: boolean;
  slices: number;
}

/** Statistics of one plane. */
interface Known {
  readonly dataset: Layer["dataset"];
  readonly plane: string;
  /**
   * Identifies the meaning of the values and how limits are found; limits apply only to planes with the same
   * meaning.
   */
  readonly meaning: string;
  /** Statistics by level: levels repeat the same values. */
  readonly levels: Map<number, Findings>;
  /** Number of elements of level 0 seen so far. */
  seen: number;
  /** Whether chunks are not stored. */
  hasMissing: boolean;
  found: Limits | undefined;
  /** Number of tiles that the limits were computed from. */
  foundIn: number;
  /** True once everything in view has been read: the colours stay unchanged from then on. */
  isSettled: boolean;
}

export class Ranges {
  readonly #known = new Map<string, Known>();
  /** Samples by the meaning of the values. */
  readonly #samples = keptFor((_dataset: Dataset) => new Map<string, SliceSample>());
  /** Layers that share one range. */
  #together: readonly Layer[] = [];
  #isPerSlice = false;
  #isOfCoarsest = false;

  /** Sets the layers shown now; statistics of others are dropped. */
  begin(layers: readonly Layer[], { isPerSlice, isCommon, isOfCoarsest = false }: Ties): void {
    this.#together = isCommon ? layers.filter(isChannel) : [];
    this.#isPerSlice = isPerSlice;
    this.#isOfCoarsest = isOfCoarsest;
    const old = new Map(this.#known);
    this.#known.clear();
    for (const layer of layers) {
      const [plane, meaning] = [valuePlane(layer), rangeKey(layer)];
      const { dataset } = layer;
      const last = old.get(layer.id);
      // Layers of different datasets have the same ids.
      const before = last?.dataset === dataset ? last : undefined;
      const empty = { dataset, plane, meaning, levels: new Map(), seen: 0, hasMissing: false };
      const known: Known =
        before?.plane === plane ? before : { ...empty, found: undefined, foundIn: 0, isSettled: false };
      // Without a sample of all slices, those after the first one have its limits.
      const isKept = known !== before && this.#spansSlices(layer) && before?.meaning === meaning;
      if (isKept && before.found) Object.assign(known, { found: before.found, foundIn: 1, isSettled: true });
      this.#known.set(layer.id, known);
    }
  }

  /** Whether the range of a layer depends on the values of the shown plane. */
  isOfPlane(layer: Layer): boolean {
    const { range, style } = layer;
    if (range.mode === "manual") return false;
    return style.scale === "log" || !this.#known.get(layer.id)?.isSettled;
  }

  /** Whether a layer shares its range with other slices. */
  #spansSlices(layer: Layer): boolean {
    return !this.#isPerSlice && layer.range.mode !== "manual" && sampledAxes(layer).length > 0;
  }

  /** Whether values of other slices must be read for the range of a layer. */
  needsSample(layer: Layer): boolean {
    return this.#spansSlices(layer) && !declaredLimits(layer) && !this.#sample(layer);
  }

  #sample(layer: Layer): SliceSample | undefined {
    return this.#samples(layer.dataset).get(valueKey(layer));
  }

  /** Starts the sample of a layer. */
  beginSample(layer: Layer): void {
    this.#samples(layer.dataset).set(valueKey(layer), { findings: new Findings(), isDone: false, slices: 0 });
  }

  /** Adds a tile of another slice. */
  addSample(tile: Tile, layer: Layer): void {
    this.#sample(layer)?.findings.add(tile.key, summarize(tile.plane, unreadable(tile)));
  }

  /** Takes the limits of a layer from its sample of a number of slices; 0 if there is no sample. */
  endSample(layer: Layer, slices: number): void {
    const sample = this.#sample(layer);
    if (sample) Object.assign(sample, { isDone: sample.findings.finite > 0, slices });
  }

  /** Drops an unfinished sample, so that it is read again. */
  dropSample(layer: Layer): void {
    this.#samples(layer.dataset).delete(valueKey(layer));
  }

  /** Number of slices from which the range of a layer was found; undefined if not from a sample. */
  sampledSlices(layer: Layer): number | undefined {
    const sample = this.#spansSlices(layer) ? this.#sample(layer) : undefined;
    return sample?.isDone ? sample.slices : undefined;
  }

  add(tile: Pick<Tile, "key" | "level" | "plane" | "gaps">, layer: Layer): void {
    const known = this.#known.get(layer.id);
    if (!known || known.plane !== valuePlane(layer)) return;
    const findings = known.levels.get(tile.level) ?? new Findings();
    known.levels.set(tile.level, findings);
    if (findings.has(tile.key)) return;
    // Elements of chunks that are not stored count: their values are fill values.
    const without = unreadable(tile);
    known.hasMissing ||= tile.gaps.some(({ kind }) => kind === "missing");
    findings.add(tile.key, summarize(tile.plane, without));
    if (tile.level === 0) known.seen += tile.plane.rows * tile.plane.columns - elementCount(without);
  }

  /** Called when everything in view has been read. */
  settle(): void {
    for (const known of this.#known.values()) {
      if (known.isSettled || known.levels.size === 0) continue;
      known.isSettled = true;
      known.foundIn = 0; // computed once more from the complete data
    }
  }

  /** Statistics of a layer: of its finest level; for ranges, of the level with the most values read. */
  findings(layer: Layer, which: "finest" | "range" = "finest"): Findings {
    const levels = [...(this.#known.get(layer.id)?.levels ?? [])].sort(([a], [b]) => a - b);
    if (which === "range") levels.sort(([, a], [, b]) => b.count - a.count);
    return levels[0]?.[1] ?? new Findings();
  }

  /** Everything that the controls and the legend show about the values of a layer. */
  numbers(layer: Layer): LayerNumbers {
    return {
      layer,
      limits: this.limits(layer),
      isRangeKnown: this.isKnown(layer),
      hasMissing: this.hasMissing(layer),
      findings: this.findings(layer),
      isAllSeen: this.isAllSeen(layer),
    };
  }

  /** Whether every value of the plane has been seen, so that minimum and maximum are exact. */
  isAllSeen({ id, dataset, axes }: Layer): boolean {
    const shape = datasetShape(dataset);
    return (this.#known.get(id)?.seen ?? 0) >= axes.reduce((product, axis) => product * shape[axis]!, 1);
  }

  /** Whether the limits of a layer follow from its values or settings. */
  isKnown(layer: Layer): boolean {
    return layer.range.mode === "manual" || this.#limitsOf(layer) !== undefined;
  }

  /** Whether values of the shown plane lie below and above the limits of a layer. */
  outside(layer: Layer): { readonly isBelow: boolean; readonly isAbove: boolean } {
    const [low, high] = this.limits(layer);
    const all = [...(this.#known.get(layer.id)?.levels.values() ?? [])];
    return {
      isBelow: all.some(({ extent, minusInfinite }) => minusInfinite > 0 || (extent && extent[0] < low)),
      isAbove: all.some(
        ({ extent, infinite, minusInfinite }) => infinite > minusInfinite || (extent && extent[1] > high),
      ),
    };
  }

  /** Whether chunks of the shown plane are not stored. */
  hasMissing({ id }: Layer): boolean {
    return this.#known.get(id)?.hasMissing === true;
  }

  /** Limits of a layer; 0 to 1 before they are known. */
  limits(layer: Layer): Limits {
    if (!this.#together.some(({ id }) => id === layer.id)) return this.#ownLimits(layer);
    // Layers without statistics do not widen the shared range.
    const known = this.#together.filter(
      (one) => one.range.mode === "manual" || this.findings(one).finite > 0,
    );
    const limits = (known.length > 0 ? known : [layer]).map((one) => this.#ownLimits(one));
    return [Math.min(...limits.map(([low]) => low)), Math.max(...limits.map(([, high]) => high))];
  }

  #ownLimits(layer: Layer): Limits {
    const { range } = layer;
    if (range.mode === "manual") return [range.low, range.high];
    const found = this.#limitsOf(layer) ?? [0, 1];
    if (layer.style.scale === "log") return this.#positive(found, layer);
    const limits = layer.center === undefined ? found : centred(found, layer.center);
    const { steps, scale } = layer.style;
    return steps > 0 && scale === "linear" ? roundSteps(limits, steps) : limits;
  }

  /** Limits for a logarithmic scale, which has no place for 0. */
  #positive([low, high]: Limits, layer: Layer): Limits {
    if (low > 0) return [low, high];
    if (!(high > 0)) return [1, 10];
    const sample = this.#sample(layer)?.findings;
    const least = (sample && sample.finite > 0 ? sample : this.findings(layer)).leastPositive;
    return [Math.min(least ?? high / 1e3, high), high];
  }

  #limitsOf(layer: Layer): Limits | undefined {
    if (this.#isPerSlice && !this.#isOfCoarsest) return this.#planeLimits(layer);
    return declaredLimits(layer) ?? this.#sampleLimits(layer) ?? this.#planeLimits(layer);
  }

  #sampleLimits(layer: Layer): Limits | undefined {
    if (!this.#spansSlices(layer)) return undefined;
    const sample = this.#sample(layer);
    return sample?.isDone ? rangeOf(sample.findings, layer) : undefined;
  }

  /** Limits from the values of the shown plane. */
  #planeLimits(layer: Layer): Limits | undefined {
    const known = this.#known.get(layer.id);
    if (!known) return undefined;
    const tiles = [...known.levels.values()].reduce((sum, { size }) => sum + size, 0);
    // While many tiles are loading, colours are updated now and then, not with every tile.
    const isGood =
      known.found && known.foundIn > 0 && (known.isSettled || tiles < maxTileGrowth * known.foundIn);
    if (!isGood) {
      known.found = this.#find(layer);
      known.foundIn = tiles;
    }
    return known.found;
  }

  #find(layer: Layer): Limits | undefined {
    if (this.#isOfCoarsest) {
      const levels = [...this.#known.get(layer.id)!.levels].sort(([a], [b]) => b - a);
      const coarsest = levels.find(([, { finite }]) => finite > 0)?.[1];
      return coarsest && rangeOf(coarsest, layer);
    }
    if (layer.range.mode === "minmax") return this.#widest(layer);
    return rangeOf(this.findings(layer, "range"), layer);
  }

  #widest(layer: Layer): Limits | undefined {
    const extents = [...(this.#known.get(layer.id)?.levels.values() ?? [])].flatMap(({ extent }) =>
      extent ? [extent] : [],
    );
    if (extents.length === 0) return undefined;
    return [Math.min(...extents.map(([low]) => low)), Math.max(...extents.map(([, high]) => high))];
  }
}

const isChannel = ({ style, title }: Layer): boolean => style.kind === "tint" && title === undefined;

/** The narrowest limits around others between which the edges of steps are round numbers. */
export function roundSteps([low, high]: Limits, steps: number): Limits {
  const least = (high - low) / steps;
  if (!(least > 0) || !Number.isFinite(least)) return [low, high];
  const power = 10 ** Math.floor(Math.log10(least));
  const short = (value: number) => Number(value.toPrecision(12));
  for (const factor of [1, 2, 2.5, 3, 4, 5, 6, 8, 10, 20]) {
    const step = factor * power;
    // Limits around zero stay symmetric. The edges of an odd number of steps are at halves of a step.
    const isEven = steps % 2 === 0 || (factor * 10) % 4 === 0;
    if (low === -high && !isEven) continue;
    const first = low === -high ? -steps / 2 : Math.floor(short(low / step));
    if (short((first + steps) * step) >= high) return [short(first * step), short((first + steps) * step)];
  }
  return [low, high];
}

/** Makes limits symmetric around a value; by default around 0, if they lie on both sides of it. */
function centred([low, high]: Limits, center: number | null): Limits {
  if (center === null && !(low < 0 && high > 0)) return [low, high];
  const middle = center ?? 0;
  const reach = Math.max(Math.abs(low - middle), Math.abs(high - middle));
  return [middle - reach, middle + reach];
}

/** Limits from statistics, by the method of a layer. */
function rangeOf(findings: Findings, { range }: Layer): Limits | undefined {
  if (range.mode === "minmax") return findings.extent;
  return range.mode === "percentile" ? findings.robustRange() : findings.automaticRange();
}

/** The range of all values, as declared by metadata. */
function declaredLimits({ dataset, range, isRaw, field, part }: Layer): Limits | undefined {
  const isWhole = field === "" && part === "magnitude" && !isRaw;
  return isWhole && range.mode !== "percentile" && range.mode !== "manual" ? dataset.actualRange : undefined;
}

/** The unreadable parts of a tile. */
const unreadable = ({ gaps }: Pick<Tile, "gaps">): readonly CellRange[] =>
  gaps.filter(({ kind }) => kind === "damaged");

const elementCount = (parts: readonly CellRange[]): number =>
  parts.reduce((sum, { rows, columns }) => sum + (rows[1] - rows[0]) * (columns[1] - columns[0]), 0);

function valuePlane(layer: Layer): string {
  const { axes, index } = layer;
  const hidden = index.map((at, axis) => (axes.includes(axis) ? "" : at));
  return [axes, hidden, rangeKey(layer)].join(" ");
}

/** Identifies the values that a range covers, of whichever slice. */
const valueKey = ({ id, field, part, isRaw }: Layer): string => [id, field, part, isRaw].join(" ");

const rangeKey = ({ field, part, isRaw, range }: Layer): string => [field, part, isRaw, range.mode].join(" ");
