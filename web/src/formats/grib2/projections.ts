/** Coordinates of projected grids: Snyder, "Map Projections", USGS Professional Paper 1395, for the sphere and the ellipsoid. */

/** Axes of the earth, in metres. */
export interface Earth {
  readonly major: number;
  readonly minor: number;
}

/** Latitude and longitude in radians. */
export type Point = readonly [latitude: number, longitude: number];

/** Converts points to metres and back. */
export interface Projection {
  forward(latitude: number, longitude: number): readonly [x: number, y: number];
  inverse(x: number, y: number): Point;
}

export const radians = Math.PI / 180;

const eccentricity = ({ major, minor }: Earth): number => Math.sqrt(Math.max(0, 1 - (minor / major) ** 2));

/** Snyder's function t (15-9): the tangent of half the colatitude on the conformal sphere. */
function conformal(latitude: number, e: number): number {
  const sine = e * Math.sin(latitude);
  return Math.tan(Math.PI / 4 - latitude / 2) / ((1 - sine) / (1 + sine)) ** (e / 2);
}

/** Inverts the function t (7-9). */
function latitudeOf(t: number, e: number): number {
  let latitude = Math.PI / 2 - 2 * Math.atan(t);
  for (let i = 0; i < 15 && e > 0; i++) {
    const sine = e * Math.sin(latitude);
    const next = Math.PI / 2 - 2 * Math.atan(t * ((1 - sine) / (1 + sine)) ** (e / 2));
    if (Math.abs(next - latitude) < 1e-13) return next;
    latitude = next;
  }
  return latitude;
}

/** Snyder's function m (14-15): the radius of a parallel, in units of the major axis. */
const parallel = (latitude: number, e: number): number =>
  Math.cos(latitude) / Math.sqrt(1 - (e * Math.sin(latitude)) ** 2);

export function mercator(earth: Earth, trueScale: number): Projection {
  const e = eccentricity(earth);
  const radius = earth.major * parallel(trueScale, e);
  return {
    forward: (latitude, longitude) => [radius * longitude, -radius * Math.log(conformal(latitude, e))],
    inverse: (x, y) => [latitudeOf(Math.exp(-y / radius), e), x / radius],
  };
}

/** @param isSouth whether the south pole is the centre. */
export function polarStereographic(
  earth: Earth,
  trueScale: number,
  meridian: number,
  isSouth: boolean,
): Projection {
  const e = eccentricity(earth);
  const sign = isSouth ? -1 : 1;
  const scale = Math.abs(trueScale);
  const atPole = 2 / Math.sqrt((1 + e) ** (1 + e) * (1 - e) ** (1 - e));
  const isPole = Math.abs(scale - Math.PI / 2) < 1e-9;
  const radius = earth.major * (isPole ? atPole : parallel(scale, e) / conformal(scale, e));
  return {
    forward(latitude, longitude) {
      const distance = radius * conformal(sign * latitude, e);
      const angle = longitude - meridian;
      return [distance * Math.sin(angle), -sign * distance * Math.cos(angle)];
    },
    inverse(x, y) {
      const latitude = sign * latitudeOf(Math.hypot(x, y) / radius, e);
      return [latitude, meridian + (x === 0 && y === 0 ? 0 : Math.atan2(x, -sign * y))];
    },
  };
}

export function lambertConformal(earth: Earth, meridian: number, first: number, second: number): Projection {
  const e = eccentricity(earth);
  const [t1, t2] = [conformal(first, e), conformal(second, e)];
  const [m1, m2] = [parallel(first, e), parallel(second, e)];
  const isTangent = Math.abs(first - second) < 1e-9;
  const n = isTangent ? Math.sin(first) : (Math.log(m1) - Math.log(m2)) / (Math.log(t1) - Math.log(t2));
  const radius = (earth.major * m1) / (n * t1 ** n);
  return {
    forward(latitude, longitude) {
      const distance = radius * conformal(latitude, e) ** n;
      const angle = n * turn(longitude - meridian);
      return [distance * Math.sin(angle), -distance * Math.cos(angle)];
    },
    inverse(x, y) {
      const sign = Math.sign(n);
      const distance = sign * Math.hypot(x, y);
      const latitude = latitudeOf((distance / radius) ** (1 / n), e);
      return [latitude, meridian + Math.atan2(sign * x, -sign * y) / n];
    },
  };
}

/** Returns an angle above -π and up to π. */
const turn = (angle: number): number => angle - 2 * Math.PI * Math.ceil(angle / (2 * Math.PI) - 0.5);

/** Returns the point of a rotated grid; all angles in degrees. */
export function unrotate(
  latitude: number,
  longitude: number,
  pole: { readonly latitude: number; readonly longitude: number; readonly angle: number },
): Point {
  const [phi, lambda] = [latitude * radians, (longitude - pole.angle) * radians];
  const tilt = (pole.latitude + 90) * radians;
  const x = Math.cos(lambda) * Math.cos(phi);
  const z = Math.sin(phi);
  const [along, up] = [Math.cos(tilt) * x - Math.sin(tilt) * z, Math.sin(tilt) * x + Math.cos(tilt) * z];
  const across = Math.sin(lambda) * Math.cos(phi);
  return [
    Math.asin(Math.max(-1, Math.min(1, up))) / radians,
    turn(Math.atan2(across, along) + pole.longitude * radians) / radians,
  ];
}

/** Maximum number of parallels between a pole and the equator in Gaussian grids. */
export const maxGaussian = 2 ** 13;

/** Computes the latitudes of a Gaussian grid from north to south, in degrees, by Newton's method, with pauses. */
export function* gaussianLatitudes(n: number): Generator<void, Float64Array, void> {
  const count = 2 * n;
  const latitudes = new Float64Array(count);
  for (let i = 0; i < n; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
    for (let round = 0; round < 10; round++) {
      const change = legendreStep(count, x);
      x -= change;
      if (Math.abs(change) < 1e-15) break;
    }
    latitudes[i] = Math.asin(x) / radians;
    latitudes[count - 1 - i] = -latitudes[i]!;
    yield;
  }
  return latitudes;
}

/** Returns the quotient of the Legendre polynomial of a degree and its derivative. */
function legendreStep(degree: number, x: number): number {
  let [before, value] = [1, x];
  for (let k = 2; k <= degree; k++)
    [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
  return (value * (x * x - 1)) / (degree * (x * value - before));
}
