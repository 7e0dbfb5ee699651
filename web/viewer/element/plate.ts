/** A plate with thumbnails of its wells: loads those in view, a few at a time. */
import { unusable } from "../base/unusable.js";
import type { Layer } from "../model/layers.js";
import {
  acceptedParts,
  isOnPlate,
  isPlateView,
  type PlateChoices,
  type PlateView,
  plateChoices,
  plateViewText,
  readPlateView,
  wellSettings,
} from "../model/plate-view.js";
import { Findings } from "../numbers/findings.js";
import { summarize } from "../numbers/summary.js";
import { plateControls, plateView } from "../panels/plate.js";
import type { Dataset } from "../source/dataset.js";
import type { SourceTarget } from "../source/opened.js";
import type { Plate } from "../source/plate.js";
import { paintThumbnail, readThumbnail, type Thumbnail } from "./thumbnail.js";

/** Maximum number of wells read in parallel: each takes several requests. */
const maxConcurrentWells = 3;

/** Minimum rows and columns of a thumbnail. */
const enough = 64;

/** Maximum side of a cached picture, in pixels. */
const maxSide = 144;

/** Maximum number of cached pictures. */
const maxPictures = 1000;

/** Number of wells from which ranges are found. */
const sampledWells = 6;

export interface PlateCallbacks {
  onGo(path: string): void;
  /** Called with the text of another view of all wells. */
  onView(view: string): void;
  /** Called with a message about planes that the plate does not have. */
  onUnusable(messages: readonly string[]): void;
}

/** @param target of the plate. @param signal aborts all loading */
export function createPlate(
  plate: Plate,
  target: SourceTarget,
  { onGo, onView, onUnusable }: PlateCallbacks,
  signal: AbortSignal,
): HTMLElement {
  const { plate: text = "" } = target;
  const first = readPlateView(text);
  if (!isPlateView(text)) onUnusable([unusable("plate", text, "parts such as channel:1, field:0 or 2:5")]);
  const controls = plateControls(first, (view) => {
    pictures.choose(view);
    onView(plateViewText(view));
  });
  const offer = (choices: PlateChoices) => {
    controls.offer(choices);
    if (text !== "" && isPlateView(text) && !isOnPlate(first, choices))
      onUnusable([unusable("plate", text, acceptedParts(choices))]);
  };
  const pictures = new WellPictures(plate, target, first, offer, signal);
  return plateView(plate, onGo, (well, path) => pictures.add(well, path), controls.element);
}

class WellPictures {
  readonly #paths = new WeakMap<Element, string>();
  /** Cached pictures by path, oldest first; undefined for unreadable wells. */
  readonly #pictures = new Map<string, HTMLCanvasElement | undefined>();
  /** Wells in view without a picture, in the order in which they came into view. */
  readonly #waiting = new Set<Element>();
  /** Wells that have been in view, for when another view is chosen. */
  readonly #seen = new Set<Element>();
  readonly #observer = new IntersectionObserver((entries) => this.#look(entries));
  #running = 0;
  #view: PlateView;
  /** Ranges of the view: found when the first well comes into view. */
  #ranges: Promise<ReturnType<typeof plateRanges>> | undefined;

  constructor(
    private readonly plate: Plate,
    private readonly target: SourceTarget,
    first: PlateView,
    private readonly onChoices: (choices: PlateChoices) => void,
    private readonly signal: AbortSignal,
  ) {
    this.#view = first;
    signal.addEventListener("abort", () => this.#observer.disconnect(), { once: true });
  }

  /** Adds a picture to a well when it comes into view. Unreadable wells stay empty. */
  add(well: Element, path: string): void {
    this.#paths.set(well, path);
    this.#seen.add(well);
    if (!this.#show(well, path)) this.#observer.observe(well);
  }

  /** Shows other planes of all wells. */
  choose(view: PlateView): void {
    this.#view = view;
    this.#ranges = undefined;
    this.#pictures.clear();
    for (const well of this.#seen) {
      if (!well.isConnected) this.#seen.delete(well);
      // Wells in view are reported again.
      this.#observer.unobserve(well);
      if (well.isConnected) this.#observer.observe(well);
    }
  }

  async #findRanges(view: PlateView): Promise<ReturnType<typeof plateRanges>> {
    const read = this.plate.sample(sampledWells).map((path) => this.#read(path, view).catch(() => undefined));
    const sample = (await Promise.all(read)).filter((one) => one !== undefined);
    const [first] = sample;
    if (first && view === this.#view) this.onChoices(plateChoices(first.dataset, first.fields));
    return plateRanges(sample);
  }

  #read(path: string, view: PlateView): Promise<Thumbnail | undefined> {
    const { source, v1Order } = this.target;
    const settings = (dataset: Dataset) => wellSettings(dataset, view);
    const options = { enough, hasLabels: false, settings, signal: this.signal };
    return readThumbnail({ source, v1Order, path, field: view.field }, options);
  }

  /** Shows the cached picture of a well. @returns whether the well is in the cache. */
  #show(well: Element, path: string): boolean {
    const picture = this.#pictures.get(path);
    if (picture) well.replaceChildren(picture);
    return this.#pictures.has(path);
  }

  #look(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) this.#waiting.add(target);
      else this.#waiting.delete(target);
    }
    this.#start();
  }

  #start(): void {
    for (const well of this.#waiting) {
      if (this.#running >= maxConcurrentWells || this.signal.aborted) return;
      this.#waiting.delete(well);
      this.#observer.unobserve(well);
      this.#running++;
      void this.#fill(well, this.#paths.get(well)!).finally(() => {
        this.#running--;
        this.#start();
      });
    }
  }

  async #fill(well: Element, path: string): Promise<void> {
    if (this.#show(well, path)) return;
    const view = this.#view;
    this.#ranges ??= this.#findRanges(view);
    const ranges = await this.#ranges;
    const thumbnail = await this.#read(path, view).catch(() => undefined);
    // Another view has been chosen: the well is read again.
    if (this.signal.aborted || view !== this.#view) return;
    const picture = thumbnail && paintThumbnail(thumbnail, ranges);
    this.#pictures.set(path, picture && smaller(picture));
    const [oldest] = this.#pictures.keys();
    if (this.#pictures.size > maxPictures) this.#pictures.delete(oldest!);
    this.#show(well, path);
  }
}

/** Scales a picture down. Images without coarse levels have pictures much larger than a well. */
function smaller(picture: HTMLCanvasElement): HTMLCanvasElement {
  const scale = maxSide / Math.max(picture.width, picture.height);
  if (scale >= 1) return picture;
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext("2d")!.drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.style.transform = picture.style.transform;
  return canvas;
}

type Limits = readonly [low: number, high: number];

/**
 * Returns the ranges of channels, the same for all wells: declared by the first well, or found from a sample of wells.
 */
export function plateRanges(sample: readonly Thumbnail[]): (layer: Layer) => Limits | undefined {
  const [declared, found] = [new Map<string, Limits>(), new Map<string, Findings>()];
  for (const [well, { layers }] of sample.entries())
    for (const { layer, plane } of layers) {
      const { id, range } = layer;
      if (range.mode === "manual" && !declared.has(id)) declared.set(id, [range.low, range.high]);
      const findings = found.get(id) ?? new Findings();
      found.set(id, findings);
      findings.add(String(well), summarize(plane, []));
    }
  return ({ id }) => declared.get(id) ?? found.get(id)?.automaticRange();
}
