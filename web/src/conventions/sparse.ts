/**
 * Sparse matrices as AnnData and SpatialData store them. What reads them is loaded when it is first called.
 * Spec: AnnData on-disk format, "Sparse arrays", 0.1.0.
 */

import type { ZarrGroup } from "../hierarchy/group.js";

import { lazy } from "../util/lazy.js";
import type { SparseMatrix, SparseOptions } from "./sparse/types.js";

const sparse = lazy("conventions", () => import("./part.js"));

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
  return (await sparse()).readSparse(group, options);
}
