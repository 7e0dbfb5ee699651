/** Reads columns of all row groups: shared by references and tables. */

import { badFile } from "./fields.js";
import type { Footer } from "./footer.js";
import { type Budget, type Page, readPages } from "./pages.js";

/** Destination of the pages of a column. */
export interface Sink {
  /** @param row the page's first row. */
  add(page: Page, row: number): void;
}

/** Reads a column that the footer lists. @returns the sink. @throws the errors of `readPages`. */
export async function fillColumn<T extends Sink>(
  file: Uint8Array,
  { groups, columns }: Footer,
  name: string,
  budget: Budget,
  sink: T,
): Promise<T> {
  let row = 0;
  for (const group of groups) {
    const chunk = group.columns.get(name);
    const column = columns.get(name);
    if (!chunk || !column) throw badFile(`its column "${name}" is missing in a row group`);
    let at = row;
    const bytes = file.subarray(chunk.start, chunk.end);
    for await (const page of readPages(bytes, chunk, column, group.rows, budget)) {
      sink.add(page, at);
      at += page.rows;
    }
    row += group.rows;
  }
  return sink;
}

/** Calls `call` for each row with a value, with the index of the value. */
export function forEachValue(
  { rows, levels }: Page,
  row: number,
  call: (row: number, value: number) => void,
): void {
  let value = 0;
  for (let i = 0; i < rows; i++) if (!levels || levels[i] === 1) call(row + i, value++);
}

/** Numbers by row; NaN for values that are not numbers. */
export class NumberColumn implements Sink {
  readonly values: Float64Array;

  /** @param missing the number of rows that are null. */
  constructor(rows: number, missing: number) {
    this.values = new Float64Array(rows).fill(missing);
  }

  add(page: Page, row: number): void {
    const { values, dictionary } = page;
    forEachValue(page, row, (at, i) => {
      this.values[at] = Number(dictionary ? dictionary[values[i] as number] : values[i]);
    });
  }
}
