/** Moves the faces of clip boxes. */
import type { VolumeClip } from "../model/volume.js";

/**
 * Returns a clip box with another end along an axis; it stays at least one voxel thick. Null if it contains the whole
 * volume.
 * @param extent lengths along x, y and z
 * @param bound rounded to whole voxels
 */
export function movedClip(
  extent: VolumeClip["to"],
  clip: VolumeClip | null,
  axis: number,
  end: 0 | 1,
  bound: number,
): VolumeClip | null {
  const ends = extent.map((length, i) => [
    Math.min(clip?.from[i] ?? 0, length - 1),
    Math.min(clip?.to[i] ?? length, length),
  ]);
  const [from, to] = ends[axis]! as [number, number];
  const at = Math.round(bound);
  if (!Number.isFinite(at)) return clip;
  ends[axis]![end] =
    end === 0 ? Math.max(0, Math.min(at, to - 1)) : Math.min(extent[axis]!, Math.max(at, from + 1));
  if (ends.every(([first, last], i) => first === 0 && last === extent[i])) return null;
  const [x, y, z] = ends as [number[], number[], number[]];
  return { from: [x[0]!, y[0]!, z[0]!], to: [x[1]!, y[1]!, z[1]!] };
}
