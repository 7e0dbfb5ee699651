/** Messages between a thread and a worker that sends requests for it. */

/** Requests a URL. */
export interface FetchAsk {
  readonly fetch: number;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Origin of the calling thread. A worker with another origin would get different responses. */
  readonly origin: string | undefined;
}

/** Acknowledges the data received, so that the worker continues reading. */
export interface FetchMore {
  readonly more: number;
}

/** Cancels a request. */
export interface FetchDrop {
  readonly drop: number;
}

export type FetchRequest = FetchAsk | FetchMore | FetchDrop;

/**
 * Progress of a request: the head comes with or before the first piece of the body, the end with the last.
 */
export interface FetchNews {
  readonly fetched: number;
  readonly head?: FetchHead | undefined;
  readonly piece?: ArrayBuffer | undefined;
  readonly isEnd?: boolean | undefined;
  /** The error, if there is no response or no more of it. */
  readonly failure?: string | undefined;
}

export interface FetchHead {
  readonly status: number;
  readonly statusText: string;
  readonly isCors: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Whether a message concerns requests. */
export const isFetchRequest = (message: object): message is FetchRequest =>
  "fetch" in message || "more" in message || "drop" in message;
