/** Summarises conventions in metadata: OME-Zarr of groups, CF of arrays. */
import { isZarrError, type Member, type ZarrArray, type ZarrGroup } from "zarr-wasm";
import { isMultiscales, multiscales, type OmeMultiscale } from "zarr-wasm/conventions";

/** Maximum length of an attribute's value that is shown. */
const maxText = 60;
/** Maximum number of names shown from a list. */
const maxNames = 6;

/** Describes a group that is an OME-Zarr image, in lines. */
export function groupNotes(group: ZarrGroup): string[] {
  if (!isMultiscales(group)) return [];
  try {
    return multiscales(group).flatMap(imageNotes);
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return [`OME-Zarr: ${error.message}`];
  }
}

function imageNotes(image: OmeMultiscale): string[] {
  const { version, axes, levels, channels, name, intrinsic, coordinateSystems } = image;
  const named = name === undefined || name === "" ? "" : ` ${JSON.stringify(short(name))}`;
  const units = axes.map(
    (axis) => short(axis.name) + (axis.unit === undefined ? "" : ` (${short(axis.unit)})`),
  );
  const lines = [`OME-Zarr ${short(version)} image${named}: axes ${units.join(", ")}`];
  const scales = levels.map(
    ({ path, scale }) => short(path) + (scale ? ` [${scale.map(rounded).join(", ")}]` : ""),
  );
  lines.push(`${levels[0]!.scale ? "scales" : "levels"} ${listed(scales)}`);
  const systems = coordinateSystems?.map((system) => system.name) ?? [];
  if (systems.length > 1)
    lines.push(
      `coordinate systems ${listed(systems.map((one) => short(one) + (one === intrinsic ? " (of the levels)" : "")))}`,
    );
  if (channels) lines.push(`channels ${listed(channels.map(({ label }, i) => short(label ?? String(i))))}`);
  return lines;
}

/**
 * Lists the nodes directly below a group; without listing, the levels of an OME-Zarr image.
 * @throws Unsupported without either.
 */
export async function listMembers(group: ZarrGroup): Promise<Pick<Member, "name">[]> {
  try {
    return await group.members();
  } catch (error) {
    if (!(isZarrError(error) && error.code === "no-listing" && isMultiscales(group))) throw error;
    return multiscales(group).flatMap(({ levels }) => levels.map(({ path }) => ({ name: path })));
  }
}

/** Returns the CF name and units of an array, and whether it is packed, in parentheses; otherwise "". */
export function arrayNote({ attributes }: ZarrArray): string {
  const text = (name: string) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    return typeof value === "string" && value.trim() !== "" ? short(value) : undefined;
  };
  const isPacked = ["scale_factor", "add_offset"].some((name) => Object.hasOwn(attributes, name));
  const parts = [text("long_name") ?? text("standard_name"), text("units"), isPacked ? "packed" : undefined];
  const shown = parts.filter((part) => part !== undefined).join(", ");
  return shown === "" ? "" : `  (${shown})`;
}

/** Joins the first names of a list, and counts the others. */
export function listed(names: readonly string[]): string {
  const more = names.length - maxNames;
  return names.slice(0, maxNames).join(", ") + (more > 0 ? `, ${more} more` : "");
}

export function short(text: string, length = maxText): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`; // no lone surrogate
}

/** Rounds to six digits. */
const rounded = (value: number) => Number(value.toPrecision(6));
