/** Stores that read formats or protocols: ZIP archives, HTTP responses, reference documents. */
import fc from "fast-check";
import { ListedReferences } from "../../../dist/formats/kerchunk/document.js";
import { type Reference, targetUrl } from "../../../dist/formats/kerchunk/place.js";
import { ReferenceStore } from "../../../dist/formats.js";
import { HttpStore, type RangeQuery, ZipStore } from "../../../dist/index.js";
import { parseRetryAfter } from "../../../dist/store/http/requests.js";
import { writeZip } from "../../node/support/zip-builder.js";
import { runAll } from "../../shared/steps.js";
import { mutatedBytes, mutatedText } from "./mutations.js";
import { goldenZips } from "./seeds.js";
import { type FuzzTarget, holds, jsonBytes, jsonOf, textBytes, throwFirst } from "./target.js";

/** Archives: each entry of the directory is read, whole and in part. */
const zip: FuzzTarget = {
  name: "zip",
  inputs: mutatedBytes([...goldenZips().map(smaller), ...oddZips()]),
  covers: ["store/zip/store.js", "store/zip/"],
  tags: ["InvalidMetadata", "NotFound", "Unsupported", "CorruptChunk", "LimitExceeded"],
  run: async (input) => {
    const store = new ZipStore(input, { maxBytes: 2 ** 20, limits: { indexBytes: 2 ** 20 } });
    const keys: string[] = [];
    for await (const key of store.list("")) keys.push(key);
    await store.listChildren("");
    for (const key of keys.slice(0, 6)) await readBoth(store, key);
  },
};

async function readBoth(store: ZipStore, key: string): Promise<void> {
  holds(key.startsWith("/") && !/(^|\/)\.\.?(\/|$)/.test(key), "keys stay inside the archive");
  const whole = await store.get(key);
  const part = await store.getRange(key, { offset: 3, length: 5 });
  holds(whole !== undefined && part !== undefined, "listed objects exist");
  holds(Buffer.compare(whole.subarray(3, 8), part) === 0, "a range equals that part of the whole");
}

/** Archives with features that the golden ones lack: zip64, names in code page 437, data descriptors, comments. */
function oddZips(): Uint8Array[] {
  const [a, b] = [textBytes("some bytes, some bytes"), textBytes("x".repeat(300))];
  const latin = { rawName: Uint8Array.of(0x61, 0x2f, 0x81, 0xe1) };
  return [
    writeZip(
      [
        { name: "a", bytes: a, zip64: true },
        { name: "b/c", bytes: b, method: 8, zip64: true },
      ],
      { zip64: true },
    ),
    writeZip([{ name: "a", bytes: a }], { zip64: true, gap: 9, comment: textBytes("PK") }),
    writeZip([
      { name: "", ...latin, bytes: a },
      { name: "ü", flags: 0x800, bytes: b, method: 8 },
    ]),
    writeZip([
      { name: "a", flags: 8, bytes: a, method: 8, extra: new Uint8Array(70) },
      { name: "a", bytes: b },
    ]),
    writeZip([
      { name: "secret", flags: 1, bytes: a },
      { name: "./d\\e", bytes: a },
      { name: "f/", bytes: new Uint8Array(0) },
    ]),
  ];
}

/** An archive of the first few objects, since small inputs find more. */
function smaller(archive: Uint8Array): Uint8Array {
  const bytes = Buffer.from(archive);
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  const start = bytes.readUInt32LE(end + 16);
  let at = start;
  const entries: Buffer[] = [];
  for (let i = 0; i < 3 && bytes.readUInt32LE(at) === 0x02014b50; i++) {
    const next =
      at + 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    entries.push(bytes.subarray(at, next));
    at = next;
  }
  const bodyEnd = bytes.readUInt32LE(at) === 0x02014b50 ? bytes.readUInt32LE(at + 42) : start;
  const directory = Buffer.concat(entries);
  const tail = Buffer.from(bytes.subarray(end, end + 22));
  tail.writeUInt16LE(entries.length, 8);
  tail.writeUInt16LE(entries.length, 10);
  tail.writeUInt32LE(directory.length, 12);
  tail.writeUInt32LE(bodyEnd, 16);
  tail.writeUInt16LE(0, 20);
  return Uint8Array.from(Buffer.concat([bytes.subarray(0, bodyEnd), directory, tail]));
}

interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  bytes: number;
  /** Respond correctly instead. */
  honest: boolean;
}

interface HttpCase {
  size: number;
  range: Record<string, number> | null;
  answers: HttpAnswer[];
}

const small = fc.nat(120);
const number = fc.oneof(
  small.map(String),
  fc.constantFrom("-1", "1e3", "9007199254740993", "99999999999999999999", "0x10", "", "*"),
);
const header = fc.oneof(
  fc.tuple(number, number, number).map(([a, b, c]) => ["content-range", `bytes ${a}-${b}/${c}`]),
  number.map((total) => ["content-range", `bytes */${total}`]),
  number.map((length) => ["content-length", length]),
  fc.constantFrom(
    ["content-encoding", "gzip"],
    ["content-encoding", "identity"],
    ["content-type", "multipart/byteranges; boundary=x"],
    ["accept-ranges", "bytes"],
    ["etag", '"a"'],
    ["etag", 'W/"a"'],
    ["etag", '"b"'],
    ["retry-after", "0"],
    ["retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"],
  ),
  fc
    .tuple(
      fc.constantFrom("content-range", "content-length", "etag", "retry-after", "content-type"),
      fc.string({ maxLength: 20 }),
    )
    .map(([name, value]) => [name, value.replaceAll(/[^\x20-\x7e]/g, "")]),
) as fc.Arbitrary<[string, string]>;
const answer: fc.Arbitrary<HttpAnswer> = fc.record({
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(200, 206, 416) },
    { weight: 2, arbitrary: fc.constantFrom(200, 201, 204, 304, 403, 404, 410, 429, 500, 503) },
  ),
  headers: fc.array(header, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
  bytes: small,
  honest: fc.boolean(),
});
const httpCases: fc.Arbitrary<HttpCase> = fc.record({
  size: small,
  range: fc.oneof(
    fc.constant(null),
    fc.record({ offset: small, length: small }),
    fc.record({ suffixLength: small }),
  ),
  answers: fc.array(answer, { minLength: 1, maxLength: 5 }),
});

/** HTTP: responses with arbitrary status, headers and body. If all are honest, the bytes are correct. */
const http: FuzzTarget = {
  name: "http",
  inputs: httpCases.map(jsonBytes),
  covers: ["store/http/store.js", "store/http/", "store/read.js"],
  tags: ["Network", "LimitExceeded"],
  run: async (input) => {
    const { size, range, answers } = jsonOf<HttpCase>(input);
    const object = Uint8Array.from({ length: size }, (_, i) => i);
    let sent = 0;
    const fetch = async (request: Request) => {
      const next = answers[Math.min(sent++, answers.length - 1)]!;
      holds(sent <= 40, "the number of requests is bounded");
      return next.honest ? honestAnswer(request, object) : falseAnswer(request, next, object);
    };
    const store = new HttpStore("https://example.org/", {
      fetch,
      maxBytes: 4096,
      retries: 2,
      retryDelay: 0,
      maxRetryDelay: 0,
    });
    const bytes = range ? await store.getRange("/k", range as RangeQuery) : await store.get("/k");
    const wanted = range ? ("suffixLength" in range ? range["suffixLength"]! : range["length"]!) : 4096;
    holds((bytes?.byteLength ?? 0) <= wanted, "a read returns at most the requested bytes");
    if (!answers.every(({ honest }) => honest)) return;
    const [offset, length] = range
      ? "suffixLength" in range
        ? [Math.max(0, size - wanted), wanted]
        : [range["offset"]!, wanted]
      : [0, size];
    holds(
      Buffer.compare(bytes!, object.subarray(offset, offset + length)) === 0,
      "the bytes equal the object's",
    );
  },
};

function honestAnswer(request: Request, object: Uint8Array<ArrayBuffer>): Response {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "");
  const total = object.byteLength;
  if (!asked)
    return new Response(request.method === "HEAD" ? null : object, {
      headers: { "content-length": String(total) },
    });
  const [start, end] =
    asked[1] === ""
      ? [Math.max(0, total - Number(asked[2])), total]
      : [Number(asked[1]), Math.min(total, Number(asked[2]) + 1)];
  if (start >= end)
    return new Response(null, { status: 416, headers: { "content-range": `bytes */${total}` } });
  const headers = {
    "content-range": `bytes ${start}-${end - 1}/${total}`,
    "content-length": String(end - start),
  };
  return new Response(object.slice(start, end), { status: 206, headers });
}

function falseAnswer(request: Request, { status, headers, bytes }: HttpAnswer, object: Uint8Array): Response {
  const hasBody = request.method !== "HEAD" && ![204, 304].includes(status);
  return new Response(hasBody ? object.slice(0, bytes) : null, { status, headers });
}

/** The Retry-After header. */
const retryAfter: FuzzTarget = {
  name: "retry-after",
  inputs: mutatedText([
    "120",
    "0",
    "Wed, 21 Oct 2015 07:28:00 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "1e9",
    "-5",
  ]),
  covers: ["store/http/requests.js"],
  tags: [],
  run: (input) => {
    const pause = parseRetryAfter(new TextDecoder().decode(input), 0);
    holds(pause === undefined || pause >= 0, "a delay is not negative or NaN");
  },
};

const references = [
  {
    ".zgroup": '{"zarr_format":2}',
    "a/.zarray": { zarr_format: 2 },
    "a/0": ["s3://bucket/file.nc", 10, 20],
    "a/1": "base64:AAEC",
  },
  {
    version: 1,
    templates: { u: "https://example.org/data", f: "{{u}}/x" },
    gen: [],
    refs: { key0: "data", key1: ["{{u}}", 10000, 100], key2: ["{{f}}"], key3: [null, 0, 5], "../up": "x" },
  },
  {
    version: 1,
    gen: [{ key: "gen_key{{i}}", url: "{{u}}_{{i}}", dimensions: { i: { stop: 5 } } }],
    refs: {},
  },
  { version: 1, refs: { a: "base64:!", b: [], c: [1, 2, 3], d: ["x", -1, 2], __proto__: "y" } },
].map((document) => JSON.stringify(document));

/** Reference documents: each reference is resolved and read from another store. */
const reference: FuzzTarget = {
  name: "reference",
  inputs: mutatedText(references),
  covers: ["formats/kerchunk/store.js", "formats/kerchunk/"],
  tags: ["InvalidMetadata", "Unsupported", "LimitExceeded", "InvalidArgument", "Network"],
  run: async (input) => {
    const references = new ListedReferences({}, maxReferences);
    runAll(references.addBytes(input, "references"));
    const keys = references.keys();
    holds(keys.length <= maxReferences, "the number of references is limited");
    const target = { store: new Map([["/target", new Uint8Array(100)]]), key: "/target" };
    const source = { store: new Map([["/references.json", input]]), key: "/references.json" };
    const store = await ReferenceStore.open(source, {
      limits: { references: maxReferences },
      resolve: () => target,
    });
    const listed: string[] = [];
    for await (const key of store.list("")) listed.push(key);
    holds(listed.length === keys.length, "all references are listed");
    await store.listChildren("");
    const failures: unknown[] = [];
    for (const key of keys.slice(0, 50)) {
      const attempts = [async () => checkTarget(references.find(key)!), () => checkRead(store, key)];
      for (const attempt of attempts) await attempt().catch((error: unknown) => failures.push(error));
    }
    throwFirst(failures);
  },
};

const maxReferences = 2000;

async function checkTarget(found: Reference): Promise<void> {
  if ("bytes" in found || found.url === null) return;
  const url = targetUrl(found.url, new URL("https://example.org/d/references.json"));
  holds(/^https?:$/.test(url.protocol), "a remote document cannot refer to local files");
}

async function checkRead(store: ReferenceStore, key: string): Promise<void> {
  const whole = await store.get(key);
  const part = await store.getRange(key, { offset: 2, length: 3 });
  holds(whole !== undefined && part !== undefined, "listed objects exist");
  holds(Buffer.compare(whole.subarray(2, 5), part) === 0, "a range equals that part of the whole");
}

export const storeTargets = [zip, http, retryAfter, reference];
