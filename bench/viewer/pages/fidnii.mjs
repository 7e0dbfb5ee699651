// The same volume by fidnii, which streams levels to niivue.
import { OMEZarrNVImage } from "@fideus-labs/fidnii";
import { fromNgffZarr } from "@fideus-labs/ngff-zarr/browser";
import { Niivue } from "@niivue/niivue";
import { begin, ready, search, shown, source } from "./volume-peer.mjs";

begin();
const niivue = new Niivue({ backColor: [0, 0, 0, 1], show3Dcrosshair: false });
await niivue.attachToCanvas(document.querySelector("canvas"));
niivue.setSliceType(niivue.sliceTypeRender);
const multiscales = await fromNgffZarr(source);
const maxPixels = Number(search.get("voxels"));
const image = await OMEZarrNVImage.create({ multiscales, niivue, maxPixels, autoLoad: false });
image.addEventListener("loadingComplete", () => {
  niivue.drawScene();
  shown("first");
});
image.addEventListener("populateComplete", () => {
  niivue.drawScene();
  shown("complete");
  ready((step) => niivue.setRenderAzimuthElevation(110 + step, 10));
});
niivue.addVolume(image);
await image.populateVolume();
