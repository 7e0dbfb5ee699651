// ome-zarr.js: images rendered to RGBA.
import { getMultiscaleWithArray, NgffImage } from "ome-zarr.js";

export async function read(url) {
  const results = [];
  for (const name of ["image2", "image3"]) {
    const image = await NgffImage.load(`${url}/${name}`);
    results.push(image.getScales(), await image.calcShapes(), image.getZarrVersion(), image.axes);
    results.push(
      await image.renderRgba({ targetSize: 60 }),
      await image.renderRgba({ arrayPathOrIndex: "0", slices: { z: 0 } }),
    );
    const { arr, shapes, scales } = await getMultiscaleWithArray(`${url}/${name}`, 0);
    results.push(arr.shape, arr.chunks, arr.dtype, shapes, scales);
  }
  return results;
}
