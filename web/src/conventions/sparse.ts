/**
 * Sparse matrices of AnnData and SpatialData. The implementation is loaded on first use. Spec: AnnData
 * on-disk format, "Sparse arrays", 0.1.0.
 */

import type { ZarrGroup } from "../hierarchy/group.js";

import { lazy } from "../util/lazy.js";
import type { SparseMatrix, SparseOptions } from "./sparse/types.js";

const sparse = lazy("conventions", () => import("./part.js"));

/**
 * Reads a sparse matrix, or some of its rows and columns.
 *
 * In CSR, selecting rows is cheap: only their elements are read. To select columns, all elements of the
 * selected rows are read and most are discarded. In CSC, it is the other way round. The result has the stored
 * format.
 *
 * @param group with `indptr`, `indices` and `data`: `X`, a layer, or an entry of `obsp` of an AnnData store.
 * @throws NotFound (not-sparse) for a group that is not a sparse matrix; InvalidMetadata (bad-sparse) for
 *   inconsistent arrays and indices outside the matrix; LimitExceeded (sparse-bytes) before the elements are
 *   read; InvalidSelection; the errors of `open` and `get`.
 */
export async function readSparse(group: ZarrGroup, options: SparseOptions = {}): Promise<SparseMatrix> {
  return (await sparse()).readSparse(group, options);
}
