// OME-Zarr 0.5 images with all their resolutions.
import { create, createGroup, set } from "zarr-wasm";

/**
 * Writes an image; each level is half as wide and high as the one before.
 * @param {import("zarr-wasm").Target} target
 * @param {object} image
 * @param {string} image.path of the image's group
 * @param {string} image.name
 * @param {{ name: string, type: string, unit?: string, step: number }[]} image.axes y and x last
 * @param {Uint8Array | Uint16Array | Uint32Array} image.data
 * @param {number[]} image.shape
 * @param {string} image.dtype
 * @param {number[]} image.chunkShape
 * @param {number[]} [image.shardShape]
 * @param {number} image.levels
 * @param {(data: object, shape: number[]) => object} image.halve
 * @param {object} [image.ome] more of the attribute `ome`
 */
export async function writeImage(target, image) {
  const { path, name, axes, dtype, levels, halve, ome = {} } = image;
  const datasets = Array.from({ length: levels }, (_, level) => ({
    path: String(level),
    coordinateTransformations: transformations(axes, 2 ** level),
  }));
  const multiscale = { name, axes: axes.map(({ step, ...axis }) => axis), datasets };
  await createGroup(target, {
    path,
    attributes: { ome: { version: "0.5", multiscales: [multiscale], ...ome } },
  });
  let { data, shape } = image;
  for (let level = 0; level < levels; level++) {
    const clipped = (lengths) => lengths.map((length, axis) => Math.min(length, shape[axis]));
    const array = await create(target, {
      path: path === "" ? String(level) : `${path}/${level}`,
      shape,
      chunkShape: clipped(image.chunkShape),
      ...(image.shardShape ? { shardShape: clipped(image.shardShape) } : {}),
      dtype,
      dimensionNames: axes.map((axis) => axis.name),
    });
    await set(array, null, data);
    if (level === levels - 1) break;
    data = halve(data, shape);
    shape = shape.map((length, axis) => (axis < shape.length - 2 ? length : length / 2));
  }
}

/** Elements of a coarser level lie in the middle of those that they are made of. */
function transformations(axes, factor) {
  const isImagePlane = (axis) => axis >= axes.length - 2;
  const scale = axes.map(({ step }, axis) => (isImagePlane(axis) ? step * factor : step));
  const translation = axes.map(({ step }, axis) => (isImagePlane(axis) ? (step * (factor - 1)) / 2 : 0));
  return [
    { type: "scale", scale },
    { type: "translation", translation },
  ];
}

/** Means of 2 × 2 elements of the last two dimensions, rounded. */
export function meansOfFour(data, shape) {
  return halved(data, shape, (a, b, c, d) => (a + b + c + d + 2) >> 2);
}

/** Every second element: labels have no mean. */
export function everySecond(data, shape) {
  return halved(data, shape, (a) => a);
}

function halved(data, shape, combine) {
  const width = shape.at(-1);
  const out = new data.constructor(data.length / 4);
  for (let to = 0, row = 0; row < data.length; row += 2 * width)
    for (let x = row; x < row + width; x += 2)
      out[to++] = combine(data[x], data[x + 1], data[x + width], data[x + width + 1]);
  return out;
}
