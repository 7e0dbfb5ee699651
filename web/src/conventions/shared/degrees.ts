/** Arithmetic of degrees. */

export const radians = Math.PI / 180;
export const revolution = 360;

/** Returns a longitude shifted to within one revolution east of another. */
export function shiftEast(west: number, value: number): number {
  const degrees = (value - west) % revolution;
  return west + (degrees < 0 ? degrees + revolution : degrees);
}
