/** References that one document lists. */
import { KeyIndex } from "../key-index.js";
import { type Reference, type ReferenceTable, readDocument, readReference, targetOf } from "./document.js";
import type { References } from "./references.js";

export class ListedReferences implements References {
  readonly #table: ReferenceTable;
  #index: KeyIndex | undefined;

  /**
   * @param templates values that replace the document's own.
   * @param most references that are taken.
   * @throws InvalidMetadata, Unsupported or LimitExceeded for a document that cannot be read.
   */
  constructor(document: unknown, templates: Record<string, string>, most: number) {
    this.#table = readDocument(document, templates, most);
  }

  find(path: string): Reference | undefined {
    const value = this.#table.references.get(path);
    return value === undefined ? undefined : readReference(value, path, this.#table.templates);
  }

  keys(): Iterable<string> {
    return this.#table.references.keys();
  }

  children(folder: string): string[] {
    this.#index ??= new KeyIndex(this.keys());
    return this.#index.children(folder);
  }

  *named(): Generator<string | null> {
    const seen = new Set<string | null>();
    for (const [key, value] of this.#table.references) {
      const named = targetOf(value, key, this.#table.templates);
      if (named === undefined || seen.has(named)) continue;
      seen.add(named);
      yield named;
    }
  }
}
