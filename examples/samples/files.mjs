// The samples as files of other formats: NetCDF, OME-TIFF and GeoTIFF, written from the Zarr samples.
import { copyFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { get, getBytes, open } from "zarr-wasm";

/** Writes `climate.nc`, `tissue.ome.tif` and `relief.tif` from the samples in the same folder, and copies `groups.nc`. */
export async function writeFiles(folder) {
  await writeClimateFile(folder);
  await writeTissueFile(folder);
  await writeReliefFile(folder);
  const golden = new URL("../../tests/golden/files/netcdf4/groups.nc", import.meta.url);
  copyFileSync(golden, new URL("groups.nc", folder));
}

/** Ten days of temperatures, packed, with coordinates. */
async function writeClimateFile(folder) {
  const group = await open(new URL("climate.zarr/", folder), { kind: "group" });
  const dimensions = { time: 10, lat: 0, lon: 0 };
  const variables = [];
  for (const name of ["time", "lat", "lon", "t2m"]) {
    const array = await group.open(name, { kind: "array" });
    const names = name === "t2m" ? ["time", "lat", "lon"] : [name];
    const { data } = await get(array, name === "t2m" || name === "time" ? { time: { start: 0, stop: 10, step: 1 } } : null);
    if (name !== "t2m" && name !== "time") dimensions[name] = data.length;
    variables.push({ name, dimensions: names, data, attributes: array.attributes });
  }
  const file = netcdf(dimensions, variables, group.attributes);
  writeFileSync(new URL("climate.nc", folder), file);
}

/** One plane of the tissue, whose channels have names and colours in OME-XML. */
async function writeTissueFile(folder) {
  const array = await open(new URL("volume.zarr/", folder), { path: "0", kind: "array" });
  const [channels, planes, rows, columns] = array.shape;
  const { bytes } = await getBytes(array, [null, planes >> 1, null, null]);
  const size = bytes.length / channels;
  const colors = [0x4488ffff, 0x44ff66ff, 0xff5533ff];
  const names = ["nuclei", "membranes", "vesicles"];
  const type = `uint${(8 * size) / rows / columns}`;
  const list = names
    .slice(0, channels)
    .map((name, c) => `<Channel ID="Channel:0:${c}" Name="${name}" Color="${colors[c] | 0}" SamplesPerPixel="1"/>`)
    .join("");
  const xml = `<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0" Name="Tissue"><Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="${type}" SizeX="${columns}" SizeY="${rows}" SizeC="${channels}" SizeZ="1" SizeT="1" PhysicalSizeX="0.5" PhysicalSizeXUnit="µm" PhysicalSizeY="0.5" PhysicalSizeYUnit="µm">${list}<TiffData/></Pixels></Image></OME>`;
  const pages = Array.from({ length: channels }, (_, c) => ({
    rows,
    columns,
    samples: 1,
    bytes: bytes.subarray(c * size, (c + 1) * size),
    tags: c === 0 ? [[270, 2, new TextEncoder().encode(`${xml}\0`)]] : [],
  }));
  writeFileSync(new URL("tissue.ome.tif", folder), tiff(pages));
}

/** The landscape with a made-up place on the Earth. */
async function writeReliefFile(folder) {
  const group = await open(new URL("relief.zarr/", folder), { kind: "group" });
  const levels = (await group.members()).length;
  const array = await group.open(String(Math.min(levels - 1, 2)), { kind: "array" });
  const [samples, rows, columns] = array.shape;
  const { data } = await get(array);
  const bytes = new Uint8Array(data.length);
  const size = rows * columns;
  for (let s = 0; s < samples; s++) for (let i = 0; i < size; i++) bytes[i * samples + s] = data[s * size + i];
  const doubles = (...values) => new Uint8Array(Float64Array.from(values).buffer);
  const keys = [1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326];
  const tags = [
    [33550, 12, doubles(4 / columns, 4 / rows, 0)],
    [33922, 12, doubles(0, 0, 0, 8, 48, 0)],
    [34735, 3, new Uint8Array(Uint16Array.from(keys).buffer)],
  ];
  writeFileSync(new URL("relief.tif", folder), tiff([{ rows, columns, samples, bytes, tags }]));
}

const tile = 128;

/** A little-endian TIFF file of tiles compressed by Deflate. */
function tiff(pages) {
  const parts = [Buffer.from([0x49, 0x49, 42, 0, 0, 0, 0, 0])];
  let at = 8;
  const add = (bytes) => {
    const offset = at;
    parts.push(bytes);
    at += bytes.length;
    if (at % 2) parts.push(Buffer.alloc(1)), at++;
    return offset;
  };
  let link = { buffer: parts[0], offset: 4 };
  for (const page of pages) {
    const { rows, columns, samples, bytes, tags } = page;
    const itemBytes = bytes.length / rows / columns / samples;
    const tiles = tilesOf(page, itemBytes).map((one) => deflateSync(one));
    const offsets = tiles.map(add);
    const longs = (values) => new Uint8Array(Uint32Array.from(values).buffer);
    const shorts = (values) => new Uint8Array(Uint16Array.from(values).buffer);
    const all = [
      [256, 4, longs([columns])],
      [257, 4, longs([rows])],
      [258, 3, shorts(Array(samples).fill(8 * itemBytes))],
      [259, 3, shorts([8])],
      [262, 3, shorts([samples === 3 ? 2 : 1])],
      [277, 3, shorts([samples])],
      [322, 4, longs([tile])],
      [323, 4, longs([tile])],
      [324, 4, longs(offsets)],
      [325, 4, longs(tiles.map(({ length }) => length))],
      ...tags,
    ].sort(([a], [b]) => a - b);
    const widths = { 2: 1, 3: 2, 4: 4, 12: 8 };
    const directory = Buffer.alloc(2 + 12 * all.length + 4);
    directory.writeUInt16LE(all.length);
    all.forEach(([tag, type, value], i) => {
      const entry = 2 + 12 * i;
      directory.writeUInt16LE(tag, entry);
      directory.writeUInt16LE(type, entry + 2);
      directory.writeUInt32LE(value.length / widths[type], entry + 4);
      if (value.length <= 4) directory.set(value, entry + 8);
      else directory.writeUInt32LE(add(value), entry + 8);
    });
    const offset = add(directory);
    link.buffer.writeUInt32LE(offset, link.offset);
    link = { buffer: directory, offset: directory.length - 4 };
  }
  return Buffer.concat(parts);
}

function tilesOf({ rows, columns, samples, bytes }, itemBytes) {
  const pixel = samples * itemBytes;
  const tiles = [];
  for (let y = 0; y < rows; y += tile)
    for (let x = 0; x < columns; x += tile) {
      const one = new Uint8Array(tile * tile * pixel);
      for (let row = 0; row < Math.min(tile, rows - y); row++) {
        const start = ((y + row) * columns + x) * pixel;
        one.set(bytes.subarray(start, start + Math.min(tile, columns - x) * pixel), row * tile * pixel);
      }
      tiles.push(one);
    }
  return tiles;
}

const types = { Int8Array: [1, 1], Int16Array: [3, 2], Int32Array: [4, 4], Float32Array: [5, 4], Float64Array: [6, 8] };

/** Returns a NetCDF-3 file with 64-bit offsets, without records. */
function netcdf(dimensions, variables, attributes) {
  const names = Object.keys(dimensions);
  const header = (offsets) =>
    Buffer.concat([
      Buffer.from("CDF\x02\0\0\0\0", "latin1"),
      list(10, names, (name) => [text(name), int(dimensions[name])]),
      attributeList(attributes),
      list(11, variables, ({ name, dimensions: own, data, attributes: of }, i) => {
        const [type] = types[data.constructor.name];
        const offset = Buffer.alloc(8);
        offset.writeBigUInt64BE(BigInt(offsets[i]));
        const size = int(padded(data.byteLength));
        const axes = own.map((axis) => int(names.indexOf(axis)));
        return [text(name), int(own.length), ...axes, attributeList(of, type), int(type), size, offset];
      }),
    ]);
  let at = header(variables.map(() => 0)).length;
  const offsets = variables.map(({ data }) => {
    const offset = at;
    at += padded(data.byteLength);
    return offset;
  });
  return Buffer.concat([header(offsets), ...variables.map(({ data }) => bigEndian(data))]);
}

const padded = (length) => 4 * Math.ceil(length / 4);
const filled = (bytes) => Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)]);
const int = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const text = (value) => Buffer.concat([int(Buffer.byteLength(value)), filled(Buffer.from(value))]);
const list = (tag, items, parts) =>
  Buffer.concat([int(items.length && tag), int(items.length), ...items.flatMap(parts)]);

/** @param type of the variable, for its `_FillValue` */
const attributeList = (attributes, type = 6) =>
  list(12, Object.entries(attributes), ([name, value]) => {
    if (typeof value === "string") return [text(name), int(2), text(value)];
    const own = name === "_FillValue" && type === 3;
    const data = (own ? Int16Array : Float64Array).from([value].flat());
    return [text(name), int(own ? 3 : 6), int(data.length), bigEndian(data)];
  });

function bigEndian(data) {
  const bytes = Buffer.from(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
  const width = data.BYTES_PER_ELEMENT;
  if (width === 2) bytes.swap16();
  if (width === 4) bytes.swap32();
  if (width === 8) bytes.swap64();
  return filled(bytes);
}
