/** The opacities of the colours of a layer. */
import { type OpacityCurve, opacityAt } from "../model/channels.js";

/** The opacity of one voxel for each of 256 colours. The first has that of the lower end, the last of the upper. */
export const opacityTable = (curve: OpacityCurve | undefined): readonly number[] =>
  Array.from({ length: 256 }, (_, i) => opacityAt(curve, i / 255));

/** The first colour that is not transparent, and the one after the last; all if none is. */
export function opaqueEntries(curve: OpacityCurve | undefined): readonly [first: number, end: number] {
  const table = opacityTable(curve);
  const first = table.findIndex((opacity) => opacity > 0);
  return first < 0 ? [256, 256] : [first, table.findLastIndex((opacity) => opacity > 0) + 1];
}
