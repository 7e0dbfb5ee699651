// Writes OME-Zarr 0.5 images with all their resolutions.
import { writeMultiscale } from "zarr-wasm/conventions";

/**
 * Writes an image; each level is half as wide and high as the one before.
 * @param {import("zarr-wasm").Target} target
 * @param {import("zarr-wasm").ImageData} image
 * @param {Omit<import("zarr-wasm").MultiscaleOptions, "axes"> & {
 *   axes: { name: string, type: string, unit?: string, step: number }[],
 * }} options y and x are the last axes; `step` is the scale along each
 */
export async function writeImage(target, image, { axes, ...options }) {
  await writeMultiscale(target, image, {
    ...options,
    axes: axes.map(({ step, ...axis }) => axis),
    scale: axes.map(({ step }) => step),
    factor: axes.map((_, axis) => (axis < axes.length - 2 ? 1 : 2)),
  });
}
