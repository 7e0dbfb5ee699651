// Files of other formats that are opened in place of Zarr folders: the message names the format by the first bytes.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HttpStore, open, ZipStore } from "zarr-wasm";
import { startServer } from "#src/cli/server/server.js";
import { temporaryFolder } from "../support/cli-tool.js";
import { errorOf } from "../support/support.js";

const folder = temporaryFolder();
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer({ mounts: { "/": { root: folder, isData: true } } });
});
afterAll(() => server.close());

const formats: readonly (readonly [name: string, start: string, format: RegExp])[] = [
  ["d.hdf", "\x0e\x03\x13\x01", /an HDF4 file/],
  ["g.grib", "GRIB\0\0\0\x01", /a GRIB file of edition 1/],
  ["i.nc", "PK\x03\x04", /a zip archive; open it with `new ZipStore\(url\)`/],
  ["j.parquet", "PAR1", /a Parquet file; open it with `readParquet`/],
  ["k.json", ' {"version":1}', /a JSON document; open it with `ReferenceStore\.open\(url\)`/],
];

describe.each(formats)("a file %s", (name, start, format) => {
  const file = path.join(folder, name);
  writeFileSync(file, Buffer.concat([Buffer.from(start, "latin1"), Buffer.alloc(2 ** 17)]));

  it.each([
    ["over HTTP", () => `${server.url}/${name}`],
    ["in an HttpStore", () => new HttpStore(`${server.url}/${name}`)],
    ["of this machine", () => pathToFileURL(file)],
  ])("is named: %s", async (_, source) => {
    const error = await errorOf(() => open(source()));
    expect(error._tag).toBe("Unsupported");
    expect(error.message).toMatch(format);
    expect(error.message).toContain(name);
  });

  it("is named by ZipStore", async () => {
    const error = await errorOf(() => open(new ZipStore(pathToFileURL(file))));
    expect([error._tag, error.code]).toEqual(["InvalidMetadata", "bad-zip"]);
    if (!start.startsWith("PK")) expect(error.message).toMatch(format);
  });
});

it("is named by its bytes, not its name", async () => {
  const file = path.join(folder, "z.tif");
  writeFileSync(file, "GRIB\0\0\0\x01 and so on");
  for (const source of [`${server.url}/z.tif`, pathToFileURL(file)])
    expect((await errorOf(() => open(source))).message).toMatch(/a GRIB file/);
});

it("a folder with such a name, and a file of no known format, are as if they had another name", async () => {
  writeFileSync(path.join(folder, "y.nc"), "text");
  for (const name of ["y.nc", "none.nc"])
    for (const source of [`${server.url}/${name}`, pathToFileURL(path.join(folder, name))])
      expect((await errorOf(() => open(source)))._tag).toBe("NotFound");
});
