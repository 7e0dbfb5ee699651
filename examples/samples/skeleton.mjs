// A synthetic skeleton of a radiolarian: two lattice shells and spines, as a volume of bytes.
import { writeMultiscale } from "zarr-wasm/conventions";
import { clamp, randomNumbers, smoothStep, wave } from "./noise.mjs";

/** Writes `skeleton.zarr` with this many voxels along each axis. */
export async function writeSkeleton(folder, size) {
  const step = 0.5;
  await writeMultiscale(
    new URL("skeleton.zarr/", folder),
    { data: skeleton(size), shape: [size, size, size] },
    {
      name: "Skeleton",
      axes: ["z", "y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" })),
      scale: [step, step, step],
      levels: 3,
      chunkShape: [64, 64, 64],
    },
  );
}

/** Directions that are spread evenly over the sphere, along a spiral. */
function directions(count) {
  return Array.from({ length: count }, (_, i) => {
    const y = 1 - (2 * i + 1) / count;
    const [radius, turns] = [Math.sqrt(1 - y * y), i * 0.618034];
    const [x, z] = [radius * wave(turns + 0.25), radius * wave(turns)];
    const length = Math.sqrt(x * x + y * y + z * z);
    return [x / length, y / length, z / length];
  });
}

const shells = [
  { radius: 0.76, thickness: 0.032, edge: 0.06, pores: directions(150) },
  { radius: 0.42, thickness: 0.03, edge: 0.11, pores: directions(60) },
];
const spines = directions(15);

/** Share of a lattice at a place: solid where two pores are about equally far. */
function lattice({ radius, thickness, edge, pores }, [x, y, z], distance) {
  const away = Math.abs(distance - radius) / thickness;
  if (away >= 1) return 0;
  let [first, second] = [4, 4];
  for (const [a, b, c] of pores) {
    const squared = 2 - (2 * (a * x + b * y + c * z)) / distance;
    if (squared < first) {
      second = first;
      first = squared;
    } else if (squared < second) second = squared;
  }
  const gap = Math.sqrt(Math.max(second, 0)) - Math.sqrt(Math.max(first, 0));
  return (1 - smoothStep(0.5 * edge, 1.5 * edge, gap)) * (1 - away * away);
}

/** Needles from the inner shell outwards. */
function needles([x, y, z], distance) {
  if (distance < 0.4 || distance > 0.98) return 0;
  let nearest = 4;
  for (const [a, b, c] of spines) {
    const along = a * x + b * y + c * z;
    if (along > 0) nearest = Math.min(nearest, distance * distance - along * along);
  }
  const width = 0.045 * (1.12 - distance);
  return 1 - smoothStep(0.6 * width, 1.4 * width, Math.sqrt(Math.max(nearest, 0)));
}

function skeleton(size) {
  const data = new Uint8Array(size ** 3);
  const random = randomNumbers(41);
  let at = 0;
  for (let k = 0; k < size; k++)
    for (let j = 0; j < size; j++)
      for (let i = 0; i < size; i++, at++) {
        const place = [i, j, k].map((index) => (2 * index + 1) / size - 1);
        const distance = Math.sqrt(place[0] ** 2 + place[1] ** 2 + place[2] ** 2);
        if (distance > 0.99) continue;
        const share = Math.max(
          needles(place, distance),
          ...shells.map((one) => lattice(one, place, distance)),
        );
        // Outside the skeleton, chunks are empty.
        if (share > 0.02) data[at] = clamp(30 + 190 * share + 30 * random(), 0, 255);
      }
  return data;
}
