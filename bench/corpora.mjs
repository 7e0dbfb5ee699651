// Reproducible data typical of Zarr arrays. Reads no files; random numbers come from a fixed seed.

/** Numbers in [0, 1) from a seed. */
function randomizer(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Smooth float32 field, as from weather models: waves with a little noise in the low bits. */
function field(count) {
  const random = randomizer(1);
  const side = Math.ceil(Math.sqrt(count));
  return Float32Array.from({ length: count }, (_, i) => {
    const [x, y] = [(i % side) / side, Math.floor(i / side) / side];
    const value =
      280 + 20 * Math.sin(6 * x) * Math.cos(4 * y) + 3 * Math.sin(40 * x + 30 * y) + 0.02 * random();
    return Math.round(value * 128) / 128; // instruments and models have limited precision
  });
}

/** uint16 microscopy image: dim background, bright blobs, camera noise. */
function microscopy(count) {
  const random = randomizer(2);
  const side = Math.ceil(Math.sqrt(count));
  const blobs = Array.from({ length: 60 }, () => [
    random() * side,
    random() * side,
    5 + random() * 40,
    500 + random() * 3000,
  ]);
  const image = new Float32Array(count);
  for (const [cx, cy, radius, peak] of blobs) {
    const reach = 3 * radius;
    for (let y = Math.max(0, Math.floor(cy - reach)); y < Math.min(side, cy + reach); y++) {
      for (let x = Math.max(0, Math.floor(cx - reach)); x < Math.min(side, cx + reach); x++) {
        const d = ((x - cx) ** 2 + (y - cy) ** 2) / radius ** 2;
        if (y * side + x < count) image[y * side + x] += peak * Math.exp(-d);
      }
    }
  }
  return Uint16Array.from(image, (value) => 100 + value + 24 * random());
}

/** int32 label volume: large regions with the same number. */
function labels(count) {
  const side = Math.ceil(Math.cbrt(count));
  return Int32Array.from({ length: count }, (_, i) => {
    const [x, y, z] = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
    return (
      1000 +
      Math.floor((x + 3 * Math.sin(y / 9)) / 17) +
      100 * Math.floor((y + 3 * Math.sin(z / 7)) / 23) +
      10_000 * Math.floor(z / 19)
    );
  });
}

/** float64 time series: a random walk in steps of a hundredth. */
function series(count) {
  const random = randomizer(3);
  let value = 1000;
  return Float64Array.from({ length: count }, () => {
    value += Math.round((random() - 0.5) * 20) / 100;
    return value;
  });
}

/** RGB image, interleaved uint8. */
function rgb(count) {
  const random = randomizer(4);
  const side = Math.ceil(Math.sqrt(count / 3));
  return Uint8Array.from({ length: count }, (_, i) => {
    const [x, y, c] = [Math.floor(i / 3) % side, Math.floor(i / 3 / side), i % 3];
    return 128 + 60 * Math.sin((x * (c + 1)) / 50) + 50 * Math.cos((y * (3 - c)) / 70) + 6 * random();
  });
}

/** The corpora: name, data type, and elements for a number of bytes. */
export const corpora = {
  field: { dataType: "float32", typestr: "<f4", make: (bytes) => field(bytes / 4) },
  microscopy: { dataType: "uint16", typestr: "<u2", make: (bytes) => microscopy(bytes / 2) },
  labels: { dataType: "int32", typestr: "<i4", make: (bytes) => labels(bytes / 4) },
  series: { dataType: "float64", typestr: "<f8", make: (bytes) => series(bytes / 8) },
  rgb: { dataType: "uint8", typestr: "|u1", make: (bytes) => rgb(bytes) },
};
