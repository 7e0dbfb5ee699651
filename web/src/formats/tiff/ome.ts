/** OME-TIFF as OME-Zarr images. Spec: https://docs.openmicroscopy.org/ome-model, "OME-TIFF". */

import { toJson } from "../../metadata/print.js";
import { limitExceeded, notFound } from "../../util/errors.js";
import type { Json, PlainJson } from "../../util/json.js";
import { blocksOf } from "../file/blocks.js";
import { badFile, textOf, unsupportedFile } from "../file/cursor.js";
import { groupOf } from "../file/group.js";
import type { FileContext, FileNode } from "../file/model.js";
import type { OuterAxis, Plane } from "./array.js";
import { attributesOf } from "./attributes.js";
import { TiffFile } from "./ifd.js";
import { imageAttribute, NodeGroup, readLevel, type ScaledAxis, unitName } from "./nodes.js";
import { descriptionOf, stackLevels } from "./stacks.js";
import { childrenOf, parseXml, type XmlElement } from "./xml.js";

/** Elements that are large and not used. */
const unused = ["Plane", "BinData", "StructuredAnnotations", "ROI", "Plate", "Screen", "Instrument"];
/** Maximum number of planes of an image. */
const maxPlanes = 2 ** 22;

/** Planes that a TiffData element places. */
interface PlaneRun {
  /** Undefined for the file that was opened. */
  readonly fileName: string | undefined;
  readonly page: number;
  /** Index of the first plane in the order of dimensions. */
  readonly first: number;
  readonly count: number;
}

/** Returns the node of an OME-TIFF; undefined for other files. */
export async function omeNode(context: FileContext, file: TiffFile): Promise<FileNode | undefined> {
  const text = await descriptionOf(await file.page(file.first), context.limits.metadataBytes);
  if (!/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,4096}?-->\s*)?<(?:\w+:)?OME\b/.test(text)) return undefined;
  const own = await parseXml(text, `the OME-XML of ${context.name}`, unused);
  const root = await metadataOf(context, own);
  const files = new FileSet(context, file, own.attributes.get("UUID"));
  const images = childrenOf(root, "Image");
  if (images.length === 0) throw badFile(`the OME-XML of ${context.name} has no image`);
  if (images.length === 1) return imageNode(context, images[0]!, files);
  const names = images.map((_, i) => String(i));
  const series = attributesOf([["ome", { version: "0.5", series: names }]]);
  const layout = toJson({ version: "0.5", "bioformats2raw.layout": 3 }, "ome");
  return new NodeGroup(attributesOf([["ome", layout]]), [...names, "OME"], async (name) => {
    if (name === "OME") return groupOf(series, new Map());
    const image = images[names.indexOf(name)];
    return image && imageNode(context, image, files);
  });
}

/** Returns the metadata, which may be in a file beside this one. */
async function metadataOf(context: FileContext, own: XmlElement): Promise<XmlElement> {
  const name = childrenOf(own, "BinaryOnly")[0]?.attributes.get("MetadataFile");
  if (name === undefined) return own;
  const maxBytes = context.limits.metadataBytes;
  const bytes = await context.sibling(name)?.read(undefined, { maxBytes });
  if (!bytes) throw notFound(`${context.name} needs its metadata file "${name}", which cannot be found`);
  const text = textOf(bytes);
  if (!/\.tiff?$|\.btf$/i.test(name)) return parseXml(text, name, unused);
  throw unsupportedFile(`metadata in another TIFF file ("${name}")`);
}

/** The files of a set, opened when a plane of them is read. */
class FileSet {
  readonly #opened = new Map<string, Promise<TiffFile>>();

  constructor(
    private readonly context: FileContext,
    private readonly own: TiffFile,
    private readonly uuid: string | undefined,
  ) {}

  /** Returns the name of a file that a UUID element refers to; undefined for the file that was opened. */
  nameOf(reference: XmlElement | undefined): string | undefined {
    const name = reference?.attributes.get("FileName");
    const isOwn = this.context.name.split(/[/\\]/).at(-1) === name || reference?.text.trim() === this.uuid;
    return isOwn ? undefined : name;
  }

  open(name: string | undefined): Promise<TiffFile> | TiffFile {
    if (name === undefined) return this.own;
    const known = this.#opened.get(name);
    if (known) return known;
    const opened = this.#open(name);
    this.#opened.set(name, opened);
    opened.catch(() => this.#opened.delete(name));
    return opened;
  }

  async #open(name: string): Promise<TiffFile> {
    const reader = this.context.sibling(name);
    if (!reader) throw notFound(`${this.context.name} needs "${name}", which cannot be found`);
    const { limits, onWarning } = this.context;
    return TiffFile.open(blocksOf(reader, limits.indexBytes), name, onWarning, undefined);
  }
}

/** The sizes of an image, and the order in which its planes are numbered. */
interface Dimensions {
  readonly sizes: Readonly<Record<"T" | "C" | "Z", number>>;
  /** The fastest dimension first. */
  readonly order: readonly ("T" | "C" | "Z")[];
}

function dimensionsOf(pixels: XmlElement, samples: number): Dimensions {
  const size = (letter: string) => {
    const value = Number(pixels.attributes.get(`Size${letter}`) ?? 1);
    if (!(Number.isSafeInteger(value) && value > 0)) throw badFile(`Size${letter} of OME-XML is ${value}`);
    return value;
  };
  const order = (pixels.attributes.get("DimensionOrder") ?? "XYCZT").slice(2).split("");
  if ([...order].sort().join("") !== "CTZ") throw badFile(`DimensionOrder of OME-XML is XY${order.join("")}`);
  const channels = size("C");
  if (channels % samples !== 0)
    throw unsupportedFile(`OME-TIFF of ${channels} channels in pages of ${samples} samples`);
  const sizes = { T: size("T"), C: channels / samples, Z: size("Z") };
  if (sizes.T * sizes.C * sizes.Z > maxPlanes)
    throw limitExceeded(
      `an OME-TIFF image of ${sizes.T * sizes.C * sizes.Z} planes; ${maxPlanes} is the limit`,
    );
  return { sizes, order: order as Dimensions["order"] };
}

const planeIndex = ({ sizes, order }: Dimensions, at: Readonly<Record<"T" | "C" | "Z", number>>): number =>
  order.reduceRight((index, letter) => index * sizes[letter] + at[letter], 0);

/** Parses the TiffData elements; without any, pages are planes in order. */
function planeRuns(pixels: XmlElement, dimensions: Dimensions, files: FileSet): PlaneRun[] {
  const { sizes } = dimensions;
  const total = sizes.T * sizes.C * sizes.Z;
  const elements = childrenOf(pixels, "TiffData");
  if (elements.length === 0) return [{ fileName: undefined, page: 0, first: 0, count: total }];
  return elements.map((element) => {
    const number = (name: string) => {
      const text = element.attributes.get(name);
      return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
    };
    const at = { T: number("FirstT") ?? 0, C: number("FirstC") ?? 0, Z: number("FirstZ") ?? 0 };
    const page = number("IFD");
    const count = number("PlaneCount") ?? (page === undefined ? total : 1);
    const fileName = files.nameOf(childrenOf(element, "UUID")[0]);
    return { fileName, page: page ?? 0, first: planeIndex(dimensions, at), count };
  });
}

/** Returns the last run that places a plane. Memory is proportional to the document, not to the number of planes. */
function runFinder(runs: readonly PlaneRun[]): (plane: number) => PlaneRun | undefined {
  const single = new Map<number, number>();
  const long: number[] = [];
  for (const [i, { first, count }] of runs.entries()) {
    if (count === 1) single.set(first, i);
    else long.push(i);
  }
  const holds = (i: number, plane: number) =>
    plane >= runs[i]!.first && plane < runs[i]!.first + runs[i]!.count;
  return (plane) => {
    const own = single.get(plane) ?? -1;
    const other = long.findLast((i) => holds(i, plane)) ?? -1;
    return runs[Math.max(own, other)];
  };
}

async function imageNode(context: FileContext, image: XmlElement, files: FileSet): Promise<FileNode> {
  const [pixels] = childrenOf(image, "Pixels");
  if (!pixels) throw badFile(`an image of the OME-XML of ${context.name} has no pixels`);
  const found = planeRuns(pixels, dimensionsOf(pixels, 1), files);
  const firstRun = found.find(({ fileName }) => fileName === undefined) ?? found[0];
  const first = await files.open(firstRun?.fileName);
  const firstPage = await first.chain.at(firstRun?.page ?? 0);
  const main = await readLevel(await first.page(firstPage?.offset ?? first.first));
  const { samples } = main.layout;
  const dimensions = dimensionsOf(pixels, samples);
  const runs = planeRuns(pixels, dimensions, files);
  const { sizes } = dimensions;
  const runAt = runFinder(runs);
  const letters = (["T", "C", "Z"] as const).filter((letter) => letter === "C" || sizes[letter] > 1);
  const outer: OuterAxis[] = letters.map((letter) => ({ name: letter.toLowerCase(), length: sizes[letter] }));
  const plane = async (at: readonly number[]): Promise<Plane | undefined> => {
    const position = { T: 0, C: 0, Z: 0 };
    for (const [i, letter] of letters.entries()) position[letter] = at[i]!;
    const index = planeIndex(dimensions, position);
    const run = runAt(index);
    if (!run) return undefined;
    const file = await files.open(run.fileName);
    const entry = await file.chain.at(run.page + index - run.first);
    return entry && { page: await file.page(entry.offset) };
  };
  const stack = { main, outer, plane, channelAxis: letters.indexOf("C"), attributes: [] };
  const { arrays, layouts } = await stackLevels(context, stack);
  const ome = imageAttribute({
    name: image.attributes.get("Name"),
    axes: axesOf(pixels, letters),
    sizes: layouts.map(({ width, height }) => [height, width] as const),
    omero: omeroOf(pixels, sizes.C, samples),
  });
  return groupOf(attributesOf([["ome", ome]]), new Map(arrays.map((array, i) => [String(i), array])));
}

/** Returns the axes, with the sizes of elements if known. */
function axesOf({ attributes }: XmlElement, letters: readonly string[]): ScaledAxis[] {
  const measured = (name: string, type: ScaledAxis["type"], size: string, fallback: string): ScaledAxis => {
    const value = Number(attributes.get(size));
    if (!(value > 0 && Number.isFinite(value))) return { name, type };
    const unit = attributes.get(`${size}Unit`) ?? fallback;
    return { name, type, scale: value, unit: unitName(unit) };
  };
  const outer = letters.map((letter): ScaledAxis => {
    if (letter === "C") return { name: "c", type: "channel" };
    if (letter === "T") return measured("t", "time", "TimeIncrement", "s");
    return measured("z", "space", "PhysicalSizeZ", "µm");
  });
  return [
    ...outer,
    measured("y", "space", "PhysicalSizeY", "µm"),
    measured("x", "space", "PhysicalSizeX", "µm"),
  ];
}

const rgb = ["FF0000", "00FF00", "0000FF"];

/** Returns names and colors of channels. @param channels number of channels; each has as many samples. */
function omeroOf(pixels: XmlElement, channels: number, samples: number): Json | undefined {
  const elements = childrenOf(pixels, "Channel");
  if (elements.length === 0) return undefined;
  const listed: PlainJson[] = [];
  for (let channel = 0; channel < Math.min(channels, 1024); channel++) {
    const element = elements[channel];
    const label = element?.attributes.get("Name") ?? `channel ${channel}`;
    for (let sample = 0; sample < Math.min(samples, 1024); sample++) {
      const color = samples > 1 ? (rgb[sample] ?? "FFFFFF") : colorOf(element?.attributes.get("Color"));
      listed.push({ label: samples > 1 ? `${label}:${sample}` : label, color, active: true });
    }
  }
  return toJson({ channels: listed }, "omero");
}

/** Converts a signed integer of red, green, blue and alpha. */
function colorOf(text = "-1"): string {
  const value = Number(text);
  if (!Number.isInteger(value)) return "FFFFFF";
  return ((value >> 8) & 0xffffff).toString(16).padStart(6, "0").toUpperCase();
}
