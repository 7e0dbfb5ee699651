// Values of genes: matrices of AnnData in each encoding, names, limits, and the colours of one gene and of two.
import { describe, expect, it } from "vitest";
import { MapStore, type Store } from "zarr-wasm";
import { columnColors } from "#src/viewer/model/column-colors.js";
import { suggestions } from "#src/viewer/panels/genes.js";
import { geneText, geneTitle, readGene } from "#src/viewer/source/gene-name.js";
import { Genes, geneNames, LargeRead } from "#src/viewer/source/genes.js";
import { groupAt } from "#src/viewer/source/nodes.js";
import { annDataObservations } from "#src/viewer/source/observations.js";
import { annData, dense, frame, group, type Matrix, sparse, sparseParts } from "../../shared/anndata.js";

const { signal } = new AbortController();
const [rows, columns] = [37, 11];

/** Three of four values are 0; some are missing. */
const value = (row: number, column: number): number => {
  const mixed = (row * 7919 + column * 104_729 + row * column * 31) % 101;
  if (mixed % 4 !== 1) return 0;
  return mixed === 57 ? Number.NaN : mixed / 8;
};
const matrix: Matrix = { rows, columns, at: value };
const index = Array.from({ length: columns }, (_, i) => `ENSG${i}`);
const symbols = index.map((_, i) => ["CD3E", "MS4A1", "cd3e", "A,B?", "", "CD3E"][i] ?? `G${i}`);

async function store(): Promise<MapStore> {
  const target = new MapStore(new Map());
  await annData(target, "");
  await frame(target, "obs", {
    _index: Array.from({ length: rows }, (_, i) => `c${i}`),
    batch: { categories: ["a", "b"], codes: Int8Array.from({ length: rows }, (_, i) => i % 2) },
  });
  await frame(target, "var", { _index: index, gene_symbols: symbols });
  await sparse(target, "X", "csr", matrix, 16);
  await group(target, "layers", { "encoding-type": "dict" });
  await sparse(target, "layers/by gene", "csc", matrix, 16);
  await dense(target, "layers/dense", matrix, [10, 3]);
  await group(target, "raw", {});
  await frame(target, "raw/var", { _index: ["only"] });
  await dense(target, "raw/X", { rows, columns: 1, at: (row) => row }, [10, 1]);
  return target;
}

const rootOf = async (target: Store) => (await groupAt(target, "", 3, signal))!;

/** The values of a column, by definition. */
const truth = (column: number) =>
  Float64Array.from({ length: rows }, (_, row) => Math.fround(value(row, column)));

const valuesOf = async (genes: Genes, by: string, options = {}) => {
  const found = await genes.read(readGene(by)!, options);
  return found.kind === "numbers" ? [found.values, found.second] : [];
};

describe("values of genes", () => {
  it("equal those of the matrix, whatever its encoding", async () => {
    const genes = new Genes(await rootOf(await store()), rows, signal);
    expect(await genes.layers()).toEqual(["", "by gene", "dense", "raw"]);
    for (const layer of ["", "?layer=by gene", "?layer=dense"])
      for (let column = 0; column < columns; column++) {
        const [found] = await valuesOf(genes, `gene:${index[column]}${layer}`);
        expect(found).toEqual(truth(column));
        const pair = await valuesOf(genes, `gene:${index[column]},${index[(column * 3) % columns]}${layer}`);
        expect(pair).toEqual([truth(column), truth((column * 3) % columns)]);
      }
    expect((await valuesOf(genes, "gene:only?layer=raw&transform=log1p"))[0]).toEqual(
      Float64Array.from({ length: rows }, (_, row) => Math.log1p(row)),
    );
  });

  it("belong to the rows that annotate an element", async () => {
    const kept = [30, 2, 17];
    const genes = new Genes(await rootOf(await store()), rows, signal, kept);
    for (const layer of ["", "?layer=by gene", "?layer=dense"]) {
      const [found] = await valuesOf(genes, `gene:MS4A1${layer}`);
      expect(found).toEqual(Float64Array.from(kept, (row) => truth(1)[row]!));
    }
  });

  it("are columns of the observations, described first, of which the latest are kept", async () => {
    const observations = await annDataObservations(await rootOf(await store()), rows, signal);
    for (let i = 0; i < columns; i++) await observations.read(`gene:ENSG${i}`);
    expect(observations.column("gene:ENSG0")).toBeUndefined();
    expect(observations.column("gene:ENSG10")).toEqual({
      kind: "numbers",
      values: truth(10),
      second: undefined,
    });
    await observations.read("gene:ENSG0");
    expect(observations.column("gene:ENSG0")).toBeDefined();
    await observations.read("batch");
    expect(observations.text(1)).toBe(`ENSG0: ${value(1, 0)}, batch: b`);
    await expect(observations.read("gene:nothing")).rejects.toThrow("it has no gene nothing");
    await expect(observations.read("gene:CD3E?layer=none")).rejects.toThrow("layers/none");
    // An aborted read is not shared with the next one.
    const controller = new AbortController();
    const aborted = observations.read("gene:ENSG3", { signal: controller.signal });
    controller.abort();
    const next = observations.read("gene:ENSG3");
    await expect(aborted).rejects.toThrow("aborted");
    await next;
    expect(observations.column("gene:ENSG3")).toMatchObject({ values: truth(3) });
  });

  it("of one column by columns need only its chunks", async () => {
    const target = await store();
    const asked: string[] = [];
    const spy = {
      get: (key: string, options: object) => (asked.push(key), target.get(key as `/${string}`, options)),
    };
    const genes = new Genes(await rootOf(spy as never), rows, signal);
    await genes.names("");
    await valuesOf(genes, "gene:ENSG5?layer=by gene");
    const chunks = asked.filter((key) => key.includes("/by gene/") && key.includes("/c/"));
    const startOf = (at: number) =>
      Array.from({ length: at }, (_, column) => truth(column).filter((one) => one !== 0).length).reduce(
        (a, b) => a + b,
        0,
      );
    const wanted = new Set<number>();
    for (let at = startOf(5); at < startOf(6); at++) wanted.add(Math.floor(at / 16));
    for (const name of ["indices", "data"])
      expect(
        new Set(
          chunks.filter((key) => key.includes(`/${name}/`)).map((key) => Number(key.split("/").at(-1))),
        ),
      ).toEqual(wanted);
    expect(chunks.filter((key) => key.includes("/indptr/"))).toHaveLength(1);
    // The nodes of a matrix are opened once.
    for (const layer of ["", "?layer=dense"]) {
      await genes.cost(`gene:ENSG5${layer}`);
      const before = asked.length;
      await valuesOf(genes, `gene:ENSG5${layer}`);
      await valuesOf(genes, `gene:ENSG6${layer}`);
      expect(asked.slice(before).filter((key) => key.endsWith("zarr.json"))).toEqual([]);
    }
  });

  it("of matrices by rows are read after agreement only, with progress", async () => {
    const genes = new Genes(await rootOf(await store()), rows, signal);
    const stored = Array.from(
      { length: columns },
      (_, i) => truth(i).filter((one) => one !== 0).length,
    ).reduce((a, b) => a + b);
    expect(await genes.cost("gene:CD3E")).toBe(8 * stored);
    expect(await genes.cost("gene:CD3E?layer=by gene")).toBe(0);
    expect(await genes.cost("gene:CD3E?layer=dense")).toBe(rows * 3 * 4);
    const reading = valuesOf(genes, "gene:CD3E", { maxBytes: 8 * stored - 1 });
    await expect(reading).rejects.toThrow(LargeRead);
    expect((await valuesOf(genes, "gene:CD3E", { maxBytes: 8 * stored }))[0]).toEqual(truth(0));
  });

  it.each([
    ["descend", [0, 3, 2, 4], "does not ascend"],
    ["end early", [0, 1, 2, 3], "does not cover"],
    ["are too few", [0, 1, 4], "has the shape"],
  ])("are refused if the starts of rows %s", async (_, starts, message) => {
    const target = new MapStore(new Map());
    await annData(target, "");
    await frame(target, "var", { _index: ["a", "b"] });
    await sparseParts(target, "X", "csr", [3, 2], starts, [0, 1, 0, 1], [1, 2, 3, 4], 2);
    const genes = new Genes(await rootOf(target), 3, signal);
    await expect(valuesOf(genes, "gene:a")).rejects.toThrow(message);
  });

  it("are refused if an index is outside the rows", async () => {
    for (const wrong of [-1, 3, 2 ** 31 - 1]) {
      const target = new MapStore(new Map());
      await annData(target, "");
      await frame(target, "var", { _index: ["a"] });
      await sparseParts(target, "X", "csc", [3, 1], [0, 2], [0, wrong], [1, 2], 2);
      const genes = new Genes(await rootOf(target), 3, signal);
      await expect(valuesOf(genes, "gene:a")).rejects.toThrow("not one of 3 rows");
    }
  });

  it("that are stored several times are added", async () => {
    for (const format of ["csr", "csc"] as const) {
      const target = new MapStore(new Map());
      await annData(target, "");
      await frame(target, "var", { _index: ["a"] });
      const parts =
        format === "csr"
          ? [
              [0, 2, 3],
              [0, 0, 0],
            ]
          : [
              [0, 3],
              [0, 0, 1],
            ];
      await sparseParts(target, "X", format, [2, 1], parts[0]!, parts[1]!, [1, 2, 4], 2);
      const genes = new Genes(await rootOf(target), 2, signal);
      expect((await valuesOf(genes, "gene:a"))[0]).toEqual(Float64Array.of(3, 4));
    }
  });
});

describe("names of genes", () => {
  it("are found by index, symbol, and without regard to capitals", () => {
    const names = geneNames([index, symbols]);
    expect(["ENSG1", "MS4A1", "ms4a1", "CD3E", "cd3e", "Cd3e", "none", ""].map(names.find)).toEqual([
      1,
      1,
      1,
      0,
      2,
      0,
      undefined,
      undefined,
    ]);
    expect(names.offered.slice(0, 7)).toEqual(["CD3E", "MS4A1", "cd3e", "A,B?", "ENSG4", "ENSG5", "G6"]);
    expect(names.offered.map(names.find)).toEqual(index.map((_, i) => i));
  });

  it("are kept by links", () => {
    for (const genes of [["CD3E"], ["A,B?", "C&D=%2B"], ["gène", "a+b#c"]])
      for (const layer of ["", "counts", "by gene&x=1"])
        for (const isLog of [false, true]) {
          const choice = { genes, layer, isLog };
          expect(readGene(geneText(choice))).toEqual(choice);
        }
    expect(geneText({ genes: ["CD3E", "MS4A1"], layer: "counts", isLog: true })).toBe(
      "gene:CD3E,MS4A1?layer=counts&transform=log1p",
    );
    for (const other of ["type", "gene:", "gene:a,b,c", "Gene:a"]) expect(readGene(other)).toBeUndefined();
    expect(readGene("gene:50%")?.genes).toEqual(["50%"]);
    expect(geneTitle("gene:A,B?layer=counts&transform=log1p")).toBe("A and B (counts), log1p");
    expect(geneTitle("gene:A,B", 1)).toBe("B");
    expect(geneTitle("type")).toBe("type");
  });

  it("are suggested by their beginning, then by their parts", () => {
    const names = ["XCD3", "CD3E", "CD3D", "MS4A1", "ACD3"];
    expect(suggestions(names, "cd3", 10)).toEqual(["CD3E", "CD3D", "XCD3", "ACD3"]);
    expect(suggestions(names, "cd3", 3)).toEqual(["CD3E", "CD3D", "XCD3"]);
    expect(suggestions(names, "", 2)).toEqual(["XCD3", "CD3E"]);
  });
});

describe("colours of two genes", () => {
  const choice = { colormap: null, range: { mode: "auto" }, outside: "clamp" } as const;

  it("are magenta and green, of which the lighter parts are taken", () => {
    const column = {
      kind: "numbers",
      values: Float64Array.of(0, 10, 0, 10, 5, Number.NaN),
      second: Float64Array.of(0, 0, 4, 4, 2, 1),
    } as const;
    const { colors, legend, second } = columnColors(column, choice);
    const text = Array.from(colors, (color) => color.toString(16).padStart(6, "0"));
    expect(text).toEqual(["383838", "ff38ff", "38ff38", "ffffff", "9c9c9c", "808080"]);
    expect([legend, second]).toMatchObject([
      { kind: "numbers", low: 0, high: 10, absent: 1 },
      { kind: "numbers", low: 0, high: 4, absent: 0 },
    ]);
  });

  it("of a million cells take less than the limit", async () => {
    const count = 1_000_000;
    const target = new MapStore(new Map());
    await annData(target, "");
    await frame(target, "var", { _index: ["a", "b"] });
    const cells = new Int32Array(count / 2);
    const data = new Float32Array(count / 2);
    for (let i = 0; i < cells.length; i++) {
      cells[i] = 2 * i + (i % 2);
      data[i] = (cells[i]! % 977) / 16;
    }
    await sparseParts(target, "X", "csc", [count, 2], [0, count / 2, count / 2], cells, data, 2 ** 18);
    const genes = new Genes(await rootOf(target), count, signal);
    const [values] = await valuesOf(genes, "gene:a?transform=log1p");
    const started = performance.now();
    const [again] = await valuesOf(genes, "gene:a?transform=log1p");
    const { colors } = columnColors(
      { kind: "numbers", values: again! },
      { ...choice, range: { mode: "percentile" } },
    );
    const time = performance.now() - started;
    const isTrue = (one: number, cell: number) =>
      one === (cell % 4 === 0 || cell % 4 === 3 ? Math.log1p((cell % 977) / 16) : 0);
    expect([values, again].map((list) => list!.every(isTrue))).toEqual([true, true]);
    expect(colors).toHaveLength(count);
    expect(time).toBeLessThan(3000); // 300 ms on an idle machine
  });
});
