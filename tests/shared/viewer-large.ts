/** Zarr hierarchies with extreme metadata: large, long or deep documents, by store key. */

export type Stored = ReadonlyMap<string, string | Uint8Array>;

const root = "zarr.json";

const list = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** A document of an array of Zarr v3 with one chunk. */
function arrayDocument(
  shape: readonly number[],
  { dtype = "uint8", chunkShape = shape, attributes = {}, names }: ArrayOptions = {},
): object {
  return {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: dtype,
    chunk_grid: { name: "regular", configuration: { chunk_shape: chunkShape } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    attributes,
    ...(names ? { dimension_names: names } : {}),
  };
}

interface ArrayOptions {
  readonly dtype?: unknown;
  readonly chunkShape?: readonly number[];
  readonly attributes?: object;
  readonly names?: readonly (string | null)[];
}

const groupDocument = (attributes: object, metadata?: Readonly<Record<string, object>>): object => ({
  zarr_format: 3,
  node_type: "group",
  attributes,
  ...(metadata ? { consolidated_metadata: { kind: "inline", must_understand: false, metadata } } : {}),
});

const stored = (document: object, more: Readonly<Record<string, object>> = {}): Stored =>
  new Map(Object.entries({ [root]: document, ...more }).map(([key, value]) => [key, JSON.stringify(value)]));

/** Name of a row of a plate: "A" to "Z", "AA", … */
export function rowName(row: number): string {
  const letter = String.fromCharCode(65 + (row % 26));
  return row < 26 ? letter : rowName(Math.floor(row / 26) - 1) + letter;
}

/**
 * A plate with wells at the positions that `isWell` accepts. Without indices, only their paths tell the
 * positions.
 */
export function plate(
  rows: number,
  columns: number,
  isWell: (row: number, column: number) => boolean,
  hasIndices = true,
): Stored {
  const wells = list(rows * columns, (i) => [Math.floor(i / columns), i % columns] as const)
    .filter(([row, column]) => isWell(row, column))
    .map(([row, column]) => ({
      path: `${rowName(row)}/${column + 1}`,
      ...(hasIndices ? { rowIndex: row, columnIndex: column } : {}),
    }));
  const named = hasIndices
    ? {
        rows: list(rows, (row) => ({ name: rowName(row) })),
        columns: list(columns, (column) => ({ name: String(column + 1) })),
      }
    : { rows: [], columns: [] };
  return stored(groupDocument({ ome: { version: "0.5", plate: { ...named, wells } } }));
}

/** A group with consolidated metadata of `count` groups. */
export const manyGroups = (count: number): Stored =>
  stored(groupDocument({}, Object.fromEntries(list(count, (i) => [`member_${i}`, groupDocument({})]))));

/** A dataset of `count` variables over latitude and longitude, as xarray writes it. */
export function manyVariables(count: number): Stored {
  const variable = (i: number) =>
    arrayDocument([4, 6], {
      dtype: "float32",
      names: ["lat", "lon"],
      attributes: { long_name: `measured quantity number ${i}`, units: "K", comment: "x".repeat(80) },
    });
  return stored(groupDocument({}, Object.fromEntries(list(count, (i) => [`variable_${i}`, variable(i)]))));
}

/**
 * An image with `count` channels, described by `omero` unless `isDescribed` is false; every other one is
 * inactive.
 */
export function manyChannels(count: number, isDescribed = true): Stored {
  const axes = ["c", "y", "x"].map((name) => ({ name, type: name === "c" ? "channel" : "space" }));
  const datasets = [{ path: "0", coordinateTransformations: [{ type: "scale", scale: [1, 1, 1] }] }];
  const channels = list(count, (i) => ({
    label: `marker ${i}`,
    active: i % 2 === 0,
    color: "00FF00",
    window: { start: 0, end: 255 },
  }));
  const omero = isDescribed ? { omero: { channels } } : {};
  return stored(groupDocument({ ome: { version: "0.5", multiscales: [{ axes, datasets }], ...omero } }), {
    "0/zarr.json": arrayDocument([count, 8, 8], { chunkShape: [1, 8, 8] }),
  });
}

/** An image of `count` levels, of which the finest and the coarsest usable one are stored. */
export function manyLevels(count: number): Stored {
  const axes = ["y", "x"].map((name) => ({ name, type: "space" }));
  const datasets = list(count, (i) => ({
    path: String(i),
    coordinateTransformations: [{ type: "scale", scale: [1 + i, 1 + i] }],
  }));
  const level = arrayDocument([8, 8]);
  return stored(groupDocument({ ome: { version: "0.5", multiscales: [{ axes, datasets }] } }), {
    "0/zarr.json": level,
    [`${Math.min(count, 64) - 1}/zarr.json`]: level,
  });
}

/** A well with `count` fields of view, of which the first is stored. */
export const manyFields = (count: number): Stored =>
  stored(
    groupDocument({ ome: { version: "0.5", well: { images: list(count, (i) => ({ path: String(i) })) } } }),
    Object.fromEntries(
      [...manyLevels(1)].map(([key, text]) => [`0/${key}`, JSON.parse(String(text)) as object]),
    ),
  );

/** An array whose dimension names, unit and long name have `length` characters. */
export const longNames = (length: number): Stored =>
  stored(
    arrayDocument([3, 8, 8], {
      names: ["t", "y", "x"].map((name) => name + "é".repeat(length / 2)),
      attributes: { units: "K".repeat(length), long_name: "n".repeat(length) },
    }),
  );

/** An array of 64 dimensions. */
export const manyDimensions = (): Stored =>
  stored(
    arrayDocument(
      list(64, (axis) => (axis < 46 ? 2 : axis < 62 ? 1 : 8)),
      { chunkShape: list(64, (axis) => (axis < 62 ? 1 : 8)), names: list(64, (axis) => `dimension ${axis}`) },
    ),
  );

/** An array of structs with `count` fields. */
export const manyFieldsOfElements = (count: number): Stored =>
  stored({
    ...arrayDocument([8, 8], {
      dtype: {
        name: "struct",
        configuration: { fields: list(count, (i) => ({ name: `field ${i}`, data_type: "uint8" })) },
      },
    }),
    fill_value: btoa("\0".repeat(count)),
  });

/** A group with these attributes. */
export const attributesOnly = (attributes: object): Stored => stored(groupDocument(attributes));

/** Groups nested `depth` levels deep. */
export function deepTree(depth: number): Stored {
  const metadata: Record<string, object> = {};
  for (let path = "g", at = 0; at < depth; at++, path += "/g") metadata[path] = groupDocument({});
  return stored(groupDocument({}, metadata));
}

/** A document with `count` equal keys. */
export const duplicateKeys = (count: number): Stored =>
  new Map([
    [root, `{"zarr_format":3,"node_type":"group","attributes":{${list(count, () => '"k":1').join()}}}`],
  ]);

/** An array of strings. */
export const strings = (): Stored =>
  stored({
    ...arrayDocument([400, 60], {
      dtype: { name: "fixed_length_utf32", configuration: { length_bytes: 16 } },
    }),
    fill_value: "none",
  });
