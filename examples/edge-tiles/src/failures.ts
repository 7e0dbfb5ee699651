/** Failures as HTTP statuses. */
import { isZarrError, type ZarrError } from "zarr-wasm";

/** An intended response other than 200. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Seconds until a retry is useful. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

export const badRequest = (message: string) => new Refusal(400, message);
export const notThere = (message: string) => new Refusal(404, message);
export const cannotShow = (message: string) => new Refusal(422, message);
export const tooManyChunks = (count: number, most: number) =>
  new Refusal(422, `this tile needs ${count} chunks, more than the limit of ${most}: its chunks are too small`);
export const busy = () => new Refusal(503, "too many chunks are being read at the moment", 1);
export const tooSlow = () => new Refusal(504, "the store did not answer in time", 5);

/** Converts an error to a response. Library messages may contain the store's address and are not sent to clients. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (isZarrError(error)) return ofZarr(error);
  return new Refusal(500, "something went wrong here");
}

function ofZarr(error: ZarrError): Refusal {
  switch (error._tag) {
    case "NotFound":
      return notThere("there is no such dataset");
    case "Network":
      return new Refusal(502, error.status ? `the store answered ${error.status}` : "the store cannot be read", 5);
    case "CorruptChunk":
      return new Refusal(502, `a chunk in the store is damaged (${error.code})`);
    case "InvalidMetadata":
    case "UnknownCodec":
    case "Unsupported":
    case "LimitExceeded":
      return cannotShow(`this dataset cannot be shown (${error.code})`);
    default:
      return new Refusal(500, `something went wrong here (${error.code})`);
  }
}
