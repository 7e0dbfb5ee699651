// node scripts/crc-taps.mjs: finds the taps in src/kernels/crc32.cpp and crc32c.cpp.
//
// Searches for multiples of a CRC's polynomial P with few terms, all whole bytes apart. With y = x^-8 (mod P), a tap
// of distance t stands for y^t, and the taps of a multiple sum to 1. src/kernels/sparse_crc.hpp explains how they are
// used, and defines cluster, near fold and far fold. Prints every solution within the bounds, best first: fewest taps,
// then smallest window.

const polynomials = { crc32: 0x04c11db7, crc32c: 0x1edc6f41 };

/** Bounds of the near fold: distance of the nearest tap, window in bytes, extent of a cluster's taps. */
const near = { least: 240, window: 896, reach: 3 };
/** Bounds of the far fold: window in bytes, and distance between the two taps that share their loads. */
const far = { window: 12384, beside: [97, 111] };

const windowOf = (longest) => Math.ceil(longest / 16) * 16;

/** y^0 … y^count as registers; bit k of a register is the coefficient of x^k. */
function powers(polynomial, count) {
  const list = new Uint32Array(count + 1);
  let value = 1;
  for (let t = 0; t <= count; t++) {
    list[t] = value;
    // Divided by x eight times: P has the terms x^32 and 1.
    for (let bit = 0; bit < 8; bit++)
      value = value & 1 ? ((value ^ polynomial) >>> 1) | 0x80000000 : value >>> 1;
  }
  return list;
}

/** Fast lookup in a list of numbers, for queries that rarely match. */
class Finder {
  #filter = new Uint8Array(1 << 24);
  #places = new Map();
  add(value, place) {
    this.#filter[value & 0xffffff] = 1;
    const places = this.#places.get(value);
    if (places) places.push(place);
    else this.#places.set(value, [place]);
  }
  find(value) {
    return this.#filter[value & 0xffffff] ? (this.#places.get(value) ?? []) : [];
  }
}

/** Every cluster within the bounds: bit k of `taps` is a tap at distance + 16 k. */
function clusters(y) {
  const list = [];
  for (let taps = 1; taps < 2 << near.reach; taps += 2) {
    const offsets = [0, 1, 2, 3].filter((k) => (taps >> k) & 1).map((k) => 16 * k);
    for (let distance = near.least; distance + offsets.at(-1) <= near.window; distance++) {
      const value = offsets.reduce((sum, offset) => sum ^ y[distance + offset], 0) >>> 0;
      list.push({ distance, taps, value, count: offsets.length, longest: distance + offsets.at(-1) });
    }
  }
  return list;
}

/** All sets of three clusters that sum to 1. */
function nearFolds(y) {
  const list = clusters(y);
  const finder = new Finder();
  list.forEach(({ value }, i) => {
    finder.add(value, i);
  });
  const found = [];
  for (let i = 0; i < list.length; i++) {
    for (let j = i + 1; j < list.length; j++) {
      for (const k of finder.find((1 ^ list[i].value ^ list[j].value) >>> 0)) {
        if (k > j) found.push([list[i], list[j], list[k]]);
      }
    }
  }
  const count = (fold) => fold.reduce((sum, cluster) => sum + cluster.count, 0);
  const longest = (fold) => Math.max(...fold.map((cluster) => cluster.longest));
  return found
    .map((fold) => ({
      fold: fold.sort((a, b) => a.distance - b.distance),
      taps: count(fold),
      window: windowOf(longest(fold)),
    }))
    .sort((a, b) => a.taps - b.taps || a.window - b.window);
}

/** All sets of three far taps: two that share their loads, and one after them. */
function farFolds(y) {
  const finder = new Finder();
  for (let lone = 1; lone <= far.window; lone++) finder.add(y[lone], lone);
  const found = [];
  for (let distance = 256; distance + far.beside[1] <= far.window; distance += 16) {
    for (let beside = far.beside[0]; beside <= far.beside[1]; beside++) {
      for (const lone of finder.find((1 ^ y[distance] ^ y[distance + beside]) >>> 0)) {
        if (lone > distance + beside) found.push({ distance, beside, lone, window: windowOf(lone) });
      }
    }
  }
  return found.sort((a, b) => a.window - b.window);
}

for (const [name, polynomial] of Object.entries(polynomials)) {
  const y = powers(polynomial, Math.max(near.window, far.window));
  console.log(`${name}: near folds (distance, taps), their number of taps, the window`);
  for (const { fold, taps, window } of nearFolds(y)) {
    const shown = fold.map((c) => `{${c.distance}, 0b${c.taps.toString(2)}}`).join(", ");
    console.log(`  {${shown}}  ${taps}  ${window}`);
  }
  console.log(`${name}: far folds`);
  for (const { distance, beside, lone, window } of farFolds(y))
    console.log(`  {.distance = ${distance}, .beside = ${beside}, .lone = ${lone}}  ${window}`);
}
