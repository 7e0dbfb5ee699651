/** Controls for additions to the picture: lines on maps, a profile, other panes. */

import { keptFor } from "../base/memo.js";
import { text } from "../language/text.js";
import { irregularCoordinates } from "../model/axis-places.js";
import { wrapsAround } from "../model/grid-projection.js";
import { depthAxis, playableAxes } from "../model/layers.js";
import { mapPositions, projectedConverter } from "../model/projection.js";
import type { MapName, PlaceMode, ViewState } from "../model/state.js";
import { type Dataset, datasetShape, type GridPositions } from "../source/dataset.js";
import {
  type Control,
  checkControl,
  listControl,
  numberControl,
  type Panel,
  type PanelContext,
} from "./panel.js";
import { axisName } from "./rulers.js";

export const mapPanel: Panel = {
  name: "map",
  tab: "axes",
  title: () => text.maps.title,
  build: (context) => [
    placesPart(context),
    ...mapParts(context),
    meridianPart(context),
    ...linesParts(context),
    panesPart(context),
    depthPart(context),
  ],
};

export const profilePanel: Panel = {
  name: "profile",
  tab: "measure",
  title: () => text.panes.profile,
  build: (context) => [profilePart(context)],
};

const longAxes = (dataset: Dataset): number[] =>
  datasetShape(dataset).flatMap((length, axis) => (length > 1 ? [axis] : []));

const axisEntries = (dataset: Dataset) =>
  longAxes(dataset).map((axis) => [String(axis), axisName(dataset.axes, axis)] as const);

const profilePart = (context: PanelContext): Control =>
  listControl(context, text.panes.profileAxis, [["", text.panes.none], ...axisEntries(context.dataset)], {
    control: "profile",
    value: ({ profile }) => String(profile ?? ""),
    set: (axis) => ({ profile: axis === "" ? null : Number(axis) }),
    isShown: (_state, { kind }) => kind === "image",
  });

/** Whether the fourth pane shows the volume. */
const panesPart = (context: PanelContext): Control =>
  checkControl(context, text.panes.volume, {
    control: "planes",
    value: ({ planes }) => planes.includes("volume"),
    set: (isOn, { planes }) => ({
      planes: isOn ? [...planes, "volume"] : planes.filter((name) => name !== "volume"),
    }),
    isShown: ({ planes }, { kind }) => kind === "image" && planes.length > 1,
  });

function depthPart(context: PanelContext): Control {
  const { dataset } = context;
  const control = listControl(context, text.panes.depth, axisEntries(dataset), {
    control: "depth",
    value: (state) => String(depthAxis(dataset, state)),
    set: (axis) => ({ depth: Number(axis) }),
    isShown: (state, { kind }) =>
      kind === "image" && state.planes.length > 1 && playableAxes(dataset, state).length > 1,
  });
  return {
    ...control,
    sync(state, view) {
      const axes = playableAxes(dataset, state);
      for (const option of control.list.options) option.hidden = !axes.includes(Number(option.value));
      control.sync(state, view);
    },
  };
}

const placeNames = (): readonly (readonly [PlaceMode, string])[] => [
  ["auto", text.maps.ofCoordinates],
  ["map", text.maps.onMap],
  ["index", text.maps.equalCells],
];

/** Where elements are drawn, if their coordinates are not those of equal cells. */
function placesPart(context: PanelContext): Control {
  const { dataset } = context;
  const isOnMap = (state: ViewState, places: PlaceMode) =>
    mapPositions(dataset, { ...state, places }) !== undefined;
  const { element, list, sync } = listControl(context, text.maps.elements, placeNames(), {
    control: "places",
    value: (state) => (state.places === "map" && isOnMap(state, "auto") ? "auto" : state.places),
    set: (places) => ({ places, camera: null }),
    isShown(state, { kind }) {
      const shown = state.view === "volume" ? dataset.axes : state.axes.map((i) => dataset.axes[i]!);
      const isUneven = shown.some((axis) => irregularCoordinates(axis) !== undefined);
      return (kind === "image" || kind === "line") && (isUneven || isOnMap(state, "map"));
    },
  });
  return {
    element,
    sync(state, view) {
      list.options[1]!.hidden = !isOnMap(state, "map") || isOnMap(state, "auto");
      sync(state, view);
    },
  };
}

const mapChoices = (): readonly (readonly [MapName, string])[] => [
  ["data", text.maps.stored],
  ["plate-carree", text.maps.degrees],
  ["mercator", text.maps.mercator],
  ["equal-earth", text.maps.areas],
  ["globe", text.maps.globe],
  ["north-pole", text.maps.northPole],
  ["south-pole", text.maps.southPole],
];

/** The map projection, and the latitude in the middle of a globe. */
function mapParts(context: PanelContext): Control[] {
  const { dataset } = context;
  const isShown = (state: ViewState, { kind }: { kind: string }) =>
    kind === "image" && canBeMap(dataset, state);
  return [
    listControl(context, text.maps.map, mapChoices(), {
      control: "projection",
      value: ({ projection }) => projection,
      set: (projection) => ({ projection, camera: null }),
      isShown,
    }),
    numberControl(
      context,
      text.maps.parallel,
      { ...parallelField, placeholder: text.maps.parallelHint },
      {
        control: "parallel",
        value: ({ parallel }) => parallel,
        set: (parallel) => ({ parallel }),
        isShown: (state, view) => isShown(state, view) && state.projection === "globe",
      },
    ),
  ];
}

const parallelField = { step: "any", min: -90, max: 90 };

/** Whether the elements of the shown plane have longitudes and latitudes. */
const canBeMap = (dataset: Dataset, state: ViewState): boolean => isMap(dataset, { ...state, places: "map" });

/** The longitude at the middle, on maps that go around the globe. */
const meridianPart = (context: PanelContext): Control =>
  numberControl(
    context,
    text.maps.meridian,
    { ...meridianField, placeholder: text.maps.meridianHint },
    {
      control: "meridian",
      value: ({ meridian }) => meridian,
      set: (meridian) => ({ meridian, camera: null }),
      isShown(state, { kind }) {
        const { dataset } = context;
        const across = dataset.axes[state.axes.at(-1) ?? -1];
        const isGlobal = state.axes.length === 2 && across !== undefined && wrapsAround(across);
        const { known } = mapPositions(dataset, state) ?? {};
        const isProjected = state.projection !== "data" && canBeMap(dataset, state);
        return kind === "image" && (isProjected || isGlobal || (known !== undefined && isAroundGlobe(known)));
      },
    },
  );

const meridianField = { step: "any", min: -360, max: 360 };

/** Whether the longitudes of a grid leave no wide gap. */
const isAroundGlobe = keptFor(({ longitudes }: NonNullable<GridPositions["known"]>): boolean => {
  const used = new Set<number>();
  for (const longitude of longitudes) if (Number.isFinite(longitude)) used.add(Math.floor(longitude / 20));
  return new Set([...used].map((at) => ((at % 18) + 18) % 18)).size === 18;
});

/** Whether the shown plane is a map in degrees. */
function isMap(dataset: Dataset, settings: ViewState): boolean {
  const roles = settings.axes.map((axis) => dataset.axes[axis]!.role);
  const hasRoles = roles.includes("latitude") && roles.includes("longitude");
  const isConverted = settings.places !== "index" && projectedConverter(dataset, settings.axes) !== undefined;
  return hasRoles || isConverted || mapPositions(dataset, settings) !== undefined;
}

/** Only over maps in degrees. */
function linesParts(context: PanelContext): Control[] {
  const { dataset } = context;
  const roles = dataset.axes.map(({ role }) => role);
  if (
    !dataset.positions &&
    !dataset.geography?.converter &&
    !(roles.includes("latitude") && roles.includes("longitude"))
  )
    return [];
  const part = (label: string, name: "isGraticuleOn" | "areCoastsOn") =>
    checkControl(context, label, {
      control: "lines",
      value: (state) => state[name],
      set: (isOn) => ({ [name]: isOn }),
      isShown: (state, { kind }) =>
        kind === "image" && (state.projection === "data" ? isMap : canBeMap)(dataset, state),
    });
  return [part(text.maps.coasts, "areCoastsOn"), part(text.maps.graticule, "isGraticuleOn")];
}
