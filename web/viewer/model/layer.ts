/** A plane of a dataset with a style; the opened layers over a picture. */
import type { ColormapName } from "../base/colormaps.js";
import type { LabelColors } from "../base/label-colors.js";
import type { Matrix } from "../base/matrix.js";
import { keptFor } from "../base/memo.js";
import type { ValueScale } from "../base/value-scale.js";
import type { Dataset } from "../source/dataset.js";
import type { TableLink } from "../source/feature-table.js";
import type { Features } from "../source/features.js";
import type { ComplexPart } from "../source/leaf.js";
import type { LayerState } from "./added-layers.js";
import type { Camera, Rectangle, Size } from "./camera.js";
import type { OpacityCurve } from "./channels.js";
import type { Outside, ValueRange, ViewState } from "./state.js";

/** Colours of a layer, apart from its range. */
export interface LayerStyle {
  /**
   * "map": the colour map; "labels": a colour per integer; "tint": black to one colour; "mask": values become
   * opacity.
   */
  readonly kind: "map" | "labels" | "tint" | "mask";
  readonly colormap: ColormapName;
  readonly isReversed: boolean;
  /** Number of equal steps of colour; 0 for continuous colours. */
  readonly steps: number;
  readonly scale: ValueScale;
  /** "rrggbb", for a tint. */
  readonly color: string;
  readonly gamma: number;
  readonly outside: Outside;
  /** Whether chunks that are not stored have a pattern over their fill value. */
  readonly isMissingMarked: boolean;
  /** Colours of single labels. */
  readonly labelColors?: LabelColors | undefined;
  /** 0 to 1. */
  readonly opacity: number;
  /** Opacity of voxels in translucent volumes. */
  readonly curve?: OpacityCurve | undefined;
  /** How the layer is composited onto those below; "mask" multiplies their opacity. */
  readonly blend: "over" | "add" | "mask";
  /** Whether values between the centres of elements are interpolated. */
  readonly isSmooth?: boolean | undefined;
  /** Labels over another layer, which shows through the background. */
  readonly isOverlay?: boolean | undefined;
  /** How labels are drawn; undefined for all, filled. */
  readonly isOutline?: boolean | undefined;
  readonly hidden?: readonly number[] | undefined;
  readonly selected?: readonly number[] | undefined;
}

/** A plane of a dataset, and how its elements are converted to numbers. */
export interface PlaneChoice {
  readonly dataset: Dataset;
  /** [down, across], or [across] for a line. */
  readonly axes: readonly number[];
  /** Index along the other axes, in elements of level 0. */
  readonly index: readonly number[];
  readonly field: string;
  readonly part: ComplexPart;
  readonly isRaw: boolean;
}

export interface Layer extends PlaneChoice {
  readonly id: string;
  readonly style: LayerStyle;
  readonly range: ValueRange;
  /** The value at the middle of the range: null for 0 if the range includes both signs. */
  readonly center?: number | null;
  /** Name of an added layer. */
  readonly title?: string;
  /** Bounds of an added layer, which may leave the picture's. */
  readonly extent?: Rectangle;
  /** Of planes whose levels and bounds are in own elements. */
  readonly turn?: PlaneTurn | undefined;
}

/** The place of a plane that is turned or sheared against the picture. */
export interface PlaneTurn {
  /** From own elements to elements of the picture: x across, y down. */
  readonly matrix: Matrix;
  /** A view of own elements for a view of the picture. */
  view(view: PictureView): PictureView;
  /** A position of the picture in own elements. */
  place(row: number, column: number): { readonly row: number; readonly column: number };
}

interface PictureView {
  readonly camera: Camera;
  readonly size: Size;
  readonly ratio: number;
  readonly aspect: number;
}

export type OpenedLayer =
  | {
      readonly kind: "image";
      readonly dataset: Dataset;
      plan(layer: LayerState, state: ViewState, name: string): Layer[];
    }
  | { readonly kind: "features"; readonly features: Features; readonly link?: TableLink | undefined };

/** The contents of layers that have been opened over a picture, by `placeKey` of their states. */
export const openedLayers = keptFor((_dataset: Dataset) => new Map<string, OpenedLayer>());
