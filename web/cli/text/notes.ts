/** Summarises conventions in metadata: OME-Zarr of groups, CF of arrays. */
import { isZarrError, type Member, type ZarrArray, type ZarrGroup, ZipStore } from "zarr-wasm";
import { isMultiscales, multiscales, type OmeMultiscale } from "zarr-wasm/conventions";
import { ownProperty as own } from "#internal";

/** Maximum length of an attribute's value that is shown. */
const maxText = 60;
/** Maximum number of names shown from a list. */
const maxNames = 6;

/** Describes a group that is an OME-Zarr image or scene, or the root of an archive of them, in lines. */
export async function groupNotes(group: ZarrGroup): Promise<string[]> {
  const notes = [
    ...(await archiveNotes(group)),
    ...sceneNotes(own(group.attributes, "ome")),
    ...layoutNotes(own(group.attributes, "multiscales")),
  ];
  if (!isMultiscales(group)) return notes;
  try {
    return [...notes, ...multiscales(group).flatMap(imageNotes)];
  } catch (error) {
    if (!isZarrError(error)) throw error;
    return [...notes, `OME-Zarr: ${error.message}`];
  }
}

/** Lists the levels of a GeoZarr pyramid. */
function layoutNotes(images: unknown): string[] {
  const layout = own(images, "layout");
  if (!Array.isArray(layout)) return [];
  const names = layout.map((level) => own(level, "asset")).filter((name) => typeof name === "string");
  return names.length > 0 ? [`GeoZarr pyramid: levels ${listed(names.map((name) => short(name)))}`] : [];
}

/** Describes an OME-Zarr 0.6 scene: images, and transformations between their coordinate systems. */
function sceneNotes(ome: unknown): string[] {
  const scene = own(ome, "scene");
  if (scene === undefined) return [];
  const list = (name: string): unknown[] => [own(scene, name) ?? []].flat();
  const transformations = list("coordinateTransformations");
  const ends = transformations.flatMap((one) => [own(one, "input"), own(one, "output")]);
  const paths = new Set(ends.map((end) => own(end, "path")).filter((path) => typeof path === "string"));
  const systems = list("coordinateSystems").map((system) => short(String(own(system, "name"))));
  return [
    `OME-Zarr ${short(String(own(ome, "version")))} scene: images ${listed([...paths].map((path) => short(path))) || "none"}`,
    ...(systems.length > 0 ? [`coordinate systems ${listed(systems)}`] : []),
    `${transformations.length} transformation${transformations.length === 1 ? "" : "s"}`,
  ];
}

/** Describes an archive whose comment identifies it as OME-Zarr (RFC-9). */
async function archiveNotes({ store, path }: ZarrGroup): Promise<string[]> {
  if (path !== "" || !(store instanceof ZipStore)) return [];
  const ome = own(parsed(await store.comment()), "ome");
  const version = own(ome, "version");
  if (typeof version !== "string") return [];
  const isFirst = own(own(own(ome, "zipFile"), "centralDirectory"), "jsonFirst") === true;
  return [`OME-Zarr ${short(version)} archive${isFirst ? ", documents first" : ""}`];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
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
