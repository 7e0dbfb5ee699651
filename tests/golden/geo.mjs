// Records stores that GDAL writes, and where it says that they lie, for tests/node/conventions/geo.test.ts.
//   node tests/golden/geo.mjs > tests/golden/geo.jsonl      (Debian: apt install gdal-bin)
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const dir = mkdtempSync(path.join(tmpdir(), "geo-"));
const gdal = (program, ...args) => execFileSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 26 });

/** [name, reference system, left, top, right, bottom, columns, rows] */
const cases = [
  ["UTM", "EPSG:32633", 500_000, 5_000_000, 500_130, 4_999_930, 13, 7],
  ["degrees", "EPSG:4326", -10, 60, 20, 40, 30, 10],
  ["web mercator", "EPSG:3857", -20037508.342789244, 20037508.342789244, 20037508.342789244, -20037508.342789244, 16, 16],
  ["south up", "EPSG:2056", 2_600_000, 1_200_000, 2_600_900, 1_200_500, 9, 5],
  ["polar", "EPSG:3031", -3_000_000, 3_000_000, 3_000_000, -3_000_000, 12, 12],
];

function filesOf(folder, below = "") {
  return readdirSync(path.join(folder, below)).flatMap((name) => {
    const key = below ? `${below}/${name}` : name;
    const file = path.join(folder, key);
    if (statSync(file).isDirectory()) return filesOf(folder, key);
    return [[`/${key}`, readFileSync(file).toString("base64")]];
  });
}

for (const [name, system, ...where] of cases) {
  const [left, top, right, bottom, columns, rows] = where;
  const [tiff, store] = [path.join(dir, "a.tif"), path.join(dir, `${name.replace(" ", "-")}.zarr`)];
  const size = ["-outsize", columns, rows].map(String);
  gdal("gdal_create", "-of", "GTiff", ...size, "-bands", "1", "-ot", "UInt16", "-burn", "7", tiff);
  const place = ["-a_srs", system, "-a_ullr", ...[left, top, right, bottom].map(String)];
  gdal("gdal_translate", "-q", "-of", "Zarr", "-co", "BLOCKSIZE=8,8", ...place, tiff, store);
  const array = readdirSync(store).find((entry) => !entry.startsWith(".") && !/^[XY]$|^lat$|^lon$/.test(entry));
  const info = JSON.parse(gdal("gdalinfo", "-json", store));
  const { geoTransform, size: shape, coordinateSystem } = info;
  const files = Object.fromEntries(filesOf(store));
  console.log(JSON.stringify({ name, system, array, geoTransform, size: shape, wkt: coordinateSystem?.wkt, files }));
}
rmSync(dir, { recursive: true });
