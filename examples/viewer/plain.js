// Shows the value under the pointer in the page's own text.
const value = document.getElementById("value");
for (const viewer of document.querySelectorAll("zarr-viewer")) {
  viewer.addEventListener("pointer", ({ detail }) => {
    value.textContent = detail ? `${detail.text} at ${detail.index.join(", ")}` : "point at a picture";
  });
  viewer.addEventListener("error", ({ detail }) => console.warn(detail.message));
}
