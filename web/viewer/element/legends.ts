/** Content of a picture's legend: the colours of values or of channels. */
import { formatCount } from "../base/format.js";
import { text } from "../language/text.js";
import { channelLabel, findChannelAxis, isPicture } from "../model/channels.js";
import { columnLegends, type NamedLegend, tableColors } from "../model/column-colors.js";
import { isComposite, type Layer, sampledAxes } from "../model/layers.js";
import type { ViewState } from "../model/state.js";
import { quantityText, unitText, valueFormat } from "../panels/coordinates.js";
import { type Legend, type LegendEntries, type LegendScale, legendTicks } from "../panels/legend.js";
import { type Dataset, datasetShape } from "../source/dataset.js";
import type { Ranges } from "./ranges.js";

export { Legend } from "../panels/legend.js";

/** The drawn layers and their ranges. */
export interface LegendContent {
  readonly dataset: Dataset;
  readonly settings: ViewState;
  /** Empty if there is no picture. */
  readonly layers: readonly Layer[];
  readonly ranges: Ranges;
  /** Of a volume. */
  readonly level?: string | undefined;
}

/** Shows a legend; none if nothing is drawn. */
export function showLegend(legend: Legend, drawn: LegendContent | undefined): void {
  if (!drawn) {
    legend.show({});
    return;
  }
  const { dataset, settings } = drawn;
  const [layer] = drawn.layers;
  const isSingle = !isComposite(dataset, settings) || layer?.style.kind === "labels";
  const entries = layer ? (isSingle ? scaleEntries(layer, drawn) : channelEntries(drawn)) : {};
  legend.show(entries, [...imageLegends(drawn), ...columnLegends(dataset, settings)]);
}

/** Legends of added images. */
const imageLegends = ({ layers, ranges }: LegendContent): NamedLegend[] =>
  layers.flatMap((layer) => {
    const { title, style, dataset, index } = layer;
    if (title === undefined || style.kind === "labels" || isPicture(dataset) || !ranges.isKnown(layer))
      return [];
    const [low, high] = ranges.limits(layer);
    const axis = style.kind === "tint" ? findChannelAxis(dataset) : undefined;
    const name = axis === undefined ? title : `${title}: ${channelLabel(dataset, index[axis]!)}`;
    const colormap = style.kind === "tint" ? (`#000000,#${style.color}` as const) : style.colormap;
    const outside = { ...ranges.outside(layer), isMarked: style.outside === "mark" };
    return [{ name, legend: { kind: "numbers", colormap, low, high, ...outside, absent: 0 } }];
  });

/** The style of a layer, and the strings at the ends of its range. */
function scaleOf(layer: Layer, { dataset, settings, ranges }: LegendContent): LegendScale {
  const format = valueFormat(dataset, settings, resolutionOf(ranges.limits(layer)));
  const [low, high] = ranges.isKnown(layer) ? ranges.limits(layer).map(format) : ["", ""];
  return { style: layer.style, low: low!, high: high!, ...ranges.outside(layer) };
}

function scaleEntries(layer: Layer, drawn: LegendContent): LegendEntries {
  const { dataset, settings, ranges } = drawn;
  const { style } = layer;
  const { unit } = dataset;
  const limits = ranges.limits(layer);
  const [isKnown, scale] = [ranges.isKnown(layer), scaleOf(layer, drawn)];
  const ticks = isKnown
    ? legendTicks(style, limits, valueFormat(dataset, settings, resolutionOf(limits)))
    : [];
  const end = isKnown && unit !== undefined && !layer.isRaw ? ` ${unitText(unit)}` : "";
  return {
    scale:
      style.kind === "labels"
        ? undefined
        : {
            ...scale,
            high: scale.high + end,
            ticks,
            title: scaleTitle(layer, ranges),
            quantity: quantityText(dataset, settings),
          },
    isMissing: style.isMissingMarked && ranges.hasMissing(layer),
    note: [
      ...levelNote(drawn, scale),
      ...legendNotes(layer, ranges, tableColors(dataset, settings) !== undefined),
    ].join(" · "),
  };
}

/** Names the level of a volume, and its range. */
function levelNote({ level }: LegendContent, { style, low, high }: LegendScale): string[] {
  if (level === undefined) return [];
  return style.kind === "labels" || low === "" ? [level] : [`${level}, ${text.volume.range(low, high)}`];
}

/** A hundredth of a range must be visible in the numbers at its ends. */
const resolutionOf = ([low, high]: readonly [number, number]): number => Math.abs(high / 100 - low / 100);

/** Names the map, and the slices from which its range was found. */
function scaleTitle(layer: Layer, ranges: Ranges): string {
  const { colormap } = layer.style;
  const name = colormap.startsWith("#") ? text.legend.own : colormap;
  const slices = ranges.sampledSlices(layer);
  if (slices === undefined) return name;
  const shape = datasetShape(layer.dataset);
  const all = sampledAxes(layer).reduce((product, axis) => product * shape[axis]!, 1);
  return text.legend.sampled(name, slices === all ? undefined : slices, formatCount(all));
}

/** The colours of channels; photographs need no legend. */
function channelEntries(drawn: LegendContent): LegendEntries {
  const { dataset, layers } = drawn;
  if (isPicture(dataset)) return {};
  const axis = findChannelAxis(dataset)!;
  const channels = layers.filter(({ style, title }) => style.kind === "tint" && title === undefined);
  return {
    channels: channels.map((layer) => ({
      ...scaleOf(layer, drawn),
      label: channelLabel(dataset, layer.index[axis]!),
    })),
    note: drawn.level ?? "",
  };
}

/** Notes on labels, missing and infinite elements. @param isByColumn whether labels have the colours of a column */
function legendNotes(layer: Layer, ranges: Ranges, isByColumn: boolean): string[] {
  const { missing, infinite } = ranges.findings(layer);
  const words = text.legend;
  const count = (n: number, phrase: (n: number) => string) => (n === 0 ? [] : [phrase(n)]);
  return [
    ...(layer.style.kind === "labels" && !isByColumn ? [words.labels] : []),
    ...(layer.style.scale === "log" ? [words.log] : []),
    ...(layer.style.scale === "symlog" ? [words.symlog] : []),
    ...(layer.dataset.decode && !layer.isRaw
      ? count(missing, words.missing)
      : count(missing, words.notNumbers)),
    ...count(infinite, words.infinite),
  ];
}
