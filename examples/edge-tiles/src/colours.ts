/** Colour maps: tables of 256 colours. The first colour marks missing values. */
import { rgb } from "d3-color";
import {
  interpolateCividis,
  interpolateGreys,
  interpolateInferno,
  interpolateMagma,
  interpolatePlasma,
  interpolateRdBu,
  interpolateSpectral,
  interpolateTurbo,
  interpolateViridis,
} from "d3-scale-chromatic";

const maps = {
  gray: (t: number) => `rgb(${Math.round(255 * t)},${Math.round(255 * t)},${Math.round(255 * t)})`,
  greys: interpolateGreys,
  viridis: interpolateViridis,
  magma: interpolateMagma,
  inferno: interpolateInferno,
  plasma: interpolatePlasma,
  cividis: interpolateCividis,
  turbo: interpolateTurbo,
  rdbu: interpolateRdBu,
  spectral: interpolateSpectral,
} as const;

export type MapName = keyof typeof maps;
export const mapNames = Object.keys(maps) as MapName[];

/** Number of colours without the first one. */
export const shades = 255;

const palettes = new Map<MapName, Uint8Array>();

/** 256 colours, three bytes each. The first is transparent black, the others go from low to high values. */
export function paletteOf(name: MapName): Uint8Array {
  let palette = palettes.get(name);
  if (!palette) {
    palette = new Uint8Array(3 * 256);
    for (let shade = 0; shade < shades; shade++) {
      const { r, g, b } = rgb(maps[name](shade / (shades - 1)));
      palette.set([r, g, b], 3 * (shade + 1));
    }
    palettes.set(name, palette);
  }
  return palette;
}
