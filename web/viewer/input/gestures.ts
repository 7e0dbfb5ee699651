/**
 * Translates input into gestures: pan (drag, one finger), zoom (wheel, pinch, double click, keys), mark a
 * rectangle (drag with Shift), point (hover, tap, arrow keys). Positions are CSS pixels from the picture's
 * upper left corner.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface GestureCallbacks {
  /** The pointer moved; undefined when it has left. */
  onPoint(at: Point | undefined): void;
  onPan(dx: number, dy: number): void;
  /** Zooms by `factor` around a point; undefined from the keyboard. */
  onZoom(factor: number, at: Point | undefined): void;
  /** A rectangle is being marked; undefined when marking ends. */
  onMarking(rectangle: readonly [Point, Point] | undefined): void;
  onMark(rectangle: readonly [Point, Point]): void;
  /** Moves the cursor by rows and columns; ±Infinity moves to the end. */
  onMove(rows: number, columns: number): void;
  /** The 0 key shows everything; Escape hides the cursor. */
  onReset(): void;
  onLeave(): void;
  /** A drag, pinch or wheel movement has ended. */
  onRest(): void;
  /** Clicked or tapped at a point; undefined for Enter, which picks the cursor's element. */
  onPick(at: Point | undefined): void;
  /**
   * The next or the previous slice: full stop and comma; a digit, backwards with Shift, for an axis of its
   * own, counted from 0.
   */
  onStep(direction: 1 | -1, axis?: number): void;
  /** Space: starts or stops playing the slices. */
  onPlay(): void;
  onCommand(command: Command): void;
}

/** Keys that do not move the picture; a wheel or a finger that is left to the page. */
export type Command = "help" | "full" | "save" | "wheel" | "touch";

const commands: Readonly<Record<string, Command>> = { "?": "help", f: "full", s: "save" };

const moves: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-16, 0],
  PageDown: [16, 0],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

const zooms: Readonly<Record<string, number>> = { "+": 2, "=": 2, "-": 0.5 };

/** A drag shorter than this, in CSS pixels, is a click. */
const dragThreshold = 4;
/** Milliseconds after the last wheel event until the wheel is at rest. */
const wheelRest = 180;
/** CSS pixels per wheel unit: pixel, line, page. */
const wheelUnits = [1, 16, 320];

interface Finger extends Point {
  readonly from: Point;
}

export class Gestures {
  readonly #fingers = new Map<number, Finger>();
  #isDragging = false;
  #isMarking = false;
  #wheelTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #end = new AbortController();

  constructor(
    private readonly box: HTMLElement,
    private readonly callbacks: GestureCallbacks,
  ) {
    const { signal } = this.#end;
    const on = <K extends keyof HTMLElementEventMap>(
      name: K,
      listener: (event: HTMLElementEventMap[K]) => void,
    ) => box.addEventListener(name, listener, { signal, passive: false });
    on("pointerdown", (event) => this.#press(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#release(event, true));
    on("pointercancel", (event) => this.#release(event, false));
    on("pointerleave", ({ pointerType }) => {
      // A finger's last position is kept, since touch has no hover.
      if (pointerType !== "touch" && this.#fingers.size === 0) callbacks.onPoint(undefined);
    });
    on("wheel", (event) => this.#wheel(event));
    on("dblclick", (event) => {
      callbacks.onZoom(event.shiftKey || event.altKey ? 0.5 : 2, this.#at(event));
      callbacks.onRest();
    });
    on("keydown", (event) => this.#key(event));
    // Two fingers move the picture, even where one scrolls the page.
    on("touchmove", (event) => {
      if (event.touches.length > 1) event.preventDefault();
    });
  }

  dispose(): void {
    clearTimeout(this.#wheelTimer);
    this.#end.abort();
  }

  #at({ clientX, clientY }: { clientX: number; clientY: number }): Point {
    const { left, top } = this.box.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  #press(event: PointerEvent): void {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    const at = this.#at(event);
    this.callbacks.onPoint(at);
    this.box.setPointerCapture(event.pointerId);
    this.#fingers.set(event.pointerId, { ...at, from: at });
    if (this.#fingers.size > 1) this.#isDragging = true;
    else this.#isMarking = event.shiftKey && event.pointerType === "mouse";
  }

  #move(event: PointerEvent): void {
    const at = this.#at(event);
    const finger = this.#fingers.get(event.pointerId);
    if (!finger) {
      if (event.pointerType !== "touch") this.callbacks.onPoint(at);
      return;
    }
    const { from } = finger;
    if (!this.#isDragging && Math.hypot(at.x - from.x, at.y - from.y) < dragThreshold) return;
    this.#isDragging = true;
    if (this.#fingers.size === 1 && event.pointerType === "touch" && this.#isShared) {
      this.callbacks.onCommand("touch");
      return;
    }
    if (this.#fingers.size > 1) this.#pinch(event.pointerId, finger, at);
    else if (this.#isMarking) this.callbacks.onMarking([from, at]);
    else this.callbacks.onPan(at.x - finger.x, at.y - finger.y);
    this.#fingers.set(event.pointerId, { ...at, from });
    if (event.pointerType !== "touch") this.callbacks.onPoint(at);
  }

  /** Pinch with two fingers: keeps the point between them in place. */
  #pinch(id: number, finger: Point, at: Point): void {
    const [other] = [...this.#fingers].filter(([key]) => key !== id).map(([, point]) => point);
    if (!other) return;
    const middle = (point: Point) => ({ x: (point.x + other.x) / 2, y: (point.y + other.y) / 2 });
    const distance = (point: Point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    const [before, now] = [middle(finger), middle(at)];
    this.callbacks.onPan(now.x - before.x, now.y - before.y);
    this.callbacks.onZoom(distance(at) / distance(finger), now);
  }

  #release(event: PointerEvent, isDone: boolean): void {
    const finger = this.#fingers.get(event.pointerId);
    if (!finger) return;
    this.#fingers.delete(event.pointerId);
    if (this.#fingers.size > 0) return;
    const [wasDragging, wasMarking] = [this.#isDragging, this.#isMarking];
    this.#isDragging = false;
    this.#isMarking = false;
    if (wasMarking) this.callbacks.onMarking(undefined);
    if (wasMarking && wasDragging && isDone) this.callbacks.onMark([finger.from, this.#at(event)]);
    else if (wasDragging) this.callbacks.onRest();
    else if (isDone) {
      if (event.pointerType === "touch") this.callbacks.onPoint(this.#at(event));
      this.callbacks.onPick(this.#at(event));
    }
  }

  /** Whether the page scrolls unless Ctrl is held, or two fingers are used. */
  get #isShared(): boolean {
    return this.box.closest("[data-cooperative]") !== null && document.fullscreenElement === null;
  }

  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey && this.#isShared) {
      this.callbacks.onCommand("wheel");
      return;
    }
    event.preventDefault();
    const delta = event.deltaY * wheelUnits[event.deltaMode]!;
    // A pinch on a touchpad arrives as a wheel event with Ctrl, and with smaller steps.
    const speed = event.ctrlKey ? 0.01 : 0.002;
    this.callbacks.onZoom(Math.exp(-Math.max(-400, Math.min(400, delta)) * speed), this.#at(event));
    clearTimeout(this.#wheelTimer);
    this.#wheelTimer = setTimeout(() => this.callbacks.onRest(), wheelRest);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moves[event.key];
    const zoom = zooms[event.key];
    const command = commands[event.key];
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
    if (move) {
      const times = event.shiftKey ? 10 : 1;
      this.callbacks.onMove(move[0] * times, move[1] * times);
    } else if (zoom) {
      this.callbacks.onZoom(zoom, undefined);
      this.callbacks.onRest();
    } else if (digit) this.callbacks.onStep(event.shiftKey ? -1 : 1, Number(digit) - 1);
    else if (command) this.callbacks.onCommand(command);
    else if (event.key === "0") this.callbacks.onReset();
    else if (event.key === "." || event.key === ",") this.callbacks.onStep(event.key === "." ? 1 : -1);
    else if (event.key === " ") this.callbacks.onPlay();
    else if (event.key === "Enter") this.callbacks.onPick(undefined);
    else if (event.key === "Escape") {
      this.#isMarking = false;
      this.callbacks.onMarking(undefined);
      this.callbacks.onLeave();
    } else return;
    event.preventDefault();
  }
}
