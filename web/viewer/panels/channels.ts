/** The channels of a composite: on or off, colour, limits, gamma, histogram. */
import { chooser } from "../base/chooser.js";
import { h } from "../base/dom.js";
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
import { CurveEditor, hasOpacities } from "./curve.js";
import {
  type Changing,
  type Control,
  checkControl,
  type Panel,
  type PanelContext,
  type PanelView,
} from "./panel.js";
import { gammaControl, logControl, rangeParts } from "./values.js";

/** Empty if a dataset has no channels. */
export const channelsPanel: Panel = { name: "channels", title: "Channels", build: channelParts };

function channelParts(context: PanelContext): Control[] {
  const { dataset } = context;
  const channels = defaultChannels(dataset);
  const axis = findChannelAxis(dataset);
  if (!channels || axis === undefined) return [];
  const rows = channels.map((_, position) => channelRow(context, axis, position, () => showLog()));
  const log = logControl(context);
  /** Shown as long as there is a histogram. */
  const showLog = () => {
    log.element.hidden = !rows.some(({ hasHistogram }) => hasHistogram());
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

function channelRow(context: PanelContext, axis: number, position: number, onFold: () => void) {
  const { dataset, change } = context;
  const name = `channel ${position + 1}, ${channelLabel(dataset, defaultChannels(dataset)![position]!.index)}`;
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
  const box = h("input", {
    type: "checkbox",
    "aria-label": `Show ${name}`,
    onchange: () => own.change(() => ({ isOn: box.checked }), "on"),
  });
  const colour = h("input", {
    type: "color",
    "aria-label": `Colour of ${name}`,
    oninput: () => own.change(() => ({ color: colour.value.slice(1) }), "colour"),
  });
  const which = channelName(context, axis, name, own);
  /** Created when the row is first unfolded. */
  let inside: ReturnType<typeof channelDetails> | undefined;
  let last: [ViewState, PanelView] | undefined;
  const ontoggle = () => {
    if (last) sync(...last);
    onFold();
  };
  const summary = h("summary", { "aria-label": `Range and gamma of ${name}` }, "Range");
  const details = h("details", { ontoggle }, summary);
  const head = h("div", { class: "zw-channel-head" }, box, colour, which.element);
  const element = h("div", { class: "zw-channel", role: "group", "aria-label": name }, head, details);
  const sync = (settings: ViewState, view: PanelView) => {
    last = [settings, view];
    const channel = settings.channels?.[position];
    element.hidden = !channel || view.kind !== "image" || !isComposite(dataset, settings);
    if (!channel || element.hidden) return;
    box.checked = channel.isOn;
    colour.value = `#${channel.color}`;
    which.show(channel, settings.channels!);
    if (!details.open) return;
    if (!inside) {
      inside = channelDetails(context, name, own, (range) => changeRange(() => ({ range }), "range"));
      details.append(inside.element);
    }
    inside.sync(channel, settings, view);
  };
  const hasHistogram = () => !element.hidden && details.open && inside?.histogram.hidden === false;
  return { element, sync, hasHistogram };
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
  list.control.setAttribute("aria-label", `Which channel is ${title}`);
  return {
    element: list.element,
    show({ index }: ChannelState, all: readonly ChannelState[]) {
      list.show(index);
      list.setTaken(all.map((one) => one.index).filter((i) => i !== index));
    },
  };
}

/** Limits, histogram, gamma and opacities of a channel. */
function channelDetails(
  { dataset }: PanelContext,
  name: string,
  own: Changing<ChannelState>,
  onRange: (range: ValueRange) => void,
) {
  const range = rangeParts(name, ` of ${name}`, onRange);
  const gamma = gammaControl(own, ` of ${name}`);
  const curve = new CurveEditor(` of ${name}`, (curve) => own.change(() => ({ curve }), "curve"));
  return {
    element: h("div", { class: "zw-group" }, ...range.elements, gamma.element, curve.element),
    histogram: range.histogram,
    sync(channel: ChannelState, settings: ViewState, view: PanelView) {
      const numbers = view.numbers.find(({ layer }) => layer.id === channelId(channel.index));
      range.show(channel.range, numbers, drawnLeaf(dataset, settings.field), settings.isLogHistogram);
      gamma.sync(channel, view);
      curve.element.hidden = !hasOpacities(settings);
      curve.show(channel.curve);
    },
  };
}
