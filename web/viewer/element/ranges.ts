/** Where the colours of layers begin and end: found in what has been read, and then left alone. */
import type { Layer } from "../model/layers.js";
import { Findings } from "../numbers/findings.js";
import { summarize } from "../numbers/summary.js";
import { shapeOf } from "../source/dataset.js";
import type { Tile } from "../tiles/tile.js";

export type Limits = readonly [low: number, high: number];

/** So many times as many tiles are worth a look at the range. */
const mostGrowth = 1.5;

/** Limits that do not follow what is read, by layer. */
export type KeptLimits = Readonly<Record<string, Limits>>;

/** How ranges of planes depend on others. */
interface Ties {
  /** Limits stay for other slices of the same dataset. */
  readonly isLocked: boolean;
  /** Those that were locked before, in an address for example. */
  readonly kept?: KeptLimits | null;
  /** Channels have one range together. */
  readonly isCommon: boolean;
}

/** What is known of one plane. */
interface Known {
  readonly dataset: Layer["dataset"];
  readonly plane: string;
  /** What values mean there, and how limits are found: without that in common, limits mean nothing for another plane. */
  readonly meaning: string;
  readonly isOverlay: boolean;
  /** By level: the same values are in several. */
  readonly levels: Map<number, Findings>;
  /** Elements of level 0 that were looked at. */
  seen: number;
  found: Limits | undefined;
  /** Tiles that it was found in. */
  foundIn: number;
  /** True once everything in view has been read: the colours do not change under the reader's eyes after that. */
  isSettled: boolean;
}

export class Ranges {
  readonly #known = new Map<string, Known>();
  /** Those that have one range together. */
  #together: readonly Layer[] = [];

  /** Layers that are shown now; what is known of others is forgotten. */
  begin(layers: readonly Layer[], { isLocked, kept, isCommon }: Ties): void {
    this.#together = isCommon ? layers.filter(({ style }) => style.kind === "tint") : [];
    const old = new Map(this.#known);
    this.#known.clear();
    for (const layer of layers) {
      const [plane, meaning] = [planeOf(layer), meaningOf(layer)];
      const { dataset } = layer;
      const last = old.get(layer.id);
      // Layers of other datasets have the same names.
      const before = last?.dataset === dataset ? last : undefined;
      const limits = isLocked
        ? (kept?.[layer.id] ?? (before?.meaning === meaning ? before.found : undefined))
        : undefined;
      const isOverlay = layer.style.isOverlay === true;
      const empty = { dataset, plane, meaning, isOverlay, levels: new Map(), seen: 0 };
      const known: Known =
        before?.plane === plane ? before : { ...empty, found: undefined, foundIn: 0, isSettled: false };
      if (limits && known.found !== limits)
        Object.assign(known, { found: limits, foundIn: 1, isSettled: true });
      this.#known.set(layer.id, known);
    }
  }

  /** Limits that have been found for the image's layers that are shown, before they are centred or made common. */
  get found(): KeptLimits {
    const list = [...this.#known].filter(([, { found, isOverlay }]) => found && !isOverlay);
    return Object.fromEntries(list.map(([id, { found }]) => [id, found!]));
  }

  add(tile: Tile, layer: Layer): void {
    const known = this.#known.get(layer.id);
    if (!known || known.plane !== planeOf(layer)) return;
    const findings = known.levels.get(tile.level) ?? new Findings();
    known.levels.set(tile.level, findings);
    if (findings.has(tile.key)) return;
    findings.add(tile.key, summarize(tile.plane, tile.gaps));
    // What could not be read has not been seen, and fill values stand where nothing is stored.
    if (tile.level === 0) known.seen += tile.plane.rows * tile.plane.columns - damaged(tile);
  }

  has(tile: Tile, layer: Layer): boolean {
    return this.#known.get(layer.id)?.levels.get(tile.level)?.has(tile.key) ?? false;
  }

  /** Everything in view is there. */
  settle(): void {
    for (const known of this.#known.values()) {
      if (known.isSettled || known.levels.size === 0) continue;
      known.isSettled = true;
      known.foundIn = 0; // once more, now that all is there
    }
  }

  /** Makes ranges follow what has been read since. */
  refresh(): void {
    for (const known of this.#known.values()) {
      known.isSettled = false;
      known.found = undefined;
      known.foundIn = 0;
    }
  }

  /** What is known of a layer: of its finest level, or of the one of which most has been read, for ranges. */
  findings(layer: Layer, which: "finest" | "range" = "finest"): Findings {
    const levels = [...(this.#known.get(layer.id)?.levels ?? [])].sort(([a], [b]) => a - b);
    if (which === "range") levels.sort(([, a], [, b]) => b.count - a.count);
    return levels[0]?.[1] ?? new Findings();
  }

  /** Whether every value of the plane has been looked at, so that least and greatest are those of the data. */
  isAllSeen({ id, dataset, axes }: Layer): boolean {
    const shape = shapeOf(dataset);
    return (this.#known.get(id)?.seen ?? 0) >= axes.reduce((product, axis) => product * shape[axis]!, 1);
  }

  /** Limits of a layer; 0 to 1 where there is no finite value to go by. */
  limits(layer: Layer): Limits {
    if (!this.#together.some(({ id }) => id === layer.id)) return this.#ownLimits(layer);
    // Those of whom nothing is known yet do not widen the range of the others.
    const known = this.#together.filter(
      (one) => one.range.mode === "manual" || this.findings(one).finite > 0,
    );
    const limits = (known.length > 0 ? known : [layer]).map((one) => this.#ownLimits(one));
    return [Math.min(...limits.map(([low]) => low)), Math.max(...limits.map(([, high]) => high))];
  }

  #ownLimits(layer: Layer): Limits {
    const { range } = layer;
    if (range.mode === "manual") return [range.low, range.high];
    return layer.center === undefined ? this.#limitsOf(layer) : centred(this.#limitsOf(layer), layer.center);
  }

  #limitsOf(layer: Layer): Limits {
    const known = this.#known.get(layer.id);
    if (!known) return [0, 1];
    const tiles = [...known.levels.values()].reduce((sum, { size }) => sum + size, 0);
    // While much is on its way, colours change now and then, and not with every tile.
    const isGood =
      known.found && known.foundIn > 0 && (known.isSettled || tiles < mostGrowth * known.foundIn);
    if (!isGood) {
      known.found = this.#find(layer);
      known.foundIn = tiles;
    }
    return known.found ?? [0, 1];
  }

  #find(layer: Layer): Limits | undefined {
    if (layer.range.mode === "minmax") return this.#widest(layer);
    const findings = this.findings(layer, "range");
    return layer.range.mode === "auto" ? findings.automaticRange() : findings.robustRange();
  }

  #widest(layer: Layer): Limits | undefined {
    const extents = [...(this.#known.get(layer.id)?.levels.values() ?? [])].flatMap(({ extent }) =>
      extent ? [extent] : [],
    );
    if (extents.length === 0) return undefined;
    return [Math.min(...extents.map(([low]) => low)), Math.max(...extents.map(([, high]) => high))];
  }
}

/** As far to both sides of a value; of 0, where there is something on both, unless another is asked for. */
function centred([low, high]: Limits, center: number | null): Limits {
  if (center === null && !(low < 0 && high > 0)) return [low, high];
  const middle = center ?? 0;
  const reach = Math.max(Math.abs(low - middle), Math.abs(high - middle));
  return [middle - reach, middle + reach];
}

/** Elements of a tile that could not be read. */
function damaged({ gaps }: Tile): number {
  return gaps
    .filter(({ kind }) => kind === "damaged")
    .reduce((sum, { rows, columns }) => sum + (rows[1] - rows[0]) * (columns[1] - columns[0]), 0);
}

function planeOf(layer: Layer): string {
  const { axes, index } = layer;
  const hidden = index.map((at, axis) => (axes.includes(axis) ? "" : at));
  return [axes, hidden, meaningOf(layer)].join(" ");
}

const meaningOf = ({ field, part, isRaw, range }: Layer): string =>
  [field, part, isRaw, range.mode].join(" ");
