/** The channels of a composite: on or off, colour, limits, gamma, histogram. */
import { chooser } from "../base/chooser.js";
import { h } from "../base/dom.js";
import { text } from "../language/text.js";
import {
  type ChannelState,
  channelLabel,
  defaultChannels,
  findChannelAxis,
  isPicture,
  maxChannels,
  type ValueRange,
} from "../model/channels.js";
import { channelId, isComposite } from "../model/layers.js";
import { drawnLeaf, type ViewState } from "../model/state.js";
import type { Dataset } from "../source/dataset.js";
import { CurveEditor, hasOpacities } from "./curve.js";
import { HistogramView } from "./histogram.js";
import {
  type Changing,
  type Control,
  checkControl,
  type Panel,
  type PanelContext,
  type PanelView,
} from "./panel.js";
import { gammaControl, rangeCallbacks, rangeParts } from "./values.js";

/** Empty if a dataset has no channels. */
export const channelsPanel: Panel = {
  name: "channels",
  tab: "image",
  title: () => text.channelPanel.title,
  build: (context) => {
    const { channels, axis } = channelsOf(context.dataset);
    return axis === undefined ? [] : channels.map((_, at) => channelRow(context, axis, at));
  },
};

/** Numbers of the channels, for those whom the sliders do not suffice. */
export const channelSettingsPanel: Panel = {
  name: "channel-settings",
  tab: "image",
  isFolded: true,
  title: () => text.channelPanel.more,
  build: (context) => {
    const { channels, axis } = channelsOf(context.dataset);
    if (axis === undefined) return [];
    const details = channels.map((_, position) => channelDetails(context, position));
    return [togetherPart(context, axis, channels), commonPart(context), ...details];
  },
};

function channelsOf(dataset: Dataset): { channels: readonly ChannelState[]; axis: number | undefined } {
  const channels = defaultChannels(dataset);
  return { channels: channels ?? [], axis: channels && findChannelAxis(dataset) };
}

/** Switches between a composite of the channels and a single one, and restores the previous choice. */
function togetherPart(context: PanelContext, axis: number, first: readonly ChannelState[]): Control {
  let kept = first;
  return checkControl(context, text.channelPanel.together, {
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
  checkControl(context, text.channelPanel.common, {
    control: "common",
    value: ({ isRangeCommon }) => isRangeCommon,
    set: (isRangeCommon) => ({ isRangeCommon }),
    isShown(state, { kind }) {
      const isSeveral = (state.channels?.length ?? 0) > 1 && isComposite(context.dataset, state);
      return kind === "image" && isSeveral && !isPicture(context.dataset);
    },
  });

/** A channel by its position in the list: its name for labels, and changes of it. */
function channelAt({ dataset, change }: PanelContext, position: number) {
  const name = text.channelPanel.name(
    position + 1,
    channelLabel(dataset, defaultChannels(dataset)![position]!.index),
  );
  const changeWhere =
    (isChanged: (at: number, now: ViewState) => boolean): Changing<ChannelState>["change"] =>
    (next, what) =>
      change((now) => {
        const changed = (old: ChannelState, at: number) =>
          isChanged(at, now) ? ({ ...old, ...next(old) } as ChannelState) : old;
        return { channels: now.channels?.map(changed) ?? null };
      }, `channel-${position}-${what}`);
  const own: Changing<ChannelState> = { change: changeWhere((at) => at === position) };
  // Applies to all channels if they share a range.
  const changeRange = changeWhere((at, { isRangeCommon }) => isRangeCommon || at === position);
  const onRange = (range: ValueRange) => changeRange(() => ({ range }), "range");
  return {
    name,
    own,
    onRange,
    /** The channel as it is shown; undefined if it is not. */
    shown: (state: ViewState, { kind }: PanelView) =>
      kind === "image" && isComposite(dataset, state) ? state.channels?.[position] : undefined,
    numbers: ({ index }: ChannelState, { numbers }: PanelView) =>
      numbers.find(({ layer }) => layer.id === channelId(index)),
  };
}

/** Whether a channel is shown, its colour, its name, and its limits in its histogram. */
function channelRow(context: PanelContext, axis: number, position: number): Control {
  const { dataset } = context;
  const { name, own, onRange, shown, numbers } = channelAt(context, position);
  const box = h("input", {
    type: "checkbox",
    "aria-label": text.channelPanel.show(name),
    onchange: () => own.change(() => ({ isOn: box.checked }), "on"),
  });
  const colour = h("input", {
    type: "color",
    "aria-label": text.channelPanel.colour(name),
    oninput: () => own.change(() => ({ color: colour.value.slice(1) }), "colour"),
  });
  const which = channelName(context, axis, name, own);
  const histogram = new HistogramView(name, rangeCallbacks(onRange), "row");
  const head = h("div", { class: "zw-channel-head" }, box, colour, which.element);
  const attributes = { class: "zw-channel", role: "group", "aria-label": name };
  const element = h("div", attributes, head, histogram.element);
  return {
    element,
    sync(state, view) {
      const channel = shown(state, view);
      element.hidden = !channel;
      if (!channel) return;
      box.checked = channel.isOn;
      colour.value = `#${channel.color}`;
      which.show(channel, state.channels!);
      histogram.sync(numbers(channel, view), drawnLeaf(dataset, state.field), state.isLogHistogram);
    },
  };
}

/** The name of a channel; a list if there are more channels than rows. */
function channelName(
  { dataset }: PanelContext,
  axis: number,
  title: string,
  { change }: Changing<ChannelState>,
) {
  const { length } = dataset.axes[axis]!;
  if (length <= maxChannels) {
    const element = h("span", { class: "zw-channel-name" });
    const show = ({ index }: ChannelState) => {
      element.textContent = channelLabel(dataset, index);
    };
    return { element, show };
  }
  const labels = { count: length, name: (index: number) => channelLabel(dataset, index) };
  const list = chooser(labels, (index) => change(() => ({ index, range: { mode: "auto" } }), "which"));
  list.control.setAttribute("aria-label", text.channelPanel.which(title));
  return {
    element: list.element,
    show({ index }: ChannelState, all: readonly ChannelState[]) {
      list.show(index);
      list.setTaken(all.map((one) => one.index).filter((i) => i !== index));
    },
  };
}

/** Limits, gamma and opacities of a channel. */
function channelDetails(context: PanelContext, position: number): Control {
  const { dataset } = context;
  const { name, own, onRange, shown, numbers } = channelAt(context, position);
  const range = rangeParts(name, text.panels.of(name), onRange, null);
  const gamma = gammaControl(own, text.panels.of(name));
  const curve = new CurveEditor(text.panels.of(name), (curve) => own.change(() => ({ curve }), "curve"));
  const title = h("b", { class: "zw-channel-name" });
  const attributes = { class: "zw-group", role: "group", "aria-label": text.channelPanel.settings(name) };
  const element = h("div", attributes, title, ...range.elements, gamma.element, curve.element);
  return {
    element,
    sync(state, view) {
      const channel = shown(state, view);
      element.hidden = !channel;
      if (!channel) return;
      title.textContent = channelLabel(dataset, channel.index);
      range.show(channel.range, numbers(channel, view), drawnLeaf(dataset, state.field), false);
      gamma.sync(channel, view);
      curve.element.hidden = !hasOpacities(state);
      curve.show(channel.curve);
    },
  };
}
