/** Loads what the picture of a state needs: its colour maps, the positions of its elements, the column that colours it. */
import { loadColormap } from "../base/colormaps.js";
import { errorMessage } from "../base/format.js";
import type { ViewState } from "../model/state.js";
import { tableOf } from "../model/table.js";
import type { Dataset } from "../source/dataset.js";
import { loadProjection } from "./projections.js";

/** Returns the loads of missing parts. @param onFailure is given a sentence; the picture is drawn without that part */
export function stateData(
  dataset: Dataset,
  state: ViewState,
  onFailure: (sentence: string) => void,
): (Promise<void> | undefined)[] {
  const { colormap, byColormap } = state;
  const map = (name: ViewState["byColormap"]) =>
    name === null
      ? undefined
      : loadColormap(name)?.catch((error: unknown) =>
          onFailure(`The colour map ${name} could not be loaded: ${errorMessage(error)}.`),
        );
  const places = loadProjection(dataset, state)?.catch((error: unknown) =>
    onFailure(
      `The positions of the elements could not be read: ${errorMessage(error)}. They are drawn as equal cells.`,
    ),
  );
  return [map(colormap), map(byColormap), places, column(dataset, state, onFailure)];
}

/** Reads the column that colours points or labels. */
function column(
  dataset: Dataset,
  state: ViewState,
  onFailure: (sentence: string) => void,
): Promise<void> | undefined {
  const { by } = state;
  const observations = tableOf(dataset, state);
  if (!observations || by === "" || observations.column(by)) return undefined;
  return observations.read(by).then(
    () => {
      if (!observations.column(by))
        onFailure(`The column ${by} cannot be shown: it does not exist, or is of an unknown kind.`);
    },
    (error: unknown) => onFailure(`The column ${by} could not be read: ${errorMessage(error)}.`),
  );
}
