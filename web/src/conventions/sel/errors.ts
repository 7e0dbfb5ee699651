/** Errors of selections by label; docs/errors.md lists the codes. */
import { invalidSelection, shown, type ZarrError } from "../../util/errors.js";

function sized(label: unknown): string {
  if (typeof label === "string") return JSON.stringify(label.slice(0, 80));
  return label instanceof Date && !Number.isNaN(label.getTime()) ? label.toISOString() : shown(label);
}

export const noSuchLabel = (name: string, label: unknown, why = ""): ZarrError =>
  invalidSelection(`"${name}" has no element at ${sized(label)}${why}`, { code: "no-such-label" });

export const notALabel = (name: string, label: unknown, wanted: string): ZarrError =>
  invalidSelection(`${sized(label)} is no label of "${name}": ${wanted}`, { code: "not-a-label" });

export const noSuchDimension = (name: string, known: readonly (string | null)[]): ZarrError =>
  invalidSelection(
    `"${name}" names no dimension; there ${known.length === 1 ? "is" : "are"} ${known.map((n) => JSON.stringify(n)).join(", ") || "none with a name"}`,
    { code: "no-such-dimension" },
  );

export const noCoordinates = (name: string, why: string): ZarrError =>
  invalidSelection(`"${name}" has no coordinates to select by: ${why}`, { code: "no-coordinates" });

export const unsorted = (name: string, what: string): ZarrError =>
  invalidSelection(`the coordinates of "${name}" are not sorted, which ${what} needs`, {
    code: "unsorted-coordinates",
  });
