/** Groups of TIFF files: images, their levels of resolution, and the attributes that describe them. */

import { jsonObject } from "../../metadata/print.js";
import { isZarrError } from "../../util/errors.js";
import type { Json, JsonObject } from "../../util/json.js";
import type { Steps } from "../../util/slices.js";
import { groupOf } from "../file/group.js";
import type { FileContext, FileGroup, FileNode } from "../file/model.js";
import { NodeCache } from "../file/node-cache.js";
import { type OmeAxis, omeAttribute } from "../file/ome.js";
import { PageArray, type StackOptions } from "./array.js";
import { attributesOf, type Entries, fillValue, gdalAttributes, pageAttributes } from "./attributes.js";
import { type Georeferencing, readGeoreferencing, scaledTo, spatialAttributes } from "./geo.js";
import type { Page, PageEntry, TiffFile } from "./ifd.js";
import { type PageLayout, readLayout } from "./layout.js";
import { tags } from "./tags.js";

/** Number of opened members that a group keeps. */
const keptMembers = 1024;

/** A group that makes its members on demand. */
export class NodeGroup implements FileGroup {
  readonly kind = "group";
  readonly #made = new NodeCache<FileNode | undefined, string>(keptMembers);

  /**
   * @param names names of the members, or the number of members "0", "1", ….
   * @param make returns the member of a name; undefined for other names.
   */
  constructor(
    private readonly own: JsonObject,
    private readonly names: readonly string[] | number,
    private readonly make: (name: string) => Promise<FileNode | undefined>,
  ) {}

  attributes(): JsonObject {
    return this.own;
  }

  members(): readonly string[] {
    const { names } = this;
    return typeof names === "number" ? Array.from({ length: names }, (_, i) => String(i)) : names;
  }

  member(name: string): Promise<FileNode | undefined> {
    return this.#made.get(name, () => this.make(name));
  }
}

export interface Level {
  readonly page: Page;
  readonly layout: PageLayout;
}

export const readLevel = async (page: Page): Promise<Level> => ({ page, layout: await readLayout(page) });

/** Maximum number of levels of resolution. */
const maxLevels = 64;
/** Maximum number of levels and masks of an image. */
const maxOthers = 2 * maxLevels;

/** Whether a page shows the same image in a lower resolution than another one. */
export const isReduced = ({ layout }: Level, { layout: base }: Level): boolean =>
  layout.width <= base.width &&
  layout.height <= base.height &&
  layout.width + layout.height < base.width + base.height &&
  layout.samples === base.samples &&
  layout.dataType === base.dataType;

/** Returns the indexes of pages that are images: pages of reduced resolution and masks belong to the one before. */
export function* imagesOf(pages: readonly PageEntry[]): Steps<number[]> {
  const images: number[] = [];
  let others = 0;
  for (const [i, { subfile }] of pages.entries()) {
    if (i % 4096 === 4095) yield;
    if (i > 0 && subfile & 5 && others < maxOthers) others++;
    else {
      images.push(i);
      others = 0;
    }
  }
  return images;
}

/** Returns the pages of the tag SubIFDs. */
export async function subPages(file: TiffFile, page: Page): Promise<Page[]> {
  const offsets = page.count(tags.subIfds) > maxLevels ? [] : await page.numbers(tags.subIfds);
  return Promise.all(offsets.filter((offset) => offset > 0).map((offset) => file.page(offset)));
}

/** Returns the node of an image: an array, or a group if it has levels, masks or other pages. */
export async function imageNode(
  context: FileContext,
  file: TiffFile,
  [first, ...following]: readonly PageEntry[],
): Promise<FileNode> {
  const masks = following.filter(({ subfile }) => subfile & 4);
  const reduced = following.filter(({ subfile }) => !(subfile & 4));
  const main = await readLevel(await file.page(first!.offset));
  const others = await Promise.all(reduced.map(({ offset }) => file.page(offset)));
  const { levels, rest } = await splitLevels(context, main, [
    ...others,
    ...(await subPages(file, main.page)),
  ]);
  const geo = await readGeoreferencing(main.page);
  if (levels.length + rest.length + masks.length === 1) {
    const samples = geo
      ? ({ samples: "first", sampleName: "band" } as const)
      : ({ samples: "last" } as const);
    return pageArray(context, main, samples, geo);
  }
  const nodes = new Map<string, FileNode>(await levelNodes(context, levels, geo));
  if (masks.length > 0) nodes.set("mask", await masksNode(context, file, masks, geo));
  for (const [i, node] of rest.entries()) nodes.set(`sub${i}`, node);
  return groupOf(levelAttributes(levels, geo), nodes);
}

/** A page that cannot be read as an array: opening it fails, its neighbours can be opened. */
const refusedNode = (error: unknown): FileNode => ({
  kind: "array",
  describe: () => Promise.reject(error),
  chunk: () => undefined,
});

/** Handles the error of a page that cannot be read: returns its node. @throws other errors. */
export function refusedLevel(error: unknown): FileNode {
  if (!isZarrError(error, "Unsupported", "InvalidMetadata")) throw error;
  return refusedNode(error);
}

/** Separates levels of an image, finest first, from pages that show something else or cannot be read. */
async function splitLevels(context: FileContext, main: Level, pages: readonly Page[]) {
  const levels = [main];
  const rest: FileNode[] = [];
  for (const page of pages) {
    const level = await readLevel(page).catch(refusedLevel);
    if (!("layout" in level)) rest.push(level);
    else if (isReduced(level, main)) levels.push(level);
    else rest.push(await pageArray(context, level, { samples: "last" }, undefined));
  }
  levels.sort((a, b) => b.layout.width * b.layout.height - a.layout.width * a.layout.height);
  return { levels, rest };
}

async function masksNode(
  context: FileContext,
  file: TiffFile,
  masks: readonly PageEntry[],
  geo: Georeferencing | undefined,
): Promise<FileNode> {
  try {
    const pages = await Promise.all(masks.map(async ({ offset }) => readLevel(await file.page(offset))));
    if (pages.length === 1) return await pageArray(context, pages[0]!, { samples: "first" }, geo);
    return groupOf(levelAttributes(pages, geo), await levelNodes(context, pages, geo));
  } catch (error) {
    return refusedLevel(error);
  }
}

/** Returns arrays "0", "1", … of levels, finest first. */
export async function levelNodes(
  context: FileContext,
  levels: readonly Level[],
  geo: Georeferencing | undefined,
): Promise<Map<string, FileNode>> {
  const nodes = new Map<string, FileNode>();
  const [base] = levels as [Level];
  for (const [i, level] of levels.entries()) {
    const factors = [
      base.layout.width / level.layout.width,
      base.layout.height / level.layout.height,
    ] as const;
    const place = { samples: "first", sampleName: geo ? "band" : "c" } as const;
    nodes.set(String(i), await pageArray(context, level, place, geo && scaledTo(geo, factors), base.page));
  }
  return nodes;
}

/** Returns the array of one page. @param source page whose nodata value counts. */
export async function pageArray(
  context: FileContext,
  { page, layout }: Level,
  place: Pick<StackOptions, "samples" | "sampleName">,
  geo: Georeferencing | undefined,
  source = page,
): Promise<PageArray> {
  const fill = await fillValue(source, layout);
  const entries: Entries = [
    ...(geo ? spatialAttributes(geo, [layout.height, layout.width]) : []),
    ...fill.attributes,
    ...(await gdalAttributes(source, layout.samples, context.limits)),
    ...(await pageAttributes(page, layout)),
  ];
  return new PageArray({
    context,
    page,
    layout,
    attributes: attributesOf(entries),
    fillValue: fill.fill,
    ...place,
  });
}

/** Attributes of a group of levels: layouts of zarr-conventions for maps, OME-Zarr for other images. */
function levelAttributes(levels: readonly Level[], geo: Georeferencing | undefined): JsonObject {
  const [{ layout: base }] = levels as [Level];
  if (geo?.transform) {
    const layout = levels.map(({ layout: { width, height } }, i) =>
      jsonObject([
        ["asset", String(i)],
        ...(i > 0 ? ([["derived_from", String(i - 1)]] as const) : []),
        ...spatialAttributes({ ...scaledTo(geo, [base.width / width, base.height / height]), extras: {} }, [
          height,
          width,
        ]).filter(([name]) => name !== "spatial:dimensions"),
      ]),
    );
    const spatial = spatialAttributes(geo, [base.height, base.width]);
    return attributesOf([...spatial, ["multiscales", jsonObject([["layout", layout]])]]);
  }
  const axes = base.samples > 1 ? [channelAxis, ...pixelAxes()] : pixelAxes();
  const sizes = levels.map(({ layout: { width, height } }) => [height, width] as const);
  return attributesOf([["ome", imageAttribute({ axes, sizes })], ...(geo ? Object.entries(geo.extras) : [])]);
}

/** An axis of OME-Zarr, with its units per element; default 1. */
export type ScaledAxis = OmeAxis & { readonly scale?: number | undefined };

export const channelAxis: OmeAxis = { name: "c", type: "channel" };

export const pixelAxes = (scale?: number, unit?: string): ScaledAxis[] =>
  ["y", "x"].map((name) => ({ name, type: "space", scale, unit }));

// biome-ignore format: a table
const units: ReadonlyMap<string, string> = new Map(Object.entries({
  pm: "picometer", nm: "nanometer", µm: "micrometer", μm: "micrometer", um: "micrometer", micron: "micrometer",
  microns: "micrometer", mm: "millimeter", cm: "centimeter", m: "meter", Å: "angstrom", inch: "inch", ns: "nanosecond",
  µs: "microsecond", ms: "millisecond", s: "second", min: "minute", h: "hour",
}));

/** Returns the name of a unit in OME-Zarr; undefined for unknown ones. */
export const unitName = (symbol: string): string | undefined => units.get(symbol);

interface Image {
  readonly name?: string | undefined;
  /** Axes; rows and columns come last. */
  readonly axes: readonly ScaledAxis[];
  /** Rows and columns of the levels "0", "1", …, finest first. */
  readonly sizes: readonly (readonly [rows: number, columns: number])[];
  readonly omero?: Json | undefined;
}

/** Returns the attribute `ome` of an image. */
export function imageAttribute({ name, axes, sizes, omero }: Image): JsonObject {
  const [[rows, columns]] = sizes as [readonly [number, number]];
  const levels = sizes.map(([height, width], i) => {
    const factors = [...axes.slice(2).map(() => 1), rows / height, columns / width];
    return { path: String(i), scale: axes.map(({ scale = 1 }, axis) => scale * factors[axis]!) };
  });
  return omeAttribute({ name, axes, levels, omero });
}
