/** Inflates raw DEFLATE (RFC 1951) and gzip with the decompressor of the runtime. */

import { ByteSink } from "./buffers.js";
import { corruptChunk, unsupported } from "./errors.js";
import { nodeModule } from "./platform.js";

/** Maximum expansion of any DEFLATE stream. */
const maxRatio = 1032;

/**
 * Inflates a stream of exactly `bytes` bytes.
 * @throws CorruptChunk for a damaged stream or one of another length; Unsupported if the runtime has no
 *   decompressor.
 */
export async function inflate(
  deflated: Uint8Array,
  bytes: number,
  name: string,
  format: CompressionFormat = "deflate-raw",
): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes > deflated.byteLength * maxRatio) {
    throw corruptChunk(`${name} is too short to inflate to ${bytes} bytes`, { code: "size-mismatch" });
  }
  let inflated: Uint8Array<ArrayBuffer>;
  const stream = decompressor(format);
  try {
    inflated = stream ? await streamed(stream, deflated, bytes) : await inNode(deflated, bytes);
  } catch (cause) {
    throw corruptChunk(`${name} cannot be inflated`, { code: "corrupt", cause });
  }
  if (inflated.byteLength !== bytes) {
    throw corruptChunk(`${name} does not inflate to the stated ${bytes} bytes`, {
      code: "size-mismatch",
    });
  }
  return inflated;
}

type Decompressor = GenericTransformStream;

/** Returns undefined if the runtime has no decompressor, or none for raw streams (Node below 20.12). */
function decompressor(format: CompressionFormat): Decompressor | undefined {
  try {
    return new DecompressionStream(format);
  } catch {
    return undefined;
  }
}

/**
 * Number of bytes fed at a time. Browsers inflate a whole piece before it can be stopped, so at most this
 * many bytes, expanded at most {@link maxRatio} times, are in flight.
 */
const pieceBytes = 2 ** 14;

/** Feeds a stream piece by piece, each when the one before it has been inflated and read. */
async function feed(writer: WritableStreamDefaultWriter<Uint8Array>, deflated: Uint8Array): Promise<void> {
  for (let at = 0; at < deflated.byteLength; at += pieceBytes) {
    await writer.ready;
    await writer.write(deflated.subarray(at, at + pieceBytes));
  }
  await writer.close();
}

/** Inflates a stream and stops at the first excess byte. Throws errors of the stream. */
export async function streamed(
  { readable, writable }: Decompressor,
  deflated: Uint8Array,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = (writable as WritableStream<Uint8Array>).getWriter();
  const reader = (readable as ReadableStream<Uint8Array>).getReader();
  // Errors surface at the reading end.
  feed(writer, deflated).catch(() => {});
  const sink = new ByteSink(bytes);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return sink.bytes();
    sink.add(value.subarray(0, bytes + 1 - sink.length));
    if (sink.length > bytes) {
      reader.cancel().catch(() => {});
      return sink.bytes();
    }
  }
}

async function inNode(deflated: Uint8Array, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const zlib = await nodeModule<typeof import("node:zlib")>("node:zlib").catch((cause) => {
    throw unsupported("this runtime cannot inflate data: it has no DecompressionStream", { cause });
  });
  return new Uint8Array(zlib.inflateRawSync(deflated, { maxOutputLength: bytes + 1 }));
}
