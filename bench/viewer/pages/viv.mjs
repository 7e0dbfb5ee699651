// The page to compare with: the same images by zarrita with numcodecs, drawn by Viv's layers for deck.gl, as
// in Viv's own viewers: levels and tiles for multiscale images, one picture for a single array.
import { Deck, OrthographicView } from "@deck.gl/core";
import { ColorPaletteExtension } from "@vivjs/extensions";
import { ImageLayer, MultiscaleImageLayer } from "@vivjs/layers";
import * as zarr from "zarrita";

const dtypes = { uint8: "Uint8", uint16: "Uint16" };

/** Called after a slice has been read. */
let onRaster = () => {};

/** A level in the form that Viv's layers read. */
class Level {
  meta = {};

  constructor(array) {
    this.array = array;
    this.shape = array.shape;
    this.labels = ["z", "y", "x"].slice(-array.shape.length);
    this.dtype = dtypes[array.dtype];
    this.tileSize = array.chunks.at(-1);
  }

  async getTile({ x, y, signal }) {
    const { array, tileSize } = this;
    const [rows, columns] = [y, x].map((at, axis) =>
      zarr.slice(at * tileSize, Math.min((at + 1) * tileSize, array.shape[axis])),
    );
    const { data, shape } = await zarr.get(array, [rows, columns], { opts: { signal } });
    return { data, height: shape[0], width: shape[1] };
  }

  async getRaster({ selection: { z }, signal }) {
    const part = z === undefined ? null : [z, null, null];
    const { data, shape } = await zarr.get(this.array, part, { opts: { signal } });
    setTimeout(onRaster);
    return { data, height: shape[0], width: shape[1] };
  }

  onTileError(error) {
    if (error?.name !== "AbortError") console.error(error);
  }
}

async function loadLevels(url) {
  const node = await zarr.open.v3(new zarr.FetchStore(url));
  if (node.kind === "array") return [new Level(node)];
  const [{ datasets }] = node.attrs.ome.multiscales;
  const open = ({ path }) => zarr.open.v3(node.resolve(path), { kind: "array" });
  return (await Promise.all(datasets.map(open))).map((array) => new Level(array));
}

const search = new URLSearchParams(location.search);
const [low, high] = search.get("range").split(",").map(Number);
const levels = await loadLevels(search.get("source"));
const [height, width] = levels[0].shape.slice(-2);
const slices = levels[0].shape.at(-3);
const props = {
  id: "image",
  selections: [slices === undefined ? {} : { z: 0 }],
  channelsVisible: [true],
  contrastLimits: [[low, high]],
  colors: [[255, 255, 255]],
  extensions: [new ColorPaletteExtension()],
};
const layerOf = (changed) =>
  levels.length > 1
    ? new MultiscaleImageLayer({ ...props, loader: levels })
    : new ImageLayer({ ...props, ...changed, loader: levels[0] });
const zoom = Math.log2(Math.min(innerWidth / width, innerHeight / height));
const deck = new Deck({
  parent: document.querySelector("main"), // which a drag of the slider must not move
  views: new OrthographicView({ id: "image", controller: true }),
  initialViewState: { target: [width / 2, height / 2, 0], zoom },
  layers: [layerOf({})],
});
if (slices !== undefined) {
  const slider = Object.assign(document.createElement("input"), { type: "range", max: slices - 1, value: 0 });
  // One slice at a time, then the latest: Viv would read all of them at once, and show none for a minute.
  let [shown, isReading] = [0, false];
  onRaster = () => {
    isReading = false;
    follow();
  };
  const follow = () => {
    const z = Number(slider.value);
    if (isReading || z === shown) return;
    [shown, isReading] = [z, true];
    deck.setProps({ layers: [layerOf({ selections: [{ z }] })] });
  };
  slider.addEventListener("input", follow);
  document.body.append(slider);
}
