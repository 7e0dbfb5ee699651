/** Whether a plane is drawn as a map of a curvilinear grid. */
import type { Dataset, GridPositions } from "../source/dataset.js";
import type { ViewState } from "./state.js";

/** The positions at which a plane is drawn as a map; undefined for rows and columns. */
export function mapPositions(
  { positions, axes }: Dataset,
  { axes: shown, places }: Pick<ViewState, "axes" | "places">,
): GridPositions | undefined {
  if (!positions || places === "index" || shown.length !== 2) return undefined;
  if (!positions.axes.every((axis) => shown.includes(axis))) return undefined;
  const isProjected = shown.every((axis) => axes[axis]!.coordinates?.kind === "numbers");
  return places === "map" || !isProjected ? positions : undefined;
}
