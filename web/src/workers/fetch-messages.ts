/** What a thread and its worker say to one another of requests that the worker sends. */

/** Asks for what lies at a URL. */
export interface FetchAsk {
  readonly fetch: number;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Of who asks: a worker of another origin would be answered differently. */
  readonly origin: string | undefined;
}

/** Says that what has come has been used: the worker reads on. */
export interface FetchMore {
  readonly more: number;
}

/** Says that nothing more is wanted. */
export interface FetchDrop {
  readonly drop: number;
}

export type FetchRequest = FetchAsk | FetchMore | FetchDrop;

/** What a worker says of a request: its head with or before the first piece of its body, and the end with the last. */
export interface FetchNews {
  readonly fetched: number;
  readonly head?: FetchHead | undefined;
  readonly piece?: ArrayBuffer | undefined;
  readonly isEnd?: boolean | undefined;
  /** Why there was no answer, or no more of it. */
  readonly failure?: string | undefined;
}

export interface FetchHead {
  readonly status: number;
  readonly statusText: string;
  readonly isCors: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Whether a message is about requests. */
export const isFetchRequest = (message: object): message is FetchRequest =>
  "fetch" in message || "more" in message || "drop" in message;
