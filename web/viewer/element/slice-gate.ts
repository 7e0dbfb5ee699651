/**
 * Lets a slice be read before the next one is shown. While a slider is dragged, its indices change faster than
 * slices are read: each would be dropped for the next, and none shown. The next slice is read ahead; of all later
 * ones, only the latest is kept.
 */

/**
 * Time in milliseconds after which a slice counts as slow. It is still shown while others follow, since a picture of an
 * earlier place is better than none, but given up for the latest slice as soon as none follows.
 */
const maxWait = 600;
/** Two slices within this time pass; so long after the last one, they are at rest. In milliseconds. */
const passTime = 500;
const restDelay = 150;

export interface Slice {
  show(): void;
  /** Reads it behind the shown one. */
  prepare?(): void;
}

export class SliceGate {
  /** Whether the last slice has been read. */
  isOpen = true;
  #closedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The slice that is read ahead, and the latest one after it. */
  #waiting: readonly Slice[] = [];
  #passedAt = -passTime;
  #resting: ReturnType<typeof setTimeout> | undefined;
  /** Whether slices follow each other, as while a slider is dragged. */
  isPassing = false;

  /** @param onRest called when no other slice follows those that passed */
  constructor(private readonly onRest: () => void) {}

  /** Whether a slice waits to be shown. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Shows something now; if it is the next slice of the same plane, when the one before has been read. */
  pass(isSlice: boolean, slice: Slice): void {
    this.#notePass(isSlice);
    if (!isSlice || this.isOpen) this.#show(isSlice, slice);
    else this.#await([...this.#waiting.slice(0, 1), slice]);
  }

  /** The slice has been read. */
  open(): void {
    const [next, latest] = this.#waiting;
    this.isOpen = true;
    if (next) this.#show(true, next);
    if (latest) this.#await([latest]);
  }

  /** Forgets the slices that wait. */
  clear(): void {
    this.isOpen = true;
    this.#waiting = [];
    clearTimeout(this.#timer);
  }

  #notePass(isSlice: boolean): void {
    const now = performance.now();
    this.isPassing = isSlice && now - this.#passedAt < passTime;
    this.#passedAt = isSlice ? now : -passTime;
    clearTimeout(this.#resting);
    if (this.isPassing) this.#awaitRest();
  }

  /** A slice that waits follows, too: on a busy page, events may come later than the timer. */
  #awaitRest(): void {
    this.#resting = setTimeout(() => {
      if (this.isWaiting) this.#awaitRest();
      else {
        this.isPassing = false;
        this.onRest();
      }
    }, restDelay);
  }

  /** Shows the latest slice as soon as the slice being read is slow and no other has followed for a while. */
  #await(slices: readonly Slice[]): void {
    if (slices.length === 1) slices[0]!.prepare?.();
    this.#waiting = slices;
    clearTimeout(this.#timer);
    const wait = Math.max(this.#closedAt + maxWait, this.#passedAt + restDelay) - performance.now();
    this.#timer = setTimeout(() => this.#show(true, this.#waiting.at(-1)!), wait);
  }

  #show(isSlice: boolean, slice: Slice): void {
    this.clear();
    this.isOpen = !isSlice;
    this.#closedAt = performance.now();
    slice.show();
  }
}
