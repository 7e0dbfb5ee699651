// The samples as GRIB2, FITS and NIfTI files.
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { get, getBytes, open, slice } from "zarr-wasm";
import { randomNumbers } from "./noise.mjs";

/** Writes `forecast.grib2`, `stars.fits` and `tissue.nii.gz`. */
export async function writeScience(folder) {
  await writeForecast(folder);
  writeFileSync(new URL("stars.fits", folder), starsFile());
  await writeTissue(folder);
}

const steps = [0, 6, 12];

/** Temperatures of some days as the steps of a forecast, in the packing of all weather services. */
async function writeForecast(folder) {
  const group = await open(new URL("climate.zarr/", folder), { kind: "group" });
  const array = await group.open("t2m", { kind: "array" });
  const { data, shape } = await get(array, [slice(0, steps.length), null, null]);
  const size = shape[1] * shape[2];
  const messages = steps.map((step, i) => message(step, data.subarray(i * size, (i + 1) * size), shape));
  writeFileSync(new URL("forecast.grib2", folder), Buffer.concat(messages));
}

/** Joins big-endian integers, given as [width, value]. A negative value has its sign in the first bit. */
function integers(...fields) {
  return Buffer.concat(
    fields.map(([width, value]) => {
      const bytes = Buffer.alloc(width);
      bytes.writeUIntBE(Math.abs(value), 0, width);
      if (value < 0) bytes[0] |= 0x80;
      return bytes;
    }),
  );
}

function section(number, ...parts) {
  const content = Buffer.concat(parts);
  return Buffer.concat([integers([4, content.length + 5], [1, number]), content]);
}

/** @param values hundredths of degrees Celsius, from south to north. */
function message(step, values, [, rows, columns]) {
  const count = rows * columns;
  const low = values.reduce((least, value) => Math.min(least, value));
  const reference = Buffer.alloc(4);
  reference.writeFloatBE(low + 27315);
  const packed = Buffer.alloc(2 * count);
  values.forEach((value, i) => {
    packed.writeUInt16BE(value - low, 2 * i);
  });
  const grid = [
    ...[[1, 0], [4, count], [1, 0], [1, 0], [2, 0]],
    // Template 3.0: the Earth's shape, size, resolution, corners, increments, scanning from south to north.
    ...[[1, 6], [1, 0], [4, 0], [1, 0], [4, 0], [1, 0], [4, 0], [4, columns], [4, rows], [4, 0], [4, 0]],
    ...[[4, -89_250_000], [4, 180_750_000], [1, 0x30], [4, 89_250_000], [4, 179_250_000]],
    ...[[4, 1_500_000], [4, 1_500_000], [1, 0x40]],
  ];
  // Template 4.0: temperature, forecast after hours, 2 m above ground.
  const product = [
    ...[[2, 0], [2, 0], [1, 0], [1, 0], [1, 2], [1, 0], [1, 255], [2, 0], [1, 0], [1, 1], [4, step]],
    ...[[1, 103], [1, 0], [4, 2], [1, 255], [1, 255], [4, 2 ** 32 - 1]],
  ];
  const date = [[2, 2001], [1, 1], [1, 1], [1, 12], [1, 0], [1, 0]];
  const body = Buffer.concat([
    section(1, integers([2, 255], [2, 0], [1, 2], [1, 1], [1, 1], ...date, [1, 0], [1, 1])),
    section(3, integers(...grid)),
    section(4, integers(...product)),
    section(5, integers([4, count], [2, 0]), reference, integers([2, 0], [2, 2], [1, 16], [1, 0])),
    section(6, integers([1, 255])),
    section(7, packed),
    Buffer.from("7777"),
  ]);
  return Buffer.concat([Buffer.from("GRIB"), integers([2, 0], [1, 0], [1, 2], [4, 0], [4, 0]), body]).fill(
    integers([4, body.length + 16]),
    12,
    16,
  );
}

const sky = 384;

/** A made-up star cluster: counts of photons as unsigned integers, in the convention of FITS. */
function starsFile() {
  const random = randomNumbers(11);
  const counts = Float64Array.from({ length: sky * sky }, () => 90 + 20 * random());
  for (let star = 0; star < 400; star++) {
    const at = () => sky * (0.5 + ((random() + random() + random()) / 3 - 0.5) * 1.4);
    const [row, column, height, width] = [at(), at(), 200 / (0.004 + random()), 1.5 + random()];
    for (let y = Math.ceil(row - 14); y < row + 14; y++)
      for (let x = Math.ceil(column - 14); x < column + 14; x++) {
        if (x < 0 || y < 0 || x >= sky || y >= sky) continue;
        const far = ((y - row) ** 2 + (x - column) ** 2) / width ** 2;
        counts[y * sky + x] += height / (1 + far) ** 2.5;
      }
  }
  const card = (name, value, comment) => `${`${name.padEnd(8)}= ${String(value).padStart(20)} / ${comment}`.padEnd(80)}`;
  const header = [
    card("SIMPLE", "T", "FITS standard"),
    card("BITPIX", 16, "bits of integers"),
    card("NAXIS", 2, "axes"),
    card("NAXIS1", sky, "columns"),
    card("NAXIS2", sky, "rows"),
    card("BZERO", 32768, "unsigned integers"),
    card("BSCALE", 1, "no scale"),
    card("OBJECT", "'made up '", "a star cluster"),
    card("BUNIT", "'photons '", "unit of the counts"),
    "END".padEnd(80),
  ].join("");
  const data = Buffer.alloc(2880 * Math.ceil((2 * sky * sky) / 2880));
  counts.forEach((count, i) => {
    data.writeInt16BE(Math.min(65535, Math.round(count)) - 32768, 2 * i);
  });
  return Buffer.concat([Buffer.from(header.padEnd(2880 * Math.ceil(header.length / 2880))), data]);
}

/** Nuclei of the tissue, in low resolution. */
async function writeTissue(folder) {
  const group = await open(new URL("volume.zarr/", folder), { kind: "group" });
  const levels = (await group.members()).filter(({ name }) => /^\d+$/.test(name)).length;
  const array = await group.open(String(Math.min(levels - 1, 2)), { kind: "array" });
  const [, planes, rows, columns] = array.shape;
  const { bytes } = await getBytes(array, [0, null, null, null]);
  const header = Buffer.alloc(352);
  const itemBytes = bytes.length / planes / rows / columns;
  header.writeInt32LE(348, 0);
  [3, columns, rows, planes, 1, 1, 1, 1].forEach((length, i) => header.writeInt16LE(length, 40 + 2 * i));
  header.writeInt16LE(itemBytes === 1 ? 2 : 512, 70); // uint8, uint16
  header.writeInt16LE(8 * itemBytes, 72);
  [1, 0.002, 0.002, 0.002].forEach((size, i) => header.writeFloatLE(size, 76 + 4 * i));
  header.writeFloatLE(352, 108);
  header[123] = 2; // millimeters
  header.write("Nuclei of a made-up tissue", 148, "latin1");
  header.write("n+1\0", 344, "latin1");
  writeFileSync(new URL("tissue.nii.gz", folder), gzipSync(Buffer.concat([header, bytes])));
}
