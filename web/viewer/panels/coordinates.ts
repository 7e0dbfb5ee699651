/** Formats coordinates for the readout, rulers and sliders. */
import { formatBriefly, formatTime } from "../base/format.js";
import { shortened, shortName } from "../base/text.js";
import { text as words } from "../language/text.js";
import { drawnLeaf, type ViewState } from "../model/state.js";
import type { CellAxis, Dataset, DatasetAxis } from "../source/dataset.js";
import { storedIndex } from "../source/folds.js";
import { isTime } from "../source/leaf.js";

/**
 * The coordinate of an element along an axis, with its unit; undefined if it does not exist or has not been
 * read.
 */
export function coordinateText(axis: DatasetAxis, index: number): string | undefined {
  const value = axis.coordinates?.at(index);
  if (value === undefined) return undefined;
  if (typeof value === "string") return shortName(value);
  if (axis.coordinates!.kind === "milliseconds") return dateText(value);
  const next = axis.coordinates!.at(index > 0 ? index - 1 : index + 1);
  return numberText(axis, value, { resolution: typeof next === "number" ? Math.abs(next - value) : 0 });
}

/**
 * Formats a coordinate with its unit, and the digits that tell it from its neighbours. Letters of the compass
 * stay on the line of their number.
 */
export function numberText(
  { role, unit }: Pick<DatasetAxis, "role" | "unit">,
  value: number,
  { resolution = 0, hasUnit = true } = {},
): string {
  const degrees = (at: number, [plus, minus]: readonly [string, string]) => {
    const letter = at === 0 || Math.abs(at) === 180 ? "" : `\u00a0${at > 0 ? plus : minus}`;
    return `${formatBriefly(Math.abs(at), resolution)}°${letter}`;
  };
  if (role === "latitude") return degrees(value, [words.maps.north, words.maps.south]);
  if (role === "longitude") return degrees(eastOf(value), [words.maps.east, words.maps.west]);
  const text = formatBriefly(value, resolution);
  return hasUnit && unit !== undefined ? `${text} ${unitText(unit)}` : text;
}

/** A longitude between −180° and 180°. */
function eastOf(longitude: number): number {
  return Math.abs(longitude) <= 180 ? longitude : ((((longitude + 180) % 360) + 360) % 360) - 180;
}

/** Coordinates of an element in words: "time 2020-01-21 · lat 52.5° N"; some axes may be omitted. */
export function placeText(
  axes: readonly DatasetAxis[],
  index: readonly number[],
  without: readonly number[] = [],
): string {
  const parts = axes.flatMap((axis, i) => {
    const text = without.includes(i) ? undefined : coordinateText(axis, index[i]!);
    return text === undefined ? [] : [axis.name === undefined ? text : `${shortName(axis.name)} ${text}`];
  });
  return parts.join(" · ");
}

/** Longitude and latitude of an element of a curvilinear grid: "52.5° N 13.4° E"; "" without them. */
export function positionText(dataset: Dataset, index: readonly number[]): string {
  const { positions, axes, cells } = dataset;
  if (cells) return cellText(cells, storedIndex(dataset, index)[cells.axis]!);
  if (!positions?.known) return convertedText(dataset, index);
  const [row, column] = positions.axes.map((axis) => index[axis]!) as [number, number];
  const at = row * axes[positions.axes[1]]!.length + column;
  return degreesText(positions.known.latitudes[at]!, positions.known.longitudes[at]!);
}

/** Latitude and longitude, by default with seven digits. */
function degreesText(latitude: number, longitude: number, resolution?: number): string {
  if (!Number.isFinite(latitude) && !Number.isFinite(longitude)) return words.maps.noPosition;
  const text = (role: "latitude" | "longitude", value: number) => {
    if (!Number.isFinite(value)) return words.maps.noPosition;
    const rounded = resolution === undefined ? Number(value.toPrecision(7)) : value;
    return numberText({ role, unit: undefined }, rounded, { resolution });
  };
  return `${text("latitude", latitude)} ${text("longitude", longitude)}`;
}

/** The number of a cell in its scheme, if it is not its index, and its centre. */
function cellText({ grid }: CellAxis, cell: number): string {
  const [longitude, latitude] = grid.centre(cell);
  const id = grid.id?.(cell) ?? cell;
  const name = id === cell ? [] : [words.maps.cell(id)];
  return [...name, degreesText(latitude, longitude, grid.spacing / 100)].join(" · ");
}

/** Longitude and latitude of projected data, once their reference system has been loaded. */
function convertedText({ geography, axes }: Dataset, index: readonly number[]): string {
  const convert = geography?.converter?.value;
  if (!convert) return "";
  const at = (axis: number) => Number(axes[axis]!.coordinates?.at(index[axis]!));
  const position = convert.inverse(at(geography.horizontal), at(geography.vertical));
  return position ? degreesText(position[1], position[0]) : "";
}

/** A time as ISO 8601 in UTC, without trailing zero parts. */
export function dateText(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return words.maps.noTime;
  if (Math.abs(milliseconds) > 8.64e15) return words.maps.since1970(formatBriefly(milliseconds));
  const [date, clock] = new Date(Math.round(milliseconds)).toISOString().split("T") as [string, string];
  if (clock === "00:00:00.000Z") return date;
  const shown = clock.endsWith(":00.000Z") ? clock.slice(0, 5) : clock.replace(/(\.000)?Z$/, "");
  return `${date} ${shown}`;
}

/** Maximum length of a displayed unit. */
const maxUnit = 60;

const symbols: Readonly<Record<string, string>> = {
  micrometer: "µm",
  micrometre: "µm",
  micron: "µm",
  nanometer: "nm",
  nanometre: "nm",
  millimeter: "mm",
  millimetre: "mm",
  centimeter: "cm",
  centimetre: "cm",
  meter: "m",
  metre: "m",
  metres: "m",
  meters: "m",
  kilometer: "km",
  kilometre: "km",
  angstrom: "Å",
  second: "s",
  seconds: "s",
  millisecond: "ms",
  minute: "min",
  hour: "h",
  degC: "°C",
  degreeC: "°C",
  degrees_C: "°C",
  degrees_celsius: "°C",
  celsius: "°C",
  Celsius: "°C",
  kelvin: "K",
  degree: "°",
  degrees: "°",
};

/** Units of length, each a thousandth of the next. */
export const lengthUnits = ["pm", "nm", "µm", "mm", "m", "km"];

/** The prefix of a unit for numbers up to `size`, and its factor. @param most exclusive limit of the numbers */
export function prefixed(unit: string, size: number, most = 10_000): { unit: string; factor: number } {
  const symbol = unitText(unit);
  let [at, factor] = [lengthUnits.indexOf(symbol), 1];
  if (at < 0 || !(size > 0)) return { unit: symbol, factor };
  for (; size * factor >= most && at < lengthUnits.length - 1; at++) factor /= 1000;
  for (; size * factor < 1 && at > 0; at--) factor *= 1000;
  return { unit: lengthUnits[at]!, factor };
}

/** Abbreviates a unit that has a symbol, and writes powers as superscripts: "m s-1" becomes "m s⁻¹". */
export function unitText(whole: string): string {
  const unit = shortened(whole, maxUnit);
  if (Object.hasOwn(symbols, unit)) return symbols[unit]!;
  if (!/^[A-Za-zµ%°]+[-+]?\d*( [A-Za-zµ%°]+[-+]?\d*)*$/.test(unit)) return unit;
  return unit.replace(/[-+]?\d+/g, (power) => [...power].map((digit) => raised[digit]!).join(""));
}

const raised: Readonly<Record<string, string>> = Object.fromEntries(
  [..."0123456789-+"].map((digit, i) => [digit, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁻"][i] ?? ""]),
);

/** Quantity and unit of the values: "air temperature, K". */
export function quantityText({ label, unit, title }: Dataset, { isRaw }: Pick<ViewState, "isRaw">): string {
  const name = shortened(label ?? title, maxQuantity);
  return unit === undefined || isRaw ? name : `${name}, ${unitText(unit)}`;
}

/** Maximum length of a displayed quantity. */
const maxQuantity = 100;

/** @param resolution a distance of values that must look different; 0 for four digits */
export function valueFormat(
  dataset: Dataset,
  settings: ViewState,
  resolution = 0,
): (value: number) => string {
  if (dataset.decodedKind === "milliseconds" && !settings.isRaw) return dateText;
  const dtype = drawnLeaf(dataset, settings.field)?.dtype;
  if (dtype?.core !== "datetime64" || !isTime(dtype)) return (value) => formatBriefly(value, resolution);
  return (value) => (Number.isFinite(value) ? formatTime(dtype, BigInt(Math.round(value))) : "–");
}
