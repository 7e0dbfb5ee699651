// Shared by the pages of other viewers of volumes: their addresses, times and frames.
export const search = new URLSearchParams(location.search);
export const source = new URL(search.get("source"), location.href).href;

/** Turns the camera by a step and draws at once. */
let draw;
/** Milliseconds since the start. */
const times = {};
let started = 0;

export function begin() {
  started = performance.now();
}

/** Waits for the GPU. */
function finish() {
  const canvas = document.querySelector("canvas");
  const gl = canvas.getContext("webgl2");
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
}

/** Called after data have been drawn. @param {"first" | "complete"} name */
export function shown(name) {
  finish();
  times[name] ??= Math.round(performance.now() - started);
}

/** @param {(step: number) => void} turn */
export function ready(turn) {
  draw = turn;
}

/** Milliseconds per frame while the camera turns. */
function turnFor(duration) {
  const since = performance.now();
  let frames = 0;
  while (performance.now() - since < duration || frames < 3) {
    draw(++frames);
    finish();
  }
  return Math.round((performance.now() - since) / frames);
}

Object.assign(globalThis, { peer: { times, turnFor } });
