/** The interface of panels beside the picture, and the controls that they are made of. */
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import type { NamedBlob } from "../base/save.js";
import type { DisplayedView } from "../model/advice.js";
import type { Rectangle } from "../model/camera.js";
import type { ValueRange } from "../model/channels.js";
import type { CodeRequest } from "../model/code.js";
import type { Layer } from "../model/layers.js";
import type { SliceKind } from "../model/plan.js";
import type { ViewState } from "../model/state.js";
import type { Findings } from "../numbers/findings.js";
import type { Collection } from "../source/collection.js";
import type { Dataset, Labels } from "../source/dataset.js";
import type { Measured } from "../source/measure.js";
import type { Observations } from "../source/observations.js";

/** Statistics of a layer. */
export interface LayerNumbers {
  readonly layer: Layer;
  /** The range in use. */
  readonly limits: readonly [low: number, high: number];
  /** False before values have been read, and if none is finite. */
  readonly isRangeKnown: boolean;
  readonly findings: Findings;
  /** Whether chunks of the slice are not stored. */
  readonly hasMissing: boolean;
  /** Whether every value of the slice has been seen. */
  readonly isAllSeen: boolean;
}

/** The view as panels show it. It stays the same while the picture moves. */
export interface PanelView {
  readonly state: ViewState;
  readonly kind: SliceKind;
  /** The visible part of the shown axes; undefined before the first frame. */
  readonly seen: Rectangle | undefined;
  /** Statistics of pictures and lines, by layer. */
  readonly numbers: readonly LayerNumbers[];
  /** Axis along which slices are played. */
  readonly playing: number | undefined;
  readonly isPicture: boolean;
  /** The read view, for advice; undefined if there is no picture. */
  readonly displayed: DisplayedView | undefined;
  /** Labels found for the image. */
  readonly labels: readonly Labels[];
  /** The table whose rows are points or labels. */
  readonly table: Observations | undefined;
  /** Nodes or variables related to the array. */
  readonly collection: Collection | undefined;
  /** Limit and usage of the memory for cached data, in bytes; undefined without a plane. */
  readonly memory: { readonly budget: number; readonly used: number } | undefined;
}

/** Settings with new values; undefined for their defaults. */
type Changes = { readonly [K in keyof ViewState]?: ViewState[K] | undefined };

/** A change of the state, or a function that returns one. */
export type Change = Changes | ((now: ViewState) => Changes);

/** The described dataset, and the actions of panels. */
export interface PanelContext {
  readonly dataset: Dataset;
  /** Path of the shown node. */
  readonly path: string;
  /** The selectable byte order, if it is uncertain. */
  readonly v1Order: "spec" | "writer" | undefined;
  /** Changes the state; `control` names the control, so that a drag counts as one change. */
  change(change: Change, control: string): void;
  /** Plays the slices along an axis; undefined stops. */
  play(axis: number | undefined): void;
  /** Opens the source again with another byte order of Zarr v1 chunks. */
  reorder(order: "spec" | "writer"): void;
  /** Opens another node or variable of the same source. */
  go(path: string, variable?: string): void;
  /** Sets the memory limit for cached data. */
  setBudget(bytes: number): void;
  /** The address of the view; undefined if no page shows it. */
  link(): string | undefined;
  /** The picture in its current view; undefined if there is none. */
  picture(): Promise<NamedBlob | undefined>;
  /** Shows the dialog for figures over an element. */
  showFigureDialog(over: HTMLElement): Promise<void>;
  /** The view that a generated program reads; undefined for a store of the page. */
  codeRequest(): CodeRequest | undefined;
  /** Reads part of the view again, with time and requests. */
  measure(): Promise<Measured | undefined>;
}

/** A panel. `panels/list.ts` lists all of them. */
export interface Panel {
  /** The card has the class `zw-NAME`. */
  readonly name: string;
  readonly title: string | ((view: PanelView) => string);
  /** "region" makes the panel a landmark of the page. Default: "group". */
  readonly role?: "group" | "region";
  /** Default: as long as one of its controls is shown. */
  readonly isShown?: (view: PanelView) => boolean;
  /** Identifies the content, which is built again if it changes. Default: built once per dataset. */
  readonly key?: (view: PanelView) => unknown;
  /** Builds the content when the panel is first shown. */
  readonly build: (context: PanelContext, view: PanelView) => readonly Control[];
}

/** A part of a panel: built once, and updated in place, so that it keeps the focus. */
export interface Control {
  readonly element: HTMLElement;
  /** Follows the view. May hide the element. */
  sync?(state: ViewState, view: PanelView): void;
}

/** The frame of a panel: its title over its content. */
export function card(
  { name, role = "group" }: Pick<Panel, "name" | "role">,
  title: string,
  content: readonly Control[],
): HTMLElement {
  const body = h("div", { class: "zw-card-body" }, ...content.map(({ element }) => element));
  return h("section", { class: `zw-card zw-${name}`, role, "aria-label": title }, h("h3", {}, title), body);
}

/** The value of a control in the state, and when it is shown. */
interface Setting<T> {
  /** Name of the control, for {@link PanelContext.change}. */
  readonly control: string;
  readonly value: (state: ViewState) => T;
  readonly set: (value: T, now: ViewState) => Changes;
  /** Default: always. */
  readonly isShown?: (state: ViewState, view: PanelView) => boolean;
}

type Changing = Pick<PanelContext, "change">;

/** A check box. */
export function checkControl({ change }: Changing, text: string, setting: Setting<boolean>) {
  const { control, value, set, isShown } = setting;
  const box = h("input", {
    type: "checkbox",
    onchange: () => change((now) => set(box.checked, now), control),
  });
  const element = h("label", { class: "zw-check" }, box, text);
  return {
    element,
    sync(state: ViewState, view: PanelView) {
      element.hidden = isShown?.(state, view) === false;
      box.checked = value(state);
    },
  };
}

/** A drop-down list of [value, text] pairs. */
export function listControl<T extends string>(
  { change }: Changing,
  text: string,
  entries: readonly (readonly [T, string])[],
  { control, value, set, isShown }: Setting<T>,
) {
  const list = select(entries, (chosen) => change((now) => set(chosen as T, now), control));
  const element = labelled(text, list);
  return {
    element,
    list,
    sync(state: ViewState, view: PanelView) {
      element.hidden = isShown?.(state, view) === false;
      list.value = value(state);
    },
  };
}

export class ColumnRange {
  readonly element: HTMLElement;
  readonly #fields: readonly HTMLInputElement[];
  #shown = "";

  /** @param suffix of the labels, if a page has several of these fields */
  constructor(
    private readonly onChange: (range: ValueRange) => void,
    suffix = "",
  ) {
    const field = (label: string) =>
      numberField({ step: "any", placeholder: "auto", "aria-label": `${label}${suffix}` }, () => this.#set());
    this.#fields = [field("Lowest value of the column"), field("Highest value of the column")];
    const [low, high] = this.#fields;
    this.element = h("div", { class: "zw-window" }, h("span", {}, "Values"), low, h("span", {}, "to"), high);
  }

  #set(): void {
    const texts = this.#fields.map(({ value }) => value.trim());
    const [low, high] = texts.map((text) => (text === "" ? Number.NaN : Number(text)));
    if (Number.isFinite(low) && Number.isFinite(high) && low! < high!)
      this.onChange({ mode: "manual", low: low!, high: high! });
    else if (texts.every((text) => text === "")) this.onChange({ mode: "auto" });
  }

  /** Shows a range if it has changed: a limit that was entered stays until the other one follows. */
  sync(range: ValueRange): void {
    const limits = range.mode === "manual" ? [range.low, range.high] : ["", ""];
    const shown = limits.join();
    if (shown === this.#shown) return;
    this.#shown = shown;
    for (const [i, field] of this.#fields.entries()) showNumber(field, limits[i]);
  }
}
