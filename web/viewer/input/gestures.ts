/**
 * Translates input into gestures: pan (two fingers), zoom (wheel, pinch, double click, keys), point (hover, tap,
 * arrow keys). What the pressed pointer and Enter do is up to a `Tool`. Positions are CSS pixels from the
 * picture's upper left corner.
 */
import type { ToolName } from "../model/state.js";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A strategy for the pressed pointer and Enter. */
export interface Tool {
  /** The pressed pointer has moved by more than a click allows. */
  drag(at: Point, before: Point, pressed: Point): void;
  /** A drag has ended. */
  drop(at: Point, pressed: Point): void;
  /** Clicked or tapped, or Enter at the cursor. */
  click(at: Point): void;
  /** The pointer, or the cursor moved by keys, is over a point. */
  hover?(at: Point): void;
  /** Escape, or another gesture has begun. @returns whether there was anything to cancel */
  cancel(): boolean;
}

export interface GestureCallbacks {
  /** The tool for a press with these keys. */
  tool(keys: { readonly shiftKey: boolean; readonly ctrlKey: boolean; readonly metaKey: boolean }): Tool;
  /** The pointer moved; undefined when it has left. */
  onPoint(at: Point | undefined): void;
  onPan(dx: number, dy: number): void;
  /** Zooms by `factor` around a point; undefined from the keyboard. */
  onZoom(factor: number, at: Point | undefined): void;
  /** Moves the cursor by rows and columns; ±Infinity moves to the end. */
  onMove(rows: number, columns: number): void;
  /** The 0 key shows everything. */
  onReset(): void;
  /** Enter uses the tool at the cursor. */
  onEnter(): void;
  /** Escape cancels the tool's action, or hides the cursor. */
  onLeave(): void;
  /** A pinch or wheel movement has ended. */
  onRest(): void;
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
export type Command = "help" | "full" | "save" | "wheel" | "touch" | ToolName;

const commands: Readonly<Record<string, Command>> = {
  "?": "help",
  f: "full",
  s: "save",
  h: "pan",
  z: "zoom",
  p: "pick",
  m: "measure",
};

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
export const dragThreshold = 4;
/** Milliseconds after the last wheel event until the wheel is at rest. */
const wheelRest = 180;
/** The tool of a drag that has been cancelled, or is left to the page. */
const idle: Tool = { drag() {}, drop() {}, click() {}, cancel: () => false };

interface Finger extends Point {
  readonly from: Point;
}

export class Gestures {
  readonly #fingers = new Map<number, Finger>();
  #isDragging = false;
  /** The tool of the pressed pointer; undefined while two fingers move the picture. */
  #tool: Tool | undefined;
  #wheelTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #unlisten: () => void;

  constructor(
    private readonly box: HTMLElement,
    private readonly callbacks: GestureCallbacks,
  ) {
    this.#unlisten = listen(box, {
      pointerdown: (event) => this.#press(event),
      pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#release(event, true),
      pointercancel: (event) => this.#release(event, false),
      pointerleave: ({ pointerType }) => {
        // A finger's last position is kept, since touch has no hover.
        if (pointerType !== "touch" && this.#fingers.size === 0) callbacks.onPoint(undefined);
      },
      wheel: (event) => this.#wheel(event),
      dblclick: (event) => {
        callbacks.onZoom(event.shiftKey || event.altKey ? 0.5 : 2, this.#at(event));
        callbacks.onRest();
      },
      keydown: (event) => this.#key(event),
      // Two fingers move the picture, even where one scrolls the page.
      touchmove: (event) => {
        if (event.touches.length > 1) event.preventDefault();
      },
    });
  }

  dispose(): void {
    clearTimeout(this.#wheelTimer);
    this.#unlisten();
  }

  #at({ clientX, clientY }: { clientX: number; clientY: number }): Point {
    const { left, top } = this.box.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  #press(event: PointerEvent): void {
    if ((event.pointerType === "mouse" && event.button !== 0) || isOnControl(event)) return;
    const at = this.#at(event);
    this.callbacks.onPoint(at);
    this.box.setPointerCapture(event.pointerId);
    this.#fingers.set(event.pointerId, { ...at, from: at });
    if (this.#fingers.size === 1) this.#tool = this.callbacks.tool(event);
    else {
      if (this.#isDragging) this.#tool?.cancel();
      this.#tool = undefined;
      this.#isDragging = true;
    }
  }

  #move(event: PointerEvent): void {
    const at = this.#at(event);
    const finger = this.#fingers.get(event.pointerId);
    if (!finger) {
      if (event.pointerType === "touch") return;
      this.callbacks.onPoint(at);
      this.callbacks.tool(event).hover?.(at);
      return;
    }
    const { from } = finger;
    if (!this.#isDragging && Math.hypot(at.x - from.x, at.y - from.y) < dragThreshold) return;
    this.#isDragging = true;
    if (this.#fingers.size === 1 && event.pointerType === "touch" && this.#isShared) {
      this.#tool = idle;
      this.callbacks.onCommand("touch");
      return;
    }
    if (this.#fingers.size > 1) this.#pinch(event.pointerId, finger, at);
    else if (this.#tool) this.#tool.drag(at, finger, from);
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
    const [wasDragging, tool] = [this.#isDragging, this.#tool];
    this.#isDragging = false;
    this.#tool = undefined;
    const at = this.#at(event);
    if (!tool) this.callbacks.onRest();
    else if (wasDragging && isDone) tool.drop(at, finger.from);
    else if (wasDragging) tool.cancel();
    else if (isDone) {
      if (event.pointerType === "touch") this.callbacks.onPoint(at);
      tool.click(at);
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
    const delta = wheelPixels(event);
    // A pinch on a touchpad arrives as a wheel event with Ctrl, and with smaller steps.
    const speed = event.ctrlKey ? 0.01 : 0.002;
    this.callbacks.onZoom(Math.exp(-Math.max(-400, Math.min(400, delta)) * speed), this.#at(event));
    clearTimeout(this.#wheelTimer);
    this.#wheelTimer = setTimeout(() => this.callbacks.onRest(), wheelRest);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isOnControl(event)) return;
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
    else if (event.key === "Enter") this.callbacks.onEnter();
    else if (event.key === "Escape") {
      // The rest of the drag does nothing.
      if (this.#isDragging && this.#tool) this.#tool = idle;
      this.callbacks.onLeave();
    } else return;
    event.preventDefault();
  }
}

type Listeners = { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

/** Adds listeners that may prevent the default action. @returns a function that removes them */
export function listen(box: HTMLElement, listeners: Listeners): () => void {
  const end = new AbortController();
  for (const [name, listener] of Object.entries(listeners))
    box.addEventListener(name, listener as EventListener, { signal: end.signal, passive: false });
  return () => end.abort();
}

/** CSS pixels per wheel unit: pixel, line, page. */
export const wheelPixels = ({ deltaY, deltaMode }: WheelEvent): number => deltaY * [1, 16, 320][deltaMode]!;

/** Whether an event is meant for a control over the picture. */
export const isOnControl = ({ target }: Event): boolean =>
  target instanceof Element && target.closest("button, select, label") !== null;
