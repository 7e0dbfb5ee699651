// Colours of values: the published maps, values outside the range, scales, steps, colours of labels.

import { beforeAll, describe, expect, it } from "vitest";
import { colorTable, parseColor, pixelBytes, pixelColor } from "#src/viewer/base/color-tables.js";
import { colormapKinds, colormapNames, isColormap, loadColormap } from "#src/viewer/base/colormaps.js";
import { LabelColors } from "#src/viewer/base/label-colors.js";
import { labelCode, labelPixel } from "#src/viewer/base/label-pixels.js";
import { inverse, type Matrix } from "#src/viewer/base/matrix.js";
import { colorDifference, outsideColors, toLab } from "#src/viewer/base/outside-colors.js";
import type { Plane } from "#src/viewer/base/plane.js";
import { bent, scaleCurve, type ValueScale, valueScales } from "#src/viewer/base/value-scale.js";
import { paintPlane } from "#src/viewer/draw/paint.js";
import { elementsUnder, PixelPainter } from "#src/viewer/draw/sampling.js";
import { layerColors, outsideOf } from "#src/viewer/draw/table.js";
import type { LayerStyle } from "#src/viewer/model/layers.js";
import { legendTicks, paintTable } from "#src/viewer/panels/legend.js";
import type { Tile } from "#src/viewer/tiles/tile.js";

beforeAll(() => loadColormap("batlow"));

const hex = (pixel: number) =>
  pixelBytes(pixel)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

const published = Object.values(colormapKinds).flat();

const style: LayerStyle = {
  kind: "map",
  colormap: "viridis",
  isReversed: false,
  steps: 0,
  scale: "linear",
  color: "ffffff",
  gamma: 1,
  outside: "mark",
  isMissingMarked: false,
  opacity: 1,
  blend: "over",
};

describe("published maps", () => {
  // As their authors give them: the first, one in the middle where it is well known, the last.
  it.each([
    ["gray", ["000000", "808080", "ffffff"]],
    ["viridis", ["440154", "21918c", "fde725"]],
    ["plasma", ["0d0887", undefined, "f0f921"]],
    ["inferno", ["000004", undefined, "fcffa4"]],
    ["magma", ["000004", undefined, "fcfdbf"]],
    ["turbo", ["30123b", undefined, "7a0403"]],
    ["batlow", ["011959", undefined, "faccfa"]],
    ["vik", ["001261", undefined, "590008"]],
    ["RdBu", ["67001f", undefined, "053061"]],
    ["Spectral", ["9e0142", undefined, "5e4fa2"]],
  ] as const)("%s", (name, expected) => {
    const table = colorTable(name);
    for (const [i, color] of expected.entries())
      if (color) expect(hex(table[[0, 128, 255][i]!]!)).toBe(color);
  });

  it("are at least 60, of 256 opaque colours that change gradually", () => {
    expect(published.length).toBeGreaterThanOrEqual(60);
    for (const name of published) {
      const table = colorTable(name);
      expect(table).toHaveLength(256);
      expect(new Uint8Array(table.buffer).every((byte, i) => i % 4 < 3 || byte === 255)).toBe(true);
      const steps = [...table.subarray(1)].map((pixel, i) =>
        colorDifference(toLab(pixelBytes(table[i]!)), toLab(pixelBytes(pixel))),
      );
      // Some maps have an edge: at sea level, in the middle, at a threshold of oxygen.
      const edges = steps.filter((step) => step > 4).length;
      expect([name, edges <= 5]).toEqual([name, true]);
    }
    expect(new Set(published.map((name) => colorTable(name).join())).size).toBe(published.length);
  });

  it("cyclic ones meet at their ends", () => {
    for (const name of colormapKinds.cyclic) {
      const table = colorTable(name);
      const ends = [table[0]!, table[255]!].map((pixel) => toLab(pixelBytes(pixel)));
      expect(colorDifference(ends[0]!, ends[1]!)).toBeLessThan(3);
    }
  });

  it("users define their own by a list of colours", () => {
    const table = colorTable("#000000,#ff0000,#ffffff");
    expect([0, 255].map((i) => hex(table[i]!))).toEqual(["000000", "ffffff"]);
    expect(pixelBytes(table[64]!)).toEqual([128, 0, 0]);
    for (const text of ["#000000", "#00", "viridi", "#000000,red", `${"#000000,".repeat(300)}#000000`, 3])
      expect(isColormap(text)).toBe(false);
    expect(colormapNames.every(isColormap)).toBe(true);
  });
});

describe("CIEDE2000", () => {
  // Pairs of Sharma, Wu and Dalal (2005), which cover all branches.
  it.each([
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, -1.1848, -84.8006], [50, 0, -82.7485], 1.0],
    [[50, 0, 0], [50, -1, 2], 2.3669],
    [[50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792],
    [[50, 2.49, -0.001], [50, -2.49, 0.0011], 7.2195],
    [[50, -0.001, 2.49], [50, 0.0009, -2.49], 4.8045],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[50, 2.5, 0], [58, 24, 15], 19.4535],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[90.8027, -2.0831, 1.441], [91.1528, -1.6435, 0.0447], 1.4441],
    [[2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082],
  ] as const)("%j and %j differ by %f", (a, b, expected) => {
    expect(colorDifference(a, b)).toBeCloseTo(expected, 4);
    expect(colorDifference(b, a)).toBeCloseTo(expected, 4);
  });
});

it.each(published)("values outside the range of %s look like no colour of it", (name) => {
  const table = colorTable(name);
  const outside = outsideColors(table)!;
  const [below, above] = [outside.below, outside.above].map(toLab);
  expect(colorDifference(below!, above!)).toBeGreaterThanOrEqual(15);
  for (const pixel of table)
    for (const lab of [below!, above!])
      expect(colorDifference(toLab(pixelBytes(pixel)), lab)).toBeGreaterThanOrEqual(15);
});

it("a map that leaves no colour clamps to its ends", () => {
  const bright = Array.from({ length: 128 }, (_, i) => {
    const digits = [i & 1, (i >> 1) & 1, (i >> 2) & 1].map((bit) => (bit ? "ff" : "00")).join("");
    return `#${digits}`;
  });
  const more = ["#0096ff", "#6ebeff", "#00e5ff", "#00ffa0", "#ff3020", "#ff00aa", "#808080", "#006e28"];
  const map = `${[...bright, ...more, "#780000"].join()}` as `#${string}`;
  const table = colorTable(map);
  expect(outsideColors(table)).toBeUndefined();
  const plane: Plane = {
    values: Float32Array.of(-1, 2),
    offset: 0,
    rows: 1,
    columns: 2,
    rowStride: 2,
    columnStride: 1,
  };
  const pixels = new Uint32Array(2);
  paintPlane(plane, table, { low: 0, high: 1, scale: "linear" }, undefined, pixels);
  expect([...pixels]).toEqual([table[0], table[255]]);
});

describe("pixels without WebGL", () => {
  const [rows, columns] = [150, 131];
  const planeOf = (values: Plane["values"]): Plane => ({
    ...{ values, offset: 9, rows, columns, rowStride: 1, columnStride: rows },
  });
  /** From the pixels of a place to elements. */
  const toElements = ({ left, right, top, bottom }: { [side: string]: number }): Matrix =>
    inverse([(right! - left!) / columns, 0, 0, (bottom! - top!) / rows, left!, top!])!;
  const tileOf = (plane: Plane) => ({ plane }) as unknown as Tile;

  it("show the element under their centre, also upside down", () => {
    const plane = planeOf(new Float32Array(0));
    for (const [left, right] of [[0, 10] as const, [-3, 170] as const, [4, 13] as const, [2, 3] as const])
      for (const [top, bottom] of [[0, 8] as const, [-5, 307] as const, [8, -4] as const]) {
        const box = { left: Math.max(0, left), right: Math.min(right, 50), top: 0, bottom: Math.max(top, 7) };
        const found = elementsUnder(box, toElements({ left, right, top, bottom }), plane);
        const wanted: number[] = [];
        for (let y = box.top; y < box.bottom; y++)
          for (let x = box.left; x < box.right; x++) {
            const column = Math.floor(((x + 0.5 - left) / (right - left)) * columns);
            const row = Math.floor(((y + 0.5 - top) / (bottom - top)) * rows);
            wanted.push(9 + Math.min(Math.max(row, 0), rows - 1) + column * rows);
          }
        expect([...found]).toEqual(wanted);
      }
  });

  it("have the colours of their elements, with a table of all values or without one", () => {
    const types = [Uint8Array, Int8Array, Uint16Array, Int16Array, Int32Array, Float32Array];
    const ranges = [
      { low: 10, high: 90 },
      { low: -300, high: 20_000 },
      { low: 7, high: 7 },
    ];
    const painter = new PixelPainter();
    for (const [Values, range, outside] of types.flatMap((type) =>
      ranges.flatMap((one) => (["mark", "clamp"] as const).map((how) => [type, one, how] as const)),
    )) {
      const values = new Values(9 + rows * columns).map((_, i) => (i * 7919) % 70_001);
      const plane = planeOf(values);
      const layer = { style: { ...style, outside }, ...range, tiles: [] };
      const key = `${JSON.stringify(range)} ${outside}`;
      for (const [right, bottom] of [[130, 120] as const, [9, 8] as const]) {
        const box = { left: 0, top: 0, right, bottom };
        const [found, wanted] = [0, 1].map(() => new Uint32Array(right * bottom)) as [
          Uint32Array,
          Uint32Array,
        ];
        const matrix = toElements({ left: -3, right: right - 4, top: bottom, bottom: 2 });
        painter.paint(tileOf(plane), box, matrix, { layer, key, grain: [1, 1] }, found);
        const seen = [...elementsUnder(box, matrix, plane)].map((at) => values[at]!);
        const line = { values: Values.from(seen), offset: 0, rows: 1, rowStride: 0, columnStride: 1 };
        const limits = { ...range, scale: "linear" } as const;
        const marks = outsideOf(layer.style);
        paintPlane({ ...line, columns: seen.length }, layerColors(layer.style), limits, marks, wanted);
        expect(found).toEqual(wanted);
      }
    }
  });

  it("show the mean of four elements that are smaller, without transparent ones", () => {
    const bytesOf = (pixel: number) => [...new Uint8Array(Uint32Array.of(pixel).buffer)];
    const gray = { ...style, colormap: "gray" } as const;
    const values = Float32Array.from({ length: rows * columns + 9 }, (_, i) =>
      (i * 2654435761) % 5 === 0 ? Number.NaN : (i * 40503) % 256,
    );
    const table = layerColors(gray);
    const plane = planeOf(values);
    const box = { left: 0, top: 0, right: 40, bottom: 37 };
    const matrix = toElements({ left: 0, right: 40, top: 0, bottom: 37 });
    const pixels = new Uint32Array(40 * 37);
    const layer = { style: gray, low: 0, high: 256, tiles: [] };
    new PixelPainter().paint(tileOf(plane), box, matrix, { layer, key: "", grain: [2, 2] }, pixels);
    const quarters = [-0.25, 0.25].flatMap((y) => [-0.25, 0.25].map((x) => [x, y] as const));
    const samples = quarters.map((shift) => elementsUnder(box, matrix, plane, shift));
    for (const [i, pixel] of pixels.entries()) {
      const seen = samples
        .map((elements) => values[elements[i]!]!)
        .filter((value) => !Number.isNaN(value))
        .map((value) => bytesOf(table[value]!));
      const mean = [0, 1, 2].map((channel) =>
        Math.floor(seen.reduce((sum, bytes) => sum + bytes[channel]!, 0) / seen.length),
      );
      const alpha = Math.floor((255 * seen.length) / 4);
      expect(bytesOf(pixel)).toEqual(seen.length === 0 ? [0, 0, 0, 0] : [...mean, alpha]);
    }
  });
});

describe("scales", () => {
  const table = Uint32Array.from({ length: 256 }, (_, i) => pixelColor([i, 0, 0]));
  const entries = (
    values: Plane["values"],
    low: number,
    high: number,
    scale: "linear" | "log" | "symlog",
  ) => {
    const plane = { values, offset: 0, rows: 1, columns: values.length, rowStride: 0, columnStride: 1 };
    const pixels = new Uint32Array(values.length);
    const outside = { below: [0, 0, 255], above: [0, 255, 0] } as const;
    paintPlane(plane, table, { low, high, scale }, outside, pixels);
    return [...pixels].map((pixel) => {
      const [red, green, blue] = pixelBytes(pixel);
      return pixel === 0 ? "none" : blue > 0 ? "below" : green > 0 ? "above" : red;
    });
  };

  it("logarithmic: equal ratios are equal distances, and 0 lies below", () => {
    expect(entries(Float64Array.of(1, 10.1, 101, 1010, 1e4), 1, 1e4, "log")).toEqual([0, 64, 128, 192, 255]);
    expect(entries(Float64Array.of(0, -3, 0.9, 1.1e4, Number.NaN), 1, 1e4, "log")).toEqual([
      ...["below", "below", "below", "above", "none"],
    ]);
    expect(entries(Uint16Array.of(1, 5, 16, 0), 1, 16, "log")).toEqual([0, 148, 255, "below"]);
  });

  it("symmetric logarithmic: odd around 0", () => {
    expect(entries(Float64Array.of(-100, 0, 100, 101), -100, 100, "symlog")).toEqual([0, 128, 255, "above"]);
    const { start, factor, threshold } = scaleCurve("symlog", -100, 100);
    for (const value of [0.01, 1, 50, 100]) {
      const [a, b] = [value, -value].map((one) => (bent("symlog", one, threshold) - start) * factor);
      expect(a! + b!).toBeCloseTo(256, 6);
    }
  });

  /** The value at a share of the way from the lower to the upper limit. */
  function valueAt(scale: ValueScale, low: number, high: number, share: number): number {
    const { start, factor, threshold } = scaleCurve(scale, low, high);
    const at = start + (share * 256) / factor;
    if (scale === "log") return Math.exp(at);
    return scale === "symlog"
      ? Math.sign(at) * threshold * Math.expm1(Math.abs(at))
      : low + share * (high - low);
  }

  it.each(valueScales)("%s: values and positions are inverse", (scale) => {
    const { start, factor, threshold } = scaleCurve(scale, 0.5, 3000);
    for (const share of [0, 0.1, 0.5, 0.999, 1]) {
      const value = valueAt(scale, 0.5, 3000, share);
      expect((bent(scale, value, threshold) - start) * factor).toBeCloseTo(256 * share, 6);
    }
  });
});

describe("the bar of a legend", () => {
  const look = { ...style, colormap: "gray" } as const;
  const ticks = (change: Partial<LayerStyle>, low: number, high: number) =>
    legendTicks({ ...look, ...change }, [low, high], (value) => value.toPrecision(3)).map(
      ({ share, text }) => [share.toFixed(2), text],
    );

  const labels = (change: Partial<LayerStyle>, low: number, high: number) =>
    ticks(change, low, high).flatMap(([, text]) => (text === "" ? [] : [text]));

  it("has sharp edges between steps, in the places of the table", () => {
    const bar = { style: { background: "" } };
    paintTable(bar as HTMLElement, layerColors({ ...look, steps: 4 }));
    expect(bar.style.background).toBe(
      `linear-gradient(to right, ${[0, 85, 170, 255]
        .flatMap((gray, i) =>
          [25 * i, 25 * i + 25].map((at) => `rgb(${gray} ${gray} ${gray}) ${at.toFixed(2)}%`),
        )
        .join(", ")})`,
    );
  });

  it("names the values at the edges of steps", () => {
    expect(ticks({ steps: 4 }, -2, 2)).toEqual([
      ["0.25", "-1.00"],
      ["0.50", "0.00"],
      ["0.75", "1.00"],
    ]);
    expect(ticks({ steps: 4, scale: "log" }, 1, 1e4)).toEqual([
      ["0.25", "10.0"],
      ["0.50", "100"],
      ["0.75", "1.00e+3"],
    ]);
    // Every second one, if they are close.
    expect(labels({ steps: 8 }, 0, 8)).toEqual(["1.00", "3.00", "5.00", "7.00"]);
    expect(ticks({ steps: 8 }, 0, 8)).toHaveLength(7);
    // At the edges that gamma moves.
    const table = layerColors({ ...look, steps: 2, gamma: 2 });
    expect(ticks({ steps: 2, gamma: 2 }, 0, 256)).toEqual([
      [(table.findLastIndex((one) => one === table[0]) + 1) / 256, 128].map((one) =>
        one < 1 ? one.toFixed(2) : one.toPrecision(3),
      ),
    ]);
  });

  it("names round values, at least five on linear scales", () => {
    expect(labels({ scale: "log" }, 1, 1e4)).toEqual(["10.0", "100", "1.00e+3"]);
    expect(ticks({ scale: "log" }, 1, 1e4).length).toBeGreaterThanOrEqual(5);
    expect(labels({ scale: "log" }, 2, 30)).toEqual(["5.00", "10.0", "20.0"]);
    expect(ticks({ scale: "symlog" }, -100, 100)).toContainEqual(["0.50", "0.00"]);
    expect(ticks({ scale: "symlog" }, -100, 100).length).toBeGreaterThanOrEqual(5);
    expect(ticks({}, 0, 9).map(([, text]) => text)).toEqual(["", "2.00", "", "4.00", "", "6.00", "", "8.00"]);
    expect(ticks({ scale: "log" }, 0, 9)).toEqual([]);
    expect(ticks({ steps: 4 }, 5, 5)).toEqual([]);
  });
});

it("steps divide a map into equal bands, from the first colour to the last", () => {
  const table = layerColors({ ...style, colormap: "gray", steps: 4 });
  expect([...new Set([...table].map((pixel) => pixelBytes(pixel)[0]))]).toEqual([0, 85, 170, 255]);
  expect(table.filter((pixel) => pixel === table[0])).toHaveLength(64);
});

it("labels have the colours of the metadata, and others their own", () => {
  const plain = layerColors({ ...style, kind: "labels", colormap: "labels" });
  const labelColors = new LabelColors(
    new Map([
      [3, [10, 20, 30, 128]],
      [1e9, [1, 1, 1, 1]],
    ]),
  );
  const given = layerColors({ ...style, kind: "labels", colormap: "labels", labelColors });
  expect(pixelBytes(given[3]!)).toEqual([10, 20, 30]);
  expect(given.filter((pixel, i) => pixel !== plain[i])).toHaveLength(1);
  const over = layerColors({ ...style, kind: "labels", colormap: "labels", labelColors, isOverlay: true });
  expect(new Uint8Array(over.buffer)[15]).toBe(128); // their opacity counts over an image
  expect(over[0]).toBe(0);
  // Tables of other labels are not mistaken for these.
  const others = new LabelColors(new Map([[3, [40, 50, 60, 255]]]));
  const look = layerColors({ ...style, kind: "labels", colormap: "labels", labelColors: others });
  expect(pixelBytes(look[3]!)).toEqual([40, 50, 60]);
  expect(parseColor("#102030")).toEqual([16, 32, 48]);
});

it("the colours of labels, all or beside selected ones, take at most 20 ms to make", () => {
  const looks: Partial<LayerStyle>[] = [{}, { selected: [7] }];
  for (const look of looks) {
    const times: number[] = [];
    for (let run = 0; run < 5; run++) {
      // Tables are kept until there are too many.
      for (let i = 0; i < 128; i++) {
        const digits = (256 * run + i).toString(16).padStart(6, "0");
        layerColors({ ...style, colormap: `#${digits},#ffffff` });
      }
      // Time of the processor: other programs do not count.
      const before = process.cpuUsage();
      layerColors({ ...style, kind: "labels", colormap: "labels", ...look });
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(20);
  }
});

it("labels below 8,454,144 have different colours", () => {
  const table = colorTable("labels");
  const used = new Uint8Array(2 ** 24);
  for (let code = 0; code < 2 ** 16 + 2 ** 23; code++) used[labelPixel(table, code) & 0xffffff]!++;
  expect(used.reduce((most, count) => Math.max(most, count), 0)).toBe(1);
  for (const label of [0, 1, 65_535, 65_536, 8_454_143])
    expect(labelCode(BigInt(label))).toBe(labelCode(label));
  expect([0, 1, 65_535].map((label) => labelCode(label))).toEqual([0, 1, 65_535]);
});

it.each([2n ** 23n, 2n ** 32n - 50_000n, 2n ** 40n, 2n ** 63n, -100_000n])(
  "100,000 labels from %i on have different colours",
  (first) => {
    const table = colorTable("labels");
    const pixels = new Set<number>();
    for (let i = 0n; i < 100_000n; i++) pixels.add(labelPixel(table, labelCode(first + i)));
    expect(pixels.size).toBe(100_000);
    // Numbers and integers of 64 bits agree.
    if (Number.isSafeInteger(Number(first))) expect(labelCode(Number(first))).toBe(labelCode(first));
  },
);
