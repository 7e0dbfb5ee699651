/** Where an object's bytes are: in the document itself, or in a part of another object, or in all of it. */
export type Reference = { bytes: Uint8Array } | Target;

/** Bytes in another object; without an offset all of them. */
export type Target =
  | { url: string | null; offset: number; length: number }
  | { url: string | null; offset?: undefined; length?: undefined };
