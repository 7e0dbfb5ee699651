// The page to compare with: the same images by zarrita with numcodecs, drawn by Viv's layers for deck.gl, as
// in Viv's own viewers: levels and tiles for multiscale images, one picture for a single array. In the address, "range"
// sets the limits of a single channel; without it, the metadata give channels, colours and limits. "z" is the slice.
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

  /** @param finest the shape of the finest level, in whose elements selections are */
  constructor(array, labels = ["z", "y", "x"].slice(-array.shape.length), finest = array.shape) {
    this.array = array;
    this.shape = array.shape;
    this.labels = labels;
    this.finest = finest;
    this.dtype = dtypes[array.dtype];
    this.tileSize = array.chunks.at(-1);
  }

  /** Indices along the axes that are not shown. */
  #index(selection) {
    const { finest, shape } = this;
    const part = (label, axis) => (((selection[label] ?? 0) + 0.5) * shape[axis]) / finest[axis];
    return this.labels.slice(0, -2).map((label, axis) => Math.floor(part(label, axis)));
  }

  async getTile({ x, y, selection, signal }) {
    const { array, tileSize } = this;
    const [rows, columns] = [y, x].map((at, axis) =>
      zarr.slice(at * tileSize, Math.min((at + 1) * tileSize, array.shape.at(axis - 2))),
    );
    const { data, shape } = await zarr.get(array, [...this.#index(selection), rows, columns], {
      opts: { signal },
    });
    return { data, height: shape[0], width: shape[1] };
  }

  async getRaster({ selection, signal }) {
    const part = [...this.#index(selection), null, null];
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
  if (node.kind === "array") return { levels: [new Level(node)] };
  const { multiscales, omero } = node.attrs.ome;
  const [{ datasets, axes }] = multiscales;
  const open = ({ path }) => zarr.open.v3(node.resolve(path), { kind: "array" });
  const arrays = await Promise.all(datasets.map(open));
  const labels = axes.map(({ name }) => name);
  return {
    levels: arrays.map((array) => new Level(array, labels, arrays[0].shape)),
    channels: omero?.channels,
  };
}

/** The layers' properties for the channels of the metadata. */
const channelProps = (channels, z) => ({
  selections: channels.map((_, c) => ({ c, z })),
  channelsVisible: channels.map(({ active }) => active),
  contrastLimits: channels.map(({ window }) => [window.start, window.end]),
  colors: channels.map(({ color }) => [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16))),
});

/** The same for a single channel, in gray. */
const rangeProps = (range, z) => ({
  selections: [{ z }],
  channelsVisible: [true],
  contrastLimits: [range.split(",").map(Number)],
  colors: [[255, 255, 255]],
});

const search = new URLSearchParams(location.search);
const { levels, channels } = await loadLevels(search.get("source"));
const [height, width] = levels[0].shape.slice(-2);
const isStack = levels.length === 1 && levels[0].shape.length === 3;
const z = Number(search.get("z") ?? 0);
const props = {
  id: "image",
  ...(search.has("range") ? rangeProps(search.get("range"), z) : channelProps(channels, z)),
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
if (isStack) {
  const max = levels[0].shape[0] - 1;
  const slider = Object.assign(document.createElement("input"), { type: "range", max, value: 0 });
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
