// @vivjs/loaders: tiles and rasters of images' pyramids.
import { loadOmeZarr } from "@vivjs/loaders";

export async function read(url) {
  const results = [];
  for (const name of ["image2", "image3"]) {
    const { data, metadata } = await loadOmeZarr(`${url}/${name}`, { type: "multiscales" });
    results.push(metadata);
    for (const source of data) {
      const { shape, dtype, tileSize, labels } = source;
      results.push({ shape, dtype, tileSize, labels });
      const selection = { t: 0, c: 1, z: 1 };
      const { signal } = new AbortController();
      results.push(
        await source.getTile({ x: 0, y: 0, selection, signal }),
        await source.getRaster({ selection }),
      );
    }
  }
  return results;
}
