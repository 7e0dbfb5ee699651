// @fideus-labs/ngff-zarr: images with their metadata, read through its workers, and without for shards.
import { fromNgffZarr, readArrayData } from "../node_modules/@fideus-labs/ngff-zarr/esm/io/from_ngff_zarr.js";

export async function read(url) {
  const results = [];
  for (const name of ["image2", "image3"]) {
    const { images, metadata } = await fromNgffZarr(`${url}/${name}`, { validate: false });
    results.push(metadata.axes, metadata.datasets);
    for (const { data, dims, scale } of images)
      results.push([data.shape, data.chunks, data.dtype, dims, scale]);
    results.push(
      await readArrayData(`${url}/${name}`, "1"),
      await readArrayData(`${url}/${name}`, "0", [0, 1, 1, null, null]),
    );
  }
  return results;
}
