// Records Parquet files of references that DuckDB and arrow-rs write, for tests/node/formats/parquet.test.ts, and kerchunk's own
// with what DuckDB reads from them. Its packages are installed for that alone:
//   npm install --prefix build/writers @duckdb/node-api@1.5.6-r.1 parquet-wasm@0.8.0 apache-arrow@21.2.0
//   node tests/golden/references.mjs build/writers > tests/golden/references.jsonl
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const need = createRequire(path.resolve(process.argv[2] ?? "", "package.json"));
const { DuckDBInstance } = need("@duckdb/node-api");
const arrow = need("apache-arrow");
const parquet = need("parquet-wasm");

const dir = mkdtempSync(path.join(tmpdir(), "references-"));
const database = await (await DuckDBInstance.create(":memory:")).connect();
const query = async (sql) => (await database.runAndReadAll(sql)).getRowObjects();

/** Rows of every kind. @param paths how many there are; Infinity for one per row. */
function rowsOf(count, paths) {
  return Array.from({ length: count }, (_, i) => {
    const row = { path: null, offset: 0n, size: 0n, raw: null };
    if (i % 7 === 5) return row;
    if (i % 7 === 3) return { ...row, raw: Uint8Array.from({ length: i % 4 }, (_, k) => (i * 31 + k * 101) & 255) };
    const url = `s3://bücket/fïle ${paths === Number.POSITIVE_INFINITY ? i : (i * i) % paths}.nc`;
    if (i % 11 === 2) return { ...row, path: url };
    return { ...row, path: url, offset: BigInt(i) ** 3n * 9973n, size: BigInt(100 + (i % 13)) };
  });
}

/** One line per row: null, the bytes in base 64, `[path]` or `[path, offset, size]`. */
function textOf({ path: url, offset, size, raw }) {
  if (raw) return `base64:${Buffer.from(raw).toString("base64")}`;
  if (url === null) return "null";
  return JSON.stringify(offset || size ? [url, Number(offset), Number(size)] : [url]);
}

function record(name, file, rows) {
  const sha256 = createHash("sha256").update(rows.map(textOf).join("\n")).digest("hex");
  process.stdout.write(
    `${JSON.stringify({ name, rows: rows.length, first: rows.slice(0, 3).map(textOf), sha256, file: file.toString("base64") })}\n`,
  );
}

const hexOf = (bytes) => `'${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")}'::blob`;

async function byDuckDb(name, rows, options) {
  const values = rows.map(({ path: url, offset, size, raw }, i) => {
    const text = url === null ? "null::varchar" : `'${url}'`;
    return `(${i}, ${text}, ${offset}::bigint, ${size}::bigint, ${raw ? hexOf(raw) : "null::blob"})`;
  });
  const table = `(values ${values.join(",")}) t(i, path, "offset", size, raw)`;
  const file = path.join(dir, `${name}.parq`);
  await query(`copy (select path, "offset", size, raw from ${table} order by i) to '${file}' (format parquet, ${options})`);
  record(`DuckDB, ${name}`, readFileSync(file), rows);
}

const { Compression, WriterVersion, WriterPropertiesBuilder, Table } = parquet;

function byArrow(name, rows, { compression, version = WriterVersion.V1, dictionary, pageRows, groupRows, stats }) {
  const text = dictionary === "type" ? new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32()) : new arrow.Utf8();
  const columns = {
    path: arrow.vectorFromArray(rows.map((row) => row.path), text),
    offset: arrow.vectorFromArray(rows.map((row) => row.offset), new arrow.Int64()),
    size: arrow.vectorFromArray(rows.map((row) => row.size), new arrow.Int64()),
    raw: arrow.vectorFromArray(rows.map((row) => row.raw), new arrow.Binary()),
  };
  const table = Table.fromIPCStream(arrow.tableToIPC(new arrow.Table(columns), "stream"));
  let properties = new WriterPropertiesBuilder()
    .setCompression(Compression[compression])
    .setWriterVersion(version)
    .setDictionaryEnabled(dictionary !== false)
    .setStatisticsEnabled(stats ? 2 : 0);
  if (pageRows) properties = properties.setDataPageSizeLimit(pageRows).setWriteBatchSize(64);
  if (groupRows) properties = properties.setMaxRowGroupSize(groupRows);
  record(`arrow-rs, ${name}`, Buffer.from(parquet.writeParquet(table, properties.build())), rows);
}

await byDuckDb("zstd", rowsOf(300, 4), "compression zstd");
await byDuckDb("snappy, a path per row", rowsOf(40, Number.POSITIVE_INFINITY), "compression snappy");
await byDuckDb("gzip", rowsOf(40, 3), "compression gzip");
await byDuckDb("lz4", rowsOf(40, 3), "compression lz4_raw");
await byDuckDb("without compression", rowsOf(40, 3), "compression uncompressed");
await byDuckDb("groups of rows", rowsOf(4500, 2), "compression zstd, row_group_size 2048");
for (const compression of ["ZSTD", "SNAPPY", "GZIP", "LZ4_RAW", "UNCOMPRESSED"]) {
  byArrow(compression, rowsOf(60, 3), { compression });
  byArrow(`${compression}, pages of version 2`, rowsOf(60, 3), { compression, version: WriterVersion.V2, dictionary: true });
}
byArrow("no dictionary", rowsOf(120, Number.POSITIVE_INFINITY), { compression: "ZSTD", dictionary: false, stats: true });
byArrow("categories", rowsOf(300, 40), { compression: "ZSTD", dictionary: "type", stats: true });
byArrow("small pages in groups", rowsOf(700, 300), { compression: "ZSTD", pageRows: 256, groupRows: 250, stats: true });

const kerchunk = path.join(import.meta.dirname, "kerchunk/combined.parq");
for (const name of ["time", "T2", "Lambert_Conformal", "lat"]) {
  const file = path.join(kerchunk, name, "refs.0.parq");
  const rows = await query(`select * from read_parquet('${file}')`);
  record(`kerchunk, ${name}`, Buffer.alloc(0), rows.map((row) => ({ ...row, raw: row.raw?.bytes ?? null })));
}
rmSync(dir, { recursive: true });
