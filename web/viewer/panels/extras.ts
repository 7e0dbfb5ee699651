/** Controls for additions to the picture: lines on maps, a profile, other panes. */
import { h, labelled, numberField, select, showNumber } from "../base/dom.js";
import { keptFor } from "../base/memo.js";
import { irregularCoordinates } from "../model/axis-places.js";
import { wrapsAround } from "../model/grid-projection.js";
import { playableAxes } from "../model/layers.js";
import { depthAxis } from "../model/panes.js";
import { mapPositions } from "../model/projection.js";
import { type PaneName, type PlaceMode, placeModes, type ViewState } from "../model/state.js";
import { type Dataset, datasetShape, type GridPositions } from "../source/dataset.js";
import { type Control, checkControl, listControl, type Panel, type PanelContext } from "./panel.js";
import { axisName } from "./rulers.js";

export const extrasPanel: Panel = {
  name: "extras",
  title: "Over and beside the picture",
  build: (context) => [
    placesPart(context),
    meridianPart(context),
    profilePart(context),
    panesPart(context),
    depthPart(context),
    ...linesParts(context),
  ],
};

const longAxes = (dataset: Dataset): number[] =>
  datasetShape(dataset).flatMap((length, axis) => (length > 1 ? [axis] : []));

const axisEntries = (dataset: Dataset) =>
  longAxes(dataset).map((axis) => [String(axis), axisName(dataset.axes, axis)] as const);

const profilePart = (context: PanelContext): Control =>
  listControl(context, "Line under the pointer along", [["", "None"], ...axisEntries(context.dataset)], {
    control: "profile",
    value: ({ profile }) => String(profile ?? ""),
    set: (axis) => ({ profile: axis === "" ? null : Number(axis) }),
    isShown: (_state, { kind }) => kind === "image",
  });

const paneChoices = [
  ["xy", "One plane"],
  ["xy,xz,yz", "Three planes at right angles"],
  ["xy,xz,yz,volume", "Three planes and the volume"],
] as const;

function panesPart({ dataset, change }: PanelContext): Control {
  const list = select(paneChoices, (value) =>
    change(() => ({ planes: value.split(",") as PaneName[], camera: null }), "planes"),
  );
  const other = h("option", { hidden: true });
  list.append(other);
  const element = labelled("Panes", list);
  return {
    element,
    sync(settings, { kind }) {
      element.hidden = kind !== "image" || depthAxis(dataset, settings) === undefined;
      const value = settings.planes.join();
      other.value = paneChoices.some(([choice]) => choice === value) ? "" : value;
      other.textContent = settings.planes.join(", ");
      list.value = value;
    },
  };
}

function depthPart(context: PanelContext): Control {
  const { dataset } = context;
  const control = listControl(context, "Third axis of the panes", axisEntries(dataset), {
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

const placeNames: Readonly<Record<PlaceMode, string>> = {
  auto: "At their coordinates",
  map: "On a map",
  index: "As equal cells",
};

/** Where elements are drawn, if their coordinates are not those of equal cells. */
function placesPart({ dataset, change }: PanelContext): Control {
  const list = select([], (places) =>
    change(() => ({ places: places as PlaceMode, camera: null }), "places"),
  );
  const options = placeModes.map((value) => h("option", { value }, placeNames[value]));
  list.append(...options);
  const element = labelled("Elements", list);
  return {
    element,
    sync(settings, { kind }) {
      const onMap = mapPositions(dataset, { ...settings, places: "map" }) !== undefined;
      const isMapDefault = onMap && mapPositions(dataset, { ...settings, places: "auto" }) !== undefined;
      const shown = settings.view === "volume" ? dataset.axes : settings.axes.map((i) => dataset.axes[i]!);
      const isUneven = shown.some((axis) => irregularCoordinates(axis) !== undefined);
      element.hidden = (kind !== "image" && kind !== "line") || !(onMap || isUneven);
      options[placeModes.indexOf("map")]!.hidden = !onMap || isMapDefault;
      list.value = settings.places === "map" && isMapDefault ? "auto" : settings.places;
    },
  };
}

/** The longitude at the middle, on maps that go around the globe. */
function meridianPart({ dataset, change }: PanelContext): Control {
  const field = numberField({ step: "any", min: -360, max: 360, placeholder: "as stored" }, () => {
    const meridian = field.value.trim() === "" ? null : Number(field.value);
    change(() => ({ meridian, camera: null }), "meridian");
  });
  const element = labelled("Longitude at the middle, degrees east", field);
  return {
    element,
    sync(settings, { kind }) {
      const across = dataset.axes[settings.axes.at(-1) ?? -1];
      const isGlobal = settings.axes.length === 2 && across !== undefined && wrapsAround(across);
      const positions = mapPositions(dataset, settings);
      const isGlobalGrid = positions?.known !== undefined && isAroundGlobe(positions.known);
      element.hidden = kind !== "image" || !(isGlobal || isGlobalGrid);
      showNumber(field, settings.meridian ?? "");
    },
  };
}

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
  return hasRoles || mapPositions(dataset, settings) !== undefined;
}

/** Only over maps in degrees. */
function linesParts({ dataset, change }: PanelContext): Control[] {
  const roles = dataset.axes.map(({ role }) => role);
  if (!dataset.positions && !(roles.includes("latitude") && roles.includes("longitude"))) return [];
  const part = (text: string, name: "isGraticuleOn" | "areCoastsOn") =>
    checkControl({ change }, text, {
      control: "lines",
      value: (state) => state[name],
      set: (isOn) => ({ [name]: isOn }),
      isShown: (state, { kind }) => kind === "image" && isMap(dataset, state),
    });
  return [part("Coastlines", "areCoastsOn"), part("Meridians and parallels", "isGraticuleOn")];
}
