// Tables of AnnData: data frames with their categories.
import { expect, test } from "./site.js";

test("obs is a table of its columns, with the names of categories", async ({ viewer, page, problems }) => {
  problems.expect(/404/);
  await viewer.show("source=/layers/spatial.zarr&path=tables/table/obs");
  const table = page.getByRole("table", { name: "3 rows of 3 columns" });
  await expect(table.getByRole("columnheader")).toHaveText(["_index", "kind", "depth"]);
  const cells = table.getByRole("row").filter({ hasText: "c1" }).getByRole("cell");
  await expect(cells).toHaveText(["c1", "stroma", "1.5"]);
  const last = table.getByRole("row").filter({ hasText: "c3" }).getByRole("cell");
  await expect(last.first()).toHaveText("c3");
});
