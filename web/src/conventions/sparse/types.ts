/** Sparse matrices, and options of reading them. */
import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";

import type { DimensionSelection } from "../../plan/selection.js";

/**
 * A sparse matrix in rows (CSR) or in columns (CSC): line i, a row or a column, has the elements indptr[i] to
 * indptr[i + 1], at the columns or rows `indices`, with the values `data`; all others are zero.
 */
export interface SparseMatrix {
  readonly format: "csr" | "csc";
  /** Rows and columns. */
  readonly shape: readonly [number, number];
  /** One more than there are lines. */
  readonly indptr: Int32Array;
  /** In the order in which they are stored, which is mostly a rising one in each line. */
  readonly indices: Int32Array;
  readonly data: ElementData;
  readonly dtype: DType;
}

export interface SparseOptions {
  /** As in a selection for `get`; an index counts as one row. Default: all. */
  rows?: DimensionSelection | undefined;
  columns?: DimensionSelection | undefined;
  /** Most bytes that `indptr`, `indices` and `data` may take while they are read. Default: 1 GiB. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}
