// deck.gl: a TileLayer reads images, a BitmapLayer draws each.
import { Deck, MapView } from "@deck.gl/core";
import { TileLayer } from "@deck.gl/geo-layers";
import { BitmapLayer } from "@deck.gl/layers";
import { latitude, longitude, maxZoom, paint, valuesAt, zoom } from "./maps.js";

const tiles = new TileLayer({
  id: "zarr",
  maxZoom,
  tileSize: 256,
  maxRequests: 20,
  async getTileData({ index: { z, x, y }, signal }) {
    const values = await valuesAt(z, x, y, signal);
    return values ? createImageBitmap(paint(values)) : null;
  },
  renderSubLayers: ({ tile, data, ...properties }) => {
    const [[west, south], [east, north]] = tile.boundingBox;
    return (
      data &&
      new BitmapLayer(properties, {
        data: null,
        image: data,
        bounds: [west, south, east, north],
        textureParameters: { minFilter: "nearest", magFilter: "nearest", mipmapFilter: "none" },
      })
    );
  },
  onViewportLoad: () => {
    document.body.dataset.state = "idle";
  },
  onTileError: (error) => console.error(error),
});

export const deck = new Deck({
  parent: document.getElementById("map"),
  views: new MapView({ repeat: true }),
  initialViewState: { longitude, latitude, zoom: zoom - 1 }, // deck.gl's zoom levels are for 512-pixel tiles
  controller: true,
  layers: [tiles],
});
