/** Handles at the faces of the clip box, which are dragged along their axes. */
import { h, setHidden } from "../base/dom.js";
import { sliderSteps } from "../base/double-slider.js";
import { text } from "../language/text.js";
import type { VolumeClip } from "../model/volume.js";
import { placeOf, pointAtPlace } from "./affine.js";
import { map3, type Vec3 } from "./bricks.js";
import { projector, type VolumeViewpoint, visiblePart } from "./camera.js";
import { movedClip } from "./moved-clip.js";

/** Distance of a handle from its face, and least projected length of an axis with handles, in CSS pixels. */
const [away, leastLength] = [16, 24];

/** A face of the clip box: 0 at its start along an axis, 1 at its end. */
export interface ClipFace {
  readonly axis: number;
  readonly end: 0 | 1;
}

export const clipFaces: readonly ClipFace[] = [0, 1, 2].flatMap((axis) =>
  ([0, 1] as const).map((end) => ({ axis, end })),
);

/** Positions are in device pixels. */
interface HandlePlace {
  readonly x: number;
  readonly y: number;
  /** The middle of the face. */
  readonly face: { readonly x: number; readonly y: number };
  /** Direction of the axis in the picture, with a length of 1. */
  readonly along: readonly [x: number, y: number];
}

/** The point of the middle of the box's face, moved to a bound along the axis. */
function faceMiddle(view: VolumeViewpoint, axis: number, bound: number): Vec3 {
  const { box } = visiblePart(view);
  const ends = [placeOf(view.space, box.from), placeOf(view.space, box.to)] as const;
  const middle = pointAtPlace(
    view.space,
    map3((i) => (ends[0][i]! + ends[1][i]!) / 2),
  );
  return map3((i) => (i === axis ? bound : middle[i]!));
}

/**
 * Returns the place of a handle, beside its face, so that those of a thin box do not touch.
 * @returns undefined if the axis points towards the eye, or the eye has passed the face
 */
export function handlePlace(
  view: VolumeViewpoint,
  { axis, end }: ClipFace,
  ratio: number,
): HandlePlace | undefined {
  const project = projector(view);
  const { box } = visiblePart(view);
  const at = (bound: number) => project(faceMiddle(view, axis, bound));
  const face = at((end === 0 ? box.from : box.to)[axis]!);
  const ends = [at(0), at(view.space.extent[axis]!)] as const;
  if (face.depth <= 0) return undefined;
  // Of an axis that reaches behind the eye, only a part has a direction in the picture.
  const [first, last] = ends.map((one) => (one.depth > 0 ? one : undefined));
  const [dx, dy] = [(last ?? face).x - (first ?? face).x, (last ?? face).y - (first ?? face).y];
  const length = Math.hypot(dx, dy);
  if (!(length >= leastLength * ratio)) return undefined;
  const along = [dx / length, dy / length] as const;
  const shift = (end === 0 ? -away : away) * ratio;
  return { x: face.x + shift * along[0], y: face.y + shift * along[1], face, along };
}

/**
 * Returns the bound along an axis whose face is nearest to a place in device pixels: its distance along the projected
 * axis is 0. Bisects, because the distance grows with the bound in every projection and with unequal voxels.
 */
export function boundAt(
  view: VolumeViewpoint,
  axis: number,
  [x, y]: readonly [x: number, y: number],
  along: readonly [x: number, y: number],
): number {
  const project = projector(view);
  const extent = view.space.extent[axis]!;
  const at = (bound: number) => project(faceMiddle(view, axis, bound));
  // The part behind the eye lies beyond every place in the picture.
  const behind = at(extent).depth < at(0).depth ? 1 : -1;
  const distance = (bound: number) => {
    const one = at(bound);
    return one.depth <= 0 ? behind : (one.x - x) * along[0] + (one.y - y) * along[1];
  };
  let [low, high] = [0, extent];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (distance(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

export interface ClipHandlesCallbacks {
  view(): VolumeViewpoint | undefined;
  /** Device pixels per CSS pixel. */
  ratio(): number;
  onClip(clip: VolumeClip | null): void;
}

const keySteps = { ...sliderSteps, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY };

export class ClipHandles {
  readonly #handles = clipFaces.map((face) => ({ face, element: this.#handle(face) }));
  readonly element = h(
    "div",
    { class: "zw-clip-handles", role: "group", "aria-label": text.volume.clipBox },
    ...this.#handles.map(({ element }) => element),
  );
  /** From the pointer to the middle of the face, and the direction of the axis, when the handle was pressed. */
  #grip: { readonly offset: readonly [x: number, y: number]; readonly place: HandlePlace } | undefined;

  constructor(private readonly callbacks: ClipHandlesCallbacks) {}

  #handle(face: ClipFace): HTMLElement {
    const handle = h("div", {
      class: "zw-clip-handle",
      role: "slider",
      tabindex: 0,
      onpointerdown: (event: PointerEvent) => this.#press(event, face),
      onpointermove: (event: PointerEvent) => {
        if (handle.hasPointerCapture(event.pointerId)) this.#drag(event, face);
      },
      onkeydown: (event: KeyboardEvent) => this.#key(event, face),
      // A click beside a face does not choose the voxel below the handle.
      onclick: (event: MouseEvent) => event.stopPropagation(),
      ondblclick: (event: MouseEvent) => {
        event.stopPropagation();
        this.#move(face, face.end === 0 ? 0 : Number.MAX_SAFE_INTEGER);
      },
    });
    return handle;
  }

  /** @param names of the axes x, y and z */
  place(view: VolumeViewpoint, names: readonly string[]): void {
    const ratio = this.callbacks.ratio();
    const { box } = visiblePart(view);
    for (const { face, element } of this.#handles) {
      const { axis, end } = face;
      const place = handlePlace(view, face, ratio);
      const shares = place ? [place.face.x / view.width, place.face.y / view.height] : [-1];
      const isInside = shares.every((share) => share >= 0 && share <= 1);
      // A handle that is used keeps the focus.
      setHidden(element, !isInside && !element.matches(":focus"));
      if (place) {
        const inside = (at: number, room: number) =>
          Math.min(Math.max(at / ratio, away), room / ratio - away);
        element.style.left = `${inside(place.x, view.width).toFixed(1)}px`;
        element.style.top = `${inside(place.y, view.height).toFixed(1)}px`;
      }
      const extent = view.space.extent[axis]!;
      const bound = Math.floor((end === 0 ? box.from : box.to)[axis]!) - end;
      const attributes = {
        "aria-label": text.volume.clipEnd(end, names[axis]!),
        "aria-valuemin": 0,
        "aria-valuemax": extent - 1,
        "aria-valuenow": bound,
      };
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    }
  }

  #press(event: PointerEvent, face: ClipFace): void {
    event.stopPropagation(); // the picture stays
    const view = this.callbacks.view();
    const place = view && handlePlace(view, face, this.callbacks.ratio());
    const handle = event.currentTarget as HTMLElement;
    if (event.button !== 0 || !place) return;
    event.preventDefault();
    handle.focus();
    const [x, y] = this.#at(event);
    this.#grip = { offset: [place.face.x - x, place.face.y - y], place };
    handle.setPointerCapture(event.pointerId);
  }

  #drag(event: PointerEvent, { axis, end }: ClipFace): void {
    const [view, grip] = [this.callbacks.view(), this.#grip];
    if (!view || !grip) return;
    const [x, y] = this.#at(event);
    const { offset, place } = grip;
    this.#move({ axis, end }, boundAt(view, axis, [x + offset[0], y + offset[1]], place.along));
  }

  /** A place in device pixels. */
  #at({ clientX, clientY }: MouseEvent): readonly [x: number, y: number] {
    const { left, top } = this.element.getBoundingClientRect();
    const ratio = this.callbacks.ratio();
    return [(clientX - left) * ratio, (clientY - top) * ratio];
  }

  #key(event: KeyboardEvent, face: ClipFace): void {
    const view = this.callbacks.view();
    const step = (keySteps as typeof sliderSteps)[event.key];
    if (!view || step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const { box } = visiblePart(view);
    const bound = (face.end === 0 ? box.from : box.to)[face.axis]!;
    this.#move(face, Math.min(Math.max(bound + step, 0), view.space.extent[face.axis]!));
  }

  #move({ axis, end }: ClipFace, bound: number): void {
    const view = this.callbacks.view();
    if (!view) return;
    const clip = movedClip(view.space.extent, view.clip ?? null, axis, end, bound);
    if (JSON.stringify(clip) !== JSON.stringify(view.clip ?? null)) this.callbacks.onClip(clip);
  }
}
