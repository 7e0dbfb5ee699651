/** Lengths over a picture: a bar of a round length. */

import { localNumber } from "../language/locale.js";
import { axisStep } from "../model/layers.js";
import type { Dataset, DatasetAxis } from "../source/dataset.js";
import { prefixed, unitText } from "./coordinates.js";

export interface ScaleBar {
  /** Width in CSS pixels. */
  readonly width: number;
  /** "50 µm". */
  readonly text: string;
}

/** Kilometres per degree of latitude, and of longitude at the equator. */
const kilometresPerDegree = 111.2;

/** Maximum latitude: closer to a pole a row of a map has hardly any length. */
const maxLatitude = 89;

/** @param row the row at the middle of the view, for the length of degrees on maps; undefined in volumes: degrees */
export function planScaleBar(
  dataset: Dataset,
  axes: readonly number[],
  pixelsPerElement: number,
  row: number | undefined,
  room: number,
): ScaleBar | undefined {
  const across = dataset.axes[axes.at(-1)!];
  if (!across || axes.length !== 2) return undefined;
  const step = axisStep(across);
  if (!step) return undefined;
  const { length, unit } = measured(dataset, axes, across, step, row);
  return unit ? scaleBar(length / pixelsPerElement, unit, room) : undefined;
}

/** A bar of at most `room` CSS pixels. @param perPixel length of one */
export function scaleBar(perPixel: number, unit: string, room: number): ScaleBar | undefined {
  const round = roundBelow(room * perPixel);
  if (!(round > 0) || !Number.isFinite(round)) return undefined;
  return { width: round / perPixel, text: lengthText(round, unit) };
}

function measured(
  dataset: Dataset,
  axes: readonly number[],
  across: DatasetAxis,
  step: number,
  row: number | undefined,
): { length: number; unit: string | undefined } {
  const down = dataset.axes[axes[0]!]!;
  const degrees = { length: step, unit: "°" };
  if (across.role === "latitude")
    return row === undefined ? degrees : { length: step * kilometresPerDegree, unit: "km" };
  if (across.role !== "longitude") return { length: step, unit: across.unit && unitText(across.unit) };
  if (down.role !== "latitude" || row === undefined) return degrees;
  const at = Math.min(Math.max(Math.round(row), 0), down.length - 1);
  const latitude = Number(down.coordinates?.at(at) ?? 0);
  if (Math.abs(latitude) > maxLatitude) return { length: 0, unit: undefined };
  return { length: step * kilometresPerDegree * Math.cos((latitude * Math.PI) / 180), unit: "km" };
}

/** The largest of 1, 2, 5, 10, … up to a limit. */
export function roundBelow(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((k) => k * power).find((value) => value <= most * (1 + 1e-9)) ?? power;
}

/** Formats a length in the unit that gives a number from 1 to 1000. */
export function lengthText(length: number, unit: string, digits = 3): string {
  const { unit: symbol, factor } = prefixed(unit, length, 1000);
  const number = localNumber(Number((length * factor).toPrecision(digits)));
  return symbol === "°" ? `${number}°` : `${number} ${symbol}`;
}
