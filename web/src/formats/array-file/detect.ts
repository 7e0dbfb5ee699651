/** The parsers of array files, each a part of the library. */

import { fileFormats, type ReadableFormat } from "../../store/source/file-formats.js";
import { lazy, preload } from "../../util/lazy.js";
import type { FileFormat } from "../file/model.js";

type LoadPart = () => Promise<{ readonly format: FileFormat }>;

const parts: Readonly<Record<ReadableFormat, LoadPart>> = {
  fits: () => import("../fits/part.js"),
  grib2: () => import("../grib2/part.js"),
  gzip: () => import("../nifti/part.js"),
  hdf5: () => import("../hdf5/part.js"),
  netcdf3: () => import("../netcdf3/part.js"),
  nifti: () => import("../nifti/part.js"),
  tiff: () => import("../tiff/part.js"),
};

const loaders = new Map<string, LoadPart>(
  Object.entries(parts).map(([id, load]) => {
    const { name = id } = fileFormats.find((row) => row.id === id) ?? {};
    return [id, lazy(name, load)];
  }),
);

/** Loads the parser of a format; undefined if there is none. */
export const loadParser = async (id: string): Promise<FileFormat | undefined> =>
  (await loaders.get(id)?.())?.format;

/** Usual extensions of files of each format. */
const extensions: readonly (readonly [ReadableFormat, RegExp])[] = [
  ["hdf5", /\.(?:nc4?|he?5|h5ad|hdf5?|mat)(?:[?#]|$)/i],
  ["tiff", /\.(?:tiff?|tf[28]|btf|svs)(?:[?#]|$)/i],
  ["fits", /\.fi?ts?(?:[?#]|$)/i],
];

/** Starts loading the parser that the name of a file suggests, while its first bytes are read. */
export function preloadParser(name: string): void {
  const id = extensions.find(([, pattern]) => pattern.test(name))?.[0];
  const load = id && loaders.get(id);
  if (load) preload(load);
}
