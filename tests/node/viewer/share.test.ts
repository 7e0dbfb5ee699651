// Addresses of views, and the programs that the viewer generates, which run unchanged.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, type Region, type ZarrArray, ZarrError } from "zarr-wasm";
import { adviceFor } from "../../../web/viewer/model/advice.js";
import { type CodeRequest, javascriptCode, pythonCode } from "../../../web/viewer/model/code.js";
import { readQuery, writeQuery } from "../../../web/viewer/model/query.js";
import {
  type ArrayFacts,
  arrayFacts,
  resolveState,
  type ViewState,
  type WantedState,
} from "../../../web/viewer/model/state.js";
import { advise } from "../../../web/viewer/panels/error-advice.js";
import { explain } from "../../../web/viewer/panels/messages.js";
import { arrayDataset } from "../../../web/viewer/source/arrays.js";
import { root } from "../../shared/places.js";
import { skipFor } from "../../shared/skips.js";
import { missingZarr, python } from "../support/python-zarr.js";

const folder = mkdtempSync(path.join(tmpdir(), "viewer-share-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("addresses", () => {
  const facts = {
    shape: [4, 30, 20],
    chunkShape: [1, 10, 10],
    dtype: { core: "uint16", itemBytes: 2, name: "uint16" },
    channelAxis: 0,
  } as unknown as ArrayFacts;
  const there = (state: ViewState): ViewState => {
    const query = writeQuery({ source: "/a b.zarr?x=1&y" }, { array: facts, settings: state });
    const target = readQuery(query)!;
    expect(target.source).toBe("/a b.zarr?x=1&y");
    return resolveState(facts, target.settings!);
  };

  it.each<[string, WantedState]>([
    ["nothing", {}],
    ["axes and index", { axes: [2, 0], index: [1, 7, 3] }],
    ["a window", { window: [null, [3, 9], [0, 5]] }],
    ["a camera", { camera: { row: 12.5, column: 3.25, scale: 7.5 } }],
    ["a range", { range: { mode: "manual", low: -1.5e-7, high: 4e12 } }],
    ["another range", { range: { mode: "percentile" } }],
    ["colours", { colormap: "magma", isReversed: true, gamma: 0.5, outside: "mark", isRangePerSlice: true }],
    ["how colours are spread", { scale: "symlog", steps: 7, isMissingMarked: true }],
    ["colours of the user", { colormap: "#000000,#ff8800,#ffffff" }],
    ["raw values", { isRaw: true }],
    [
      "channels",
      {
        channels: [
          { index: 0, isOn: true, color: "00ff00", range: { mode: "auto" }, gamma: 1 },
          {
            index: 3,
            isOn: false,
            color: "ff00ff",
            range: { mode: "manual", low: -5, high: 1e5 },
            gamma: 0.5,
          },
        ],
      },
    ],
    ["labels", { labels: { name: "nuclei", isOn: true, opacity: 0.3 } }],
    ["no labels", { labels: { name: null, isOn: false, opacity: 0.5 } }],
    [
      "settings beyond and beside the picture",
      { profile: 0, planes: ["xy", "yz"], depth: 0, areCoastsOn: false },
    ],
    ["no lines", { isGraticuleOn: false, areCoastsOn: false }],
    ["numbers", { center: -3.5, isLogHistogram: true, frameRate: 20 }],
  ])("%s", (_name, wanted) => {
    const state = resolveState(facts, wanted);
    expect(state).toMatchObject(wanted);
    expect(there(state)).toEqual(state);
  });

  it("channels in a few words", () => {
    const { settings } = readQuery("?source=a&channels=0:00ff00, -1:FF00FF:1..4")!;
    expect(resolveState(facts, settings!).channels).toEqual([
      { index: 0, isOn: true, color: "00ff00", range: { mode: "auto" }, gamma: 1 },
      { index: 1, isOn: false, color: "ff00ff", range: { mode: "manual", low: 1, high: 4 }, gamma: 1 },
    ]);
  });

  it("settings without a short form are written as JSON", () => {
    const state = { ...resolveState(facts, {}), frames: { at: [1, 2] } } as unknown as ViewState;
    const query = writeQuery({ source: "a" }, { array: facts, settings: state });
    expect(readQuery(query)!.settings).toMatchObject({ frames: { at: [1, 2] } });
  });

  it("hostile strings are ignored", () => {
    const bad =
      "?source=a&axes=9,9&select=:,-4,1e9&range=NaN:x&at=1,2&gamma=0&map=__proto__&channels=1:zz,&more={%22axes%22:[0]&part=toString";
    const { settings } = readQuery(bad)!;
    expect(resolveState(facts, settings!)).toEqual(resolveState(facts, {}));
    expect(readQuery("?source=a&more=[1,{}]")!.settings).not.toHaveProperty("camera");
    expect(readQuery('?source=a&more={"axes":[0,1]}')!.settings).not.toHaveProperty("axes");
  });
});

describe("advice on errors", () => {
  const silent = new ZarrError("Network", "x could not be read", { code: "fetch-failed" });
  const page = { operation: "opening", pageProtocol: "https:", pageOrigin: "https://page.example" } as const;

  it("first names the header that another server has to send", () => {
    const { hints } = advise(silent, { ...page, source: "https://data.example/a.zarr" });
    expect(hints[0]).toContain("Access-Control-Allow-Origin: * (or https://page.example)");
    expect(hints[1]).toContain("Access-Control-Expose-Headers: Content-Range");
  });

  it("suggests first to check the address, if it is on the page's own server, and names the browser's limits on http", () => {
    expect(advise(silent, { ...page, source: "https://page.example/a" }).hints[0]).toContain(
      "Is the address right",
    );
    expect(advise(silent, { ...page, source: "http://data.example/a" }).hints).toEqual([
      expect.stringContaining("refuses to read from an http address: try it with https://"),
    ]);
  });

  it("does not blame headers for what the store itself lacks", () => {
    const lost = new ZarrError("Network", "chunks/A is not there", { code: "bad-target" });
    expect(advise(lost, { ...page, source: "https://data.example/a" }).hints.join()).not.toContain("Access-");
  });

  it("distinguishes invalid archives and oversized chunks from faults of metadata and selections", async () => {
    const zip = new ZarrError("InvalidMetadata", "a.zip is not a valid zip archive", { code: "bad-zip" });
    const { title, advice } = explain(zip, { ...page, source: "https://data.example/a.zip" });
    expect(title).toBe("The archive cannot be read");
    expect((await advice)!.hints.join()).not.toContain("metadata");
    const file = new ZarrError("InvalidMetadata", "a.nc: the object header is damaged", { code: "bad-file" });
    const damaged = explain(file, { ...page, source: "https://data.example/a.nc" });
    expect(damaged.title).toBe("The file is damaged");
    expect((await damaged.advice)!.hints.join()).not.toContain("metadata");
    const other = new ZarrError("Unsupported", "a.hdf is an HDF4 file", { code: "unsupported-file" });
    expect(explain(other, { ...page, source: "x" }).title).toBe("The file cannot be shown");
    const large = new ZarrError("LimitExceeded", "a chunk of 10 × 10 is larger than the limit");
    expect(advise(large, { ...page, source: "x" }).hints[0]).toContain("smaller chunks");
  });
});

describe("advice on reading", () => {
  const plain = async (shape: number[], chunkShape: number[], levels = 1) => {
    const array = {
      shape,
      chunkShape,
      dtype: { core: "uint16", itemBytes: 2, name: "uint16" },
      attributes: {},
    };
    const dataset = await arrayDataset(array as unknown as ZarrArray, "a");
    return { ...dataset, levels: Array(levels).fill(dataset.levels[0]) } as unknown as typeof dataset;
  };
  const adviceOn = (dataset: Awaited<ReturnType<typeof plain>>, size: number) =>
    adviceFor({
      dataset,
      state: resolveState(dataset.array, {}),
      seen: { top: 0, left: 0, bottom: size, right: size },
      level: 0,
      pixels: { width: 1000, height: 1000 },
    })!;

  it("names the largest costs, with figures", async () => {
    expect(adviceOn(await plain([64, 1000, 1000], [64, 64, 64]), 64)).toMatchObject({
      chunks: 1,
      chunkBytes: 2 * 64 ** 3,
      shownBytes: 2 * 64 ** 2,
      sentence: expect.stringContaining("chunks of 1 × 64 × 64 would need 64 times fewer bytes"),
    });
    const large = await plain([20_000, 20_000], [1000, 1000]);
    expect(adviceOn(large, 20_000).sentence).toMatch(/covers at least 400 elements.*multiscale/);
    expect(adviceOn(await plain([20_000, 20_000], [1000, 1000], 3), 20_000).sentence).toContain(
      "Chunks suit this view",
    );
    expect(adviceOn(await plain([1000, 1000], [20, 20]), 1000).sentence).toMatch(
      /^2,500 chunks of 800 bytes need one request each/,
    );
    expect(adviceOn(await plain([9000, 9000], [9000, 9000]), 1000).sentence).toContain(
      "hold 81 times the data in this view",
    );
  });
});

describe("advice on reading channels", () => {
  const composite = async (shape: number[], chunkShape: number[], channels: number[], core = "uint16") => {
    const itemBytes = core === "uint8" ? 1 : 2;
    const array = { shape, chunkShape, dtype: { core, itemBytes, name: core }, attributes: {} };
    const plain = await arrayDataset(array as unknown as ZarrArray, "a");
    const dataset = core === "uint8" ? plain : { ...plain, channelAxis: 0 };
    const state = resolveState(arrayFacts(dataset), {});
    const shown = channels.map((index) => ({ ...state.channels![0]!, index }));
    const [height, width] = core === "uint8" ? shape : shape.slice(1);
    return adviceFor({
      dataset,
      state: core === "uint8" ? state : { ...state, channels: shown },
      seen: { top: 0, left: 0, bottom: height!, right: width! },
      level: 0,
      pixels: { width: 1000, height: 1000 },
    })!;
  };

  it("counts every channel that is shown", async () => {
    expect(await composite([8, 200, 300], [8, 200, 300], [0, 1, 2, 3, 4, 5, 6, 7])).toMatchObject({
      chunks: 1,
      chunkBytes: 8 * 200 * 300 * 2,
      shownBytes: 8 * 200 * 300 * 2,
      sentence: expect.stringContaining("Chunks suit this view"),
    });
    expect(await composite([8, 200, 300], [1, 200, 300], [0, 5])).toMatchObject({
      chunks: 2,
      chunkBytes: 2 * 200 * 300 * 2,
      shownBytes: 2 * 200 * 300 * 2,
    });
    expect((await composite([16, 200, 300], [16, 200, 300], [0, 5])).sentence).toContain(
      "hold 16 slices, of which this view shows 2: chunks of 1 × 200 × 300 would need 8 times fewer bytes",
    );
  });

  it("counts what hides in a picture with four parts", async () => {
    expect(await composite([120, 200, 4], [120, 200, 4], [], "uint8")).toMatchObject({
      chunkBytes: 4 * 120 * 200,
      shownBytes: 4 * 120 * 200,
      sentence: expect.stringContaining("Chunks suit this view"),
    });
  });
});

/** A v2 store with a group: planes of numbers, complex ones, structured ones, and an array of v3. */
const stores = `
import sys, numpy as np, zarr
group = zarr.open_group(sys.argv[1], mode="w")
group.array("planes", np.arange(4 * 30 * 20, dtype="<u2").reshape(4, 30, 20), chunks=(1, 10, 10))
group.array("waves", (np.arange(30) + 1j * np.arange(30)[::-1]).astype("<c16").reshape(5, 6))
group.array("pairs", np.array([(i, -i) for i in range(12)], dtype=[("a", "<i4"), ("b", "<f8")]).reshape(3, 4))
group.array("one", np.float32(2.5))
`;

describe("programs", () => {
  const store = path.join(folder, "share.zarr");
  const reason = missingZarr();
  beforeAll(() => {
    if (reason === undefined) python(stores, store);
  });

  async function request(name: string, wanted: WantedState, more: Partial<CodeRequest> = {}) {
    const url = pathToFileURL(store).href;
    const array = await open(url, { path: name, kind: "array" });
    const dataset = await arrayDataset(array, name);
    const state = resolveState(array, wanted);
    return { source: url, dataset, state, ...more } satisfies CodeRequest;
  }

  function runJavascript(asked: CodeRequest): string {
    const code = javascriptCode(asked);
    if (!("text" in code)) throw new Error(code.reason);
    // Beside the package, which the program imports by its name.
    const file = path.join(root, "build", `share-${process.pid}.mjs`);
    writeFileSync(file, code.text);
    try {
      return execFileSync(process.execPath, [file], { encoding: "utf8" });
    } finally {
      rmSync(file);
    }
  }

  function runPython(asked: CodeRequest): string {
    const code = pythonCode({ ...asked, source: store });
    if (!("text" in code)) throw new Error(code.reason);
    return python(code.text);
  }

  it("of a part of a plane", skipFor(reason), async () => {
    const seen = { top: 3.2, bottom: 5.9, left: -0.4, right: 2 };
    const asked = await request("planes", { index: [2, 0, 0] }, { seen });
    expect(runJavascript(asked)).toMatch(
      /\[ 3, 2 \] Uint16Array\(6\) \[\s*1260, 1261, 1280,\s*1281, 1300, 1301\s*\]/,
    );
    expect(runPython(asked)).toBe("(3, 2) uint16\n[[1260 1261]\n [1280 1281]\n [1300 1301]]\n");
  });

  it("of axes the other way round", skipFor(reason), async () => {
    const seen = { top: 0, bottom: 2, left: 4, right: 7 };
    const asked = await request("planes", { index: [1, 0, 0], axes: [2, 1] }, { seen });
    expect(runPython(asked)).toBe("(2, 3) uint16\n[[680 700 720]\n [681 701 721]]\n");
    expect(runJavascript(asked)).toContain("[ 3, 2 ]");
  });

  it("of the channels that are shown together", skipFor(reason), async () => {
    const asked = await request("planes", {}, { seen: { top: 0, bottom: 1, left: 0, right: 2 } });
    const dataset = { ...asked.dataset, channelAxis: 0 };
    const state = resolveState(arrayFacts(dataset), {});
    const of = (...on: number[]) => {
      const channels = state.channels!.map((channel) => ({ ...channel, isOn: on.includes(channel.index) }));
      return { ...asked, dataset, state: { ...state, channels } };
    };
    expect(runJavascript(of(0, 1, 2))).toMatch(
      /\[ 3, 1, 2 \] Uint16Array\(6\) \[\s*0, 1, 600, 601,\s*1200, 1201\s*\]/,
    );
    expect(runJavascript(of(0, 3))).toMatch(/\[ 2, 1, 2 \] Uint16Array\(4\) \[ 0, 1, 1800, 1801 \]/);
    expect(runJavascript(of(3))).toMatch(/\[ 1, 2 \] Uint16Array\(2\) \[ 1800, 1801 \]/);
    expect(runPython(of(0, 3))).toBe("(2, 1, 2) uint16\n[[[   0    1]]\n\n [[1800 1801]]]\n");
    const turned = { ...of(0, 3), state: { ...of(0, 3).state, axes: [2, 1] } };
    expect(runPython({ ...turned, seen: { top: 0, bottom: 2, left: 0, right: 1 } })).toContain(
      "(2, 2, 1) uint16",
    );
  });

  it("of parts of complex numbers, fields, and single values", skipFor(reason), async () => {
    const waves = await request(
      "waves",
      { part: "imaginary" },
      { seen: { top: 0, bottom: 1, left: 0, right: 2 } },
    );
    expect(runPython(waves)).toBe("(1, 2) float64\n[[29. 28.]]\n");
    const pairs = await request("pairs", { field: "b" }, { seen: { top: 1, bottom: 2, left: 1, right: 3 } });
    expect(runPython(pairs)).toBe("(1, 2) float64\n[[-5. -6.]]\n");
    expect(runJavascript(pairs)).toMatch(/\[ 1, 2 \] Float64Array\(2\) \[ -5, -6 \]/);
    const one = await request("one", {});
    expect(runPython(one)).toContain("2.5");
    expect(runJavascript(one)).toMatch(/\[\] Float32Array\(1\) \[ 2\.5 \]/);
  });

  it("of data decoded by xarray is Python as well", skipFor(reason), async () => {
    const asked = await request("planes", {});
    const axes = asked.dataset.axes.map((axis, i) => ({ ...axis, name: ['ti"me', "lat", "lon"][i]! }));
    const decode = (region: Region) => region;
    const code = pythonCode({ ...asked, dataset: { ...asked.dataset, axes, decode } });
    expect(code).toHaveProperty("text", expect.stringContaining("xarray.open_zarr("));
    expect(code).toHaveProperty("text", expect.stringContaining('.isel({"ti\\"me": 1, "lat": slice(0, 30)'));
    const { text } = code as { text: string };
    expect(python("import sys; compile(sys.argv[1], 'code', 'exec'); print('compiled')", text)).toBe(
      "compiled\n",
    );
  });

  it("quotes names in addresses", skipFor(reason), async () => {
    const asked = await request("planes", {});
    const source = 'https://example.org/"); import os; ("\\\n\u2028.zarr';
    for (const make of [javascriptCode, pythonCode]) {
      const code = make({ ...asked, source });
      expect(code).toHaveProperty(
        "text",
        expect.stringContaining('\\"); import os; (\\"\\\\\\n\\u2028.zarr"'),
      );
    }
  });

  it.each(["a.nc", "a.h5?key=1", "a.grib2", "a.nii.gz", "a.svs", "a.fits"])(
    "in Python do not open %s",
    (name) => {
      const asked = { source: `https://example.org/${name}`, dataset: { array: { zarrFormat: 3 } } };
      expect(pythonCode(asked as CodeRequest)).toEqual({
        reason: "zarr-python cannot open files of other formats",
      });
    },
  );
});
