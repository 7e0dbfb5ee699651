/** The last bytes of bodies, of which no more is kept in memory. */
import { ByteSink } from "../../util/byte-sink.js";
import type { Watch } from "../../util/idle-timeout.js";
import type { Answer } from "../transport.js";
import { rethrow, startBytes, tooMany } from "./body.js";
import { checkCodings } from "./content-encoding.js";
import { tellingBytes } from "./html-sniff.js";

/** The end of a body. */
interface BodyEnd {
  /** Its last bytes. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Its first ones, as many as tell whether it is a web page. */
  head: Uint8Array<ArrayBuffer>;
  /** Bytes of all of it. */
  size: number;
}

/**
 * Reads a body to its end, in memory for twice the bytes that are wanted.
 * @param options.length bytes at the end that are wanted.
 * @throws as `readBody`.
 */
export async function readBodyEnd(
  answer: Answer,
  { name, length, maxBytes, watch }: { name: string; length: number; maxBytes: number; watch: Watch },
): Promise<BodyEnd> {
  checkCodings(answer.headers, name);
  const [sink, head] = [new ByteSink(startBytes), new ByteSink(tellingBytes)];
  let size = 0;
  const onPiece = (piece: Uint8Array): boolean => {
    watch.hear();
    size += piece.byteLength;
    if (size > maxBytes) throw tooMany(name, maxBytes);
    head.add(piece.subarray(0, tellingBytes - head.length));
    sink.add(piece);
    // Rarely, so that each byte is moved once or twice.
    if (sink.length > 2 * length + startBytes) sink.keepLast(length);
    return true;
  };
  await answer.read(onPiece).catch((cause) => rethrow(cause, name));
  sink.keepLast(length);
  return { bytes: sink.bytes(), head: head.bytes(), size };
}
