// Synthetic microscope images: a volume of cells in three channels, and a culture with segmented cells.
import { createGroup } from "zarr-wasm";
import { writeImage } from "./images.mjs";
import { clamp, hashed, randomNumbers, smoothStep } from "./noise.mjs";

const micrometres = (step) => ({ type: "space", unit: "micrometer", step });
const channels = { name: "c", type: "channel", step: 1 };
const channel = (label, color, end) => ({
  label,
  color,
  active: true,
  window: { min: 0, max: 4095, start: 100, end },
});

/** Writes `volume.zarr`: channels, planes, rows, columns. */
export async function writeVolume(folder, size) {
  const planes = size / 4;
  const volume = { data: tissue(planes, size), shape: [3, planes, size, size] };
  await writeImage(new URL("volume.zarr/", folder), volume, {
    name: "Tissue",
    axes: [
      channels,
      { name: "z", ...micrometres(1) },
      { name: "y", ...micrometres(0.25) },
      { name: "x", ...micrometres(0.25) },
    ],
    levels: 3,
    chunkShape: [1, 16, 128, 128],
    shardShape: [1, 64, 256, 256],
    ome: {
      omero: {
        channels: [
          channel("nuclei", "3C78FF", 2600),
          channel("membranes", "00E08C", 2200),
          channel("vesicles", "FF5AA0", 3400),
        ],
      },
    },
  });
}

/** Writes `cells.zarr`: an image in two channels, and its group `labels` with the cells. */
export async function writeCells(folder, size) {
  const target = new URL("cells.zarr/", folder);
  const { image, labels } = culture(size);
  const plane = [
    { name: "y", ...micrometres(0.5) },
    { name: "x", ...micrometres(0.5) },
  ];
  const cells = { data: image, shape: [2, size, size] };
  await writeImage(target, cells, {
    name: "Culture",
    axes: [channels, ...plane],
    levels: 3,
    chunkShape: [1, 256, 256],
    ome: { omero: { channels: [channel("nuclei", "5A8CFF", 2800), channel("membranes", "FFB43C", 2400)] } },
  });
  await createGroup(target, { path: "labels", attributes: { ome: { version: "0.5", labels: ["cells"] } } });
  const outlines = { data: labels, shape: [size, size] };
  await writeImage(target, outlines, {
    path: "labels/cells",
    name: "cells",
    axes: plane,
    levels: 3,
    method: "nearest",
    chunkShape: [256, 256],
    ome: { "image-label": { source: { image: "../../" } } },
  });
}

/** Squared distances to the nearest and second nearest of one site per box, and the nearest one's number. */
function nearestSites(seed, box, zs, ys, xs) {
  const [boxZ, boxY, boxX] = box;
  const [depth, rows, columns] = [zs, ys, xs].map((length, axis) => Math.ceil(length / box[axis]) + 2);
  const site = (z, y, x, axis) => hashed(seed + axis, x, y, z) * 0.8 + 0.1;
  const sites = new Float32Array(depth * rows * columns * 3);
  for (let i = 0, z = 0; z < depth; z++)
    for (let y = 0; y < rows; y++)
      for (let x = 0; x < columns; x++, i += 3) {
        sites[i] = (z - 1 + site(z, y, x, 0)) * boxZ;
        sites[i + 1] = (y - 1 + site(z, y, x, 1)) * boxY;
        sites[i + 2] = (x - 1 + site(z, y, x, 2)) * boxX;
      }
  const isFlat = zs === 1;
  const stretch = boxX / boxZ;
  /** Calls back for every element of a plane. */
  return (z, visit) => {
    const cz = Math.floor(z / boxZ) + 1;
    for (let y = 0; y < ys; y++) {
      const cy = Math.floor(y / boxY) + 1;
      for (let x = 0; x < xs; x++) {
        const cx = Math.floor(x / boxX) + 1;
        let first = 1e9;
        let second = 1e9;
        let nearest = 0;
        for (let k = isFlat ? cz : cz - 1; k <= (isFlat ? cz : cz + 1); k++)
          for (let j = cy - 1; j <= cy + 1; j++)
            for (let i = cx - 1; i <= cx + 1; i++) {
              const number = (k * rows + j) * columns + i;
              const dz = isFlat ? 0 : (sites[number * 3] - z) * stretch;
              const dy = sites[number * 3 + 1] - y;
              const dx = sites[number * 3 + 2] - x;
              const distance = dz * dz + dy * dy + dx * dx;
              if (distance < first) {
                second = first;
                first = distance;
                nearest = number;
              } else if (distance < second) second = distance;
            }
        visit(y * xs + x, Math.sqrt(first), Math.sqrt(second), nearest);
      }
    }
  };
}

/** A camera's value: background, and noise that grows with the signal. */
const exposed = (light, noise) => clamp(140 + light + (noise - 0.5) * (60 + 2.4 * Math.sqrt(light)), 0, 4095);

function tissue(planes, size) {
  const box = 40 * (size / 256);
  const random = randomNumbers(11);
  const visitPlane = nearestSites(5, [box / 4, box, box], planes, size, size);
  const total = planes * size * size;
  const out = new Uint16Array(3 * total);
  const spots = vesicles(planes, size, random);
  for (let z = 0; z < planes; z++) {
    visitPlane(z, (at, first, second, cell) => {
      const i = z * size * size + at;
      const radius = box * (0.26 + 0.12 * hashed(3, cell, 0));
      const inside = 1 - (first / radius) * (first / radius);
      const nucleus = inside > 0 ? (900 + 1700 * hashed(4, cell, 0)) * smoothStep(0, 0.5, inside) : 0;
      const gap = (second - first) / box;
      const membrane = 2100 * (1 - smoothStep(0.01, 0.11, gap)) * (0.5 + 0.5 * hashed(6, cell, 0));
      out[i] = exposed(nucleus, random());
      out[total + i] = exposed(membrane + nucleus * 0.03, random());
      out[2 * total + i] = exposed(inside > 0 ? 40 : spots[i], random());
    });
  }
  return out;
}

/** Small bright dots. */
function vesicles(planes, size, random) {
  const light = new Float32Array(planes * size * size);
  const count = Math.round(light.length / 1600);
  for (let n = 0; n < count; n++) {
    const [z, y, x] = [planes, size, size].map((length) => Math.floor(random() * length));
    const brightness = 1500 + 5000 * random() * random();
    for (let dz = -1; dz <= 1; dz++)
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++) {
          const [k, j, i] = [z + dz, y + dy, x + dx];
          if (k < 0 || j < 0 || i < 0 || k >= planes || j >= size || i >= size) continue;
          const falloff = 1 + 1.6 * dz * dz + 0.8 * (dy * dy + dx * dx);
          light[(k * size + j) * size + i] += brightness / (falloff * falloff);
        }
  }
  return light;
}

function culture(size) {
  const box = 48;
  const random = randomNumbers(17);
  const visitPlane = nearestSites(23, [box, box, box], 1, size, size);
  const total = size * size;
  const image = new Uint16Array(2 * total);
  const labels = new Uint32Array(total);
  visitPlane(0, (at, first, second, cell) => {
    // Some boxes are empty.
    const isThere = hashed(31, cell, 0) > 0.12;
    const gap = (second - first) / box;
    const edge = smoothStep(0.8, 0.6, first / box) * (1 - smoothStep(0.02, 0.16, gap));
    const radius = box * (0.22 + 0.1 * hashed(33, cell, 0));
    const inside = 1 - (first / radius) * (first / radius);
    const nucleus = inside > 0 ? (1000 + 1600 * hashed(34, cell, 0)) * smoothStep(0, 0.45, inside) : 0;
    const body = first < box * 0.72 && gap > 0.05;
    if (isThere && body) labels[at] = cell;
    image[at] = exposed(isThere ? nucleus : 0, random());
    image[total + at] = exposed(isThere ? 1900 * edge + (body ? 260 : 0) : 60 * edge, random());
  });
  return { image, labels };
}
