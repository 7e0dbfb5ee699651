// Reproducible pseudo-random numbers: only +, -, ·, / and √ of floats, which every engine rounds alike.

/** A generator of numbers from 0 to 1, by xorshift32. */
export function randomNumbers(seed) {
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** One number from 0 to 1 for each point of a lattice. */
export function hashed(seed, x, y, z = 0) {
  let h =
    Math.imul(x, 0x27d4eb2d) ^
    Math.imul(y, 0x165667b1) ^
    Math.imul(z, 0x5bd1e995) ^
    Math.imul(seed, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

/** A wave of period 1, close to a sine: Bhaskara's formula, exact to two parts in a thousand. */
export function wave(turns) {
  const t = turns - Math.floor(turns);
  const half = t < 0.5 ? t * 2 : t * 2 - 1;
  const p = half * (1 - half);
  const value = (16 * p) / (5 - 4 * p);
  return t < 0.5 ? value : -value;
}

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** 0 below `low`, 1 above `high`, smooth between them. */
export function smoothStep(low, high, value) {
  const t = clamp((value - low) / (high - low), 0, 1);
  return t * t * (3 - 2 * t);
}

/**
 * A rough surface: a small grid, doubled repeatedly and smoothed like a B-spline, with ever finer noise.
 * @param {object} options
 * @param {number} options.rows powers of two times `start`
 * @param {number} options.columns
 * @param {number} options.start rows of the first grid
 * @param {number} options.seed
 * @param {number} options.persistence factor of the noise's amplitude at each doubling
 * @param {boolean} [options.wraps] whether the first column follows the last
 * @param {(height: number) => number} [options.roughness] amplitude of the noise at a height
 */
export function roughSurface({
  rows,
  columns,
  start,
  seed,
  persistence,
  wraps = false,
  roughness = () => 1,
}) {
  const random = randomNumbers(seed);
  let height = start;
  let width = (columns / rows) * start;
  let surface = Float32Array.from({ length: height * width }, () => random() * 2 - 1);
  for (let strength = persistence; height < rows; strength *= persistence) {
    surface = doubled(surface, height, width, wraps);
    height *= 2;
    width *= 2;
    for (let i = 0; i < surface.length; i++)
      surface[i] += (random() * 2 - 1) * strength * roughness(surface[i]);
  }
  return surface;
}

function doubled(from, height, width, wraps) {
  const wide = new Float32Array(height * width * 2);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    for (let x = 0; x < width; x++) {
      const left = from[row + (x > 0 ? x - 1 : wraps ? width - 1 : 0)];
      const right = from[row + (x < width - 1 ? x + 1 : wraps ? 0 : x)];
      const here = from[row + x];
      wide[2 * (row + x)] = (left + 6 * here + right) / 8;
      wide[2 * (row + x) + 1] = (here + right) / 2;
    }
  }
  const columns = width * 2;
  const all = new Float32Array(height * 2 * columns);
  for (let y = 0; y < height; y++) {
    const above = Math.max(0, y - 1) * columns;
    const below = Math.min(height - 1, y + 1) * columns;
    for (let x = 0; x < columns; x++) {
      const here = wide[y * columns + x];
      all[2 * y * columns + x] = (wide[above + x] + 6 * here + wide[below + x]) / 8;
      all[(2 * y + 1) * columns + x] = (here + wide[below + x]) / 2;
    }
  }
  return all;
}
