// Copies fixtures into other Zarr versions, laid out as fixtures again.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { get, getBytes, open } from "zarr-wasm";
import { runCopy } from "../../dist/cli/commands/copy.js";

/** Zarr versions that arrays are copied into. */
export const versions = [1, 2, 3];

/**
 * An array of a fixture.
 * @typedef {{ name: string, source: string, path: string, order?: "writer", expected?: object }} Fixture
 * `expected`: the entry of expected.json for a copy, without its path.
 */

/** Arrays below a folder of fixtures that other readers must be able to read. */
export function* fixturesIn(root) {
  for (const dir of foldersIn(root)) {
    const meta = JSON.parse(readFileSync(path.join(dir, "expected.json"), "utf8"));
    if (!versions.includes(meta.zarr_format)) continue;
    for (const want of meta.arrays ?? [meta]) {
      if (want.must ?? meta.must) continue;
      const source = path.join(dir, meta.store ?? "store.zarr");
      const inside = want.open_path ?? want.path ?? "";
      const folder = path.relative(root, dir);
      const name = meta.arrays ? path.join(folder, inside.replaceAll("/", "__") || "root") : folder;
      const file = want.expected && { ...want, expected: path.join(dir, want.expected) };
      const alternative = want.alt_sha256_if_meta_order_F_trusted;
      if (!alternative) {
        yield { name, source, path: inside, expected: file ?? { sha256: want.sha256 } };
        continue;
      }
      yield { name, source, path: inside, expected: { sha256: alternative } };
      yield {
        name: `${name} (writer order)`,
        source,
        path: inside,
        order: "writer",
        expected: file ?? { sha256: want.sha256 },
      };
    }
  }
}

function* foldersIn(dir) {
  const entries = readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  if (entries.some(({ name }) => name === "expected.json")) yield dir;
  else for (const entry of entries) if (entry.isDirectory()) yield* foldersIn(path.join(dir, entry.name));
}

/** Unpacks the project's own golden stores as a folder of fixtures. */
export function unpackGolden(golden, groups, out) {
  for (const group of groups) {
    const lines = readFileSync(path.join(golden, `${group}.jsonl`), "utf8")
      .trim()
      .split("\n");
    for (const { name, store, path: inside = "", sha256, writerOrderSha256 } of lines.map((line) =>
      JSON.parse(line),
    )) {
      const dir = path.join(out, name);
      for (const [key, value] of Object.entries(store)) {
        const file = path.join(dir, "store.zarr", key);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, typeof value === "string" ? value : Buffer.from(value.b64, "base64"));
      }
      // A golden store's checksum assumes the specified order; the one for the writer's order is listed beside it.
      const sums = writerOrderSha256
        ? { sha256: writerOrderSha256, alt_sha256_if_meta_order_F_trusted: sha256 }
        : { sha256 };
      const expected = { zarr_format: Number(group.slice(1)), path: inside, ...sums };
      writeFileSync(path.join(dir, "expected.json"), JSON.stringify(expected));
    }
  }
}

/**
 * Copies an array into a Zarr version and compares the elements of both. If the version lacks the array's codecs,
 * order of axes or grid, the copy gets others: the test is whether the version can hold the elements.
 * @returns the outcome: "equal", and with what; "cannot hold", "differs" or "failed", with the reason.
 */
export async function copyInto(fixture, version, out) {
  const dir = path.join(out, `v${version}`, fixture.name);
  const dest = path.join(dir, "store.zarr");
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const values = { format: String(version), path: fixture.path, json: true, overwrite: true };
  if (fixture.order) values["v1-order"] = fixture.order;
  let others = "";
  for (;;) {
    try {
      await quietly(() => runCopy(fixture.source, dest, values));
      break;
    } catch (error) {
      const changed = await otherOptions(error, values, fixture);
      if (!changed) {
        rmSync(dir, { recursive: true, force: true });
        const isRefused = error._tag === "Unsupported";
        return {
          outcome: isRefused ? "cannot hold" : "failed",
          reason: `${error.message ?? error}${others}`,
        };
      }
      Object.assign(values, changed);
      others = ` with ${Object.keys(changed)}, since ${error.message}${others}`;
    }
  }
  const [from, to] = [await elementsOf(fixture.source, fixture), await elementsOf(dest, {})];
  if (!isDeepStrictEqual(from, to)) return { outcome: "differs", reason: "the copy has other elements" };
  writeFileSync(path.join(dir, "expected.json"), JSON.stringify(expectedOf(fixture, version, dir), null, 1));
  return { outcome: `equal${others}` };
}

/** Options for a copy if a version cannot hold the stored form of an array; undefined if no options help. */
async function otherOptions({ message }, values, fixture) {
  if (/different lengths/.test(message) && !values.chunks) {
    const { chunkShape } = await openFixture(fixture.source, fixture);
    return { chunks: chunkShape.join(), shards: "none" };
  }
  const isOfCodecs = /codec|compressor|byte order|order of axes/.test(message);
  return isOfCodecs && !values.codecs ? { codecs: "none" } : undefined;
}

/** expected.json of a copy; files of expected elements are not copied. */
function expectedOf({ expected }, version, dir) {
  const { expected: file, expected_gzipped, expected_encoding, sha256 } = expected;
  const place = file && { expected: path.relative(dir, file), expected_gzipped, expected_encoding };
  return { store: "store.zarr", path: "", zarr_format: version, ...(place ?? { args: [], sha256 }) };
}

async function elementsOf(source, place) {
  const array = await openFixture(source, place);
  const data = array.dtype.isVariable ? (await get(array)).data : (await getBytes(array)).bytes;
  return { dtype: String(array.dtype), shape: array.shape, data };
}

const openFixture = (source, { path: inside = "", order }) =>
  open(pathToFileURL(path.resolve(source)), {
    path: inside,
    kind: "array",
    onWarning: () => {},
    v1Order: order,
  });

/** Runs a command and discards its output. */
async function quietly(work) {
  const streams = [process.stdout, process.stderr];
  const writes = streams.map((stream) => stream.write);
  for (const stream of streams) stream.write = () => true;
  try {
    await work();
  } finally {
    streams.forEach((stream, i) => {
      stream.write = writes[i];
    });
  }
}
