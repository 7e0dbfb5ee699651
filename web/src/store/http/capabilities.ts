/** What servers have shown that they can do. */

export interface Abilities {
  /** Whether it understands "the last n bytes"; undefined until it has been tried. */
  suffix: boolean | undefined;
  /** How often a request for the last bytes failed without an answer, as it does where CORS forbids it. */
  suffixFaults: number;
  /** It answers ranges with whole objects. */
  ignoresRanges: boolean;
}

/** Servers by their origin. */
export class Servers {
  readonly #servers = new Map<string, Abilities>();

  of(url: URL): Abilities {
    let server = this.#servers.get(url.origin);
    if (!server) {
      server = { suffix: undefined, suffixFaults: 0, ignoresRanges: false };
      this.#servers.set(url.origin, server);
    }
    return server;
  }
}
