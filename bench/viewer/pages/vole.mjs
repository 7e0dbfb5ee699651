// The same volume by vole-core: one level, in all channels, as a maximum intensity projection.
import { LoadSpec, View3d, VolumeLoaderContext } from "@aics/vole-core";
import { begin, ready, search, shown, source } from "./volume-peer.mjs";

begin();
const element = document.querySelector("main");
const view = new View3d({ parentElement: element });
view.resize(null, element.clientWidth, element.clientHeight);
const context = new VolumeLoaderContext(250e6, 10, 5);
await context.onOpen();
const loader = await context.createLoader(source);
const spec = Object.assign(new LoadSpec(), {
  multiscaleLevel: Number(search.get("level")),
  useExplicitLevel: true,
});
const channels = new Set();
const volume = await loader.createVolume(spec, (loaded, channel) => {
  channels.add(channel);
  view.onVolumeData(loaded, [channel]);
  view.setVolumeChannelEnabled(loaded, channel, true);
  view.updateActiveChannels(loaded);
  view.updateLuts(loaded);
  view.redraw(true);
  shown("first");
  if (channels.size < loaded.imageInfo.numChannels) return;
  shown("complete");
  const camera = view.getCameraState();
  const [x, , z] = camera.position;
  ready((step) => {
    const [sin, cos] = [Math.sin(step / 50), Math.cos(step / 50)];
    view.setCameraState({ position: [x * cos + z * sin, camera.position[1], z * cos - x * sin] });
    view.redraw(true);
  });
});
view.addVolume(volume);
view.setMaxProjectMode(volume, true);
await loader.loadVolumeData(volume);
