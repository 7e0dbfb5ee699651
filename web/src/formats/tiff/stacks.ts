/** Stacks of pages by conventions in the description of the first page: ImageJ, and tifffile's shapes. */

import type { MaybePromise } from "../../store/store.js";
import { badFile } from "../file/cursor.js";
import { groupOf } from "../file/group.js";
import type { FileContext, FileNode } from "../file/model.js";
import { type OuterAxis, PageArray, type Plane } from "./array.js";
import { attributesOf, type Entries, fillValue, pageAttributes } from "./attributes.js";
import { rowBytes } from "./bits.js";
import type { Page, TiffFile } from "./ifd.js";
import type { PageLayout } from "./layout.js";
import {
  imageAttribute,
  isReduced,
  type Level,
  NodeGroup,
  pixelAxes,
  readLevel,
  type ScaledAxis,
  subPages,
  unitName,
} from "./nodes.js";
import { tags } from "./tags.js";

/** Planes of one shape and type. */
interface Stack {
  readonly main: Level;
  readonly outer: readonly OuterAxis[];
  /** Returns a plane; undefined for a missing one. */
  plane(at: readonly number[]): MaybePromise<Plane | undefined>;
  /** The outer axis that the samples of planes belong to; undefined if they have a separate axis. */
  readonly channelAxis?: number | undefined;
  readonly attributes: Entries;
  /** Sizes of elements; undefined if they are unknown. */
  readonly scales?: Scales | undefined;
}

/** Sizes of elements along axes by name. */
type Scales = Readonly<Record<string, Pick<ScaledAxis, "scale" | "unit">>>;

/** Returns the arrays of a stack: "0", and further levels if pages have SubIFDs of lower resolution. */
export async function stackLevels(
  context: FileContext,
  stack: Stack,
): Promise<{ arrays: PageArray[]; layouts: PageLayout[] }> {
  const { main, outer, channelAxis, scales } = stack;
  const reduced: { level: Level; index: number }[] = [];
  for (const [index, page] of (await subPages(main.page.file, main.page)).entries()) {
    const level = await readLevel(page);
    if (isReduced(level, main)) reduced.push({ level, index });
  }
  const array = async ({ page, layout }: Level, plane: Stack["plane"]) => {
    const fill = await fillValue(main.page, layout);
    return new PageArray({
      context,
      page,
      layout,
      outer,
      plane,
      attributes: attributesOf([...stack.attributes, ...fill.attributes]),
      fillValue: fill.fill,
      samples: channelAxis ?? (reduced.length > 0 || scales ? "first" : "last"),
    });
  };
  const arrays = [await array(main, (at) => stack.plane(at))];
  for (const { level, index } of reduced) {
    const plane = async (at: readonly number[]) => {
      const found = await stack.plane(at);
      const page = found && (await subPages(found.page.file, found.page))[index];
      return page && { page };
    };
    arrays.push(await array(level, plane));
  }
  return { arrays, layouts: [main.layout, ...reduced.map(({ level }) => level.layout)] };
}

/** Returns a stack as an array, or as an image with levels or sizes of elements. */
async function stackNode(context: FileContext, stack: Stack): Promise<FileNode> {
  const { arrays, layouts } = await stackLevels(context, stack);
  const { scales } = stack;
  if (arrays.length === 1 && !scales) return arrays[0]!;
  const outer = stack.outer.map(({ name }, i) => ({
    name: name ?? `d${i}`,
    type: name === "t" ? ("time" as const) : name === "c" ? ("channel" as const) : ("space" as const),
  }));
  const samples = stack.main.layout.samples > 1 ? [{ name: "s", type: "channel" as const }] : [];
  const sizes = layouts.map(({ width, height }) => [height, width] as const);
  const axes = [...outer, ...samples, ...pixelAxes()].map((axis) => ({ ...axis, ...scales?.[axis.name] }));
  const ome = imageAttribute({ axes, sizes });
  return groupOf(attributesOf([["ome", ome]]), new Map(arrays.map((array, i) => [String(i), array])));
}

/** Bytes of an uncompressed page whose strips follow one another. */
const planeBytes = (layout: PageLayout): number =>
  layout.height *
  (layout.isPlanar ? layout.samples : 1) *
  rowBytes(layout, layout.width * (layout.isPlanar ? 1 : layout.samples));

/** Returns the planes of pages from an index on, or of the data of a single page that all planes follow. */
async function planesOf(
  file: TiffFile,
  { page, layout }: Level,
  start: number,
  lengths: readonly number[],
): Promise<Stack["plane"] | undefined> {
  const index = (at: readonly number[]) => at.reduce((sum, position, i) => sum * lengths[i]! + position, 0);
  const isSingle = start === 0 && lengths.length > 0 && !(await file.chain.at(1));
  if (isSingle && (layout.compression !== 1 || layout.isTiled)) return undefined;
  if (isSingle) return (at) => ({ page, shift: index(at) * planeBytes(layout) });
  return async (at) => {
    const entry = await file.chain.at(start + index(at));
    if (!entry) throw badFile(`${file.name} has fewer pages than its description says`);
    return { page: await file.page(entry.offset) };
  };
}

/** Maximum length of a description that a convention is looked for in. */
const maxDescription = 2 ** 20;

export async function descriptionOf(page: Page, maxBytes = maxDescription): Promise<string> {
  return page.count(tags.imageDescription) > maxBytes
    ? ""
    : ((await page.text(tags.imageDescription, maxBytes)) ?? "");
}

/** Returns the node of an ImageJ hyperstack; undefined for other files. Spec: ImageJ's TiffDecoder. */
export async function imagejNode(context: FileContext, file: TiffFile): Promise<FileNode | undefined> {
  const page = await file.page(file.first);
  const description = await descriptionOf(page);
  if (!description.startsWith("ImageJ=")) return undefined;
  const words = new Map(
    description
      .split(/\r?\n/)
      .map((line) => line.split("=") as [string, string | undefined])
      .filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  const number = (name: string) => {
    const value = Number(words.get(name) ?? 1);
    return Number.isSafeInteger(value) && value > 0 ? value : 1;
  };
  const main = await readLevel(page);
  const own: OuterAxis[] = (
    [
      ["t", "frames"],
      ["z", "slices"],
      ["c", "channels"],
    ] as const
  )
    .map(([name, word]) => ({ name, length: number(word) }))
    .filter(({ length }) => length > 1);
  const stated = own.reduce((product, { length }) => product * length, 1);
  const count = number("images");
  if (count === 1 && (await file.chain.at(1))) return undefined;
  const outer = stated === count ? own : count > 1 ? [{ name: "i", length: count }] : [];
  const plane = await planesOf(file, main, 0, lengthsOf(outer));
  if (!plane) return undefined;
  const attributes: Entries = [
    ["ImageJ", Object.fromEntries(words)],
    ...(await pageAttributes(page, main.layout)).filter(([name]) => name !== "ImageDescription"),
  ];
  return stackNode(context, { main, outer, plane, attributes, scales: await imagejScales(page, words) });
}

/** Returns the sizes of pixels, slices and frames; undefined without a unit of length. */
async function imagejScales(page: Page, words: ReadonlyMap<string, string>): Promise<Scales | undefined> {
  const unit = unitName((words.get("unit") ?? "").trim().replace("\\u00B5", "µ"));
  if (unit === undefined) return undefined;
  const positive = (value: number) => (value > 0 && Number.isFinite(value) ? value : undefined);
  const pixel = async (tag: number) => {
    const [[pixels, units] = [0, 1]] = await page.rationals(tag);
    return { unit, scale: positive(units / pixels) };
  };
  const interval = positive(Number(words.get("finterval")));
  return {
    y: await pixel(tags.yResolution),
    x: await pixel(tags.xResolution),
    z: { unit, scale: positive(Math.abs(Number(words.get("spacing")))) },
    ...(interval === undefined ? {} : { t: { unit: "second", scale: interval } }),
  };
}

const lengthsOf = (axes: readonly OuterAxis[]) => axes.map(({ length }) => length);

/** A series as tifffile describes it. */
interface Shaped {
  readonly shape: readonly number[];
  readonly names: readonly (string | null)[];
}

function shapedOf(description: string): Shaped | undefined {
  if (!/^\{[\s\S]*"shape":/.test(description)) return undefined;
  let stated: { shape?: unknown; axes?: unknown };
  try {
    stated = JSON.parse(description);
  } catch {
    return undefined;
  }
  const { shape, axes } = stated;
  const isShape = Array.isArray(shape) && shape.every((length) => Number.isSafeInteger(length) && length > 0);
  if (!isShape || shape.length > 32) return undefined;
  const isNamed = typeof axes === "string" && axes.length === shape.length;
  const names = isNamed ? [...axes.toLowerCase()] : shape.map(() => null);
  return { shape, names: new Set(names).size === names.length ? names : shape.map(() => null) };
}

/** Returns the dimensions across pages; undefined if the pages do not have the rest of the shape. */
function outerOf({ shape, names }: Shaped, { layout }: Level): OuterAxis[] | undefined {
  const { width, height, samples, isPlanar } = layout;
  const page = isPlanar ? [samples, height, width] : samples > 1 ? [height, width, samples] : [height, width];
  const own = page.filter((length) => length > 1).join();
  for (let at = shape.length; at >= 0; at--) {
    const rest = shape.slice(at).filter((length) => length > 1);
    if (rest.join() !== own || shape.length - at < page.length) continue;
    const outer = shape.slice(0, at).map((length, i) => ({ name: names[i]!, length }));
    return outer.filter(({ length, name }) => length > 1 && (name === null || !"yxs".includes(name)));
  }
  return undefined;
}

/** Maximum number of series, which are kept; pages of files with more are images. */
const maxSeries = 2 ** 10;

/** Returns the series of a file by tifffile; undefined if it is not one. */
export async function shapedNode(context: FileContext, file: TiffFile): Promise<FileNode | undefined> {
  const stacks: Stack[] = [];
  if (!shapedOf(await descriptionOf(await file.page(file.first)))) return undefined;
  const pages = await file.chain.all(undefined);
  for (let at = 0; at < pages.length; ) {
    if (stacks.length >= maxSeries) return undefined;
    const page = await file.page(pages[at]!.offset);
    const shaped = shapedOf(await descriptionOf(page));
    if (!shaped) return undefined;
    const main = await readLevel(page);
    const outer = outerOf(shaped, main);
    const count = outer?.reduce((product, { length }) => product * length, 1) ?? 0;
    const isSingle = pages.length === 1;
    if (!outer || !(isSingle || at + count <= pages.length)) return undefined;
    const plane = await planesOf(file, main, at, lengthsOf(outer));
    if (!plane) return undefined;
    stacks.push({ main, outer, plane, attributes: await pageAttributes(page, main.layout) });
    at += isSingle ? 1 : count;
  }
  if (stacks.length === 1) return stackNode(context, stacks[0]!);
  const names = stacks.map((_, i) => String(i));
  return new NodeGroup(attributesOf([]), names, async (name) => {
    const stack = stacks[names.indexOf(name)];
    return stack && stackNode(context, stack);
  });
}
