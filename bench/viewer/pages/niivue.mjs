// A slice of an image of uint8 with axes z, y, x by niivue, which reads NIfTI: the finest level is written as such a file
// in memory. In the address, "z" is the slice, and "range" sets the limits.
import { Niivue } from "@niivue/niivue";
import * as zarr from "zarrita";

/** Sizes of a header of NIfTI-1, and of the header with its four bytes for extensions. */
const [headerBytes, dataOffset] = [348, 352];

/** Rows go down, as in other viewers: y is the negative index. */
function nifti([depth, height, width], values) {
  const bytes = new Uint8Array(dataOffset + values.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, headerBytes, true);
  for (const [i, length] of [3, width, height, depth, 1, 1, 1, 1].entries())
    view.setInt16(40 + 2 * i, length, true);
  view.setInt16(70, 2, true); // uint8
  view.setInt16(72, 8, true);
  for (let i = 0; i < 4; i++) view.setFloat32(76 + 4 * i, 1, true);
  view.setFloat32(108, dataOffset, true);
  view.setFloat32(112, 1, true); // values are as stored
  view.setInt16(254, 1, true); // the rows of the matrix count
  for (const [row, entries] of [
    [1, 0, 0, 0],
    [0, -1, 0, 0],
    [0, 0, 1, 0],
  ].entries())
    for (const [column, entry] of entries.entries())
      view.setFloat32(280 + 16 * row + 4 * column, entry, true);
  bytes.set(new TextEncoder().encode("n+1"), 344);
  bytes.set(values, dataOffset);
  return bytes.buffer;
}

const search = new URLSearchParams(location.search);
const group = await zarr.open.v3(new zarr.FetchStore(search.get("source")), { kind: "group" });
const array = await zarr.open.v3(group.resolve("0"), { kind: "array" });
const { data, shape } = await zarr.get(array);
const niivue = new Niivue({
  backColor: [0, 0, 0, 1],
  crosshairWidth: 0,
  isNearestInterpolation: true,
  isOrientationTextVisible: false,
  isRadiologicalConvention: false,
  tileMargin: 0,
});
await niivue.attachToCanvas(document.querySelector("canvas"));
await niivue.loadFromArrayBuffer(nifti(shape, data), "image.nii");
const [low, high] = search.get("range").split(",").map(Number);
Object.assign(niivue.volumes[0], { cal_min: low, cal_max: high });
niivue.updateGLVolume();
niivue.setSliceType(niivue.sliceTypeAxial);
niivue.scene.crosshairPos = [0.5, 0.5, (Number(search.get("z")) + 0.5) / shape[0]];
niivue.drawScene();
document.title = "shown";
