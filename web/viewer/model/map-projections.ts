/**
 * Map projections of the sphere, between longitude and latitude and a plane: x to the right and y up, in degrees of
 * arc at true scale.
 */
import type { MapName } from "./plane-state.js";

/** Degrees of a rectangle of the map; `east` may exceed 180. */
export interface MapBounds {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

export interface MapProjection {
  readonly name: Exclude<MapName, "data">;
  /** The position in the middle of the map, in degrees. */
  readonly centre: readonly [longitude: number, latitude: number];
  /** The plane's bounds. */
  readonly bounds: MapBounds;
  /** Whether the plane repeats after 360 degrees in x. */
  readonly isCylindrical: boolean;
  /** The place of a position; undefined outside the map. */
  forward(longitude: number, latitude: number): readonly [x: number, y: number] | undefined;
  /**
   * Writes the positions at places of a row, the first at (x, y), the others `step` to the right of each other. NaN
   * outside the map. Longitudes may be outside ±180.
   */
  inverseRow(x: number, y: number, step: number, longitudes: Float64Array, latitudes: Float64Array): void;
  /** The edge of the map as [x, y, …]. */
  outline(): Float64Array;
}

const degree = Math.PI / 180;
const { sqrt, sin, cos, tan, asin, atan, atan2, exp, log, hypot, abs } = Math;

/** An angle from −180 to 180. */
export const turned = (angle: number): number => angle - 360 * Math.floor((angle + 180) / 360);

/** Latitude at which Mercator's map is square. */
const mercatorEnd = 2 * atan(exp(Math.PI)) - Math.PI / 2;

/** A projection whose parallels are horizontal lines; angles in radians from the middle meridian. */
interface Parallels {
  readonly isCylindrical: boolean;
  readonly end: number;
  toY(latitude: number): number;
  toLatitude(y: number): number;
  /** x per radian of longitude. */
  width(latitude: number): number;
}

const mercator: Parallels = {
  isCylindrical: true,
  end: mercatorEnd,
  toY: (latitude) => log(tan(Math.PI / 4 + latitude / 2)),
  toLatitude: (y) => 2 * atan(exp(y)) - Math.PI / 2,
  width: () => 1,
};

const plateCarree: Parallels = {
  isCylindrical: true,
  end: Math.PI / 2,
  toY: (latitude) => latitude,
  toLatitude: (y) => y,
  width: () => 1,
};

/** Coefficients of Šavrič, Patterson and Jenny (2018). */
const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796];
const half3 = sqrt(3) / 2;
const equalEarthY = (t: number): number => t * (a1 + a2 * t ** 2 + t ** 6 * (a3 + a4 * t ** 2));
const equalEarthSlope = (t: number): number => a1 + 3 * a2 * t ** 2 + t ** 6 * (7 * a3 + 9 * a4 * t ** 2);

const equalEarth: Parallels = {
  isCylindrical: false,
  end: Math.PI / 2,
  toY: (latitude) => equalEarthY(asin(half3 * sin(latitude))),
  toLatitude(y) {
    let t = y / a1;
    for (let i = 0; i < 12; i++) {
      const change = (equalEarthY(t) - y) / equalEarthSlope(t);
      t -= change;
      if (abs(change) < 1e-12) break;
    }
    return asin(Math.min(1, Math.max(-1, sin(t) / half3)));
  },
  width(latitude) {
    const t = asin(half3 * sin(latitude));
    return cos(t) / (half3 * equalEarthSlope(t));
  },
};

class ParallelProjection implements MapProjection {
  readonly bounds: MapBounds;
  readonly isCylindrical: boolean;

  constructor(
    readonly name: MapProjection["name"],
    private readonly made: Parallels,
    readonly centre: readonly [number, number],
  ) {
    this.isCylindrical = made.isCylindrical;
    const [east, north] = [180 * made.width(0), made.toY(made.end) / degree];
    this.bounds = { west: -east, east, south: -north, north };
  }

  forward(longitude: number, latitude: number): readonly [number, number] | undefined {
    const { made } = this;
    const north = latitude * degree;
    if (!(abs(north) <= made.end + 1e-9)) return undefined;
    return [turned(longitude - this.centre[0]) * made.width(north), made.toY(north) / degree];
  }

  inverseRow(x: number, y: number, step: number, longitudes: Float64Array, latitudes: Float64Array): void {
    const { made, bounds, centre } = this;
    const north = y > bounds.north || y < bounds.south ? Number.NaN : made.toLatitude(y * degree);
    const width = made.width(north);
    latitudes.fill(north / degree);
    for (let i = 0; i < longitudes.length; i++) {
      const east = (x + i * step) / width;
      longitudes[i] = made.isCylindrical || abs(east) <= 180 ? centre[0] + east : Number.NaN;
    }
  }

  outline(): Float64Array {
    const { made } = this;
    const edge = Float64Array.from({ length: 182 * 2 }, (_, i) => {
      const [at, isWest] = [Math.floor(i / 2) % 91, i >= 182];
      const north = made.end * (isWest ? 1 - at / 45 : at / 45 - 1);
      return i % 2 === 1 ? made.toY(north) / degree : (isWest ? -180 : 180) * made.width(north);
    });
    return edge;
  }
}

/** Seen from above a point of the sphere: the plane is a disc around it. */
abstract class Disc {
  readonly isCylindrical = false;
  readonly bounds: MapBounds;

  constructor(private readonly radius: number) {
    const r = radius / degree;
    this.bounds = { west: -r, east: r, south: -r, north: r };
  }

  outline(): Float64Array {
    const r = this.radius / degree;
    return Float64Array.from({ length: 720 }, (_, i) => r * (i % 2 ? sin : cos)(Math.floor(i / 2) * degree));
  }
}

/** Orthographic: from infinitely far away. */
class Globe extends Disc implements MapProjection {
  readonly name = "globe";
  readonly #sin: number;
  readonly #cos: number;

  constructor(readonly centre: readonly [number, number]) {
    super(1);
    [this.#sin, this.#cos] = [sin(centre[1] * degree), cos(centre[1] * degree)];
  }

  forward(longitude: number, latitude: number): readonly [number, number] | undefined {
    const [east, north] = [(longitude - this.centre[0]) * degree, latitude * degree];
    const along = cos(north) * cos(east);
    const isSeen = this.#sin * sin(north) + this.#cos * along >= 0;
    if (!isSeen) return undefined;
    return [(cos(north) * sin(east)) / degree, (this.#cos * sin(north) - this.#sin * along) / degree];
  }

  inverseRow(x: number, y: number, step: number, longitudes: Float64Array, latitudes: Float64Array): void {
    const [s, c] = [this.#sin, this.#cos];
    const up = y * degree;
    for (let i = 0; i < longitudes.length; i++) {
      const right = (x + i * step) * degree;
      // NaN beyond the edge.
      const near = sqrt(1 - right * right - up * up);
      latitudes[i] = asin(near * s + up * c) / degree;
      longitudes[i] = this.centre[0] + atan2(right, near * c - up * s) / degree;
    }
  }
}

/** Stereographic around a pole, to the equator. The middle meridian leads down from the north pole, up from the south pole. */
class Pole extends Disc implements MapProjection {
  readonly centre: readonly [number, number];

  constructor(
    readonly name: "north-pole" | "south-pole",
    private readonly meridian: number,
  ) {
    super(2);
    this.centre = [meridian, name === "north-pole" ? 90 : -90];
  }

  forward(longitude: number, latitude: number): readonly [number, number] | undefined {
    const sign = Math.sign(this.centre[1]);
    if (!(sign * latitude >= 0)) return undefined;
    const east = (longitude - this.meridian) * degree;
    const r = (2 * tan(((90 - sign * latitude) / 2) * degree)) / degree;
    return [r * sin(east), -sign * r * cos(east)];
  }

  inverseRow(x: number, y: number, step: number, longitudes: Float64Array, latitudes: Float64Array): void {
    const sign = Math.sign(this.centre[1]);
    for (let i = 0; i < longitudes.length; i++) {
      const right = x + i * step;
      const north = 90 - (2 * atan((hypot(right, y) * degree) / 2)) / degree;
      latitudes[i] = north < 0 ? Number.NaN : sign * north;
      longitudes[i] = this.meridian + atan2(right, -sign * y) / degree;
    }
  }
}

/** @param centre the middle of the map; its latitude is used by globes, its longitude by all maps */
export function mapProjection(
  name: MapProjection["name"],
  centre: readonly [longitude: number, latitude: number],
): MapProjection {
  if (name === "globe") return new Globe(centre);
  if (name === "north-pole" || name === "south-pole") return new Pole(name, centre[0]);
  const made = { mercator, "plate-carree": plateCarree, "equal-earth": equalEarth }[name];
  return new ParallelProjection(name, made, [centre[0], 0]);
}
