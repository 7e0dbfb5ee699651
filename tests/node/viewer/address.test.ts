// Input of the viewer's address field, and the source that it opens.
import { describe, expect, it } from "vitest";
import { type Address, readAddress } from "../../../web/viewer/source/address.ts";

const idr = "https://uk1s3.embassy.ebi.ac.uk/idr/zarr/v0.4/idr0062A/6001240.zarr";

/** The opened source in a line: its address, the path, and whether it is an archive by another name. */
function opened(text: string): string {
  const found = readAddress(text);
  if ("refused" in found) throw new Error(found.refused);
  return [found.source, found.path, found.isArchive ? "archive" : undefined].filter(Boolean).join(" ");
}

const neuroglancer = (source: unknown) =>
  `https://neuroglancer-demo.appspot.com/#!${encodeURIComponent(JSON.stringify({ layers: [{ source: "precomputed://gs://a/b" }, { source }] }))}`;

describe("addresses that are opened unchanged", () => {
  it.each([
    idr,
    "http://127.0.0.1:8080/data/x.zarr",
    "/examples/field.zarr",
    "examples/field.zarr",
    "field.zarr",
    "./a/b",
    "https://example.org/a.zarr?sig=a%2Fb&url=no",
    "https://example.org/archive.zip",
    "https://example.org/a%20b/ü.zarr",
    "https://bucket.s3.amazonaws.com/folder/image",
  ])("%s", (text) => {
    expect(readAddress(text)).toEqual({ source: text });
  });
});

describe("addresses that are rewritten", () => {
  it.each([
    // documents of nodes
    [`${idr}/.zattrs`, idr],
    [`${idr}/zarr.json`, idr],
    ["https://x.org/a/.zmetadata?sig=1", "https://x.org/a?sig=1"],
    ["https://x.org/a.zarr/b/.zarray", "https://x.org/a.zarr b"],
    ["/examples/field.zarr/meta", "/examples/field.zarr"],
    // the store and the path in it
    [`${idr}/0/`, `${idr} 0`],
    ["https://x.org/a.zip/in%20ner/0?k=v", "https://x.org/a.zip?k=v in ner/0"],
    ["https://x.org/a.zarr/images/b.zarr/0", "https://x.org/a.zarr images/b.zarr/0"],
    ["https://x.org/plain/folder/", "https://x.org/plain/folder"],
    ["https://x.org/", "https://x.org"],
    ["  <https://x.org/a.zarr>  ", "https://x.org/a.zarr"],
    ["'https://x.org/a.zarr'", "https://x.org/a.zarr"],
    // clouds
    [
      "s3://janelia-cosem-datasets/jrc_hela-2/jrc_hela-2.zarr/recon-1/em",
      "https://janelia-cosem-datasets.s3.amazonaws.com/jrc_hela-2/jrc_hela-2.zarr recon-1/em",
    ],
    ["s3://b.with.dots/k.zarr", "https://s3.amazonaws.com/b.with.dots/k.zarr"],
    ["s3://bucket/k.zarr?region=eu-west-1", "https://bucket.s3.eu-west-1.amazonaws.com/k.zarr"],
    [
      "s3://idr/zarr/x.zarr?endpoint_url=https://uk1s3.embassy.ebi.ac.uk/",
      "https://uk1s3.embassy.ebi.ac.uk/idr/zarr/x.zarr",
    ],
    ["s3a://bucket/a b#c.zarr", "https://bucket.s3.amazonaws.com/a%20b"],
    ["s3+https://play.min.io/bucket/k.zarr", "https://play.min.io/bucket/k.zarr"],
    [
      "gs://weatherbench2/datasets/era5/x.zarr",
      "https://storage.googleapis.com/weatherbench2/datasets/era5/x.zarr",
    ],
    ["gcs://b/x.zarr/.zgroup", "https://storage.googleapis.com/b/x.zarr"],
    [
      "abfs://data@account.dfs.core.windows.net/a/x.zarr",
      "https://account.blob.core.windows.net/data/a/x.zarr",
    ],
    ["az://data/x.zarr?account_name=acc", "https://acc.blob.core.windows.net/data/x.zarr"],
    ["hf://datasets/o/n@v1/a/x.zarr", "https://huggingface.co/datasets/o/n/resolve/v1/a/x.zarr"],
    ["github://o:r@main/data/x.zarr", "https://raw.githubusercontent.com/o/r/main/data/x.zarr"],
    ["simplecache::s3://bucket/x.zarr", "https://bucket.s3.amazonaws.com/x.zarr"],
    ["zip://inner/0::https://x.org/download?id=3", "https://x.org/download?id=3 inner/0 archive"],
    // pages about files
    [
      "https://github.com/o/r/tree/main/data/x.zarr",
      "https://raw.githubusercontent.com/o/r/main/data/x.zarr",
    ],
    [
      "https://github.com/o/r/blob/main/x.zarr/0/.zarray",
      "https://raw.githubusercontent.com/o/r/main/x.zarr 0",
    ],
    ["https://gitlab.com/g/s/r/-/tree/main/x.zarr", "https://gitlab.com/g/s/r/-/raw/main/x.zarr"],
    [
      "https://huggingface.co/datasets/o/n/tree/main/x.zarr",
      "https://huggingface.co/datasets/o/n/resolve/main/x.zarr",
    ],
    [
      "https://zenodo.org/records/123/files/x.zarr.zip?download=1",
      "https://zenodo.org/api/records/123/files/x.zarr.zip/content archive",
    ],
    // other viewers
    [`https://hms-dbmi.github.io/vizarr/?source=${idr}`, idr],
    [`https://ome.github.io/ome-ngff-validator/?source=${encodeURIComponent(`${idr}/0`)}`, `${idr} 0`],
    [`https://avivator.gehlenborglab.org/?image_url=${idr}`, idr],
    [`https://volumeviewer.allencell.org/viewer?url=${idr}`, idr],
    [
      "https://hms-dbmi.github.io/vizarr/?source=s3://bucket/a.zarr",
      "https://bucket.s3.amazonaws.com/a.zarr",
    ],
    ["https://x.org/viewer/?source=https://y.org/b.zarr&path=c/d&map=magma", "https://y.org/b.zarr c/d"],
    [neuroglancer(`zarr://${idr}`), idr],
    [neuroglancer(`zarr3://${idr}/0`), `${idr} 0`],
    [neuroglancer({ url: `${idr}/|zarr2:0` }), `${idr} 0`],
    [neuroglancer([`${idr}/|zarr3:`]), idr],
    [`zarr2://${idr}`, idr],
    [`${idr}/|zarr3:labels/0/`, `${idr} labels/0`],
    ["gs://bucket/a.zip|zip:in/x.zarr|zarr3:0", "https://storage.googleapis.com/bucket/a.zip in/x.zarr/0"],
    ["https://x.org/a.ome|zip:|zarr:", "https://x.org/a.ome archive"],
    ["https://x.org/a.zip|zip:b%20c", "https://x.org/a.zip b c"],
    [
      "https://x.org/repo/|icechunk://branch.main/|zarr3:a/b",
      "https://x.org/repo/|icechunk://branch.main/ a/b",
    ],
    ["https://x.org/repo|icechunk://tag.v1|zarr", "https://x.org/repo|icechunk://tag.v1/"],
    ["https://x.org/repo|icechunk:a|zarr3:b", "https://x.org/repo|icechunk: a/b"],
    [
      "s3://bucket/a.zip|zip:in/b.zip|zip:x|zarr:",
      "https://bucket.s3.amazonaws.com/a.zip|zip:in/b.zip|zip: x",
    ],
    ["https://x.org/a.zip|zip:repo/|Icechunk:", "https://x.org/a.zip|zip:repo|icechunk:"],
    [
      neuroglancer("https://x.org/repo/|icechunk://branch.main/"),
      "https://x.org/repo/|icechunk://branch.main/",
    ],
    // without a scheme
    ["example.org/data/x.zarr", "https://example.org/data/x.zarr"],
    ["localhost:8000/x.zarr", "http://localhost:8000/x.zarr"],
    ["127.0.0.1:8000/x.zarr", "http://127.0.0.1:8000/x.zarr"],
    // lines of programs
    ['xr.open_zarr("https://x.org/a.zarr/b", consolidated=True)', "https://x.org/a.zarr b"],
    ["ds = xarray.open_dataset('gs://b/a.zarr', engine='zarr')", "https://storage.googleapis.com/b/a.zarr"],
    ['zarr.open("s3://bucket/a.zarr")', "https://bucket.s3.amazonaws.com/a.zarr"],
    // this viewer's own links
    ["https://x.org/viewer/index.html?source=https://y.org/a.zarr&path=b", "https://y.org/a.zarr b"],
  ])("%s", (text, expected) => {
    expect(opened(text)).toBe(expected);
  });

  it("are explained in one sentence unless they were only cut", () => {
    expect((readAddress("https://x.org/a/zarr.json") as Address).note).toBe(
      "zarr.json describes the node in whose folder it is: opened as https://x.org/a.",
    );
    expect((readAddress(`s3://bucket/a.zarr/.zgroup`) as Address).note).toBe(
      "Public S3 buckets are read over HTTPS, and .zgroup describes the node in whose folder it is: opened as https://bucket.s3.amazonaws.com/a.zarr.",
    );
    expect((readAddress(`${idr}/0`) as Address).note).toBeUndefined();
  });
});

describe("input that cannot be opened", () => {
  it.each([
    ["", /Enter the address/],
    ["/home/me/data.zarr", /npx zarr-wasm view \/home\/me\/data\.zarr/],
    ["file:///home/me/my data.zarr", /zarr-wasm view '/],
    ["C:\\data\\x.zarr", /zarr-wasm view C:/],
    ["~/x.zarr", /drop the folder/],
    ["\\\\server\\share\\x.zarr", /zarr-wasm view/],
    ["https://github.com/o/r", /page of a repository/],
    ["https://github.com/o/r/releases/download/v1/a.zarr.zip", /drop it here/],
    ["az://container/x.zarr", /whose container/],
    ["s3:///x", /no bucket/],
    ["s3://bucket/x?region=a.b/c@d", /not a region/],
    ["n5://https://x.org/a.n5", /not a format/],
    ["https://x.org/a|n5:", /not a format/],
    ["ftp://x.org/a.zarr", /ftp/],
    ["javascript:alert(1)", /javascript/],
    ["https://", /not a valid address/],
    ["https://me:secret@x.org/a.zarr", /name and a password/],
    ["https://neuroglancer-demo.appspot.com/#!s3://b/state.json", /stored elsewhere/],
    ["https://neuroglancer-demo.appspot.com/#!{%22layers%22:[{}]}", /None of the layers/],
    ["https://neuroglancer-demo.appspot.com/#!{broken", /cannot be understood/],
    [neuroglancer("precomputed://gs://x/y"), /None of the layers/],
    [`https://x.org/?source=${"https://x.org/?source=".repeat(20)}`, /circles|valid/],
    ["a".repeat(2_000_000), /too long/],
  ])("%s", (text, message) => {
    const found = readAddress(text);
    expect("refused" in found ? found.refused : found).toMatch(message);
  });

  it("is found out quickly, whatever it is", () => {
    const begun = performance.now();
    for (const piece of [
      "/",
      ".zarr/",
      "%",
      "|",
      "::",
      "s3://",
      "zip://",
      "#!",
      "\\",
      "?source=",
      "a.",
      "%7b",
    ])
      for (const start of ["", "https://x.org/", "s3://b/"]) readAddress(start + piece.repeat(20_000));
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
