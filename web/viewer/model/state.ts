/**
 * The state of a view, as plain data: compared, kept in the address, restored. Each kind of view has its settings in a
 * file, with their defaults and their strings.
 */
import { type ArrayFacts, arrayFacts, drawnLeaf, type Entry } from "./entry.js";
import { type OverlayState, overlayEntries, resolveOverlays } from "./overlay-state.js";
import { type PlaneState, planeEntries, positionEntries, resolvePlane } from "./plane-state.js";
import {
  resolveTable,
  resolveTools,
  type TableState,
  type ToolState,
  tableEntries,
  toolEntries,
} from "./table-state.js";
import { resolveValues, type ValueState, valueEntries } from "./value-state.js";
import { resolveVolume, type VolumeState, volumeEntries } from "./volume.js";

export type { ChannelState, ValueRange } from "./channels.js";
export type { LabelsState } from "./overlay-state.js";
export type { Interpolation, Interval, MapName, PaneName, PlaceMode } from "./plane-state.js";
export { mapNames, placeModes } from "./plane-state.js";
export type { ToolName } from "./table-state.js";
export { frameRates, maxPointSize, toolNames } from "./table-state.js";
export type { Outside } from "./value-state.js";
export { canBeLabels, maxSample, maxSteps } from "./value-state.js";
export { type ArrayFacts, arrayFacts, drawnLeaf };

export interface ViewState extends PlaneState, VolumeState, ValueState, OverlayState, TableState, ToolState {}

/** A requested state: any part of it, valid for the dataset or not. */
export type WantedState = { readonly [K in keyof ViewState]?: unknown };

/** The strings of all settings, in the order of addresses. */
export const entries: readonly Entry<ViewState>[] = [
  ...positionEntries,
  ...valueEntries,
  ...overlayEntries,
  ...planeEntries,
  ...volumeEntries,
  ...tableEntries,
  ...toolEntries,
];

/** Resolves requested settings over the suggested ones; replaces invalid ones by suitable values. */
export function resolveState(array: ArrayFacts, asked: WantedState): ViewState {
  const said = Object.entries(asked).filter(([, value]) => value !== undefined);
  const wanted: WantedState = { ...array.hints, ...Object.fromEntries(said) };
  return {
    ...resolvePlane(array, wanted),
    ...resolveValues(array, wanted),
    ...resolveOverlays(wanted),
    ...resolveVolume(array.shape.length, wanted),
    ...resolveTable(wanted),
    ...resolveTools(wanted),
  };
}
