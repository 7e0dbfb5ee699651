// @vitessce/zarr: its data source of AnnData, without the loaders for views.
import AnnDataSource from "../node_modules/@vitessce/zarr/src/AnnDataSource.js";

export async function read(url) {
  const source = new AnnDataSource({ url: `${url}/table`, fileType: "anndata.zarr" });
  const { codes, categories } = await source.loadObsColumnCodes("obs/leiden");
  return [
    await source.loadObsIndex(),
    await source.loadVarIndex(),
    await source.loadObsColumns(["obs/leiden", "obs/total"]),
    [codes, categories],
    await source.loadNumeric("obsm/X_umap"),
    await source.loadNumericForDims("obsm/X_umap", [0, 1]),
    await source.loadNumeric("X"),
    await source.getJson("obsm"),
  ];
}
