// What is pointed at, in the page's own words.
const value = document.getElementById("value");
for (const viewer of document.querySelectorAll("zarr-viewer")) {
  viewer.addEventListener("pointer", ({ detail }) => {
    value.textContent = detail ? `${detail.text} at ${detail.index.join(", ")}` : "point at a picture";
  });
  viewer.addEventListener("error", ({ detail }) => console.warn(detail.message));
}
