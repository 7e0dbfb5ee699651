/** Exports the view as an image: title, rulers, picture, overlay, legend. */
import { snapshot } from "../base/snapshot.js";

/** Margin in CSS pixels. */
const margin = 16;

/** Elements that only make sense on the page. */
const leftOut =
  ".zw-crumbs, .zw-tools, .zw-status, .zw-progress, .zw-readout, .zw-cursor, .zw-mark, button, input, select";

/** The main panel as PNG, in device pixels. */
export function exportPicture(mainPanel: HTMLElement): Promise<Blob> {
  const parts = [".zw-head", ".zw-view", ".zw-legend"].flatMap((name) => {
    const found = mainPanel.querySelector<HTMLElement>(name);
    return found?.checkVisibility() ? [found] : [];
  });
  const { backgroundColor } = getComputedStyle(mainPanel);
  const scale = Math.max(1, window.devicePixelRatio || 1);
  const canvas = snapshot(parts, { background: backgroundColor, margin, scale }, (element) =>
    element.matches(leftOut),
  );
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))),
      "image/png",
    );
  });
}

/** Maximum length of a file name, without its extension. */
const maxFileName = 100;

/** A file name without characters that operating systems reject. */
export function fileName(title: string): string {
  const plain = title
    .slice(0, maxFileName)
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return `${plain || "view"}.png`;
}
