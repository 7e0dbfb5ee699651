/** Geometries in Well-known Binary. */

/** Well-known Binary of a polygon with one ring. */
export function polygonWkb(positions: readonly (readonly number[])[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(13 + 16 * positions.length));
  view.setUint8(0, 1);
  view.setUint32(1, 3, true);
  view.setUint32(5, 1, true);
  view.setUint32(9, positions.length, true);
  for (const [i, [x, y]] of positions.entries()) {
    view.setFloat64(13 + 16 * i, x!, true);
    view.setFloat64(21 + 16 * i, y!, true);
  }
  return new Uint8Array(view.buffer);
}

export function pointWkb(x: number, y: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(21));
  view.setUint8(0, 1);
  view.setUint32(1, 1, true);
  view.setFloat64(5, x, true);
  view.setFloat64(13, y, true);
  return new Uint8Array(view.buffer);
}
