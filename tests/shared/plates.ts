/** A plate of any size whose objects are made when they are requested: wells of several fields, two channels, two levels. */
import { rowName } from "./viewer-large.js";

export interface PlateFixture {
  readonly rows: number;
  readonly columns: number;
  readonly fields: number;
  readonly acquisitions?: number;
  /** Whether fields have places on the stage: in one row, from right to left. */
  readonly isPlaced?: boolean;
  /** Wells without images. */
  readonly empty?: readonly string[];
}

/** Sides of the levels. */
const sides = [128, 32];

const json = (value: object) => new TextEncoder().encode(JSON.stringify(value));
const group = (attributes: object) => json({ zarr_format: 3, node_type: "group", attributes });

const array = (side: number) =>
  json({
    zarr_format: 3,
    node_type: "array",
    shape: [2, side, side],
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [1, side, side] } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    fill_value: 0,
    codecs: [{ name: "bytes" }],
    attributes: {},
    dimension_names: ["c", "y", "x"],
  });

function image(field: number, { isPlaced = false, fields }: PlateFixture) {
  const axes = [
    { name: "c", type: "channel" },
    ...["y", "x"].map((name) => ({ name, type: "space", unit: "micrometer" })),
  ];
  const datasets = sides.map((side, level) => {
    const scale = sides[0]! / side;
    const left = isPlaced ? (fields - 1 - field) * 128 : 0;
    const translation = [0, (scale - 1) / 2, left + (scale - 1) / 2];
    return {
      path: String(level),
      coordinateTransformations: [
        { type: "scale", scale: [1, scale, scale] },
        { type: "translation", translation },
      ],
    };
  });
  const channels = [
    { label: "nuclei", color: "0000FF", active: true },
    { label: "actin", color: "00FF00", active: true },
  ];
  return group({ ome: { version: "0.5", multiscales: [{ axes, datasets }], omero: { channels } } });
}

/** The value of all elements of the first channel of a field, by its number and the row and column of the well. */
export const fieldValue = (row: number, column: number, field: number): number =>
  20 + ((row * 31 + column * 7 + field * 24) % 200);

/** The object with a key: "zarr.json", "B/2/0/1/c/0/0/0". Undefined if it does not exist. */
export function plateObject(plate: PlateFixture, key: string): Uint8Array | undefined {
  const { rows, columns, fields, acquisitions = 1, empty = [] } = plate;
  const list = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
  if (key === "zarr.json")
    return group({
      ome: {
        version: "0.5",
        plate: {
          rows: list(rows, (row) => ({ name: rowName(row) })),
          columns: list(columns, (column) => ({ name: String(column + 1) })),
          wells: list(rows * columns, (i) => {
            const [row, column] = [Math.floor(i / columns), i % columns];
            return { path: `${rowName(row)}/${column + 1}`, rowIndex: row, columnIndex: column };
          }),
        },
      },
    });
  const [rowText, columnText, ...rest] = key.split("/");
  const row = list(rows, rowName).indexOf(rowText!);
  const column = Number(columnText) - 1;
  if (row < 0 || !(column >= 0 && column < columns)) return undefined;
  if (rest.join("/") === "zarr.json") {
    const images = list(empty.includes(`${rowText}/${columnText}`) ? 0 : fields * acquisitions, (i) => ({
      path: String(i),
      ...(acquisitions > 1 ? { acquisition: Math.floor(i / fields) } : {}),
    }));
    return group({ ome: { version: "0.5", well: { images } } });
  }
  const [fieldText, level, c, channel] = rest;
  const field = Number(fieldText);
  if (!(field >= 0 && field < fields * acquisitions)) return undefined;
  if (level === "zarr.json") return image(field, plate);
  const side = sides[Number(level)];
  if (side === undefined) return undefined;
  if (c === "zarr.json") return array(side);
  if (c !== "c") return undefined;
  const values = new Uint8Array(side * side);
  for (let i = 0; i < values.length; i++)
    values[i] = channel === "0" ? fieldValue(row, column, field) : (255 * (i % side)) / side;
  return values;
}
