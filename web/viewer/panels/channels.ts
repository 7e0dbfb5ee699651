/** The channels of a composite: on or off, colour, limits, gamma, histogram. */
import { type Chooser, chooser } from "../base/chooser.js";
import { h, labelled } from "../base/dom.js";
import {
  type ChannelState,
  channelLabel,
  defaultChannels,
  findChannelAxis,
  isPicture,
  maxChannels,
  type OpacityCurve,
  type ValueRange,
} from "../model/channels.js";
import { channelId, isComposite } from "../model/layers.js";
import { drawnLeaf, type ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import type { Leaf } from "../source/leaf.js";
import { CurveEditor, hasOpacities } from "./curve.js";
import { HistogramView } from "./histogram.js";
import {
  type Control,
  checkControl,
  type LayerNumbers,
  type Panel,
  type PanelContext,
  type PanelView,
} from "./panel.js";
import { gammaField, limitFields, logControl, rangeList } from "./values.js";

/** Empty if a dataset has no channels. */
export const channelsPanel: Panel = { name: "channels", title: "Channels", build: channelParts };

function channelParts(context: PanelContext): Control[] {
  const { dataset } = context;
  const channels = defaultChannels(dataset);
  const axis = findChannelAxis(dataset);
  if (!channels || axis === undefined) return [];
  const rows = channels.map((_, position) => new ChannelRow(context, axis, position, () => showLog()));
  const log = logControl(context);
  /** Shown as long as there is a histogram. */
  const showLog = () => {
    log.element.hidden = !rows.some(({ hasHistogram }) => hasHistogram);
  };
  const logPart: Control = {
    element: log.element,
    sync(...now) {
      log.sync(...now);
      showLog();
    },
  };
  return [togetherPart(context, axis, channels), ...rows, commonPart(context), logPart];
}

/** Switches between a composite of the channels and a single one, and restores the previous choice. */
function togetherPart(context: PanelContext, axis: number, first: readonly ChannelState[]): Control {
  let kept = first;
  return checkControl(context, "All channels in one picture", {
    control: "channels",
    value({ channels }) {
      kept = channels ?? kept;
      return channels !== null;
    },
    set: (isOn) => ({ channels: isOn ? kept : null }),
    isShown: ({ axes }, { kind }) => kind === "image" && !axes.includes(axis),
  });
}

/** Whether all channels share their limits. Photographs have fixed limits. */
const commonPart = (context: PanelContext): Control =>
  checkControl(context, "The same range for all channels", {
    control: "common",
    value: ({ isRangeCommon }) => isRangeCommon,
    set: (isRangeCommon) => ({ isRangeCommon }),
    isShown(state, { kind }) {
      const isSeveral = (state.channels?.length ?? 0) > 1 && isComposite(context.dataset, state);
      return kind === "image" && isSeveral && !isPicture(context.dataset);
    },
  });

class ChannelRow implements Control {
  readonly element: HTMLElement;
  readonly #box: HTMLInputElement;
  readonly #colour: HTMLInputElement;
  /** Chooses the channel of this row; undefined if each channel has a row. */
  readonly #which: Chooser | undefined;
  readonly #name = h("span", { class: "zw-channel-name" });
  readonly #title: string;
  readonly #details: HTMLDetailsElement;
  /** Created when the row is first unfolded. */
  #inside: ChannelDetails | undefined;
  #last: { settings: ViewState; state: PanelView } | undefined;

  readonly #dataset: Dataset;
  readonly #change: PanelContext["change"];

  constructor(
    { dataset, change }: PanelContext,
    axis: number,
    private readonly position: number,
    onFold: () => void,
  ) {
    [this.#dataset, this.#change] = [dataset, change];
    const { length } = dataset.axes[axis]!;
    const first = channelLabel(dataset, defaultChannels(dataset)![position]!.index);
    const name = `channel ${position + 1}, ${first}`;
    this.#box = h("input", {
      type: "checkbox",
      "aria-label": `Show ${name}`,
      onchange: () => this.#set({ isOn: this.#box.checked }, "on"),
    });
    this.#colour = h("input", {
      type: "color",
      "aria-label": `Colour of ${name}`,
      oninput: () => this.#set({ color: this.#colour.value.slice(1) }, "colour"),
    });
    this.#which = length > maxChannels ? this.#list(length, name) : undefined;
    this.#title = name;
    const ontoggle = () => {
      if (this.#last) this.sync(this.#last.settings, this.#last.state);
      onFold();
    };
    const summary = h("summary", { "aria-label": `Range and gamma of ${name}` }, "Range");
    this.#details = h("details", { ontoggle }, summary);
    const named = this.#which?.element ?? this.#name;
    const head = h("div", { class: "zw-channel-head" }, this.#box, this.#colour, named);
    this.element = h("div", { class: "zw-channel", role: "group", "aria-label": name }, head, this.#details);
  }

  #list(count: number, name: string): Chooser {
    const labels = { count, name: (index: number) => channelLabel(this.#dataset, index) };
    const list = chooser(labels, (index) => this.#set({ index, range: { mode: "auto" } }, "which"));
    list.control.setAttribute("aria-label", `Which channel is ${name}`);
    return list;
  }

  #set(part: Partial<ChannelState>, what: string): void {
    this.#change(
      ({ channels }) => ({
        channels: channels?.map((old, i) => (i === this.position ? { ...old, ...part } : old)) ?? null,
      }),
      `channel-${this.position}-${what}`,
    );
  }

  /** Applies to all channels if they share a range. */
  #setRange(range: ValueRange): void {
    this.#change(
      ({ channels, isRangeCommon }) => ({
        channels:
          channels?.map((old, i) => (isRangeCommon || i === this.position ? { ...old, range } : old)) ?? null,
      }),
      `channel-${this.position}-range`,
    );
  }

  get hasHistogram(): boolean {
    return !this.element.hidden && this.#details.open && this.#inside?.hasHistogram === true;
  }

  sync(settings: ViewState, state: PanelView): void {
    this.#last = { settings, state };
    const channel = settings.channels?.[this.position];
    this.element.hidden = !channel || state.kind !== "image" || !isComposite(this.#dataset, settings);
    if (!channel || this.element.hidden) return;
    this.#box.checked = channel.isOn;
    this.#colour.value = `#${channel.color}`;
    if (this.#which) {
      this.#which.show(channel.index);
      this.#which.setTaken(settings.channels!.map(({ index }) => index).filter((i) => i !== channel.index));
    } else this.#name.textContent = channelLabel(this.#dataset, channel.index);
    if (!this.#details.open) return;
    if (!this.#inside) {
      this.#inside = new ChannelDetails(
        this.#title,
        (range) => this.#setRange(range),
        (gamma) => this.#set({ gamma }, "gamma"),
        (curve) => this.#set({ curve }, "curve"),
      );
      this.#details.append(this.#inside.element);
    }
    const numbers = state.numbers.find(({ layer }) => layer.id === channelId(channel.index));
    this.#inside.sync(channel, numbers, drawnLeaf(this.#dataset, settings.field), settings);
  }
}

/** Limits, gamma and histogram of a channel. */
class ChannelDetails {
  readonly element: HTMLElement;
  readonly #histogram: HistogramView;
  readonly #fields: ReturnType<typeof limitFields>;
  readonly #mode: HTMLSelectElement;
  readonly #gamma: ReturnType<typeof gammaField>;
  readonly #curve: CurveEditor;
  #limits: readonly [number, number] = [0, 1];

  constructor(
    name: string,
    onRange: (range: ValueRange) => void,
    onGamma: (gamma: number) => void,
    onCurve: (curve: OpacityCurve | undefined) => void,
  ) {
    const onLimits = (low: number, high: number) => onRange({ mode: "manual", low, high });
    this.#histogram = new HistogramView(name, { onLimits, onReset: () => onRange({ mode: "auto" }) });
    this.#fields = limitFields(` of ${name}`, onLimits);
    this.#mode = rangeList(onRange, () => this.#limits);
    this.#mode.setAttribute("aria-label", `Value range of ${name}`);
    this.#gamma = gammaField(onGamma, ` of ${name}`);
    this.#curve = new CurveEditor(` of ${name}`, onCurve);
    this.element = h(
      "div",
      { class: "zw-group" },
      this.#histogram.element,
      labelled("Value range", this.#mode),
      this.#fields.element,
      this.#gamma.element,
      this.#curve.element,
    );
  }

  get hasHistogram(): boolean {
    return !this.#histogram.element.hidden;
  }

  sync(
    channel: ChannelState,
    numbers: LayerNumbers | undefined,
    leaf: Leaf | undefined,
    settings: ViewState,
  ): void {
    this.#limits = numbers?.limits ?? this.#limits;
    this.#mode.value = channel.range.mode;
    const isKnown = numbers?.isRangeKnown !== false;
    this.#fields.show(isKnown ? this.#limits : undefined, channel.range.mode === "manual");
    this.#gamma.show(channel.gamma);
    this.#curve.element.hidden = !hasOpacities(settings);
    this.#curve.show(channel.curve);
    this.#histogram.sync(numbers, leaf, settings.isLogHistogram);
  }
}
