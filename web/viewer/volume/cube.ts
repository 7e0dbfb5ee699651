/** The cube that shows the orientation of a volume; its faces are also buttons. */
import type { Orbit } from "../model/volume.js";
import { axisDirections } from "./affine.js";
import { dot, map3, type Vec3 } from "./bricks.js";
import { basis, type VolumeViewpoint } from "./camera.js";

/** Half an edge, and the distance of the centre from the lower right corner of the picture, in CSS pixels. */
const [half, inset] = [19, 48];

interface Face {
  readonly axis: number;
  /** 1 at the end of the axis, −1 at its origin. */
  readonly end: 1 | -1;
  /** From the face into the cube. */
  readonly inward: Vec3;
  /** In device pixels. */
  readonly middle: readonly [x: number, y: number];
  readonly corners: readonly (readonly [x: number, y: number])[];
}

/** The faces that are seen. */
function facesOf({ orbit, space, width, height }: VolumeViewpoint, ratio: number): Face[] {
  const { right, down, forward } = basis(orbit);
  const place = (at: Vec3): readonly [number, number] => [
    width + ratio * (half * dot(at, right) - inset),
    height + ratio * (half * dot(at, down) - inset),
  ];
  return [0, 1, 2].flatMap((axis) =>
    ([1, -1] as const).flatMap((end): Face[] => {
      const { along, normal } = axisDirections(space, axis);
      if (end * dot(normal, forward) > -0.02) return [];
      const outward = map3((i) => end * along[i]!);
      const [u, v] = [1, 2].map((step) => axisDirections(space, (axis + step) % 3).along);
      const corner = (a: number, b: number) => place(map3((i) => outward[i]! + a * u![i]! + b * v![i]!));
      const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
      return [{ axis, end, inward: map3((i) => -outward[i]!), middle: place(outward), corners }];
    }),
  );
}

/** @param names of the axes x, y and z */
export function drawCube(
  context: CanvasRenderingContext2D,
  view: VolumeViewpoint,
  ratio: number,
  names: readonly string[],
): void {
  const { forward } = basis(view.orbit);
  context.lineWidth = ratio;
  context.strokeStyle = "rgb(20 24 28)";
  context.font = `600 ${11 * ratio}px system-ui, sans-serif`;
  for (const { axis, end, inward, middle, corners } of facesOf(view, ratio)) {
    context.beginPath();
    for (const [x, y] of corners) context.lineTo(x, y);
    context.closePath();
    const light = Math.round(130 + 90 * dot(inward, forward));
    context.fillStyle = `rgb(${light} ${light} ${light + 6} / 85%)`;
    context.fill();
    context.stroke();
    context.fillStyle = "rgb(20 24 28)";
    context.fillText(`${end < 0 ? "" : "−"}${[...names[axis]!].slice(0, 2).join("")}`, ...middle);
  }
}

/** The camera that looks along an axis: from its origin, or from its end. */
export function lookAlong({ orbit, space }: VolumeViewpoint, axis: number, isReverse: boolean): Orbit {
  const { along } = axisDirections(space, axis);
  const inward = map3((i) => (isReverse ? -along[i]! : along[i]!));
  return facing(orbit, inward);
}

function facing(orbit: Orbit, [x, y, z]: Vec3): Orbit {
  const degrees = 180 / Math.PI;
  return {
    ...orbit,
    yaw: Math.atan2(x, z) * degrees,
    pitch: Math.asin(Math.min(Math.max(y, -1), 1)) * degrees,
  };
}

/** The camera that faces the side of the cube at a place, in device pixels. */
export function cubeTarget(view: VolumeViewpoint, ratio: number, x: number, y: number): Orbit | undefined {
  const distance = ({ middle }: Face) => Math.hypot(middle[0] - x, middle[1] - y);
  const [nearest] = facesOf(view, ratio).sort((a, b) => distance(a) - distance(b));
  return nearest && distance(nearest) < 1.2 * half * ratio ? facing(view.orbit, nearest.inward) : undefined;
}
