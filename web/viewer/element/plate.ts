/** A plate with thumbnails of its wells: loads those in view, a few at a time. */
import { plateView } from "../panels/plate.js";
import type { SourceTarget } from "../source/open.js";
import type { Plate } from "../source/plate.js";
import { drawThumbnail } from "./thumbnail.js";

/** Maximum number of wells read in parallel: each takes several requests. */
const maxConcurrentWells = 3;

/** Minimum rows and columns of a thumbnail. */
const enough = 64;

/** Maximum side of a cached picture, in pixels. */
const maxSide = 144;

/** Maximum number of cached pictures. */
const maxPictures = 1000;

/** @param target of the plate. @param signal aborts all loading */
export function createPlate(
  plate: Plate,
  target: SourceTarget,
  onGo: (path: string) => void,
  signal: AbortSignal,
): HTMLElement {
  const pictures = new WellPictures(target, signal);
  return plateView(plate, onGo, (well, path) => pictures.add(well, path));
}

class WellPictures {
  readonly #paths = new WeakMap<Element, string>();
  /** Cached pictures by path, oldest first; undefined for unreadable wells. */
  readonly #pictures = new Map<string, HTMLCanvasElement | undefined>();
  /** Wells in view without a picture, in the order in which they came into view. */
  readonly #waiting = new Set<Element>();
  readonly #observer = new IntersectionObserver((entries) => this.#look(entries));
  #running = 0;

  constructor(
    private readonly target: SourceTarget,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => this.#observer.disconnect(), { once: true });
  }

  /** Adds a picture to a well when it comes into view. Unreadable wells stay empty. */
  add(well: Element, path: string): void {
    if (this.#show(well, path)) return;
    this.#paths.set(well, path);
    this.#observer.observe(well);
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
    const { source, v1Order } = this.target;
    const options = { enough, hasLabels: false, signal: this.signal };
    const picture = await drawThumbnail({ source, v1Order, path }, options).catch(() => undefined);
    if (this.signal.aborted) return;
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
