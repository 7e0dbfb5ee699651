/**
 * Channels as a string: `0:00ff00:120..4000,1:ff00ff:auto:0.8,-2:0000ff:minmax`. Each has its number
 * (negative if it is off), colour, range (default: "auto"), gamma (default: 1) and opacity curve
 * (`0/0;0.5/0.1;1/1`). `none` is a single slice
 * with a colour map.
 */
import type { ChannelState, ValueRange } from "./channels.js";
import { curveText, readCurve } from "./opacity-curve.js";

export function channelsText(channels: readonly ChannelState[] | null): string {
  if (channels === null) return "none";
  return channels
    .map(({ index, isOn, color, range, gamma, curve }) => {
      const limits = range.mode === "manual" ? `${range.low}..${range.high}` : range.mode;
      return `${isOn ? "" : "-"}${index}:${color}:${limits}${gamma === 1 && !curve ? "" : `:${gamma}`}${curve ? `:${curveText(curve)}` : ""}`;
    })
    .join();
}

/** Undefined if the string is missing; invalid parts are left to `resolveState`. */
export function readChannels(text: string | null): unknown {
  if (text === null) return undefined;
  return text === "none" ? null : text.split(",").map(readChannel);
}

function readChannel(text: string): unknown {
  const match = /^(-?)(\d+):([0-9a-f]{6})(?::([^:]+))?(?::([\d.]+))?(?::([\d./;]+))?$/i.exec(text.trim());
  if (!match) return undefined;
  const [, minus, index, color, limits, gamma, curve] = match;
  return {
    index: Number(index),
    isOn: minus === "",
    color: color!.toLowerCase(),
    range: readLimits(limits ?? "auto"),
    gamma: gamma === undefined ? 1 : Number(gamma),
    ...(curve === undefined ? {} : { curve: readCurve(curve) }),
  };
}

function readLimits(text: string): ValueRange | { mode: string } {
  const match = /^(.+)\.\.(.+)$/.exec(text);
  return match ? { mode: "manual", low: Number(match[1]), high: Number(match[2]) } : { mode: text };
}
