/** Reference systems of projected data: converts longitudes and latitudes with proj4. */
import proj4 from "proj4";
import { own, textAt } from "./attributes.js";
import type { PointConverter } from "./dataset.js";

/** Systems that proj4 does not know, and that data in Zarr have: Europe's, and those around the poles. */
const codes: Readonly<Record<string, string>> = {
  "3035": "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80",
  "3031": "+proj=stere +lat_0=-90 +lat_ts=-71 +lon_0=0 +datum=WGS84",
  "3411": "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +a=6378273 +b=6356889.449",
  "3412": "+proj=stere +lat_0=-90 +lat_ts=-70 +lon_0=0 +a=6378273 +b=6356889.449",
  "3413": "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +datum=WGS84",
  "3976": "+proj=stere +lat_0=-90 +lat_ts=-70 +lon_0=0 +datum=WGS84",
  "3995": "+proj=stere +lat_0=90 +lat_ts=71 +lon_0=0 +datum=WGS84",
  "6931": "+proj=laea +lat_0=90 +lon_0=0 +datum=WGS84",
  "6932": "+proj=laea +lat_0=-90 +lon_0=0 +datum=WGS84",
};

/** @throws if the attributes name no reference system, or one that proj4 does not know */
export function converterOf(attributes: unknown): PointConverter {
  const { forward, inverse } = proj4("WGS84", definition(attributes));
  // proj4 writes to its argument, and throws for positions without a place.
  const guarded = (convert: typeof forward) => (a: number, b: number) => {
    try {
      const [x, y] = convert([a, b]) as [number, number];
      return Number.isFinite(x) && Number.isFinite(y) ? ([x, y] as const) : undefined;
    } catch {
      return undefined;
    }
  };
  return { forward: guarded(forward), inverse: guarded(inverse) };
}

function definition(attributes: unknown): string {
  const wkt = ["proj:wkt2", "crs_wkt", "spatial_ref"]
    .map((name) => textAt(attributes, name))
    .find((text) => text?.includes("["));
  if (wkt) return wkt;
  const json = own(attributes, "proj:projjson");
  if (typeof json === "object" && json !== null) return json as unknown as string; // as proj4's types lack
  const code = textAt(attributes, "proj:code") ?? textAt(attributes, "crs");
  if (code !== undefined) return codes[code.replace(/^epsg:/i, "")] ?? code;
  return cfDefinition(attributes);
}

/** The names of CF 1.11, appendix F, and of proj4. */
const cfNames: Readonly<Record<string, string>> = {
  albers_conical_equal_area: "aea",
  lambert_azimuthal_equal_area: "laea",
  lambert_conformal_conic: "lcc",
  lambert_cylindrical_equal_area: "cea",
  mercator: "merc",
  polar_stereographic: "stere",
  stereographic: "stere",
  transverse_mercator: "tmerc",
};

function cfDefinition(attributes: unknown): string {
  const numbers = (name: string) => [own(attributes, name)].flat().map(Number);
  const number = (...names: string[]) => names.map((name) => numbers(name)[0]!).find(Number.isFinite);
  const name = cfNames[textAt(attributes, "grid_mapping_name") ?? ""];
  if (name === undefined) throw new Error("the attributes name no known reference system");
  const [first, second = first] = numbers("standard_parallel");
  const radius = number("earth_radius");
  const [a, flattening] = [number("semi_major_axis") ?? radius ?? 6378137, number("inverse_flattening")];
  const b =
    radius ?? number("semi_minor_axis") ?? (flattening === 0 ? a : a - a / (flattening ?? 298.257223563));
  const parts: Record<string, string | number | undefined> = {
    proj: name,
    lat_0: number("latitude_of_projection_origin"),
    lon_0: number(
      "longitude_of_central_meridian",
      "longitude_of_projection_origin",
      "straight_vertical_longitude_from_pole",
    ),
    k_0: number("scale_factor_at_central_meridian", "scale_factor_at_projection_origin"),
    x_0: number("false_easting"),
    y_0: number("false_northing"),
    ...(name === "lcc" || name === "aea" ? { lat_1: first, lat_2: second } : { lat_ts: first }),
    a,
    b,
  };
  return Object.entries(parts)
    .filter(([, value]) => typeof value === "string" || Number.isFinite(value))
    .map(([key, value]) => `+${key}=${value}`)
    .join(" ");
}
