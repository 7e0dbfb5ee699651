// Dates in calendars that only models use, compared with cftime's dates for the same counts.

import { describe, expect, it } from "vitest";
import { create, set } from "zarr-wasm";
import { modelDates } from "../../../web/viewer/source/calendars.js";
import { axisFrom } from "../../../web/viewer/source/stored-coordinates.js";

describe("dates of models", () => {
  it.each<[string, string, number, string]>([
    ["noleap", "days since 2001-01-01", 330, "2001-11-27"],
    ["365_day", "days since 2000-01-01", 59, "2000-03-01"],
    ["noleap", "days since 2001-03-01", -1, "2001-02-28"],
    ["noleap", "days since 0001-01-01 00:00:00", 365 * 1849, "1850-01-01"],
    ["noleap", "hours since 1999-12-31 12:00", 12.5, "2000-01-01 00:30"],
    ["all_leap", "days since 2001-01-01", 59, "2001-02-29"],
    ["360_day", "days since 2000-01-01", 59, "2000-02-30"],
    ["360_day", "days since 1850-01-01", 360 * 250 + 359, "2100-12-30"],
    ["julian", "days since 1900-01-01", 59, "1900-02-29"],
    ["julian", "days since 1900-01-01", 365, "1900-12-31"],
    ["julian", "days since 1901-01-01", -1, "1900-12-31"],
    ["360_day", "seconds since 2000-02-30", 61, "2000-02-30 00:01:01"],
  ])("%s, %s: %s", (calendar, units, count, text) => {
    expect(modelDates(units, calendar)!(count)).toBe(text);
  });

  it("meaningless strings and counts stay unchanged", () => {
    expect(modelDates("days since 2001-02-30", "noleap")).toBeUndefined();
    expect(modelDates("days since 2001-13-01", "noleap")).toBeUndefined();
    expect(modelDates("months since 2001-01-01", "noleap")).toBeUndefined();
    expect(modelDates("days since 2001-01-01", "__proto__")).toBeUndefined();
    expect(modelDates("days since 2001-01-01", "noleap")!(1e300)).toBe("1e+300");
  });
});

describe("coordinates in them", () => {
  async function timeOf(attributes: Record<string, string>) {
    const array = await create(new Map(), { shape: [3], dtype: "int32", attributes });
    await set(array, null, Int32Array.of(0, 58, 59));
    return axisFrom("time", 3, array);
  }

  it("are dates", async () => {
    const { coordinates, role } = await timeOf({ units: "days since 2000-01-01", calendar: "noleap" });
    expect(role).toBe("time");
    expect([0, 1, 2].map((at) => coordinates!.at(at))).toEqual(["2000-01-01", "2000-02-28", "2000-03-01"]);
  });

  it("are counts if the calendar, or the length of a month, is unknown", async () => {
    for (const [attributes, expected] of [
      [{ units: "days since 2000-01-01", calendar: "mayan" }, "days since 2000-01-01 (mayan)"],
      [{ units: "months since 2000-01-01" }, "months since 2000-01-01"],
    ] as [Record<string, string>, string][]) {
      const { coordinates, unit } = await timeOf(attributes);
      expect([0, 1, 2].map((at) => coordinates!.at(at))).toEqual([0, 58, 59]);
      expect(unit).toBe(expected);
    }
  });
});
