/** Great circles: the shortest lines on a sphere. */

/** A position in degrees. */
export interface GeoPosition {
  readonly longitude: number;
  readonly latitude: number;
}

/** Mean radius of the earth in kilometres (IUGG). */
export const earthRadius = 6371.0088;

type Vector = readonly [x: number, y: number, z: number];

function vectorOf({ longitude, latitude }: GeoPosition): Vector {
  const [east, north] = [longitude, latitude].map((degrees) => (degrees * Math.PI) / 180) as [number, number];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}

/** The angle between two positions in radians: exact for small and for large ones. */
export function angleBetween(from: GeoPosition, to: GeoPosition): number {
  const [a, b] = [vectorOf(from), vectorOf(to)];
  const cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  return Math.atan2(Math.hypot(...cross), a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

/** Length of the shortest line between two positions in kilometres. */
export const greatCircleLength = (from: GeoPosition, to: GeoPosition): number =>
  earthRadius * angleBetween(from, to);

/** Positions along that line in equal steps, both ends included; longitudes are continuous from the first one. */
export function greatCirclePath(from: GeoPosition, to: GeoPosition, steps: number): GeoPosition[] {
  const [a, b] = [vectorOf(from), vectorOf(to)];
  const angle = angleBetween(from, to);
  let last = from.longitude;
  return Array.from({ length: steps + 1 }, (_, i) => {
    const part = i / steps;
    // Close positions, and opposite ones, between which any line is the shortest.
    const isFlat = Math.sin(angle) < 1e-9;
    const [first, second] = isFlat
      ? [1 - part, part]
      : [Math.sin((1 - part) * angle) / Math.sin(angle), Math.sin(part * angle) / Math.sin(angle)];
    const [x, y, z] = a.map((value, axis) => first * value + second * b[axis]!) as [number, number, number];
    const longitude = (Math.atan2(y, x) * 180) / Math.PI;
    last = longitude + 360 * Math.round((last - longitude) / 360);
    return { longitude: last, latitude: (Math.atan2(z, Math.hypot(x, y)) * 180) / Math.PI };
  });
}
