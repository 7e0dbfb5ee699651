/** The parts of the state that concern volumes. */

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
