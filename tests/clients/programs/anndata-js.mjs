// anndata.js: annotated matrices. Sparse ones need `create` and `set`, and are not tested.
import { get, readZarr } from "anndata.js";
import { FetchStore, slice } from "zarrita";

export async function read(url) {
  const table = await readZarr(new FetchStore(`${url}/table`));
  const names = await get(await table.obsNames(), [null]);
  const variables = await get(await table.varNames(), [null]);
  const categories = await get(await table.obs.get("leiden"), [null]);
  const total = await get(await table.obs.get("total"), [slice(3, 40)]);
  const matrix = await get(table.X, [slice(5, 33), null]);
  const element = await get(table.X, [5, 3]);
  const umap = await get(await table.obsm.get("X_umap"), [null, 1]);
  return [names, variables, categories, total, matrix, element, umap, await table.obs.has("nothing")];
}
