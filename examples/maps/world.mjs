// A synthetic planet: heights and temperatures by longitude and latitude, identical on every machine.

const radians = Math.PI / 180;

/** A pseudo-random number from −1 to 1 for each lattice point. */
function hashed(x, y, z) {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1) ^ Math.imul(z, 0x5bd1e995);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 31 - 1;
}

const smooth = (t) => t * t * (3 - 2 * t);
const mix = (a, b, t) => a + (b - a) * t;

/** Interpolates between lattice values. */
function noise(x, y, z) {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const [u, v, w] = [smooth(x - i), smooth(y - j), smooth(z - k)];
  const line = (b, c) => mix(hashed(i, j + b, k + c), hashed(i + 1, j + b, k + c), u);
  return mix(mix(line(0, 0), line(1, 0), v), mix(line(0, 1), line(1, 1), v), w);
}

/** Height in metres; the sea is below 0. Noise on a sphere has neither seams nor poles. */
export function heightAt(longitude, latitude) {
  const [x, y, z] = [
    Math.cos(latitude * radians) * Math.cos(longitude * radians),
    Math.cos(latitude * radians) * Math.sin(longitude * radians),
    Math.sin(latitude * radians),
  ];
  let height = 0;
  for (let octave = 0, scale = 1.7, weight = 1; octave < 7; octave++, scale *= 2.1, weight *= 0.52)
    height += weight * noise(x * scale + 11, y * scale + 5, z * scale + 3);
  return 4500 * height;
}

/** Sea temperature in °C; months count from 0 to 11. */
export function temperatureAt(longitude, latitude, month) {
  const season = 6 * Math.cos((month - 7) * 30 * radians) * Math.sin(latitude * radians);
  const currents = 3 * noise(longitude / 15, latitude / 9, 7.5);
  return 29 * Math.cos(latitude * radians) ** 1.5 + season + currents - 2;
}
