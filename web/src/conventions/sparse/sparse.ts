/**
 * Sparse matrices as AnnData and SpatialData store them. What reads them is loaded when it is first called.
 * Spec: AnnData on-disk format, "Sparse arrays", 0.1.0.
 */

import type { DType } from "../../dtypes/dtype.js";
import type { ElementData } from "../../dtypes/elements.js";
import type { ZarrGroup } from "../../hierarchy/group.js";
import type { DimensionSelection } from "../../plan/selection.js";
import { lazy } from "../../util/lazy.js";

const sparse = lazy("sparse matrices", () => import("../../lazy/sparse.js"));

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

/**
 * Reads a sparse matrix, or some of its rows and columns.
 *
 * Of CSR rows are cheap: only their elements are read. Of columns all elements of the chosen rows are read, and most are
 * thrown away; of CSC it is the other way round. The result has the format that is stored.
 *
 * @param group with `indptr`, `indices` and `data`: `X`, a layer, or an entry of `obsp` of an AnnData store.
 * @throws NotFound (not-sparse) for a group that is no sparse matrix; InvalidMetadata (bad-sparse) for arrays that do not
 *   fit each other, and indices outside the matrix; LimitExceeded (sparse-bytes) before the elements are read;
 *   InvalidSelection; what `open` and `get` throw.
 */
export async function readSparse(group: ZarrGroup, options: SparseOptions = {}): Promise<SparseMatrix> {
  return (await sparse()).read(group, options);
}
