/** Types of the attributes and properties of `<zarr-viewer>`, for templates in JSX, Vue and Svelte. */
import type { Source } from "zarr-wasm";
import type { ColormapName } from "../base/colormaps.js";
import type { ValueScale } from "../base/value-scale.js";
import type { LayerKind } from "../model/added-layers.js";
import type {
  frameRates,
  Interpolation,
  MapName,
  Outside,
  PlaceMode,
  ToolName,
  WantedState,
} from "../model/state.js";
import type { VolumeMode } from "../model/volume.js";
import type { ComplexPart } from "../source/leaf.js";
import type { ControlsMode } from "./options.js";

type Numeric = number | `${number}`;
type YesNo = "yes" | "no";
type FrameRate = (typeof frameRates)[number];

/** Limits of the colour map: a rule, or `low:high`. */
export type RangeText = "auto" | "minmax" | "percentile" | `${number}:${number}`;

/** Properties that frameworks set on the element, and the attributes of the same names. */
export interface ZarrViewerProperties {
  /** URL of an array, a group or a zip file, or a store. */
  src?: Source | null | undefined;
  /** Path of the node below `src`. */
  path?: string | null | undefined;
  /** The vertical and the horizontal axis, by name or number: `"y,x"`, or a list. */
  axes?: string | readonly (string | number)[] | null | undefined;
  /** Channels shown together: `"0:00ff00:auto,-1:ff00ff:100..4000:0.8"`. */
  channels?: string | readonly string[] | null | undefined;
  colormap?: ColormapName | null | undefined;
  range?: RangeText | readonly [number, number] | null | undefined;
  /** What dragging and clicking do. Default: pan. */
  tool?: ToolName | null | undefined;
  /** Where elements are drawn: at their coordinates, or as equal cells. Default: auto. */
  places?: PlaceMode | null | undefined;
  /** Whether values between the centres of elements are interpolated. Default: nearest. */
  interpolation?: Interpolation | null | undefined;
  /** Map projection. Default: data, the coordinates of the data. */
  projection?: MapName | null | undefined;
  /** Longitude at the middle of a map that goes around the globe. */
  meridian?: Numeric | "none" | null | undefined;
  /** Latitude at the middle of a globe. */
  parallel?: Numeric | "none" | null | undefined;
  /** Column of the table that colours the points of an embedding, or labels. */
  by?: string | null | undefined;
  /** Extent of the user interface. Default: full. */
  controls?: ControlsMode | null | undefined;
  /** Viewers with the same link show the same part of their arrays. */
  link?: string | null | undefined;
}

/** Attributes without a property of the same name. */
export interface ZarrViewerAttributes {
  /** The variable of a dataset. */
  variable?: string | undefined;
  /** The computation on the variable: `"mean:time"`, `"anomaly:time.month"`, `"expr:(nir - red) / (nir + red)"`. */
  derive?: string | undefined;
  /** The planes that the wells of a plate show, with numbers from 0: `"channel:1,field:0,2:5"`. */
  plate?: string | undefined;
  /** Byte order of chunks of Zarr v1: as specified, or as zarr-python 1.x wrote them. */
  order?: "spec" | "writer" | undefined;
  /** An index or `start:stop` for every axis: `"4,:,100:200"`. */
  select?: string | undefined;
  index?: string | undefined;
  field?: string | undefined;
  part?: ComplexPart | undefined;
  /** Row and column of the centre, pixels per element: `"512,300,2"`. */
  at?: string | undefined;
  reversed?: YesNo | undefined;
  gamma?: Numeric | undefined;
  outside?: Outside | undefined;
  /** One range for all slices, or one for each. Default: all. */
  scope?: "all" | "slice" | undefined;
  /** Data read for the range of all slices: at most as much as the picture (`auto`), `none`, or MiB. Default: auto. */
  sample?: Numeric | "auto" | "none" | undefined;
  /** How values are spread over the colour map. Default: linear. */
  scale?: ValueScale | undefined;
  /** Number of equal steps of colour, 2 to 64; 0 for continuous colours. */
  steps?: Numeric | undefined;
  /** Whether chunks that are not stored look like their fill value, or have a pattern. Default: fill. */
  missing?: "fill" | "mark" | undefined;
  /** All channels share one range. */
  common?: YesNo | undefined;
  /** Shows stored values without decoding. */
  raw?: YesNo | undefined;
  /** Name of the labels over an image, or `none`. */
  labels?: string | undefined;
  /** Draws labels as outlines. Default: no. */
  outlines?: YesNo | undefined;
  /** Hidden labels: `"3,5"`. */
  hide?: string | undefined;
  /** Labels that stand out; all others are faint. */
  pick?: string | undefined;
  /** Layers over the picture, as JSON; `<zarr-layer>` children are the alternative. */
  layers?: string | undefined;
  /** Named regions, as `NAME=KIND@DOWN,ACROSS:ROW,COLUMN,…`, separated by semicolons. */
  regions?: string | undefined;
  /** Opacity of the labels, 0 to 1. */
  opacity?: Numeric | undefined;
  /** Opacity of the picture below labels and layers, 0 to 1. */
  "image-opacity"?: Numeric | undefined;
  /** Value at the middle of a diverging colour map. */
  center?: Numeric | "none" | undefined;
  histogram?: "linear" | "log" | undefined;
  /** Slices per second during playback. */
  fps?: FrameRate | `${FrameRate}` | undefined;
  /** Axis of the profile of values under the pointer. */
  profile?: Numeric | "none" | undefined;
  /** Panes shown together: `xy` and any of `xz`, `yz` and `volume`. Default: xy. */
  planes?: string | undefined;
  /** Third axis of the panes. */
  depth?: Numeric | "none" | undefined;
  /** Overlays of maps. */
  lines?: "graticule" | "coasts" | "graticule,coasts" | "coasts,graticule" | "none" | undefined;
  /** A plane, or the volume around it. Default: plane. */
  view?: "plane" | "volume" | undefined;
  /** Camera of the volume: yaw and pitch in degrees, zoom: `"30,20,1"`. */
  orbit?: string | undefined;
  /** How the volume is projected. Default: max. */
  mode?: VolumeMode | undefined;
  /** The box of the volume that is drawn, in voxels along x, y and z: `"0:100,20:80,0:64"`. */
  clip?: string | undefined;
  /** A plane through the volume, by yaw and pitch in degrees, and its distance from the centre: `"30,20,0"`. */
  cut?: string | undefined;
  /** Opacity of a translucent volume: shares of the range with their opacities, `"0/0;0.5/0.1;1/1"`. */
  curve?: string | undefined;
  /** Slices inside the volume: any of `xy`, `xz`, `yz` and `cut`. */
  slices?: string | undefined;
  /** Factor of the volume's lengths along its third axis. Default: 1. */
  exaggeration?: Numeric | undefined;
  /** Memory of the volume's textures, in MiB. Default: 512. */
  "volume-budget"?: Numeric | undefined;
  /** Colour map of numbers in the column `by`. */
  "by-map"?: ColormapName | undefined;
  /** Limits of the colours of numbers in the column `by`. */
  "by-range"?: RangeText | undefined;
  /** Diameter of the points of an embedding, in CSS pixels. */
  size?: Numeric | undefined;
  /** Wheel and one finger scroll the page; the picture is moved with Ctrl or two fingers. */
  cooperative?: boolean | "" | undefined;
  /** Overrides the system preference. */
  theme?: "light" | "dark" | undefined;
  /** URL of a page with the full viewer; enables copying links. */
  page?: string | undefined;
  /** Settings without a dedicated attribute, as JSON. */
  more?: string | undefined;
}

/** Attributes of `<zarr-layer>`, a child of `<zarr-viewer>`: a layer over the picture. */
export interface ZarrLayerAttributes {
  /** URL of an array or group, of GeoJSON, or of a Parquet file. */
  src: string;
  /** Path of the node below `src`. */
  path?: string | undefined;
  /** Default: auto, as the metadata say. */
  kind?: LayerKind | undefined;
  name?: string | undefined;
  visible?: YesNo | undefined;
  /** 0 to 1. */
  opacity?: Numeric | undefined;
  blend?: "normal" | "add" | undefined;
  /** Factor of its coordinates, or one for each direction: `"down,across"`. */
  scale?: Numeric | `${number},${number}` | undefined;
  /** Shift in coordinates of the picture: `"down,across"`. */
  translate?: Numeric | `${number},${number}` | undefined;
  colormap?: ColormapName | undefined;
  range?: RangeText | undefined;
  /** "#rrggbb" of points, shapes and the brightest values of an image. */
  color?: string | undefined;
  /** Diameter of points and width of lines, in CSS pixels. */
  size?: Numeric | undefined;
  /** The property that colours points and shapes. */
  by?: string | undefined;
  /** For labels, as the attributes of `<zarr-viewer>`. */
  outlines?: YesNo | undefined;
  hide?: string | undefined;
  pick?: string | undefined;
}

/** Everything that a template may set on `<zarr-viewer>`, except listeners. */
export interface ZarrViewerProps extends ZarrViewerProperties, ZarrViewerAttributes {
  /** The state as plain data; may be set in part. */
  settings?: WantedState | undefined;
}
