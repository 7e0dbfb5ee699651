/** The interface of panels beside the picture, and the controls that they are made of. */
import { type ColormapName, colormapNames, isColormap } from "../base/colormaps.js";
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { radioGroup } from "../base/radios.js";
import type { NamedBlob } from "../base/save.js";
import { type Texts, text } from "../language/text.js";
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

/** Parts of a state with new values; undefined for their defaults. */
type Changes<S> = { readonly [K in keyof S]?: S[K] | undefined };

/** A change of the state, or a function that returns one. */
export type Change = Changes<ViewState> | ((now: ViewState) => Changes<ViewState>);

/** Changes a state, or a part of it, such as a channel. */
export interface Changing<S = ViewState> {
  change(change: (now: S) => Changes<S>, control: string): void;
}

/** The described dataset, and the actions of panels. */
export interface PanelContext {
  readonly dataset: Dataset;
  /** What the dataset was computed by: "mean:time". */
  readonly derived: string | undefined;
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
  /** Shows a variable computed from this one; undefined shows this one again. */
  derive(text: string | undefined): void;
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
}

/** A tab beside the picture. */
export type TabName = keyof Texts["tabs"];

/** A panel. `panels/list.ts` lists all of them. */
export interface Panel {
  /** "above": in the row of buttons above the picture. */
  readonly tab: TabName | "above";
  /** Folded until the user opens it, for the rest of the visit. Panels without it are always open. */
  readonly isFolded?: boolean;
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
export interface Control<S = ViewState> {
  readonly element: HTMLElement;
  /** Follows the state and the view. May hide the element. */
  sync?(state: S, view: PanelView): void;
}

/** The panels that the user has unfolded, by name. */
const unfolded = new Set<string>();

/** The frame of a panel: its title over its content. */
export function card(
  { name, role = "group", isFolded = false }: Pick<Panel, "name" | "role" | "isFolded">,
  title: string,
  content: readonly Control[],
): HTMLElement {
  const body = h("div", { class: "zw-card-body" }, ...content.map(({ element }) => element));
  const attributes = { class: `zw-card zw-${name}`, role, "aria-label": title };
  if (!isFolded) return h("section", attributes, h("h3", {}, title), body);
  const ontoggle = () => {
    if (details.open) unfolded.add(name);
    else unfolded.delete(name);
  };
  const details = h("details", { open: unfolded.has(name), ontoggle }, h("summary", {}, title), body);
  return h("section", attributes, details);
}

/** Controls in one element, which is hidden with the last of them. */
export function groupControl<S = ViewState>(
  controls: readonly Control<S>[],
  attributes: Parameters<typeof h>[1] = { class: "zw-group" },
): Required<Control<S>> {
  const element = h("div", attributes, ...controls.map((control) => control.element));
  return {
    element,
    sync(state, view) {
      for (const control of controls) control.sync?.(state, view);
      element.hidden = controls.every((control) => control.element.hidden);
    },
  };
}

type IsShown<S> = (state: S, view: PanelView) => boolean;

/** The value of a control in a state of type S, and when it is shown. */
interface Setting<S, T> {
  /** Name of the control, for {@link PanelContext.change}. */
  readonly control: string;
  readonly value: (state: S) => T;
  readonly set: (value: T, now: S) => Changes<S>;
  /** Default: always. */
  readonly isShown?: IsShown<S> | undefined;
}

/** A control that shows one setting. */
const settingControl = <S, T>(
  element: HTMLElement,
  { value, isShown }: Pick<Setting<S, T>, "value" | "isShown">,
  show: (value: T) => void,
): Required<Control<S>> => ({
  element,
  sync(state, view) {
    element.hidden = isShown?.(state, view) === false;
    show(value(state));
  },
});

/** A check box. */
export function checkControl<S>({ change }: Changing<S>, label: string, setting: Setting<S, boolean>) {
  const onchange = () => change((now) => setting.set(box.checked, now), setting.control);
  const box = h("input", { type: "checkbox", onchange });
  return settingControl(h("label", { class: "zw-check" }, box, label), setting, (value) => {
    box.checked = value;
  });
}

/** A drop-down list of [value, text] pairs. */
export function listControl<S, T extends string>(
  { change }: Changing<S>,
  label: string,
  entries: readonly (readonly [T, string])[],
  setting: Setting<S, T>,
) {
  const list = select(entries, (chosen) => change((now) => setting.set(chosen as T, now), setting.control));
  const control = settingControl(labelled(label, list), setting, (value) => {
    list.value = value;
  });
  return { ...control, list };
}

/** A few values beside one another, of which one is chosen. */
export function segmentedControl<S, T extends string>(
  { change }: Changing<S>,
  label: string,
  entries: readonly (readonly [T, string])[],
  setting: Setting<S, T>,
) {
  const choices = entries.map(([value, content]) => ({ value, content }));
  const { element, labelOf, show } = radioGroup(label, choices, (value) =>
    change((now) => setting.set(value, now), setting.control),
  );
  return { ...settingControl(element, setting, show), labelOf };
}

/** A published colour map, or the default. */
export const mapControl = <S>(
  context: Changing<S>,
  label: string,
  { value, set, ...setting }: Setting<S, ColormapName | null>,
) =>
  listControl<S, string>(
    context,
    label,
    [["", text.panels.defaultMap], ...colormapNames.map((map) => [map, map] as const)],
    {
      ...setting,
      value: (state) => value(state) ?? "",
      set: (map, now) => set(isColormap(map) ? map : null, now),
    },
  );

/** A number in a field, or nothing. */
export function numberControl<S>(
  { change }: Changing<S>,
  label: string,
  attributes: Parameters<typeof numberField>[0],
  setting: Setting<S, number | null>,
) {
  const field = numberField(attributes, () => {
    const value = field.value.trim() === "" ? null : Number(field.value);
    change((now) => setting.set(value, now), setting.control);
  });
  return settingControl(labelled(label, field), setting, (value) => showNumber(field, value ?? ""));
}

/** A slider. */
export function sliderControl<S>(
  { change }: Changing<S>,
  label: string,
  limits: { readonly min: number; readonly max: number; readonly step: number },
  setting: Setting<S, number>,
) {
  const oninput = () => change((now) => setting.set(Number(slider.value), now), setting.control);
  const slider = h("input", { type: "range", ...limits, oninput });
  const control = settingControl(labelled(label, slider), setting, (value) => {
    slider.value = String(value);
  });
  return { ...control, slider };
}

/** A slider for a share, in percent. */
export const shareControl = <S>(
  context: Changing<S>,
  label: string,
  { value, set, ...setting }: Setting<S, number>,
) =>
  sliderControl<S>(
    context,
    label,
    { min: 0, max: 100, step: 1 },
    {
      ...setting,
      value: (state) => Math.round(value(state) * 100),
      set: (percent, now) => set(percent / 100, now),
    },
  );

/** A colour, "rrggbb". */
export function colorControl<S>({ change }: Changing<S>, label: string, setting: Setting<S, string>) {
  const oninput = () => change((now) => setting.set(field.value.slice(1), now), setting.control);
  const field = h("input", { type: "color", oninput });
  return settingControl(labelled(label, field), setting, (value) => {
    field.value = `#${value}`;
  });
}

/**
 * The limits of a column whose numbers give colours. A limit that was entered stays until the other one follows.
 * @param suffix of the labels, if a page has several of these fields
 */
export function columnRangeControl<S>(
  { change }: Changing<S>,
  suffix: string,
  setting: Setting<S, ValueRange>,
) {
  const set = () => {
    const texts = fields.map(({ value }) => value.trim());
    const [low, high] = texts.map((one) => (one === "" ? Number.NaN : Number(one))) as [number, number];
    const isAuto = texts.every((one) => one === "");
    if (!isAuto && !(Number.isFinite(low) && Number.isFinite(high) && low < high)) return;
    const range: ValueRange = isAuto ? { mode: "auto" } : { mode: "manual", low, high };
    change((now) => setting.set(range, now), setting.control);
  };
  const own = text.panels;
  const fields = [own.lowest, own.highest].map((end) =>
    numberField({ step: "any", placeholder: own.auto, "aria-label": `${end}${suffix}` }, set),
  );
  const [low, high] = fields;
  const onchange = () =>
    change(
      (now) => setting.set({ mode: share.checked ? "percentile" : "auto" }, now),
      `${setting.control}-percentile`,
    );
  const share = h("input", { type: "checkbox", onchange });
  const element = h(
    "div",
    { class: "zw-group" },
    h("div", { class: "zw-window" }, h("span", {}, own.values), low, h("span", {}, own.to), high),
    h("label", { class: "zw-check" }, share, `${own.outermost}${suffix}`),
  );
  let shown = "";
  return settingControl(element, setting, (range) => {
    share.checked = range.mode === "percentile";
    const limits = range.mode === "manual" ? [range.low, range.high] : ["", ""];
    if (limits.join() === shown) return;
    shown = limits.join();
    for (const [i, field] of fields.entries()) showNumber(field, limits[i]);
  });
}
