// The samples of npm start are the same on every machine, with readable descriptions.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, getBytes, open } from "zarr-wasm";
import {
  channelAxis,
  coordinatesOf,
  decodeCF,
  dimensionsOf,
  isMultiscales,
  labelPaths,
  multiscales,
} from "zarr-wasm/conventions";
import { makeSamples, sizes } from "../../../examples/samples/samples.mjs";

const root = path.join(import.meta.dirname, "../../..");
let folder = "";

beforeAll(async () => {
  mkdirSync(path.join(root, "build/tmp"), { recursive: true });
  folder = mkdtempSync(path.join(root, "build/tmp/samples-"));
  await makeSamples(folder, sizes.small);
});
afterAll(() => rmSync(folder, { recursive: true }));

const sample = (name: string) => pathToFileURL(`${path.join(folder, name)}/`);
const group = (name: string) => open(sample(name), { kind: "group" });

describe("samples for the viewer", () => {
  it.each([
    ["relief.zarr", "0", "a602279d376af722ccb13065307a7af99ea5a9752862f31796894492a7cce520"],
    ["terrain.zarr", "0", "97003d5b1c4faee0cf8af4c8d97876748186d2ca7ef0b0bb0b2baed292ffeada"],
    ["climate.zarr", "t2m", "a576d9c4c5576c30657f3a8ba2496adf8ce573b4cd8ad52172a7caab6fb88258"],
    ["climate.zarr", "sst", "93a4e0edec0bd8fc91bce4409a2be8567cd257b6a9b04427985d5ca3d6f8d743"],
    ["volume.zarr", "0", "bad998873a9d5a557f6fcdb69b2a225ede9659a741f77748483a6bce005c7d1b"],
    ["skeleton.zarr", "0", "9cdcee7b23f9c65d851badf6e52b33bdd080e3c34b6534c18717f4da120e875b"],
    ["cells.zarr", "0", "2b22aa13ff15831492ab05904176383011b46496c6e71bc389077ee6cb19a4da"],
    ["cells.zarr", "labels/cells/0", "b582801dfd9f20da9eeafa4619adcba8dffdcb9c43ad699d401b62f49d3f4d2f"],
  ])("%s %s has the same elements on every machine", async (name, arrayPath, sha256) => {
    const { bytes } = await getBytes(await open(sample(name), { path: arrayPath, kind: "array" }));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  });

  it.each(["relief.zarr", "terrain.zarr", "volume.zarr", "cells.zarr"])(
    "%s is an OME-Zarr image",
    async (name) => {
      const image = multiscales(await group(name))[0]!;
      expect(image.version).toBe("0.5");
      const levels = await Promise.all(image.levels.map((level) => level.open()));
      expect(levels.length).toBeGreaterThan(1);
      for (const [i, { shape }] of levels.slice(1).entries()) {
        const finer = levels[i]!.shape;
        expect(shape.slice(-2)).toEqual(finer.slice(-2).map((length) => length / 2));
        const steps = [image.levels[i]!.scale!.at(-1)!, image.levels[i + 1]!.scale!.at(-1)!] as const;
        expect(steps[1]).toBeCloseTo(2 * steps[0]);
      }
      const axis = channelAxis(image);
      if (axis >= 0) expect(image.channels?.map(({ color }) => color)).toHaveLength(levels[0]!.shape[axis]!);
    },
  );

  it("has labels that number cells", async () => {
    const paths = await labelPaths(await group("cells.zarr"));
    expect(paths).toEqual(["labels/cells"]);
    const labels = await open(sample("cells.zarr"), { path: paths[0], kind: "group" });
    expect(isMultiscales(labels)).toBe(true);
    const { data } = await get(await multiscales(labels)[0]!.levels[0]!.open());
    expect(new Set(data as Uint32Array).size).toBeGreaterThan(20);
  });

  it("has a year that CF can read", async () => {
    const climate = await group("climate.zarr");
    expect(climate.isConsolidated).toBe(true);
    const sst = await climate.open("sst", { kind: "array" });
    expect(dimensionsOf(sst)).toEqual(["time", "lat", "lon"]);
    const [time] = await coordinatesOf(climate, sst);
    const dates = decodeCF(time!.array, await get(time!.array));
    expect(new Date(Number(dates.data[1])).toISOString()).toBe("2001-01-02T12:00:00.000Z");
    const { data, units } = decodeCF(sst, await get(sst, { time: 0 }));
    const values = Array.from(data as Float64Array);
    const there = values.filter((value) => !Number.isNaN(value));
    expect(units).toBe("degC");
    expect(there.length / values.length).toBeGreaterThan(0.5);
    expect(there.length / values.length).toBeLessThan(0.8);
    expect(Math.min(...there)).toBeGreaterThanOrEqual(-1.8);
    expect(Math.max(...there)).toBeLessThanOrEqual(33);
  });

  it("has files of other formats, as listed", async () => {
    const text = readFileSync(path.join(root, "examples/files.json"), "utf8");
    const list = JSON.parse(text) as { source: string; title: string }[];
    const kinds = list.map(async ({ source, title }) => {
      expect(title).not.toBe("");
      return [source, (await open(sample(source.slice(9)).href.slice(0, -1))).kind];
    });
    expect(await Promise.all(kinds)).toEqual([
      ["/samples/climate.nc", "group"],
      ["/samples/tissue.ome.tif", "group"],
      ["/samples/relief.tif", "array"],
      ["/samples/groups.nc", "group"],
      ["/samples/forecast.grib2", "group"],
      ["/samples/stars.fits", "group"],
      ["/samples/tissue.nii.gz", "group"],
    ]);
    const stored = await open(sample("climate.zarr"), { path: "t2m", kind: "array" });
    const copied = await open(sample("climate.nc").href.slice(0, -1), { path: "t2m", kind: "array" });
    const [lat, lon] = [40, 60];
    expect((await get(copied, [9, lat, lon])).data).toEqual((await get(stored, [9, lat, lon])).data);
    const fileOf = (name: string, path: string) =>
      open(sample(name).href.slice(0, -1), { path, kind: "array" });
    const forecast = await fileOf("forecast.grib2", "t2m");
    const kelvin = Number((await get(forecast, [2, lat, lon])).data);
    const hundredths = Number((await get(stored, [2, lat, lon])).data);
    expect(kelvin).toBe(Math.fround((hundredths + 27315) / 100));
    const stars = await get(await fileOf("stars.fits", "PRIMARY"));
    expect([stars.shape, String((await fileOf("stars.fits", "PRIMARY")).dtype)]).toEqual([
      [384, 384],
      "uint16",
    ]);
    expect(
      (stars.data as Uint16Array).reduce((least, count) => Math.min(least, count)),
    ).toBeGreaterThanOrEqual(90);
    const tissue = await fileOf("tissue.nii.gz", "0");
    const volume = await open(sample("volume.zarr"), { kind: "group" });
    const levels = (await volume.members()).filter(({ name }) => /^\d+$/.test(name)).length;
    const level = await volume.open(String(Math.min(levels - 1, 2)), { kind: "array" });
    expect((await get(tissue)).data).toEqual((await get(level, [0, null, null, null])).data);
  });

  it("is listed with its content", () => {
    const text = readFileSync(path.join(root, "examples/gallery.json"), "utf8");
    const list = JSON.parse(text) as { source: string; title: string; text: string; arrays: object }[];
    for (const { source, title, text: sentence, arrays } of list) {
      const place = source.startsWith("/samples/")
        ? path.join(folder, source.slice(9))
        : path.join(root, source);
      for (const arrayPath of Object.keys(arrays))
        expect([source, existsSync(path.join(place, arrayPath))]).toEqual([source, true]);
      expect(title.length * sentence.length).toBeGreaterThan(0);
    }
  });
});
