/** The settings of volumes. */

import { curveText, isOpacityCurve, type OpacityCurve, readCurve } from "./channels.js";
import { type Entry, isBetween, listEntry, numberEntry, ownEntry, textEntry, type Wanted } from "./entry.js";

export interface VolumeState {
  /** Whether a plane or the volume around it is shown. */
  readonly view: "plane" | "volume";
  /** The camera of the volume; null for the default. */
  readonly orbit: Orbit | null;
  /** How the volume is projected. */
  readonly mode: VolumeMode;
  /** The part of the volume that is drawn; null for everything. */
  readonly clip: VolumeClip | null;
  readonly cut: VolumeCut | null;
  /** Opacity of voxels in translucent volumes, unless they are channels of a composite; null for the default. */
  readonly curve: OpacityCurve | null;
  /** Slices drawn inside the volume. */
  readonly slices: readonly VolumeSlice[];
  /** Factor of the volume's lengths along its third axis. */
  readonly exaggeration: number;
  /** Maximum memory of the volume's textures, in MiB. */
  readonly volumeBudget: number;
}

/** @param rank number of axes of the array */
export function resolveVolume(rank: number, wanted: Wanted<VolumeState>): VolumeState {
  const { exaggeration, volumeBudget } = wanted;
  const { least, usual, most } = volumeBudgets;
  return {
    view: wanted.view === "volume" && rank > 2 ? "volume" : "plane",
    orbit: isOrbit(wanted.orbit) ? wanted.orbit : null,
    mode: volumeModes.find((mode) => mode === wanted.mode) ?? "max",
    clip: isClip(wanted.clip) ? wanted.clip : null,
    cut: isCut(wanted.cut) ? wanted.cut : null,
    curve: isOpacityCurve(wanted.curve) ? wanted.curve : null,
    slices: isVolumeSlices(wanted.slices) ? wanted.slices : [],
    exaggeration: isBetween(exaggeration, exaggerations.least, exaggerations.most) ? exaggeration : 1,
    volumeBudget: isBetween(volumeBudget, least, most) ? volumeBudget : usual,
  };
}

export const volumeEntries: readonly Entry<VolumeState>[] = [
  textEntry("view"),
  ownEntry("orbit", "orbit", readOrbit, orbitText),
  textEntry("mode"),
  ownEntry("clip", "clip", readClip, clipText),
  ownEntry("cut", "cut", readCut, cutText),
  ownEntry("curve", "curve", readCurve, curveText),
  listEntry("slices"),
  numberEntry("exaggeration"),
  numberEntry("volumeBudget", "volume-budget"),
];

/** How the values along a ray become one value or colour. */
export const volumeModes = ["max", "min", "mean", "composite", "surface"] as const;
export type VolumeMode = (typeof volumeModes)[number];

/** The camera of a volume, which orbits a point. */
export interface Orbit {
  /** Rotation about the vertical axis, and inclination from above, in degrees. */
  readonly yaw: number;
  readonly pitch: number;
  /** 1 if the whole volume fits in the picture from every direction. */
  readonly zoom: number;
  /** The point in the middle of the picture, in voxels of level 0: x, y, z; null for the centre of the volume. */
  readonly center: readonly [x: number, y: number, z: number] | null;
  readonly isPerspective: boolean;
}

export const defaultOrbit: Orbit = { yaw: 30, pitch: 20, zoom: 1.15, center: null, isPerspective: false };

export const zoomRange = { least: 0.25, most: 64 } as const;

export function isOrbit(value: unknown): value is Orbit {
  const { yaw, pitch, zoom, center, isPerspective } = (value ?? {}) as Partial<Orbit>;
  const isPlace =
    center === null || (Array.isArray(center) && center.length === 3 && center.every(Number.isFinite));
  return (
    [yaw, pitch, zoom].every(Number.isFinite) &&
    Math.abs(pitch!) <= 90 &&
    zoom! >= zoomRange.least &&
    zoom! <= zoomRange.most &&
    isPlace &&
    typeof isPerspective === "boolean"
  );
}

/** Yaw, pitch and zoom; then the point in the middle; then "perspective". Both may be missing. */
export function readOrbit(text: string): unknown {
  const parts = text.split(",").map((part) => part.trim());
  const isPerspective = parts.at(-1) === "perspective";
  const numbers = parts.slice(0, isPerspective ? -1 : undefined).map(Number);
  const [yaw, pitch, zoom, ...center] = numbers;
  return { yaw, pitch, zoom: zoom ?? 1, center: center.length === 0 ? null : center, isPerspective };
}

export function orbitText({ yaw, pitch, zoom, center, isPerspective }: Orbit): string {
  const short = (value: number) => Number(value.toFixed(2));
  const numbers = [short(yaw), short(pitch), Number(zoom.toPrecision(4)), ...(center ?? []).map(short)];
  return [...numbers, ...(isPerspective ? ["perspective"] : [])].join();
}

/** The box of a volume that is drawn, in voxels of level 0. */
export interface VolumeClip {
  readonly from: readonly [x: number, y: number, z: number];
  readonly to: readonly [x: number, y: number, z: number];
}

/** A plane: the part of the volume in front of it is not drawn. */
export interface VolumeCut {
  /** The normal, which points to the part that is drawn, in degrees as a camera's direction. */
  readonly yaw: number;
  readonly pitch: number;
  /** Distance from the centre of the volume along the normal: 1 is half its diagonal. */
  readonly depth: number;
}

export function isClip(value: unknown): value is VolumeClip {
  const { from, to } = (value ?? {}) as Partial<VolumeClip>;
  const isPlace = (place: unknown) =>
    Array.isArray(place) && place.length === 3 && place.every(Number.isFinite);
  return isPlace(from) && isPlace(to) && from!.every((at, i) => at >= 0 && at < to![i]!);
}

export function isCut(value: unknown): value is VolumeCut {
  const { yaw, pitch, depth } = (value ?? {}) as Partial<VolumeCut>;
  return [yaw, pitch, depth].every(Number.isFinite) && Math.abs(pitch!) <= 90 && Math.abs(depth!) <= 1;
}

/** Intervals along x, y and z: "0:100,20:80,0:64". */
export function readClip(text: string): unknown {
  const parts = text.split(",").map((part) => part.split(":").map(Number));
  return { from: parts.map(([from]) => from), to: parts.map(([, to]) => to) };
}

export function clipText({ from, to }: VolumeClip): string {
  return from.map((at, i) => `${Number(at.toFixed(2))}:${Number(to[i]!.toFixed(2))}`).join();
}

export function readCut(text: string): unknown {
  const [yaw, pitch, depth = 0] = text.split(",").map(Number);
  return { yaw, pitch, depth };
}

export function cutText({ yaw, pitch, depth }: VolumeCut): string {
  return [Number(yaw.toFixed(2)), Number(pitch.toFixed(2)), Number(depth.toFixed(3))].join();
}

/** Slices inside a volume: those through the shown element, where z is the third axis, and the cut plane. */
export const volumeSliceNames = ["xy", "xz", "yz", "cut"] as const;
export type VolumeSlice = (typeof volumeSliceNames)[number];

export const isVolumeSlices = (value: unknown): value is readonly VolumeSlice[] =>
  Array.isArray(value) &&
  new Set(value).size === value.length &&
  value.every((name) => volumeSliceNames.includes(name as VolumeSlice));

/** Memory of a volume's textures, in MiB. */
export const volumeBudgets = { least: 16, usual: 512, most: 16_384 } as const;

export const exaggerations = { least: 0.01, most: 1000 } as const;
