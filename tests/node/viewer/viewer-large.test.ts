// The viewer and documents of any size, without a browser: short strings, bounded work.
import { expect, it } from "vitest";
import { DType } from "#src/index.js";
import { formatScalar, formatType } from "#src/viewer/base/format.js";
import { eachInSlices, indicesWhere } from "#src/viewer/base/slices.js";
import { longName, maxName, shortened, shortName } from "#src/viewer/base/text.js";
import { defaultChannels } from "#src/viewer/model/channels.js";
import { unitText } from "#src/viewer/panels/coordinates.js";
import { jsonText } from "#src/viewer/panels/facts.js";
import { axisName } from "#src/viewer/panels/rulers.js";
import { factsText } from "#src/viewer/panels/tree.js";
import { dtypeLeaves } from "#src/viewer/source/leaf.js";
import { Plate } from "#src/viewer/source/plate.js";
import { rowName } from "../../shared/viewer-large.js";
import { errorOf } from "../support/support.js";

it("shortened strings keep both ends and split no character", () => {
  expect(shortened("abcdef", 6)).toBe("abcdef");
  expect(shortened("abcdefghijkl", 8)).toBe("abcde…kl");
  for (let max = 4; max < 30; max++) {
    const short = shortened("𝔸".repeat(50), max);
    expect(short.length).toBeLessThanOrEqual(max);
    expect(short).toMatch(/^𝔸*…𝔸*$/u);
  }
  expect(shortName("n".repeat(1e6))).toHaveLength(maxName);
  expect(longName("name")).toBeUndefined();
  expect(longName("n".repeat(1e6))).toHaveLength(2000);
});

it("names, units, types and values are shortened", () => {
  const long = "n".repeat(1e6);
  const fields = Array.from({ length: 5000 }, (_, i) => ({
    name: `${i}${"n".repeat(1000)}`,
    dtype: DType.simple("uint8"),
  }));
  const struct = DType.struct(fields);
  const texts = [
    axisName([{ name: long }], 0),
    unitText(long),
    formatType(struct),
    formatScalar(struct, Object.fromEntries(fields.map(({ name }) => [name, 1]))),
    factsText({ what: long, shape: Array(1e6).fill(1), label: long, unit: long }),
    factsText({ what: "array", shape: [1], dimensions: [long] }),
  ];
  for (const text of texts) expect(text.length).toBeLessThan(2000);
  expect(formatScalar(DType.variable("string"), long).length).toBeLessThan(10_010);
});

it("jsonText matches JSON.stringify up to its limit", () => {
  const value = { a: [1, "x", null, true, {}, []], "b\n": { c: -0.5, d: [{ e: "é" }] } };
  expect(jsonText(value, 1e6, 2)).toEqual({ text: JSON.stringify(value, null, 2), isWhole: true });
  expect(jsonText(value, 1e6, 0)).toEqual({ text: JSON.stringify(value), isWhole: true });
  const numbers = { big: 2n ** 70n, nan: Number.NaN };
  expect(jsonText(numbers, 1e6, 0).text).toBe('{"big":"1180591620717411303424","nan":"NaN"}');
});

it("jsonText reads no further than its limit", () => {
  let looks = 0;
  const list = new Proxy(Array(1e6).fill("text"), {
    get: (target, name) => {
      if (typeof name === "string" && /^\d+$/.test(name)) looks++;
      return Reflect.get(target, name);
    },
  });
  const { text, isWhole } = jsonText({ list }, 1000, 2);
  expect([text.length, isWhole]).toEqual([1001, false]);
  expect(looks).toBeLessThan(200);
  expect(jsonText("x".repeat(1e6), 1000, 2).text.length).toBeLessThan(1010);
});

const noBelow = (path: string) => path;

it("wells are found in every direction, by name, and across gaps", async () => {
  const [rows, columns] = [40, 30];
  const wells = [];
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      if ((row + column) % 3 === 0) wells.push({ path: `${rowName(row)}/${column + 1}`, row, column });
  const names = {
    rows: Array.from({ length: rows }, (_, i) => rowName(i)),
    columns: Array.from({ length: columns }, (_, i) => String(i + 1)),
  };
  const plate = await Plate.of({ ...names, wells }, (path) => `plate/${path}`, undefined);
  expect(plate.count).toBe(wells.length);
  expect([plate.first, plate.last]).toEqual([
    [0, 0],
    [39, 27],
  ]);
  expect(plate.pathAt([1, 2])).toBe("plate/B/3");
  expect(plate.pathAt([1, 1])).toBeUndefined();
  expect(plate.next([0, 0], [0, 1])).toEqual([0, 3]);
  expect(plate.next([0, 0], [1, 0])).toEqual([3, 0]);
  expect(plate.next([0, 0], [0, -1])).toBeUndefined();
  expect(plate.next([5, -1], [0, 1])).toEqual([5, 1]);
  expect(plate.next([5, columns], [0, -1])).toEqual([5, 28]);
  expect(plate.find("ab3")).toBeUndefined();
  expect(plate.find("ab1")).toEqual([27, 0]);
  expect(plate.find("b3")).toEqual([1, 2]);
  expect(plate.find("zz99")).toBeUndefined();
});

it("thousands of wells without indices are placed by their paths", async () => {
  const wells = Array.from({ length: 40_000 }, (_, i) => ({
    path: `row${i}/column${i % 7}`,
    row: undefined,
    column: undefined,
  }));
  const plate = await Plate.of({ rows: [], columns: [], wells }, noBelow, undefined);
  expect([plate.rows.length, plate.columns.length, plate.count]).toEqual([40_000, 7, 40_000]);
  expect(plate.pathAt([39_999, 39_999 % 7])).toBe(wells.at(-1)!.path);
});

it("default channels do not depend on the length of the axis", () => {
  const described = (count: number, isActive: (i: number) => boolean) => ({
    axes: [
      { name: "c", length: 1e9 },
      { name: "y", length: 9 },
      { name: "x", length: 9 },
    ],
    dtype: DType.simple("uint16"),
    channelAxis: 0,
    channels: Array.from({ length: count }, (_, i) => ({
      label: String(i),
      color: undefined,
      active: isActive(i),
      window: undefined,
    })),
  });
  const indices = (count: number, isActive: (i: number) => boolean) =>
    defaultChannels(described(count, isActive))!.map(({ index, isOn }) => (isOn ? index : -index));
  expect(indices(0, () => true)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  // Channels without a description are active.
  expect(indices(100_000, () => false)).toEqual(Array.from({ length: 8 }, (_, i) => 100_000 + i));
  expect(indices(100_000, (i) => i % 2 === 1)).toEqual([1, 3, 5, 7, 9, 11, 13, 15]);
  const dataset = described(10, () => true);
  expect(defaultChannels(dataset)).toBe(defaultChannels(dataset));
});

it("leaves of a data type are computed once", () => {
  const struct = DType.struct([{ name: "a", dtype: DType.simple("uint8") }]);
  expect(dtypeLeaves(struct)).toBe(dtypeLeaves(struct));
});

it("an aborted loop ends", async () => {
  const controller = new AbortController();
  const work = eachInSlices(
    1e9,
    (i) => i === 1000 && controller.abort(new Error("given up")),
    controller.signal,
  );
  expect((await errorOf(() => work)).message).toBe("given up");
  const { signal } = new AbortController();
  expect(await indicesWhere(1e9, (i) => i % 2 === 1, signal, 3)).toEqual([1, 3, 5]);
  expect(await indicesWhere(5, (i) => i % 2 === 0, signal)).toEqual([0, 2, 4]);
});
