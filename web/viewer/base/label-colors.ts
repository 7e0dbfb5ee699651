/** Colours of single labels, as metadata give them. */

export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

let lastId = 0;

/** In the text of a style, such as the key of a cache, it is a number: no two have the same. */
export class LabelColors {
  readonly #id = ++lastId;

  /** @param others the colour of labels that are not in the list. Default: one for each */
  constructor(
    readonly colors: ReadonlyMap<number, Rgba>,
    readonly others?: Rgba | undefined,
  ) {}

  toString(): string {
    return `labels ${this.#id}`;
  }

  toJSON(): string {
    return this.toString();
  }
}
