/** Where an archive goes that is being written, piece by piece. */
import { invalidArgument } from "../../util/errors.js";
import type { MaybePromise } from "../store.js";

/** Takes an archive: a stream that is written to, or a function that is called with one piece after the other. */
export type ZipSink =
  | WritableStream<Uint8Array>
  | ((piece: Uint8Array<ArrayBuffer>) => MaybePromise<unknown>);

export interface PieceSink {
  write(piece: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(reason: unknown): Promise<void>;
}

/** @throws InvalidArgument for what takes nothing. */
export function openSink(sink: ZipSink): PieceSink {
  if (typeof sink === "function") {
    return {
      write: async (piece) => void (await sink(owned(piece))),
      close: async () => {},
      abort: async () => {},
    };
  }
  if (typeof (sink as { getWriter?: unknown } | undefined)?.getWriter !== "function") {
    throw invalidArgument("an archive is written to a WritableStream or a function");
  }
  const writer = sink.getWriter();
  writer.closed.catch(() => {}); // whoever writes hears of it
  return {
    write: async (piece) => {
      await writer.ready;
      await writer.write(owned(piece));
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  };
}

/** Streams take no memory that threads share. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : bytes.slice();
}
