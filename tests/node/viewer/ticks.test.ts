// Numbers along axes: digits, separators, prefixes, degrees, dates.

import { describe, expect, it } from "vitest";
import { briefDates, dateTicks } from "#src/viewer/base/date-ticks.js";
import { degreeStep, multiplesBetween } from "#src/viewer/base/degrees.js";
import { formatBriefly, formatCount } from "#src/viewer/base/format.js";
import { coordinateText, numberText, prefixed } from "#src/viewer/panels/coordinates.js";
import { axisName } from "#src/viewer/panels/rulers.js";
import { linearCoordinates } from "#src/viewer/source/coordinates.js";

describe("ticks of times lie at the turns of the calendar", () => {
  const ticks = (from: string, to: string, most: number) =>
    dateTicks(Date.parse(from), Date.parse(to), most).map(({ text }) => text);

  it.each([
    ["2001-01-01T12:00Z", "2021-06-01T12:00Z", 5, ["2005", "2010", "2015", "2020"]],
    ["2019-11-15", "2020-07-15", 5, ["2020-01", "2020-03", "2020-05", "2020-07"]],
    ["2020-02-20", "2020-03-21", 5, ["2020-02-21", "2020-03-01", "2020-03-11", "2020-03-21"]],
    [
      "2020-02-28T18:00Z",
      "2020-03-01T12:00Z",
      4,
      ["2020-02-29", "2020-02-29 12:00", "2020-03-01", "2020-03-01 12:00"],
    ],
    [
      "2020-01-01T00:00:10Z",
      "2020-01-01T00:00:50Z",
      3,
      ["2020-01-01 00:00:15", "2020-01-01 00:00:30", "2020-01-01 00:00:45"],
    ],
    ["-000010-01-01", "0011-01-01", 3, ["-000010", "0000", "0010"]],
  ] as const)("from %s to %s", (from, to, most, expected) => {
    expect(ticks(from, to, most)).toEqual(expected);
  });

  it.each([
    ["2019-11-15", "2020-07-15", 5, ["2020 Jan", "Mar", "May", "Jul"]],
    ["2019-12-25", "2020-01-12", 3, ["2020 01-01", "01-11"]],
    ["2020-02-28T18:00Z", "2020-03-01T12:00Z", 4, ["2020 02-29", "12:00", "03-01", "12:00"]],
    ["2020-01-01T00:00:10Z", "2020-01-01T00:00:50Z", 3, ["2020 01-01 00:00:15", "00:00:30", "00:00:45"]],
    ["2001-01-01T12:00Z", "2021-06-01T12:00Z", 5, ["2005", "2010", "2015", "2020"]],
    ["-000010-11-01", "-000009-05-01", 3, ["-000010 Nov", "-000009 Jan", "Mar", "May"]],
  ] as const)(
    "in narrow rulers, from %s to %s, without years and dates above",
    (from, to, most, expected) => {
      expect(briefDates(ticks(from, to, most))).toEqual(expected);
    },
  );

  it("ascend, and are not many more than wanted", () => {
    for (const span of [5, 9e3, 4e6, 1e8, 3e9, 4e11, 1e14])
      for (const most of [1, 4, 12]) {
        const times = dateTicks(1.5e12, 1.5e12 + span, most).map(({ time }) => time);
        expect(times.length).toBeLessThanOrEqual(1.4 * most + 2);
        expect(times.every((time, i) => i === 0 || time > times[i - 1]!)).toBe(true);
      }
    expect(dateTicks(0, 0, 4)).toEqual([]);
    expect(dateTicks(Number.NaN, 5, 4)).toEqual([]);
    expect(dateTicks(0, 1e300, 4)).toEqual([]);
  });
});

it("degrees have the steps of maps, and letters of the compass on one line", () => {
  expect(degreeStep(2, "across")).toBe(45);
  expect(degreeStep(2, "down")).toBe(30);
  expect(degreeStep(1e4, "across")).toBe(0.01);
  expect(multiplesBetween(30, -90, 90)).toEqual([-90, -60, -30, 0, 30, 60, 90]);
  const east = (value: number) => numberText({ role: "longitude", unit: undefined }, value);
  expect([0, 90, 180, 200, 270, 360, 359.5, -90].map(east)).toEqual([
    ...["0°", "90°\u00a0E", "180°", "160°\u00a0W", "90°\u00a0W", "0°", "0.5°\u00a0W", "90°\u00a0W"],
  ]);
});

it("coordinates have the digits that tell neighbours apart", () => {
  const axis = (first: number, step: number, unit?: string) => ({
    ...{ name: "x", length: 1000, unit },
    coordinates: linearCoordinates(first, step),
  });
  expect(coordinateText(axis(52.125, 0.0025), 1)).toBe("52.1275");
  expect(coordinateText(axis(431_234.5, 0.25, "m"), 3)).toBe("431,235.25 m");
  expect(coordinateText(axis(0, 10), 7)).toBe("70");
});

it("numbers have separators, and as many digits as a range needs", () => {
  expect([9999, 10_000, 123_456, -50_000.5].map((value) => formatBriefly(value))).toEqual([
    ...["9999", "10,000", "123,456", "−50,000"],
  ]);
  expect(formatBriefly(273.15123, 0.00001)).toBe("273.15123");
  expect(formatBriefly(12_345.678_9, 0.001)).toBe("12,345.6789");
  expect(formatBriefly(1.23456e12, 1e7)).toBe("1.23456e12");
});

it("lengths have the prefix that keeps them short", () => {
  expect(prefixed("micrometer", 20_000)).toEqual({ unit: "mm", factor: 1e-3 });
  expect(prefixed("m", 500)).toEqual({ unit: "m", factor: 1 });
  expect(prefixed("m", 5e6)).toEqual({ unit: "km", factor: 1e-3 });
  expect(prefixed("mm", 0.02)).toEqual({ unit: "µm", factor: 1000 });
  expect(prefixed("K", 1e9)).toEqual({ unit: "K", factor: 1 });
});

const axesNamed = (...names: (string | undefined)[]) => names.map((name) => ({ name }));

it("axes are called by their names, with numbers only if these are not enough", () => {
  expect(axisName(axesNamed("t", "y", "x"), 1)).toBe("y");
  expect(axisName(axesNamed("x", "x", undefined), 0)).toBe("x (axis 0)");
  expect(axisName(axesNamed("x", "x", undefined), 2)).toBe("axis 2");
});

it("counts have the separators of English", () => {
  const counts = [0, 7, 999, 1000, 1024, 65_536, 999_999, 1_000_000, 12_345_678, Number.MAX_SAFE_INTEGER];
  expect(counts.map(formatCount)).toEqual(counts.map((count) => count.toLocaleString("en")));
});
