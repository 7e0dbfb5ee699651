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
  #isOpen = true;
  #closedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The slice that is read ahead, and the latest one after it. */
  #next: Slice | undefined;
  #latest: Slice | undefined;
  #passedAt = -passTime;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #isPassing = false;

  /** @param onRest called when no other slice follows those that passed */
  constructor(private readonly onRest: () => void) {}

  /** Whether the last slice has been read. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether a slice waits to be shown. */
  get isWaiting(): boolean {
    return this.#next !== undefined;
  }

  /** Whether slices follow each other, as while a slider is dragged. */
  get isPassing(): boolean {
    return this.#isPassing;
  }

  /** Shows something now; if it is the next slice of the same plane, when the one before has been read. */
  pass(isSlice: boolean, slice: Slice): void {
    this.#notePass(isSlice);
    if (!isSlice || this.#isOpen) this.#show(isSlice, slice);
    else if (!this.#next) this.#prepare(slice);
    else {
      this.#latest = slice;
      this.#giveUpLater();
    }
  }

  /** The slice has been read. */
  open(): void {
    this.#isOpen = true;
    const latest = this.#latest;
    if (this.#next) this.#show(true, this.#next);
    if (latest) this.#prepare(latest);
  }

  /** Forgets the slices that wait. */
  clear(): void {
    this.#isOpen = true;
    this.#next = undefined;
    this.#latest = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #notePass(isSlice: boolean): void {
    const now = performance.now();
    this.#isPassing = isSlice && now - this.#passedAt < passTime;
    this.#passedAt = isSlice ? now : -passTime;
    clearTimeout(this.#resting);
    if (this.#isPassing) this.#awaitRest();
  }

  /** A slice that waits follows, too: on a busy page, events may come later than the timer. */
  #awaitRest(): void {
    this.#resting = setTimeout(() => {
      if (this.isWaiting) this.#awaitRest();
      else {
        this.#isPassing = false;
        this.onRest();
      }
    }, restDelay);
  }

  #prepare(slice: Slice): void {
    this.#next = slice;
    this.#giveUpLater();
    slice.prepare?.();
  }

  /** Shows the latest slice as soon as the slice being read is slow and no other has followed for a while. */
  #giveUpLater(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    const wait = Math.max(this.#closedAt + maxWait, this.#passedAt + restDelay) - now;
    this.#timer = setTimeout(() => this.#show(true, this.#latest ?? this.#next!), wait);
  }

  #show(isSlice: boolean, slice: Slice): void {
    this.clear();
    this.#isOpen = !isSlice;
    this.#closedAt = performance.now();
    slice.show();
  }
}
