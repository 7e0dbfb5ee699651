/** Reads the fields of the wells in view, a few wells at a time, and keeps their numbers. */
import type { ZarrGroup } from "zarr-wasm";
import { errorMessage } from "../base/format.js";
import type { Plane } from "../base/plane.js";
import { text } from "../language/text.js";
import type { Box } from "../model/plate-view.js";
import type { ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { openField, wellFields } from "../source/plate.js";
import { readLayers, type Thumbnail } from "./thumbnail.js";

/** Maximum numbers of wells, and of fields of each, that are read in parallel. */
const maxWells = 3;
const maxFields = 3;

/** Maximum size of kept numbers in bytes; those of wells in view are kept in any case. */
const maxBytes = 96 * 2 ** 20;

/** Minimum side of a field, in CSS pixels: smaller ones are not read, only the first one is. */
const minField = 24;

/** The requested parts of wells. */
export interface WellNeed {
  /** Null for all fields. */
  readonly field: number | null;
  readonly acquisition: number | undefined;
  /** Side of a well in CSS pixels, rounded up to a power of √2, so that not every change of the size reads again. */
  readonly size: number;
  /** Identify the planes that are read. */
  readonly planes: readonly string[];
}

export interface FieldData {
  /** Below the well. */
  readonly path: string;
  /** Place on the stage. */
  readonly box: Box | undefined;
  /** Undefined if the field cannot be read. */
  readonly thumbnail: Thumbnail | undefined;
}

/** The numbers of a well. */
export interface WellData {
  readonly need: WellNeed;
  readonly fields: readonly FieldData[];
  /** Number of fields of the acquisition. */
  readonly count: number;
  readonly acquisitions: readonly number[];
  /** Why the well, or one of its fields, cannot be read. */
  readonly problem: string | undefined;
}

/** Whether data have everything that is needed. */
export const isSufficient = ({ need: has }: WellData, need: WellNeed): boolean =>
  has.field === need.field &&
  has.acquisition === need.acquisition &&
  has.size >= need.size &&
  need.planes.every((plane) => has.planes.includes(plane));

/** Whether wells of a size show all of their fields. */
export const showsAll = (fields: number, size: number): boolean =>
  size / Math.ceil(Math.sqrt(fields)) >= minField;

/**
 * Reads a well. Failures are part of the result.
 * @param stateOf the planes of a field
 * @throws the signal's reason
 */
export async function readWell(
  plate: ZarrGroup,
  path: string,
  need: WellNeed,
  stateOf: (dataset: Dataset) => ViewState,
  signal: AbortSignal,
): Promise<WellData> {
  const empty = { need, fields: [], count: 0, acquisitions: [], problem: undefined };
  try {
    const well = await plate.open(path, { kind: "group", signal });
    const all = wellFields(well);
    const acquisitions = [...new Set(all.map(({ acquisition }) => acquisition ?? 0))];
    const acquisition = need.acquisition ?? acquisitions[0];
    const own = all.filter((field) => (field.acquisition ?? 0) === acquisition);
    const chosen =
      need.field !== null
        ? own.slice(need.field, need.field + 1)
        : own.slice(0, showsAll(own.length, need.size) ? own.length : 1);
    const enough = Math.ceil((need.size * devicePixelRatio) / Math.ceil(Math.sqrt(chosen.length)));
    let problem: string | undefined;
    const fields = new Array<FieldData>(chosen.length);
    const entries = chosen.entries();
    const work = async () => {
      for (const [i, field] of entries)
        fields[i] = await readField(well, field.path, enough, stateOf, signal).catch((error: unknown) => {
          signal.throwIfAborted();
          problem ??= errorMessage(error);
          return { path: field.path, box: undefined, thumbnail: undefined };
        });
    };
    await Promise.all(Array.from({ length: maxFields }, work));
    return { need, fields, count: own.length, acquisitions, problem };
  } catch (error) {
    signal.throwIfAborted();
    return { ...empty, problem: errorMessage(error) };
  }
}

async function readField(
  well: ZarrGroup,
  path: string,
  enough: number,
  stateOf: (dataset: Dataset) => ViewState,
  signal: AbortSignal,
): Promise<FieldData> {
  const dataset = await openField(well, path, signal);
  const state = stateOf(dataset);
  const thumbnail = await readLayers(dataset, state, enough, signal);
  if (!thumbnail) throw new RangeError(text.plate.tooLarge);
  const layers = thumbnail.layers.map(({ layer, plane }) => ({ layer, plane: sampled(plane, enough) }));
  return { path, box: stageBox(dataset, state), thumbnail: { ...thumbnail, layers } };
}

/** The place of a field on the stage, in the unit of its axes. */
function stageBox({ axes }: Dataset, state: ViewState): Box {
  const [[top, height], [left, width]] = state.axes.map((axis) => {
    const { translation = 0, scale = 1, length } = axes[axis]!;
    const size = Math.abs(scale) * length;
    return [scale < 0 ? translation - size : translation, size] as const;
  }) as [readonly [number, number], readonly [number, number]];
  return { top, left, height, width };
}

/** Every nth row and column of a plane, packed: images without coarse levels have many more than are drawn. */
function sampled({ values, offset, rows, columns, rowStride, columnStride }: Plane, enough: number): Plane {
  const step = Math.max(1, Math.floor(Math.min(rows, columns) / enough));
  const [height, width] = [Math.ceil(rows / step), Math.ceil(columns / step)];
  const packed = new (values.constructor as new (length: number) => typeof values)(height * width);
  for (let row = 0, at = 0; row < height; row++)
    for (let column = 0; column < width; column++, at++)
      packed[at] = values[offset + step * (row * rowStride + column * columnStride)]!;
  return { values: packed, offset: 0, rows: height, columns: width, rowStride: width, columnStride: 1 };
}

const bytesOf = ({ fields }: WellData): number =>
  fields
    .flatMap(({ thumbnail }) => thumbnail?.layers ?? [])
    .reduce((sum, { plane }) => sum + plane.values.byteLength, 0);

interface WellCallbacks {
  readonly read: (path: string, signal: AbortSignal) => Promise<WellData>;
  readonly isSufficient: (data: WellData) => boolean;
  /** Called when a well can be drawn. */
  readonly onData: (well: HTMLElement, data: WellData) => void;
  /** Called when all wells in view have been read. */
  readonly onRest: () => void;
}

export class WellReader {
  readonly #paths = new WeakMap<Element, string>();
  readonly #visible = new Set<HTMLElement>();
  /** By path, oldest first. */
  readonly #known = new Map<string, WellData>();
  readonly #running = new Map<string, AbortController>();
  readonly #observer = new IntersectionObserver((entries) => this.#look(entries));
  #bytes = 0;

  constructor(
    private readonly callbacks: WellCallbacks,
    private readonly signal: AbortSignal,
  ) {
    const end = () => {
      this.#observer.disconnect();
      for (const controller of this.#running.values()) controller.abort();
    };
    signal.addEventListener("abort", end, { once: true });
  }

  /** Reads a well once it is in view. */
  add(well: HTMLElement, path: string): void {
    this.#paths.set(well, path);
    this.#observer.observe(well);
  }

  /** The wells in view, with their data if any have been read. */
  get visible(): readonly { readonly well: HTMLElement; readonly data: WellData | undefined }[] {
    return [...this.#visible].map((well) => ({ well, data: this.#known.get(this.#paths.get(well)!) }));
  }

  #look(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      const well = target as HTMLElement;
      const path = this.#paths.get(well)!;
      if (isIntersecting) {
        this.#visible.add(well);
        const data = this.#known.get(path);
        if (data) this.callbacks.onData(well, data);
      } else {
        this.#visible.delete(well);
        this.#running.get(path)?.abort();
        if (!well.isConnected) this.#observer.unobserve(well);
      }
    }
    this.update();
  }

  /** Reads wells in view whose data do not suffice. */
  update(): void {
    if (this.signal.aborted) return;
    let isComplete = true;
    for (const well of this.#visible) {
      const path = this.#paths.get(well)!;
      const data = this.#known.get(path);
      if (data && this.callbacks.isSufficient(data)) continue;
      isComplete = false;
      if (this.#running.has(path)) continue;
      // The first well tells which planes there are.
      if (this.#running.size >= (this.#known.size > 0 ? maxWells : 1)) return;
      void this.#read(path);
    }
    if (isComplete) this.callbacks.onRest();
  }

  async #read(path: string): Promise<void> {
    const controller = new AbortController();
    this.#running.set(path, controller);
    try {
      this.#keep(path, await this.callbacks.read(path, controller.signal));
    } catch {
      // aborted: the well has left the view
    } finally {
      this.#running.delete(path);
    }
    this.update();
  }

  #keep(path: string, data: WellData): void {
    this.#forget(path);
    this.#known.set(path, data);
    this.#bytes += bytesOf(data);
    const wells = [...this.#visible].filter((well) => this.#paths.get(well) === path);
    for (const well of wells) this.callbacks.onData(well, data);
    const inView = new Set([...this.#visible].map((well) => this.#paths.get(well)));
    for (const old of this.#known.keys()) {
      if (this.#bytes <= maxBytes) break;
      if (!inView.has(old)) this.#forget(old);
    }
  }

  #forget(path: string): void {
    const data = this.#known.get(path);
    if (data) this.#bytes -= bytesOf(data);
    this.#known.delete(path);
  }
}
