/** A plate with small pictures of its wells: of those in view, a few at a time. */
import { plateView } from "../panels/plate.js";
import type { Place, Plate } from "../source/open.js";
import { thumbnailOf } from "./thumbnail.js";

/** Wells that are read at a time: each takes several requests. */
const mostAtATime = 3;

/** Rows and columns that are enough. */
const enough = 64;

/** @param place of the plate. @param signal ends with it */
export function plateOf(
  plate: Plate,
  place: Place,
  onGo: (path: string) => void,
  signal: AbortSignal,
): HTMLElement {
  const pictures = new WellPictures(place, signal);
  return plateView(plate, onGo, (well, path) => pictures.add(well, path));
}

class WellPictures {
  readonly #paths = new Map<Element, string>();
  /** In view and without a picture, in the order in which they came into view. */
  readonly #waiting = new Set<Element>();
  readonly #observer = new IntersectionObserver((entries) => this.#look(entries));
  #running = 0;

  constructor(
    private readonly place: Place,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => this.#observer.disconnect(), { once: true });
  }

  /** Puts a picture into a well once it is in view. One that cannot be read has none. */
  add(well: Element, path: string): void {
    this.#paths.set(well, path);
    this.#observer.observe(well);
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
      if (this.#running >= mostAtATime || this.signal.aborted) return;
      this.#waiting.delete(well);
      this.#observer.unobserve(well);
      this.#running++;
      void this.#fill(well).finally(() => {
        this.#running--;
        this.#start();
      });
    }
  }

  async #fill(well: Element): Promise<void> {
    const { source, v1Order } = this.place;
    const target = { source, v1Order, path: this.#paths.get(well)! };
    const options = { enough, hasLabels: false, signal: this.signal };
    const picture = await thumbnailOf(target, options).catch(() => undefined);
    if (picture && !this.signal.aborted) well.replaceChildren(picture);
  }
}
