// @carbonplan/zarr-layer: its data layer, on a map without WebGL.
import { ZarrLayer } from "@carbonplan/zarr-layer";

/** Accepts every call of WebGL. */
const gl = new Proxy(
  {},
  {
    get: (_, name) =>
      /^[A-Z0-9_]+$/.test(String(name)) ? 1 : () => (String(name).startsWith("get") ? 1 : {}),
  },
);
const bounds = {
  getWest: () => -180,
  getEast: () => 180,
  getNorth: () => 85,
  getSouth: () => -85,
  toArray: () => [
    [-180, -85],
    [180, 85],
  ],
};
const map = {
  getProjection: () => ({ type: "mercator" }),
  getBounds: () => bounds,
  getZoom: () => 3,
  triggerRepaint() {},
  on() {},
  off() {},
};

async function layerOf(source, zarrVersion) {
  const states = [];
  const layer = new ZarrLayer({
    id: source,
    source,
    variable: "temperature",
    selector: { time: 1 },
    colormap: ["#000000", "#ffffff"],
    clim: [0, 1],
    zarrVersion,
    onLoadingStateChange: (state) => states.push(state),
  });
  await layer._onAddAsync(map, gl);
  const { error } = states.at(-1) ?? {};
  if (error) throw error;
  return layer;
}

export async function read(url) {
  const results = [];
  for (const [name, version] of [
    ["climate2", 2],
    ["climate3", 3],
    ["climate3", undefined],
    ["climate2", undefined],
  ]) {
    const layer = await layerOf(`${url}/${name}`, version);
    const ring = [
      [-20, -10],
      [70, -10],
      [70, 40],
      [-20, 40],
      [-20, -10],
    ];
    results.push(await layer.queryData({ type: "Polygon", coordinates: [ring] }));
    results.push(await layer.queryData({ type: "Point", coordinates: [10, 50] }, { time: 2 }));
  }
  return results;
}
