/** Numbers of TIFF: tags, types of values, names of photometric interpretations. */

// biome-ignore format: a table
export const tags = {
  newSubfileType: 254, subfileType: 255, imageWidth: 256, imageLength: 257, bitsPerSample: 258, compression: 259,
  photometric: 262, fillOrder: 266, imageDescription: 270, stripOffsets: 273, samplesPerPixel: 277,
  rowsPerStrip: 278, stripByteCounts: 279, xResolution: 282, yResolution: 283, planarConfiguration: 284,
  resolutionUnit: 296, predictor: 317, colorMap: 320, tileWidth: 322, tileLength: 323, tileOffsets: 324,
  tileByteCounts: 325, subIfds: 330, extraSamples: 338, sampleFormat: 339, jpegTables: 347, ycbcrSubsampling: 530,
  imageDepth: 32997, tileDepth: 32998, modelPixelScale: 33550, modelTiepoint: 33922, modelTransformation: 34264,
  geoKeyDirectory: 34735, geoDoubles: 34736, geoTexts: 34737, gdalMetadata: 42112, gdalNodata: 42113,
} as const;

/** Tags with text that become attributes. */
// biome-ignore format: a table
export const textTags: readonly (readonly [tag: number, name: string])[] = [
  [269, "DocumentName"], [270, "ImageDescription"], [271, "Make"], [272, "Model"], [285, "PageName"], [305, "Software"],
  [306, "DateTime"], [315, "Artist"], [316, "HostComputer"], [33432, "Copyright"],
];

/** Tags that are read; others are not kept. */
export const readTags: ReadonlySet<number> = new Set([
  ...Object.values(tags),
  ...textTags.map(([tag]) => tag),
]);

/** Bytes of a value by its type; 0 for types that do not exist. */
export const typeBytes: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

// biome-ignore format: a table
export const photometricNames: ReadonlyMap<number, string> = new Map([
  [0, "MinIsWhite"], [1, "MinIsBlack"], [2, "RGB"], [3, "Palette"], [4, "TransparencyMask"], [5, "Separated"],
  [6, "YCbCr"], [8, "CIELab"], [9, "ICCLab"], [10, "ITULab"], [32803, "CFA"], [32844, "LogL"], [32845, "LogLuv"],
  [34892, "LinearRaw"],
]);

/** Compressions that are refused by name. */
// biome-ignore format: a table
export const refusedCompressions: ReadonlyMap<number, string> = new Map([
  [2, "CCITT RLE"], [3, "CCITT Group 3"], [4, "CCITT Group 4"], [6, "old-style JPEG"], [9, "JBIG"], [10, "JBIG"],
  [32766, "NeXT"], [32771, "CCITT RLE/W"], [32809, "ThunderScan"], [32908, "Pixar film"], [32909, "PixarLog"],
  [33004, "JPEG XR"], [34661, "JBIG"], [34676, "SGILog"], [34677, "SGILog24"], [34713, "Nikon NEF"],
  [34926, "Zstandard, old number"], [34927, "WebP, old number"], [50002, "JPEG XL"], [52546, "JPEG XL"], [65000, "EER"],
]);
