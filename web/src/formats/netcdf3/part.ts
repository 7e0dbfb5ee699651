/** Lazy part: NetCDF-3 files. Variables are arrays of one group; chunks are ranges of the file. */

import { countOf } from "../../util/shapes.js";
import { badFile, unsupportedFile } from "../file/cursor.js";
import type { FileArray, FileContext, FileFormat, FileGroup } from "../file/model.js";
import { type Header, readHeader, type Variable } from "./header.js";
import { attributesOf } from "./values.js";
import { type Records, variableArray } from "./variable.js";

export const format: FileFormat = {
  async open(context, signal): Promise<FileGroup> {
    const header = await readHeader(context, signal);
    const records = recordsOf(context, header);
    const variables = new Map<string, Variable>();
    // As in the NetCDF library, the first of a name counts.
    for (const variable of header.variables)
      if (!variables.has(variable.name)) variables.set(variable.name, variable);
    const arrays = new Map<string, FileArray>();
    return {
      kind: "group",
      attributes: () => attributesOf(header.attributes),
      members: () => [...variables.keys()],
      member(name) {
        const variable = variables.get(name);
        if (!variable) return undefined;
        const array = arrays.get(name) ?? variableArray(context, variable, records);
        arrays.set(name, array);
        return array;
      },
    };
  },
};

/** Returns the number of records, and the distance between them. */
function recordsOf({ name, blocks }: FileContext, { records, variables }: Header): Records {
  const inRecords = variables.filter(({ dimensions }) => dimensions[0]?.length === 0);
  const sizes = inRecords.map(
    ({ dimensions, type }) => countOf(dimensions.slice(1).map(({ length }) => length)) * type.bytes,
  );
  // Each variable is filled up to a multiple of four bytes, unless it is the only one.
  const stride =
    sizes.length === 1 ? sizes[0]! : sizes.reduce((sum, size) => sum + 4 * Math.ceil(size / 4), 0);
  if (!Number.isSafeInteger(stride)) throw badFile(`the records of ${name} are too large`);
  if (records !== undefined) return { count: records, stride };
  const { fileSize } = blocks;
  if (fileSize === undefined)
    throw unsupportedFile(
      `${name} does not state its number of records, and the source does not tell the size of the file`,
    );
  const start = Math.min(...inRecords.map(({ offset }) => offset));
  return { count: stride > 0 ? Math.max(0, Math.floor((fileSize - start) / stride)) : 0, stride };
}
