/** Sparse matrices and the options for reading them. */
import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";

import type { DimensionSelection } from "../../plan/selection.js";

/**
 * A sparse matrix by rows (CSR) or by columns (CSC). Line i, a row or a column, has the elements indptr[i] to
 * indptr[i + 1] (exclusive), with positions in `indices` and values in `data`; all other elements are zero.
 */
export interface SparseMatrix {
  readonly format: "csr" | "csc";
  /** Numbers of rows and columns. */
  readonly shape: readonly [number, number];
  /** Start of each line in `indices` and `data`; has one entry more than there are lines. */
  readonly indptr: Int32Array;
  /** Indices in stored order, usually rising within each line. */
  readonly indices: Int32Array;
  readonly data: ElementData;
  readonly dtype: DType;
}

export interface SparseOptions {
  /** Rows, as in a selection for `get`; an index counts as one row. Default: all. */
  rows?: DimensionSelection | undefined;
  columns?: DimensionSelection | undefined;
  /** Maximum bytes that `indptr`, `indices` and `data` may take while they are read. Default: 1 GiB. */
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}
