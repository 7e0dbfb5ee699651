/** Colour limits of layers: derived from the values read, then kept stable. */
import type { Layer } from "../model/layers.js";
import { Findings } from "../numbers/findings.js";
import { summarize } from "../numbers/summary.js";
import { datasetShape } from "../source/dataset.js";
import type { Tile } from "../tiles/tile.js";

export type Limits = readonly [low: number, high: number];

/** Growth in the number of tiles after which a range is computed again. */
const maxTileGrowth = 1.5;

/** Limits by layer that do not follow the data. */
export type KeptLimits = Readonly<Record<string, Limits>>;

/** How the ranges of planes depend on others. */
interface Ties {
  /** Limits are kept for other slices of the same dataset. */
  readonly isLocked: boolean;
  /** Limits that were locked earlier, in an address for example. */
  readonly kept?: KeptLimits | null;
  /** All channels share one range. */
  readonly isCommon: boolean;
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
  readonly isOverlay: boolean;
  /** Statistics by level: levels repeat the same values. */
  readonly levels: Map<number, Findings>;
  /** Number of elements of level 0 seen so far. */
  seen: number;
  found: Limits | undefined;
  /** Number of tiles that the limits were computed from. */
  foundIn: number;
  /** True once everything in view has been read: the colours stay unchanged from then on. */
  isSettled: boolean;
}

export class Ranges {
  readonly #known = new Map<string, Known>();
  /** Layers that share one range. */
  #together: readonly Layer[] = [];

  /** Sets the layers shown now; statistics of others are dropped. */
  begin(layers: readonly Layer[], { isLocked, kept, isCommon }: Ties): void {
    this.#together = isCommon ? layers.filter(({ style }) => style.kind === "tint") : [];
    const old = new Map(this.#known);
    this.#known.clear();
    for (const layer of layers) {
      const [plane, meaning] = [valuePlane(layer), rangeKey(layer)];
      const { dataset } = layer;
      const last = old.get(layer.id);
      // Layers of different datasets have the same ids.
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

  /** Limits found for the visible layers of the image, before centring or sharing. */
  get found(): KeptLimits {
    const list = [...this.#known].filter(([, { found, isOverlay }]) => found && !isOverlay);
    return Object.fromEntries(list.map(([id, { found }]) => [id, found!]));
  }

  add(tile: Tile, layer: Layer): void {
    const known = this.#known.get(layer.id);
    if (!known || known.plane !== valuePlane(layer)) return;
    const findings = known.levels.get(tile.level) ?? new Findings();
    known.levels.set(tile.level, findings);
    if (findings.has(tile.key)) return;
    findings.add(tile.key, summarize(tile.plane, tile.gaps));
    // Unreadable elements do not count; missing ones do, since their values are fill values.
    if (tile.level === 0) known.seen += tile.plane.rows * tile.plane.columns - damaged(tile);
  }

  has(tile: Tile, layer: Layer): boolean {
    return this.#known.get(layer.id)?.levels.get(tile.level)?.has(tile.key) ?? false;
  }

  /** Called when everything in view has been read. */
  settle(): void {
    for (const known of this.#known.values()) {
      if (known.isSettled || known.levels.size === 0) continue;
      known.isSettled = true;
      known.foundIn = 0; // computed once more from the complete data
    }
  }

  /** Makes the ranges follow newly read values again. */
  refresh(): void {
    for (const known of this.#known.values()) {
      known.isSettled = false;
      known.found = undefined;
      known.foundIn = 0;
    }
  }

  /** Statistics of a layer: of its finest level; for ranges, of the level with the most values read. */
  findings(layer: Layer, which: "finest" | "range" = "finest"): Findings {
    const levels = [...(this.#known.get(layer.id)?.levels ?? [])].sort(([a], [b]) => a - b);
    if (which === "range") levels.sort(([, a], [, b]) => b.count - a.count);
    return levels[0]?.[1] ?? new Findings();
  }

  /** Whether every value of the plane has been seen, so that minimum and maximum are exact. */
  isAllSeen({ id, dataset, axes }: Layer): boolean {
    const shape = datasetShape(dataset);
    return (this.#known.get(id)?.seen ?? 0) >= axes.reduce((product, axis) => product * shape[axis]!, 1);
  }

  /** Limits of a layer; 0 to 1 without finite values. */
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
    return layer.center === undefined ? this.#limitsOf(layer) : centred(this.#limitsOf(layer), layer.center);
  }

  #limitsOf(layer: Layer): Limits {
    const known = this.#known.get(layer.id);
    if (!known) return [0, 1];
    const tiles = [...known.levels.values()].reduce((sum, { size }) => sum + size, 0);
    // While many tiles are loading, colours are updated now and then, not with every tile.
    const isGood =
      known.found && known.foundIn > 0 && (known.isSettled || tiles < maxTileGrowth * known.foundIn);
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

/** Makes limits symmetric around a value; by default around 0, if they lie on both sides of it. */
function centred([low, high]: Limits, center: number | null): Limits {
  if (center === null && !(low < 0 && high > 0)) return [low, high];
  const middle = center ?? 0;
  const reach = Math.max(Math.abs(low - middle), Math.abs(high - middle));
  return [middle - reach, middle + reach];
}

/** Number of unreadable elements of a tile. */
function damaged({ gaps }: Tile): number {
  return gaps
    .filter(({ kind }) => kind === "damaged")
    .reduce((sum, { rows, columns }) => sum + (rows[1] - rows[0]) * (columns[1] - columns[0]), 0);
}

function valuePlane(layer: Layer): string {
  const { axes, index } = layer;
  const hidden = index.map((at, axis) => (axes.includes(axis) ? "" : at));
  return [axes, hidden, rangeKey(layer)].join(" ");
}

const rangeKey = ({ field, part, isRaw, range }: Layer): string => [field, part, isRaw, range.mode].join(" ");
