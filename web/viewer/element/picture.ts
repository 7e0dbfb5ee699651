/** What is shown as a picture to keep: title, rulers, picture, what lies over it, legend. */
import { snapshot } from "../base/snapshot.js";

/** CSS pixels around it. */
const margin = 16;

/** What is of use only on the page. */
const leftOut = ".zw-status, .zw-progress, .zw-readout, .zw-cursor, .zw-mark, button, input, select";

/** The stage as PNG, in device pixels. */
export function pictureOf(stage: HTMLElement): Promise<Blob> {
  const parts = [".zw-head", ".zw-view", ".zw-legend"].flatMap((name) => {
    const found = stage.querySelector<HTMLElement>(name);
    return found?.checkVisibility() ? [found] : [];
  });
  const { backgroundColor } = getComputedStyle(stage);
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

/** Characters of a file's name that are taken from the title. */
const maxFileName = 100;

/** A name for a file: without what systems do not take in names. */
export function fileName(title: string): string {
  const plain = title
    .slice(0, maxFileName)
    .replace(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[-.]+|[-.]+$/g, "");
  return `${plain || "view"}.png`;
}
