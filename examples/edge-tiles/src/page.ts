/** A plain page that shows a level of a dataset, tile by tile. */

const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tiles</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<form>
  <label>Dataset <input name="dataset" required></label>
  <label>Level <input name="z" type="number" min="0" value="0"></label>
  <label>Query <input name="query" placeholder="map=viridis&amp;range=0,1000"></label>
  <button>Show</button>
</form>
<p role="status"></p>
<div></div>
<script type="module" src="/page.js"></script>
</html>
`;

const css = `body { font: 1rem system-ui, sans-serif; margin: 1rem }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; margin-bottom: 1rem }
div { display: grid; width: max-content; background: #ddd }
img { display: block }
`;

const script = `const form = document.querySelector("form");
const [status, tiles] = document.querySelectorAll("p, div");
for (const [name, value] of new URLSearchParams(location.search)) {
  const field = form.elements.namedItem(name);
  if (field) field.value = value;
}

async function show() {
  const { dataset, z, query } = Object.fromEntries(new FormData(form));
  history.replaceState(null, "", "?" + new URLSearchParams({ dataset, z, query }));
  const parts = new URLSearchParams(query);
  for (const name of ["map", "range", "nodata"]) parts.delete(name);
  const answer = await fetch("/" + dataset + ".json?" + parts);
  const info = await answer.json();
  tiles.replaceChildren();
  status.textContent = info.error ?? "";
  if (!answer.ok) return;
  const level = info.levels[Math.min(z, info.maxzoom)];
  const [rows, columns] = [Math.min(level.rows, 16), Math.min(level.columns, 16)];
  status.textContent = level.shape.join(" × ") + ", " + info.dtype;
  tiles.style.gridTemplateColumns = "repeat(" + columns + ", max-content)";
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const image = new Image(info.tileSize, info.tileSize);
      image.loading = "lazy";
      image.alt = "row " + y + ", column " + x;
      image.src = "/" + dataset + "/" + level.z + "/" + y + "/" + x + ".png?" + query;
      tiles.append(image);
    }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  show();
});
if (form.elements.dataset.value) show();
`;

const files: ReadonlyMap<string, readonly [type: string, text: string]> = new Map([
  ["/", ["text/html; charset=utf-8", html]],
  ["/page.css", ["text/css", css]],
  ["/page.js", ["text/javascript", script]],
]);

/** A file of the page; undefined for other paths. */
export function page(pathname: string): Response | undefined {
  const [type, text] = files.get(pathname) ?? [];
  if (type === undefined || text === undefined) return undefined;
  const headers = {
    "content-type": type,
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
    "cache-control": "public, max-age=300",
  };
  return new Response(text, { headers });
}
