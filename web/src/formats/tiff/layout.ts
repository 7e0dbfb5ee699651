/** How the pixels of a page are stored: data type, strips or tiles, codecs. Anything else is refused by name. */

import { encodeBase64 } from "../../util/bytes.js";
import type { Json } from "../../util/json.js";
import { badFile, unsupportedFile } from "../file/cursor.js";
import { named } from "../file/documents.js";
import type { Page } from "./ifd.js";
import { refusedCompressions, tags } from "./tags.js";

/** Conversion of chunks that no codec of Zarr describes; the decoded values become the stored chunk. */
interface Conversion {
  readonly kind: "bits" | "float24" | "complex" | "as-stored";
  readonly isSigned: boolean;
}

export interface PageLayout {
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  /** Whether samples are apart: a plane each. */
  readonly isPlanar: boolean;
  readonly isTiled: boolean;
  /** Size of a tile; of a strip, whose last one may be shorter. */
  readonly chunkWidth: number;
  readonly chunkHeight: number;
  /** Bits of a sample in the file. */
  readonly bits: number;
  readonly dataType: string;
  readonly itemBytes: number;
  readonly isLittle: boolean;
  readonly compression: number;
  readonly predictor: 1 | 2 | 3;
  /** Codec of the compression; undefined for none. */
  readonly compressor: Json | undefined;
  /** Whether bits of bytes are in reverse order. */
  readonly isReversed: boolean;
  readonly conversion: Conversion | undefined;
  readonly photometric: number;
}

/** Compressions whose predictor libtiff and tifffile apply alike. */
const withPredictor: readonly number[] = [5, 8, 32946, 34925, 50000];

/** Reads the layout of a page. @throws InvalidMetadata ("bad-file"); Unsupported for pages without an exact form in Zarr. */
export async function readLayout(page: Page): Promise<PageLayout> {
  const number = (tag: number, fallback?: number) => page.number(tag, fallback);
  const [width, height] = [await number(tags.imageWidth), await number(tags.imageLength)];
  if (width < 1 || height < 1) throw badFile(`the page at ${page.offset} has ${width} × ${height} pixels`);
  for (const tag of [tags.imageDepth, tags.tileDepth])
    if ((await number(tag, 1)) > 1)
      throw unsupportedFile("volumes in one page (ImageDepth) are not supported");
  const samples = await number(tags.samplesPerPixel, 1);
  if (samples < 1) throw badFile(`the page at ${page.offset} has ${samples} samples per pixel`);
  const compression = await number(tags.compression, 1);
  if (refusedCompressions.has(compression)) throw refusal(compression);
  const bits = await oneValue(page, tags.bitsPerSample, "BitsPerSample", 1);
  const format = await oneValue(page, tags.sampleFormat, "SampleFormat", 1);
  const type = dataType(bits, format);
  const photometric = await number(tags.photometric, 1);
  const isReversed = (await number(tags.fillOrder, 1)) === 2;
  const isPlanar = samples > 1 && (await number(tags.planarConfiguration, 1)) === 2;
  await checkSubsampling(page, photometric, isImage(compression) && !isPlanar);
  const layout = {
    width,
    height,
    samples,
    isPlanar,
    ...(await chunkSize(page, width, height)),
    bits,
    ...type,
    isLittle: page.file.isLittle,
    compression,
    // JPEG's YCbCr becomes RGB.
    photometric: jpeg.includes(compression) && photometric === 6 && !isPlanar ? 2 : photometric,
    isReversed,
    predictor: await readPredictor(page, compression, bits, format),
  };
  const isPlain = !type.conversion && !isReversed;
  if (!isPlain && layout.predictor > 1)
    throw unsupportedFile(`Predictor ${layout.predictor} of ${bits} bits`);
  const compressor = await compressorOf(page, { ...layout, photometric });
  const conversion =
    type.conversion ?? (isReversed ? ({ kind: "as-stored", isSigned: false } as const) : undefined);
  if (conversion && isImage(compression)) throw unsupportedFile(`compression ${compression} of ${bits} bits`);
  return { ...layout, compressor, conversion };
}

/** Returns a value that must be the same for all samples. */
async function oneValue(page: Page, tag: number, name: string, fallback: number): Promise<number> {
  const [first = fallback, ...others] = await page.numbers(tag);
  if (others.some((other) => other !== first))
    throw unsupportedFile(
      `samples of different types (${name} ${[first, ...others].slice(0, 8).join(", ")})`,
    );
  return first;
}

interface StoredType {
  readonly dataType: string;
  readonly itemBytes: number;
  readonly conversion: Conversion | undefined;
}

function dataType(bits: number, format: number): StoredType {
  const isWhole = bits === 8 || bits === 16 || bits === 32 || bits === 64;
  const isSigned = format === 2;
  if (format === 1 || format === 2 || format === 4) {
    if (bits === 1 && !isSigned) return converted("bool", 1, "bits", false);
    if (isWhole) return direct(`${isSigned ? "int" : "uint"}${bits}`, bits / 8);
    if (bits < 1 || bits > 32) throw unsupportedFile(`integers of ${bits} bits`);
    const itemBytes = bits < 8 ? 1 : bits < 16 ? 2 : 4;
    return converted(`${isSigned ? "int" : "uint"}${8 * itemBytes}`, itemBytes, "bits", isSigned);
  }
  if (format === 3) {
    if (bits === 24) return converted("float32", 4, "float24", true);
    if (isWhole && bits > 8) return direct(`float${bits}`, bits / 8);
  }
  if (format === 5 && (bits === 16 || bits === 32)) return converted("complex64", 8, "complex", true);
  if (format === 5 && bits === 64) return converted("complex128", 16, "complex", true);
  if (format === 6 && (bits === 64 || bits === 128)) return direct(`complex${bits}`, bits / 8);
  throw unsupportedFile(`samples of ${bits} bits with SampleFormat ${format}`);
}

const direct = (dataType: string, itemBytes: number): StoredType => converted(dataType, itemBytes);

function converted(
  dataType: string,
  itemBytes: number,
  kind?: Conversion["kind"],
  isSigned = false,
): StoredType {
  return { dataType, itemBytes, conversion: kind && { kind, isSigned } };
}

/** JPEG and JPEG 2000 store subsampled colors themselves; elsewhere blocks of pixels share them. */
async function checkSubsampling(page: Page, photometric: number, isContained: boolean): Promise<void> {
  if (photometric !== 6 || isContained) return;
  const [across = 2, down = 2] = await page.numbers(tags.ycbcrSubsampling);
  if (across !== 1 || down !== 1) throw unsupportedFile(`YCbCr with subsampled colors (${across} × ${down})`);
}

async function chunkSize(page: Page, width: number, height: number) {
  const isTiled = page.count(tags.tileWidth) > 0;
  const chunkWidth = isTiled ? await page.number(tags.tileWidth) : width;
  const rows = await page.number(isTiled ? tags.tileLength : tags.rowsPerStrip, isTiled ? undefined : height);
  const chunkHeight = isTiled ? rows : Math.min(rows, height);
  if (chunkWidth < 1 || chunkHeight < 1)
    throw badFile(`the page at ${page.offset} has strips or tiles of ${chunkWidth} × ${chunkHeight} pixels`);
  return { isTiled, chunkWidth, chunkHeight };
}

/** libtiff and tifffile agree about predictors with some compressions only. */
async function readPredictor(
  page: Page,
  compression: number,
  bits: number,
  format: number,
): Promise<1 | 2 | 3> {
  const predictor = await page.number(tags.predictor, 1);
  if (predictor === 1 || compression === 1 || isImage(compression)) return 1;
  if (predictor !== 2 && predictor !== 3) throw unsupportedFile(`Predictor ${predictor}`);
  if (!withPredictor.includes(compression))
    throw unsupportedFile(`Predictor ${predictor} with compression ${compression}`);
  const isWhole = bits === 8 || bits === 16 || bits === 32 || bits === 64;
  if (format > 4 || !isWhole || (predictor === 3 && (format !== 3 || bits < 16)))
    throw unsupportedFile(`Predictor ${predictor} of ${bits} bits with SampleFormat ${format}`);
  return predictor;
}

const jpeg: readonly number[] = [7, 34892];
const webp = 50001;
/** Compressions that are image formats, which know the type of their samples. */
const images: readonly number[] = [...jpeg, webp, 33003, 33005, 34712, 34887, 34933];

export const isImage = (compression: number): boolean => images.includes(compression);

type Uncompressed = Omit<PageLayout, "compressor" | "conversion">;

/** Codecs of compressions without parameters in the file. */
const plainCodecs: Readonly<Record<number, Json>> = {
  5: named("imagecodecs_lzw", {}),
  8: named("numcodecs.zlib", { level: 6 }),
  32773: named("imagecodecs_packbits", {}),
  32946: named("numcodecs.zlib", { level: 6 }),
  33003: named("imagecodecs_jpeg2k", {}),
  33005: named("imagecodecs_jpeg2k", {}),
  34712: named("imagecodecs_jpeg2k", {}),
  34887: named("imagecodecs_lerc", { masked: "nan" }),
  34925: named("imagecodecs_lzma", {}),
  34933: named("imagecodecs_png", {}),
  50000: named("zstd", { level: 0, checksum: false }),
};

async function compressorOf(page: Page, layout: Uncompressed): Promise<Json | undefined> {
  const { compression, bits, samples, isPlanar } = layout;
  if (compression === 1) return undefined;
  if (jpeg.includes(compression) && bits !== 8) throw unsupportedFile(`JPEG of ${bits} bits`);
  if (jpeg.includes(compression)) return jpegCodec(page, layout);
  if (compression === webp) return named("imagecodecs_webp", { hasalpha: !isPlanar && samples === 4 });
  const codec = plainCodecs[compression];
  if (codec) return codec;
  throw refusal(compression);
}

function refusal(compression: number): Error {
  const name = refusedCompressions.get(compression);
  return unsupportedFile(`compression ${compression}${name ? ` (${name})` : ""} is not supported`);
}

/** As libtiff: YCbCr becomes RGB, other colors stay. */
async function jpegCodec(page: Page, { photometric, samples, isPlanar }: Uncompressed): Promise<Json> {
  const tables =
    page.count(tags.jpegTables) > 0 ? encodeBase64(await page.bytes(tags.jpegTables, 2 ** 16)) : undefined;
  const spaces = isPlanar || samples === 1 ? gray : photometric === 6 ? ycbcr : samples === 4 ? cmyk : rgb;
  if (!isPlanar && samples !== 1 && samples !== 3 && samples !== 4)
    throw unsupportedFile(`JPEG of ${samples} samples`);
  return named("imagecodecs_jpeg", { tables, ...spaces });
}

const gray = { colorspace_jpeg: "GRAYSCALE", colorspace_data: "GRAYSCALE" };
const ycbcr = { colorspace_jpeg: "YCBCR", colorspace_data: "RGB" };
const rgb = { colorspace_jpeg: "RGB", colorspace_data: "RGB" };
const cmyk = { colorspace_jpeg: "CMYK", colorspace_data: "CMYK" };

/** Whether pages can be parts of one array: the document of the array fits both. */
export const isSameLayout = (a: PageLayout, b: PageLayout): boolean => sameKey(a) === sameKey(b);

const sameKey = ({ photometric: _, ...layout }: PageLayout): string => JSON.stringify(layout);
