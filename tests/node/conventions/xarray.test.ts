// xarray's conventions: dimensions, coordinates, CF packing and times; stores written by xarray.
import { describe, expect, it } from "vitest";
import { DType, get, open, slice, type ZarrArray } from "zarr-wasm";
import { type CFArray, coordinatesOf, decodeCF, dimensionsOf } from "zarr-wasm/conventions";
import { bytesOf, errorOf, goldenCases, storeOf } from "../support/support.js";

const stores = goldenCases("conventions").filter(({ name }) => name.includes("xarray"));

/** An array as decodeCF sees it. */
function arrayOf(type: DType, attributes: object, more: Partial<CFArray> = {}): CFArray {
  return { dtype: type, attributes: attributes as never, fillValue: null, zarrFormat: 3, ...more };
}

const int8 = DType.simple("int8");
const int16 = DType.simple("int16");
const int32 = DType.simple("int32");
const int64 = DType.simple("int64");
const float32 = DType.simple("float32");
const float64 = DType.simple("float64");
const region = (data: object) => ({
  data: data as Int16Array,
  shape: [(data as Int16Array).length],
  stride: [1],
});
const decode = (type: DType, attributes: object, data: object, options = {}, more = {}) =>
  decodeCF(arrayOf(type, attributes, more), region(data), options);
const day = 86_400_000;

describe.each(stores.map((golden) => [golden.name, golden] as const))("%s", (_, golden) => {
  const opened = open(storeOf(golden), { kind: "group" });
  const arrayAt = async (path: string) => (await opened).open(path, { kind: "array" });

  it("has dimensions and coordinates", async () => {
    const group = await opened;
    const pr = await arrayAt("pr");
    expect(dimensionsOf(pr)).toEqual(["time", "lat", "lon"]);
    expect(dimensionsOf(await arrayAt("scalar"))).toEqual([]);
    const found = await coordinatesOf(group, pr);
    expect(found.map(({ name, dimensions, isIndex }) => [name, dimensions, isIndex])).toEqual([
      ["time", ["time"], true],
      ["lat", ["lat"], true],
      ["lon", ["lon"], true],
    ]);
    expect((await get(found[1]!.array, [slice(2)])).shape).toEqual([2]);
    expect(await coordinatesOf(group, await arrayAt("station"))).toEqual([]);
  });

  it("has packed numbers", async () => {
    const pr = await arrayAt("pr");
    const stored = await get<Int16Array>(pr, [0, slice(20), slice(40)]);
    const decoded = decodeCF(pr, stored);
    expect([decoded.kind, decoded.units, decoded.shape]).toEqual(["numbers", "mm d-1", [20, 40]]);
    expect(decoded.data).toBeInstanceOf(Float64Array);
    const expected = Array.from(stored.data, (v) => (v === -32767 ? Number.NaN : v * 0.001 + 5));
    expect(Array.from(decoded.data as Float64Array)).toEqual(expected);
    expect(decoded.data[0]).toBeCloseTo(-2.822 + 5, 12);
  });

  it("has times, coordinates whose missing values are NaN already, and booleans", async () => {
    const time = await arrayAt("time");
    const decoded = decodeCF(time, await get(time));
    expect(decoded.kind).toBe("milliseconds");
    expect(decoded.data[0]).toBe(Date.UTC(1850, 0, 1) + 61757 * day);
    expect(new Date(decoded.data[0] as number).toISOString()).toBe("2019-02-01T00:00:00.000Z");
    const lat = await arrayAt("lat");
    const stored = await get(lat);
    expect(decodeCF(lat, stored)).toMatchObject({ kind: "stored", units: "degrees_north" });
    expect(decodeCF(lat, stored).data).toBe(stored.data);
    const mask = await arrayAt("mask");
    const booleans = decodeCF(mask, await get(mask));
    expect(booleans.kind).toBe("booleans");
    expect(new Set(booleans.data as Uint8Array)).toEqual(new Set([0, 1]));
    const station = await arrayAt("station");
    expect(decodeCF(station, await get<string[]>(station))).toMatchObject({ kind: "stored" });
  });
});

describe("missing values", () => {
  it("become NaN, in float32 if that holds every value", () => {
    const narrow = decode(int16, { _FillValue: -1 }, Int16Array.of(-1, 5, 32767));
    expect(narrow.data).toEqual(Float32Array.of(Number.NaN, 5, 32767));
    const wide = decode(int32, { missing_value: [7, -1] }, Int32Array.of(7, -1, 16777217));
    expect(wide.data).toEqual(Float64Array.of(Number.NaN, Number.NaN, 16777217));
    const float = decode(float32, { missing_value: 1e20 }, Float32Array.of(1e20, 0.5));
    expect(float.data).toEqual(Float32Array.of(Number.NaN, 0.5));
  });

  it("are exact for 64-bit integers", () => {
    const fill = -(2n ** 63n);
    const { data } = decode(int64, { _FillValue: fill }, BigInt64Array.of(fill, fill + 1n, 3n));
    expect(data).toEqual(Float64Array.of(Number.NaN, -(2 ** 63), 3));
  });

  it("may be written in base64, as xarray does in v3, or as text", () => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(-9999);
    const text = bytes.toString("base64");
    for (const fill of [text, "-9999", "-9.999e3", -9999]) {
      expect(decode(float64, { _FillValue: fill }, Float64Array.of(-9999, 1)).data).toEqual(
        Float64Array.of(Number.NaN, 1),
      );
    }
    const stored = Float64Array.of(Number.NaN, 1);
    for (const fill of ["AAAAAAAA+H8=", "NaN", Number.NaN])
      expect(decode(float64, { _FillValue: fill }, stored).data).toBe(stored);
  });

  it("are the fill value in Zarr v2 without the attribute, and nowhere else unless asked for", () => {
    const data = Int16Array.of(0, 9);
    const masked = Float32Array.of(Number.NaN, 9);
    const fillValue = 0;
    expect(decode(int16, {}, data, {}, { fillValue, zarrFormat: 2 }).data).toEqual(masked);
    expect(decode(int16, {}, data, {}, { fillValue, zarrFormat: 3 }).data).toBe(data);
    expect(decode(int16, {}, data, { fillValueIsMissing: true }, { fillValue, zarrFormat: 3 }).data).toEqual(
      masked,
    );
    expect(decode(int16, {}, data, { fillValueIsMissing: false }, { fillValue, zarrFormat: 2 }).data).toBe(
      data,
    );
    const named = decode(int16, { _FillValue: 9 }, data, {}, { fillValue, zarrFormat: 2 });
    expect(named.data).toEqual(Float32Array.of(0, Number.NaN));
  });

  it("mask nothing if no element can equal them", () => {
    const data = Int16Array.of(0, 1);
    for (const fill of [65536, 1e20, 0.5, 2n ** 64n])
      expect(decode(int16, { _FillValue: fill }, data).data).toBe(data);
  });

  it("lie outside the valid range, if the option is set", () => {
    const data = Int16Array.of(-5, 0, 7, 9);
    const expected = Float32Array.of(Number.NaN, 0, 7, Number.NaN);
    const options = { validRange: true };
    expect(decode(int16, { valid_range: [0, 8] }, data, options).data).toEqual(expected);
    expect(decode(int16, { valid_min: 0, valid_max: 8 }, data, options).data).toEqual(expected);
    expect(decode(int16, { valid_range: [0, 8] }, data).data).toBe(data);
  });

  it("that are not numbers are errors", async () => {
    for (const name of ["_FillValue", "missing_value", "scale_factor", "add_offset"]) {
      for (const value of ["", "abc", {}, [[1]], true, "0x10"]) {
        const error = await errorOf(() => decode(int16, { [name]: value }, Int16Array.of(1)));
        expect(error).toMatchObject({ _tag: "InvalidMetadata", code: "bad-convention" });
        expect(error.message).toContain(name);
      }
    }
    const error = await errorOf(() =>
      decode(int16, { valid_range: [0] }, Int16Array.of(1), { validRange: true }),
    );
    expect(error).toMatchObject({ _tag: "InvalidMetadata", code: "bad-convention" });
  });
});

describe("packed numbers", () => {
  it("are scaled in float64", () => {
    const { data, kind } = decode(
      int16,
      { scale_factor: 0.1, add_offset: -3, _FillValue: -1 },
      Int16Array.of(-1, 7),
    );
    expect(kind).toBe("numbers");
    expect(data).toEqual(Float64Array.of(Number.NaN, 7 * 0.1 - 3));
    expect(decode(float32, { scale_factor: [2] }, Float32Array.of(0.1)).data).toEqual(
      Float64Array.of(Math.fround(0.1) * 2),
    );
    expect(decode(int64, { add_offset: 1 }, BigInt64Array.of(-4n)).data).toEqual(Float64Array.of(-3));
  });

  it("are unsigned if _Unsigned is set, with their missing value", () => {
    const data = Int8Array.of(-1, -2, 3);
    const attributes = { _Unsigned: "true", _FillValue: -1, scale_factor: 2 };
    expect(decode(int8, attributes, data).data).toEqual(Float64Array.of(Number.NaN, 508, 6));
    expect(decode(int8, { _Unsigned: "true" }, data).data).toEqual(Uint8Array.of(255, 254, 3));
    const unsigned = DType.simple("uint16");
    expect(decode(unsigned, { _Unsigned: "false" }, Uint16Array.of(65535)).data).toEqual(Int16Array.of(-1));
    const long = decode(int64, { _Unsigned: "true" }, BigInt64Array.of(-1n));
    expect(long.data).toEqual(BigUint64Array.of(2n ** 64n - 1n));
  });

  it("pass if they are not real numbers", () => {
    const data = Float32Array.of(1, 2);
    expect(decode(DType.simple("complex64"), { scale_factor: 2 }, data)).toMatchObject({
      kind: "stored",
      data,
    });
  });

  it("ignore attributes that are inherited", () => {
    const attributes = Object.create({ scale_factor: 2 }) as object;
    expect(decode(int16, attributes, Int16Array.of(1)).kind).toBe("stored");
  });
});

describe("times", () => {
  const at = (units: string, count: number | bigint, calendar?: string) => {
    const attributes = calendar === undefined ? { units } : { units, calendar };
    const [type, data] =
      typeof count === "bigint" ? [int64, BigInt64Array.of(count)] : [float64, Float64Array.of(count)];
    const decoded = decode(type, attributes, data);
    expect(decoded).toMatchObject({ kind: "milliseconds", units: undefined });
    return new Date(decoded.data[0] as number).toISOString();
  };

  it.each([
    ["days since 1970-01-01", 1, "1970-01-02T00:00:00.000Z"],
    ["hours since 1996-01-01", 25, "1996-01-02T01:00:00.000Z"],
    ["Hours Since 1996-1-1 0:0:0", 1.5, "1996-01-01T01:30:00.000Z"],
    ["seconds since 2000-02-28T23:59:59Z", 86_401, "2000-03-01T00:00:00.000Z"],
    ["minutes since 1900-02-28 00:00 UTC", 24 * 60, "1900-03-01T00:00:00.000Z"],
    ["ms since 2000-01-01 12:00:00.250", 3, "2000-01-01T12:00:00.253Z"],
    ["microseconds since 2000-01-01", 5000, "2000-01-01T00:00:00.005Z"],
    ["ns since 1970-01-01", 1_700_000_000_123_000_000n, "2023-11-14T22:13:20.123Z"],
    ["days since 2000-01-01 00:00 +02:00", 0, "1999-12-31T22:00:00.000Z"],
    ["h since 2000-01-01 06:00:00 -6", 0, "2000-01-01T12:00:00.000Z"],
    ["weeks since 1999-12-25", 1, "2000-01-01T00:00:00.000Z"],
    ["days since 2023-11-01 08:22:34.356705", 0, "2023-11-01T08:22:34.356Z"],
  ])("%s", (units, count, expected) => {
    expect(at(units, count)).toBe(expected);
    expect(at(units, count, "proleptic_gregorian")).toBe(expected);
  });

  it("count Julian days before 1582-10-15 in the standard calendar", () => {
    // 1582-10-04 (Julian) was followed by 1582-10-15 (Gregorian).
    expect(at("days since 1582-10-04", 1)).toBe("1582-10-15T00:00:00.000Z");
    expect(at("days since 1582-10-04", 1, "proleptic_gregorian")).toBe("1582-10-05T00:00:00.000Z");
    // 0001-01-01 (Julian) is day 1721423.5 of the Julian day count, 1970-01-01 day 2440587.5.
    expect(at("days since 0001-01-01", 2_440_588 - 1_721_424, "gregorian")).toBe("1970-01-01T00:00:00.000Z");
    expect(at("days since 0001-01-01", 719_162, "proleptic_gregorian")).toBe("1970-01-01T00:00:00.000Z");
    expect(at("days since 1500-02-29", 0, "Standard")).toBe("1500-03-10T00:00:00.000Z");
  });

  it("agree with Date on every month of 800 years", () => {
    for (let year = 1600; year < 2400; year++) {
      for (let month = 0; month < 12; month += 1) {
        const date = `${year}-${month + 1}-1`;
        const decoded = decode(int32, { units: `s since ${date}` }, Int32Array.of(0));
        expect(decoded.data[0]).toBe(Date.UTC(year, month, 1));
      }
    }
  });

  it("keep missing values, and stay counts if the option is set", () => {
    const attributes = { units: "days since 1970-01-01", _FillValue: -1, scale_factor: 0.5 };
    expect(decode(int16, attributes, Int16Array.of(-1, 3)).data).toEqual(
      Float64Array.of(Number.NaN, 1.5 * day),
    );
    const counts = decode(int16, attributes, Int16Array.of(-1, 3), { times: "counts" });
    expect(counts).toMatchObject({ kind: "numbers", units: attributes.units });
    expect(counts.data).toEqual(Float64Array.of(Number.NaN, 1.5));
  });

  it("with calendars that have no real days, or in months, are refused", async () => {
    for (const attributes of [
      { units: "days since 2000-01-01", calendar: "noleap" },
      { units: "days since 2000-01-01", calendar: "360_day" },
      { units: "months since 2000-01-01" },
      { units: "years since 2000-01-01" },
      { units: "parsecs since 2000-01-01" },
    ]) {
      expect(await errorOf(() => decode(int16, attributes, Int16Array.of(1)))).toMatchObject({
        _tag: "Unsupported",
      });
      expect(decode(int16, attributes, Int16Array.of(1), { times: "counts" }).kind).toBe("stored");
    }
  });

  it.each([
    "days since yesterday",
    "days since 2000-13-01",
    "days since 2001-02-29",
    "days since 2000-00-01",
    "days since 1582-10-10",
    "days since 2000-01-01 25:00",
    "days since 2000-01-01 00:00:00 +1:0:0",
    `days since 2000-01-01${" ".repeat(200)}x`,
  ])("refuse %s", async (units) => {
    expect(await errorOf(() => decode(int16, { units }, Int16Array.of(1)))).toMatchObject({
      _tag: "InvalidMetadata",
      code: "bad-convention",
    });
  });

  it("of datetime64 become milliseconds, too", () => {
    const nat = -(2n ** 63n);
    const ms = (unit: "ns" | "D" | "M" | "Y" | "h" | "generic", factor: number, ...counts: bigint[]) =>
      decode(DType.time("datetime64", unit, factor), {}, BigInt64Array.of(...counts));
    expect(ms("D", 1, 1n, -1n, nat).data).toEqual(Float64Array.of(day, -day, Number.NaN));
    expect(ms("ns", 1, 1_500_000n).data).toEqual(Float64Array.of(1.5));
    expect(ms("h", 6, 4n).data).toEqual(Float64Array.of(day));
    expect(ms("M", 1, 13n, -1n).data).toEqual(Float64Array.of(Date.UTC(1971, 1, 1), Date.UTC(1969, 11, 1)));
    expect(ms("Y", 1, 30n).data).toEqual(Float64Array.of(Date.UTC(2000, 0, 1)));
    expect(ms("generic", 1, 1n).kind).toBe("stored");
  });
});

describe("coordinates", () => {
  const meta = (shape: number[], names: (string | null)[] | undefined, attributes = {}) => ({
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: ["bytes"],
    attributes,
    dimension_names: names,
  });
  const store = (documents: Record<string, object>, attributes: object) =>
    new Map(
      Object.entries({ ...documents, "": { zarr_format: 3, node_type: "group", attributes } }).map(
        ([path, document]) => [`${path && `/${path}`}/zarr.json`, bytesOf(JSON.stringify(document))],
      ),
    );

  it("are also those that attributes list, along the array's dimensions only", async () => {
    const group = await open(
      store(
        {
          v: meta([2, 3], ["y", "x"], { coordinates: "lat  ../up x y/z missing" }),
          lat: meta([2, 3], ["y", "x"]),
          x: meta([3], ["x"]),
          height: meta([], undefined),
          other: meta([5], ["time"]),
        },
        { coordinates: "height other" },
      ),
      { kind: "group" },
    );
    const array = await group.open("v", { kind: "array" });
    const found = await coordinatesOf(group, array);
    expect(found.map(({ name, dimensions, isIndex }) => [name, dimensions, isIndex])).toEqual([
      ["x", ["x"], true],
      ["lat", ["y", "x"], false],
      ["height", [], false],
    ]);
  });

  it("need names for all dimensions, which NCZarr writes as paths", async () => {
    const partly = { attributes: {}, dimensionNames: ["a", null], shape: [1, 1] } as unknown as ZarrArray;
    expect(dimensionsOf(partly)).toBeUndefined();
    const netcdf = {
      attributes: { _nczarr_array: { dimension_references: ["/d9", "/g/d10"] } },
      shape: [1, 1],
    } as unknown as ZarrArray;
    expect(dimensionsOf(netcdf)).toEqual(["d9", "d10"]);
  });
});
