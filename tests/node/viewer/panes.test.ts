// The geometry of panes that share a camera.
import { expect, it } from "vitest";
import { movedCamera, paneShares, restingDepth, sideCamera } from "../../../web/viewer/model/panes.js";

const sides = { down: 1, depth: 4 };
const camera = { row: 10, column: 20, depth: 3, scale: 2 };

it("panes see the shared camera along their axes, to scale", () => {
  expect(sideCamera("xz", camera, sides)).toEqual({ row: 3, column: 20, scale: 2 });
  expect(sideCamera("yz", camera, sides)).toEqual({ row: 10, column: 3, scale: 8 });
});

for (const name of ["xz", "yz"] as const) {
  it(`the camera is the same after a look through ${name}`, () => {
    expect(movedCamera(name, sideCamera(name, camera, sides), camera, sides, 17)).toEqual(camera);
  });

  it(`a zoom in ${name} keeps the shown element in place in the picture`, () => {
    const near = sideCamera(name, camera, sides);
    const moved = movedCamera(name, { ...near, scale: 2 * near.scale }, camera, sides, 17);
    expect(moved.scale).toBe(4);
    const [before, after] = name === "xz" ? [camera.row, moved.row] : [camera.column, moved.column];
    expect((17 - after) * 4).toBe((17 - before) * 2);
  });
}

it("the third axis is centred, or around the shown element without going beyond its ends", () => {
  expect(restingDepth(2, 10, 12)).toBe(5);
  expect(restingDepth(5.5, 100, 20)).toBe(10);
  expect(restingDepth(50.5, 100, 20)).toBe(50.5);
  expect(restingDepth(99.5, 100, 20)).toBe(90);
});

it("panes get room in proportion to their lengths, but never too little", () => {
  expect(paneShares({ depth: 25, down: 100, across: 300 }, sides)).toEqual({ beside: 0.25, below: 0.5 });
  expect(paneShares({ depth: 1, down: 100, across: 300 }, sides)).toEqual({ beside: 0.18, below: 0.18 });
  expect(paneShares({ depth: 900, down: 1, across: 1 }, sides)).toEqual({ beside: 0.8, below: 0.8 });
});
